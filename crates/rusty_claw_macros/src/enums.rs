//! `Wire` for tagged enums.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DataEnum, DeriveInput, Fields, Ident, Path, Type, Variant};

use crate::attributes::{WireAttributes, WireField, doc_text, extra_field, tag_of};
use crate::{describe, structs};

pub(crate) fn expand(input: &DeriveInput, data: &DataEnum) -> syn::Result<TokenStream> {
    let attributes = WireAttributes::parse(&input.attrs)?;
    let Some(tag) = attributes.tag else {
        return Err(syn::Error::new_spanned(
            input,
            "say which member is the tag: #[wire(tag = \"…\")]",
        ));
    };
    let name = &input.ident;
    let variants = data
        .variants
        .iter()
        .filter(|variant| variant.ident != "Unknown")
        .map(|variant| Alternative::parse(variant, name, attributes.rename_all.as_deref()))
        .collect::<syn::Result<Vec<_>>>()?;
    if variants.len() == data.variants.len() {
        return Err(syn::Error::new_spanned(
            input,
            "a wire enum ends in `Unknown(Unknown)`",
        ));
    }
    let helpers = variants
        .iter()
        .map(Alternative::helper)
        .collect::<syn::Result<Vec<_>>>()?;
    let reads = variants.iter().map(|variant| variant.read(name));
    let writes = variants
        .iter()
        .map(|variant| variant.write(&tag))
        .collect::<syn::Result<Vec<_>>>()?;
    let shapes = variants.iter().map(Alternative::describe);
    let tag_names = variants.iter().map(|variant| variant.tag_name(&tag));
    let shape = describe::shape(
        &name.to_string(),
        &doc_text(&input.attrs),
        &quote!(::rusty_claw_protocol::wire::Kind::Tagged { tag: #tag, variants: &[#(#shapes),*] }),
    );
    let common = structs::common_impls(name, &shape);
    Ok(quote! {
        #(#helpers)*

        impl #name {
            /// Returns the tag.
            pub fn tag(&self) -> &str {
                match self {
                    #(#tag_names)*
                    Self::Unknown(unknown) => unknown.name.as_str(),
                }
            }
        }

        impl ::rusty_claw_protocol::wire::WireObject for #name {
            fn read_tagged(
                reader: &mut ::rusty_claw_protocol::wire::Reader<'_>,
                tags: ::rusty_claw_protocol::wire::Tags,
            ) -> ::core::result::Result<::rusty_claw_protocol::wire::Found<Self>, ::rusty_claw_protocol::wire::Malformed> {
                use ::rusty_claw_protocol::wire::Found;
                if !reader.is_object()? {
                    return ::core::result::Result::Ok(Found::Other);
                }
                let tag = reader.tag(#tag)?;
                let tags = tags.and(#tag);
                reader.enter_variant(tag.as_deref());
                let found = match tag.as_deref() {
                    #(#reads)*
                    other => Found::Exact(Self::Unknown(::rusty_claw_protocol::Unknown::read(reader, tags, other)?)),
                };
                reader.leave_variant();
                ::core::result::Result::Ok(found)
            }

            fn write_members<M: ::rusty_claw_protocol::wire::SerializeMap>(
                &self,
                map: &mut M,
                written: ::rusty_claw_protocol::wire::Tags,
            ) -> ::core::result::Result<(), M::Error> {
                match self {
                    #(#writes)*
                    Self::Unknown(unknown) => unknown.write_members(map, written.names()),
                }
            }
        }

        #common
    })
}

/// One typed variant.
struct Alternative {
    ident: Ident,
    tags: Vec<String>,
    doc: String,
    body: Body,
    /// The hidden struct that reads the variant's own fields.
    helper: Ident,
    after: Option<Path>,
    with: Option<Path>,
}

enum Body {
    Wraps(Box<Type>),
    Fields(Vec<WireField>),
}

impl Alternative {
    fn parse(variant: &Variant, owner: &Ident, rename_all: Option<&str>) -> syn::Result<Self> {
        let attributes = WireAttributes::parse(&variant.attrs)?;
        let tag = attributes
            .name
            .unwrap_or_else(|| tag_of(&variant.ident.to_string(), rename_all));
        let mut tags = vec![tag];
        tags.extend(attributes.aliases);
        let body = match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                Body::Wraps(Box::new(fields.unnamed[0].ty.clone()))
            }
            fields => Body::Fields(WireField::list(fields, attributes.rename_all.as_deref())?),
        };
        let helper = format_ident!("__{}{}", owner, variant.ident);
        Ok(Self {
            ident: variant.ident.clone(),
            tags,
            doc: doc_text(&variant.attrs),
            body,
            helper,
            after: attributes.after,
            with: attributes.with,
        })
    }

    fn helper(&self) -> syn::Result<TokenStream> {
        let (Body::Fields(fields), None) = (&self.body, &self.with) else {
            return Ok(TokenStream::new());
        };
        let helper = &self.helper;
        let members = structs::members_impl(helper, fields, self.after.as_ref(), &self.ident)?;
        let (idents, types): (Vec<_>, Vec<_>) =
            fields.iter().map(|field| (&field.ident, &field.ty)).unzip();
        Ok(quote! {
            #[derive(Default)]
            #[allow(non_camel_case_types)]
            struct #helper { #(#idents: #types),* }
            #members
        })
    }

    fn read(&self, owner: &Ident) -> TokenStream {
        let (ident, tags) = (&self.ident, &self.tags);
        if let Some(with) = &self.with {
            return quote!(::core::option::Option::Some(#(#tags)|*) => #with::read(reader, tags)?,);
        }
        match &self.body {
            Body::Wraps(ty) => quote! {
                ::core::option::Option::Some(#(#tags)|*) => {
                    <#ty as ::rusty_claw_protocol::wire::WireObject>::read_tagged(reader, tags)?.map(Self::#ident)
                }
            },
            Body::Fields(fields) => {
                let helper = &self.helper;
                let idents: Vec<_> = fields.iter().map(|field| &field.ident).collect();
                quote! {
                    ::core::option::Option::Some(#(#tags)|*) => {
                        ::rusty_claw_protocol::wire::read_members::<#helper>(reader, tags)?
                            .map(|#helper { #(#idents),* }| #owner::#ident { #(#idents),* })
                    }
                }
            }
        }
    }

    /// The field that carries the tag, if the variant has one.
    fn tag_field(&self, tag: &str) -> Option<&Ident> {
        match &self.body {
            Body::Fields(fields) => fields
                .iter()
                .find(|field| field.key == tag)
                .map(|field| &field.ident),
            Body::Wraps(_) => None,
        }
    }

    fn write(&self, tag: &str) -> syn::Result<TokenStream> {
        let (ident, name) = (&self.ident, &self.tags[0]);
        if let Some(with) = &self.with {
            return Ok(quote! {
                Self::#ident { .. } => {
                    map.serialize_entry(#tag, #name)?;
                    #with::write(self, map)
                }
            });
        }
        Ok(match &self.body {
            Body::Wraps(_) => quote! {
                Self::#ident(inner) => {
                    map.serialize_entry(#tag, #name)?;
                    ::rusty_claw_protocol::wire::WireObject::write_members(inner, map, written.and(#tag))
                }
            },
            Body::Fields(fields) => {
                let idents: Vec<_> = fields.iter().map(|field| &field.ident).collect();
                let extra = extra_field(fields, &self.ident)?;
                let writes = structs::writes(fields, &extra, &|ident| quote!(#ident));
                let tag_entry = self
                    .tag_field(tag)
                    .is_none()
                    .then(|| quote!(map.serialize_entry(#tag, #name)?;));
                quote! {
                    Self::#ident { #(#idents),* } => {
                        #tag_entry
                        #(#writes)*
                        #extra.write(map)
                    }
                }
            }
        })
    }

    fn tag_name(&self, tag: &str) -> TokenStream {
        let (ident, name) = (&self.ident, &self.tags[0]);
        match self.tag_field(tag) {
            Some(field) => quote!(Self::#ident { #field, .. } => #field.as_str(),),
            None => quote!(Self::#ident { .. } => #name,),
        }
    }

    fn describe(&self) -> TokenStream {
        let (name, tags, doc) = (self.ident.to_string(), &self.tags, &self.doc);
        let (fields, shape) = match &self.body {
            Body::Wraps(ty) => (
                quote!(&[]),
                quote!(<#ty as ::rusty_claw_protocol::wire::Wire>::shape),
            ),
            Body::Fields(fields) if self.with.is_some() => (
                describe::plain_fields(fields),
                quote!(|| ::core::option::Option::None),
            ),
            Body::Fields(fields) => (
                describe::fields(fields),
                quote!(|| ::core::option::Option::None),
            ),
        };
        quote! {
            ::rusty_claw_protocol::wire::Variant { name: #name, tags: &[#(#tags),*], doc: #doc, fields: #fields, shape: #shape }
        }
    }
}
