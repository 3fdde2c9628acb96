//! `#[wire_type]`: the attributes that all public wire types share, and the field `extra`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::{Data, DeriveInput, Field, Fields, Visibility};

pub(crate) fn expand(arguments: &TokenStream, mut item: DeriveInput) -> syn::Result<TokenStream> {
    let mut default = None;
    match &mut item.data {
        Data::Struct(data) => {
            add_extra(&mut data.fields, &item.vis)?;
            default = Some(quote!(Default,));
        }
        Data::Enum(data) => {
            for variant in &mut data.variants {
                add_extra(&mut variant.fields, &Visibility::Inherited)?;
            }
        }
        Data::Union(_) => {}
    }
    Ok(quote! {
        #[derive(Debug, Clone, #default PartialEq, ::rusty_claw_macros::Wire)]
        #[non_exhaustive]
        #[wire(#arguments)]
        #item
    })
}

/// Adds `extra` to named fields. The derive rejects other structs.
fn add_extra(fields: &mut Fields, vis: &Visibility) -> syn::Result<()> {
    if let Fields::Named(fields) = fields {
        let extra = quote! {
            /// Unrecognized members.
            #vis extra: ::rusty_claw_protocol::Extra
        };
        fields.named.push(Field::parse_named.parse2(extra)?);
    }
    Ok(())
}
