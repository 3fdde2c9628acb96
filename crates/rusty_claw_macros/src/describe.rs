//! Generates the static description of a type, for the reference page.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Type;

use crate::attributes::{Role, WireField};

/// `&'static [Field]` of a list of fields.
pub(crate) fn fields(fields: &[WireField]) -> TokenStream {
    list(
        fields,
        |ty| quote!(<#ty as ::rusty_claw_protocol::wire::Wire>::shape),
    )
}

/// The same for a variant that is read by hand, whose fields need not be wire types.
pub(crate) fn plain_fields(fields: &[WireField]) -> TokenStream {
    list(fields, |_| quote!(|| ::core::option::Option::None))
}

fn list(fields: &[WireField], shape: impl Fn(&Type) -> TokenStream) -> TokenStream {
    let entries = fields
        .iter()
        .filter(|field| field.role != Role::Extra)
        .map(|field| {
            let WireField {
                ty,
                key,
                aliases,
                doc,
                ..
            } = field;
            let key = if field.role == Role::Flatten { "" } else { key };
            let shape = shape(ty);
            let rust = ty.to_token_stream().to_string().replace(' ', "");
            quote! {
                ::rusty_claw_protocol::wire::Field {
                    name: #key,
                    aliases: &[#(#aliases),*],
                    rust: #rust,
                    doc: #doc,
                    shape: #shape,
                }
            }
        });
    quote!(&[#(#entries),*])
}

/// `Wire::shape`; nothing without the feature, because programs do not need it and it is a fifth
/// of the generated code.
pub(crate) fn shape(name: &str, doc: &str, kind: &TokenStream) -> TokenStream {
    if cfg!(not(feature = "shapes")) {
        return TokenStream::new();
    }
    quote! {
        fn shape() -> ::core::option::Option<&'static ::rusty_claw_protocol::wire::Shape> {
            static SHAPE: ::rusty_claw_protocol::wire::Shape =
                ::rusty_claw_protocol::wire::Shape { name: #name, doc: #doc, kind: #kind };
            ::core::option::Option::Some(&SHAPE)
        }
    }
}
