//! Procedural macros of rusty_claw.
//!
//! [`macro@Wire`] writes the reading and writing of a wire type. It exists because serde's own
//! derive cannot say what we need: keep what no field takes, tell `null` from nothing, read an
//! object whose tag stands anywhere without buffering it, and never refuse an object.
//!
//! [`macro@tool`] makes a tool of an async function, [`macro@tools`] several of the methods of a
//! type.

mod attributes;
mod describe;
mod enums;
mod structs;
mod tool;

use proc_macro::TokenStream;
use syn::{Data, DeriveInput, parse_macro_input};

/// Derives `Wire`, `WireObject`, `serde::Serialize`, `serde::Deserialize` and a constructor.
///
/// On a struct with named fields, one of which is `extra: Extra`:
///
/// - `Option` fields are optional members; every other field is a required one, which reads as
///   its default when it is missing.
/// - `#[wire(nullable)]` on an `Option` field: the member is required, and `None` is `null`.
/// - `#[wire(rename_all = "camelCase")]` on the struct, `#[wire(name = "…")]` on a field,
///   `#[wire(alias = "…")]` for a further accepted spelling,
///   `#[wire(flatten)]` for a struct whose members stand in the same object;
/// - `#[wire(or = "path")]` on the struct names a function that reads the value when it is not an
///   object, `#[wire(after = "path")]` one that completes the value when all members are read.
///
/// A public struct gets `pub fn new(…)`, with a parameter for each required member in the order of
/// the fields, for it is `#[non_exhaustive]`: a release that knows more members must not break
/// programs that build one. So a required member that comes later is marked `#[wire(later)]` and
/// is no parameter; `#[wire(own_new)]` on the struct says that its `new` is written by hand.
///
/// On an enum, with `#[wire(tag = "type")]`:
///
/// - variants are told apart by the tag; their names are in snake case unless
///   `#[wire(name = "…")]` says otherwise, and `#[wire(alias = "…")]` adds further tags;
/// - a variant wraps a wire type or has fields of its own, with `extra: Extra`; a field that has
///   the tag's name carries the tag itself;
/// - `#[wire(with = "module")]` on a variant: the module's `read` and `write` do it by hand;
/// - the last variant is `Unknown(Unknown)`.
#[proc_macro_derive(Wire, attributes(wire))]
pub fn derive_wire(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let expanded = match &input.data {
        Data::Struct(data) => structs::expand(&input, data),
        Data::Enum(data) => enums::expand(&input, data),
        Data::Union(_) => Err(syn::Error::new_spanned(
            &input,
            "a union is not a wire type",
        )),
    };
    expanded
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Makes a tool that the model can call of an async function.
///
/// Described where users meet it, as `rusty_claw::mcp::tool`, with examples that run.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(options.into(), item.into())
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Makes tools that the model can call of the methods of a type.
///
/// Described where users meet it, as `rusty_claw::mcp::tools`, with examples that run.
#[proc_macro_attribute]
pub fn tools(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand_impl(options.into(), item.into())
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}
