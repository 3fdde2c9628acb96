//! Procedural macros of rusty_claw.
//!
//! [`macro@Wire`] implements the reading and writing of a wire type. It exists because serde's own
//! derive cannot express what we need: keep unrecognized members, distinguish `null` from absent,
//! read an object whose tag may be anywhere without buffering it, and never reject an object.
//!
//! [`macro@tool`] turns an async function into a tool, [`macro@tools`] the methods of a type.

mod attributes;
mod describe;
mod enums;
mod structs;
mod tool;
mod wire_type;

use proc_macro::TokenStream;
use syn::{Data, DeriveInput, parse_macro_input};

/// Derives `Wire`, `WireObject`, `serde::Serialize`, `serde::Deserialize` and a constructor.
///
/// On a struct with named fields, one of which is `extra: Extra`:
///
/// - `Option` fields are optional members; every other field is a required one, which reads as its
///   default if it is missing.
/// - `#[wire(nullable)]` on an `Option` field: the member is required, and `None` is `null`.
/// - `#[wire(rename_all = "camelCase")]` on the struct, `#[wire(name = "…")]` on a field,
///   `#[wire(alias = "…")]` for a further accepted spelling, `#[wire(flatten)]` for a struct whose
///   members are in the same object;
/// - `#[wire(or = "path")]` on the struct names a function that reads the value if it is not an
///   object, `#[wire(after = "path")]` one that completes the value when all members are read.
///
/// A public struct gets `pub fn new(…)`, with a parameter for each required member in the order of
/// the fields, because it is `#[non_exhaustive]`: a release with more members must not break
/// programs that build one. So a required member that is added later is marked `#[wire(later)]` and
/// is not a parameter; `#[wire(own_new)]` on the struct means that its `new` is written by hand.
///
/// On an enum, with `#[wire(tag = "type")]`:
///
/// - variants are distinguished by the tag; their names are in snake case unless
///   `rename_all = "PascalCase"` or `"camelCase"` on the enum or `#[wire(name = "…")]` on the
///   variant sets another, and `#[wire(alias = "…")]` adds further tags;
/// - a variant wraps a wire type or has fields of its own, with `extra: Extra`; a field that has
///   the tag's name carries the tag itself;
/// - `#[wire(with = "module")]` on a variant uses the `read` and `write` functions of the module;
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

/// Declares a public type of the wire, open for members and variants of later releases.
///
/// Adds `#[non_exhaustive]` and derives `Debug`, `Clone`, `PartialEq` and [`macro@Wire`]; a struct
/// also derives `Default`. Structs, and variants with named fields, get the field `extra: Extra` for
/// unrecognized members. The arguments are those of `#[wire(…)]`.
#[proc_macro_attribute]
pub fn wire_type(arguments: TokenStream, item: TokenStream) -> TokenStream {
    wire_type::expand(&arguments.into(), parse_macro_input!(item as DeriveInput))
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Turns an async function into a tool that the model can call.
///
/// Documented as `rusty_claw::mcp::tool`, with examples that run.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(options.into(), item.into())
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Turns the methods of a type into tools that the model can call.
///
/// Documented as `rusty_claw::mcp::tools`, with examples that run.
#[proc_macro_attribute]
pub fn tools(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand_impl(options.into(), item.into())
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}
