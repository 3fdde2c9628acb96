//! `Wire` for structs.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataStruct, DeriveInput, Ident, Path, Type, Visibility};

use crate::attributes::{Role, WireAttributes, WireField, doc_text, extra_field, outer_type};
use crate::describe;

pub(crate) fn expand(input: &DeriveInput, data: &DataStruct) -> syn::Result<TokenStream> {
    let attributes = WireAttributes::parse(&input.attrs)?;
    let fields = WireField::list(&data.fields, attributes.rename_all.as_deref())?;
    let name = &input.ident;
    let members = members_impl(name, &fields, attributes.after.as_ref(), input)?;
    let extra = extra_field(&fields, input)?;
    let writes = writes(&fields, &extra, &|ident| quote!(&self.#ident));
    let shape = describe::fields(&fields);
    let shape = describe::shape(
        &name.to_string(),
        &doc_text(&input.attrs),
        &quote!(::rusty_claw_protocol::wire::Kind::Object(#shape)),
    );
    let common = common_impls(name, &shape);
    let or = attributes.or.as_ref().map(|or| {
        quote! {
            if !reader.is_object()? {
                return #or(reader);
            }
        }
    });
    let or_boxed = attributes.or.as_ref().map(|or| {
        quote! {
            if !reader.is_object()? {
                return ::core::result::Result::Ok(#or(reader)?.map(::std::boxed::Box::new));
            }
        }
    });
    let constructor = (matches!(input.vis, Visibility::Public(_)) && !attributes.own_new)
        .then(|| constructor(name, &fields));
    Ok(quote! {
        #members
        #constructor

        impl ::rusty_claw_protocol::wire::WireObject for #name {
            #[inline]
            fn read_tagged(
                reader: &mut ::rusty_claw_protocol::wire::Reader<'_>,
                tags: ::rusty_claw_protocol::wire::Tags,
            ) -> ::core::result::Result<::rusty_claw_protocol::wire::Found<Self>, ::rusty_claw_protocol::wire::Malformed> {
                #or
                ::rusty_claw_protocol::wire::read_members(reader, tags)
            }

            fn read_tagged_boxed(
                reader: &mut ::rusty_claw_protocol::wire::Reader<'_>,
                tags: ::rusty_claw_protocol::wire::Tags,
            ) -> ::core::result::Result<
                ::rusty_claw_protocol::wire::Found<::std::boxed::Box<Self>>,
                ::rusty_claw_protocol::wire::Malformed,
            > {
                #or_boxed
                ::rusty_claw_protocol::wire::read_members(reader, tags)
            }

            fn write_members<M: ::rusty_claw_protocol::wire::SerializeMap>(
                &self,
                map: &mut M,
                _written: ::rusty_claw_protocol::wire::Tags,
            ) -> ::core::result::Result<(), M::Error> {
                #(#writes)*
                self.#extra.write(map)
            }
        }

        #common
    })
}

/// `new`, which takes the required members: other crates cannot build the struct by a literal.
fn constructor(name: &Ident, fields: &[WireField]) -> TokenStream {
    let given = || fields.iter().filter(|field| field.given);
    let idents = given().map(|field| &field.ident);
    let values = given().map(|WireField { ident, ty, .. }| match converts(ty) {
        true => quote!(#ident: ::core::convert::Into::into(#ident)),
        false => quote!(#ident),
    });
    let kinds = given().map(|WireField { ty, .. }| match converts(ty) {
        true => quote!(impl ::core::convert::Into<#ty>),
        false => quote!(#ty),
    });
    quote! {
        impl #name {
            /// Creates a value from the members that are always present. Every other field starts
            /// with its default and can be assigned.
            #[must_use]
            #[allow(clippy::too_many_arguments)]
            pub fn new(#(#idents: #kinds),*) -> Self {
                Self {
                    #(#values,)*
                    ..::core::default::Default::default()
                }
            }
        }
    }
}

/// Whether the constructor takes anything that converts to the type. For numbers and lists it takes
/// the type itself, so that the compiler can infer the type of a literal.
fn converts(ty: &Type) -> bool {
    let outer = outer_type(ty).unwrap_or_default();
    outer.starts_with(char::is_uppercase) && outer != "Vec" && outer != "Map"
}

/// `Wire`, `Serialize` and `Deserialize`, the same for structs and enums.
pub(crate) fn common_impls(name: &Ident, shape: &TokenStream) -> TokenStream {
    quote! {
        impl ::rusty_claw_protocol::wire::Wire for #name {
            #[inline]
            fn read(
                reader: &mut ::rusty_claw_protocol::wire::Reader<'_>,
            ) -> ::core::result::Result<::rusty_claw_protocol::wire::Found<Self>, ::rusty_claw_protocol::wire::Malformed> {
                <Self as ::rusty_claw_protocol::wire::WireObject>::read_tagged(
                    reader,
                    ::rusty_claw_protocol::wire::Tags::NONE,
                )
            }

            #[inline]
            fn read_boxed(
                reader: &mut ::rusty_claw_protocol::wire::Reader<'_>,
            ) -> ::core::result::Result<
                ::rusty_claw_protocol::wire::Found<::std::boxed::Box<Self>>,
                ::rusty_claw_protocol::wire::Malformed,
            > {
                <Self as ::rusty_claw_protocol::wire::WireObject>::read_tagged_boxed(
                    reader,
                    ::rusty_claw_protocol::wire::Tags::NONE,
                )
            }

            #shape
        }

        impl ::rusty_claw_protocol::wire::Serialize for #name {
            fn serialize<S: ::rusty_claw_protocol::wire::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                ::rusty_claw_protocol::wire::serialize(self, serializer)
            }
        }

        impl<'de> ::rusty_claw_protocol::wire::Deserialize<'de> for #name {
            fn deserialize<D: ::rusty_claw_protocol::wire::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                ::rusty_claw_protocol::wire::deserialize(deserializer)
            }
        }
    }
}

/// `WireMembers`: assigns a member to its field.
pub(crate) fn members_impl(
    name: &Ident,
    fields: &[WireField],
    after: Option<&Path>,
    at: &dyn quote::ToTokens,
) -> syn::Result<TokenStream> {
    let extra = extra_field(fields, at)?;
    let mut arms: BTreeMap<usize, Vec<TokenStream>> = BTreeMap::new();
    let (mut absent, mut required) = (Vec::new(), Vec::new());
    let mut bits = 0_u32;
    for (number, field) in fields.iter().enumerate() {
        if matches!(field.role, Role::Extra | Role::Flatten) {
            continue;
        }
        let number = number as u32;
        let (ident, key) = (&field.ident, &field.key);
        // A bit for each member whose presence must be known: required ones, and those that have
        // another spelling.
        let bit = if field.role == Role::Required || !field.aliases.is_empty() {
            let bit = 1_u64.checked_shl(bits).ok_or_else(|| {
                syn::Error::new_spanned(at, "more than 64 required or aliased fields")
            })?;
            bits += 1;
            if field.role == Role::Required {
                absent.push(quote!(if seen & #bit == 0 { self.#extra.mark_absent(#key); }));
                // One that is `null` instead of absent is an option all the same.
                if outer_type(&field.ty).as_deref() != Some("Option") {
                    required.push(key);
                }
            }
            Some(bit)
        } else {
            None
        };
        let mark = bit.map(|bit| quote!(*seen |= #bit;));
        arms.entry(key.len()).or_default().push(quote! {
            #key => {
                #mark
                return reader.field(&mut self.#ident, ::rusty_claw_protocol::wire::MemberKey::new(#key, #number), &mut self.#extra);
            }
        });
        for alias in &field.aliases {
            // Another spelling counts only if the first is absent so far; otherwise it is an extra.
            arms.entry(alias.len()).or_default().push(quote! {
                #alias => {
                    if *seen & #bit != 0 {
                        return ::core::result::Result::Ok(false);
                    }
                    return reader.field_as(&mut self.#ident, #key, #alias, &mut self.#extra);
                }
            });
        }
    }
    // Only keys of equal length are compared: most lookups end after the length.
    let groups = arms
        .iter()
        .map(|(length, arms)| quote!(#length => match key { #(#arms)* _ => {} },));
    let mut shared = fields.iter().filter(|field| field.role == Role::Flatten);
    let (flattened, finish_shared) = match (shared.next(), shared.next()) {
        (None, _) => (None, None),
        (Some(field), None) => {
            let ident = &field.ident;
            let read = quote! {
                let mut shared_seen = self.#extra.shared_seen();
                let taken = ::rusty_claw_protocol::wire::WireMembers::read_member(
                    &mut self.#ident, reader, key, &mut shared_seen)?;
                self.#extra.set_shared_seen(shared_seen);
                if taken {
                    return ::core::result::Result::Ok(true);
                }
            };
            let finish = quote! {
                ::rusty_claw_protocol::wire::WireMembers::finish(&mut self.#ident, self.#extra.shared_seen());
                self.#extra.set_shared_seen(0);
            };
            (Some(read), Some(finish))
        }
        (Some(_), Some(second)) => {
            return Err(syn::Error::new_spanned(
                &second.ident,
                "only one struct can share the object",
            ));
        }
    };
    let after = after.map(|after| quote!(#after(self);));
    Ok(quote! {
        impl ::rusty_claw_protocol::wire::WireMembers for #name {
            const REQUIRED: &'static [&'static str] = &[#(#required),*];

            fn read_member(
                &mut self,
                reader: &mut ::rusty_claw_protocol::wire::Reader<'_>,
                key: &str,
                seen: &mut u64,
            ) -> ::core::result::Result<bool, ::rusty_claw_protocol::wire::Malformed> {
                let _ = seen;
                match key.len() { #(#groups)* _ => {} }
                #flattened
                ::core::result::Result::Ok(false)
            }

            fn extra_mut(&mut self) -> &mut ::rusty_claw_protocol::Extra {
                &mut self.#extra
            }

            fn finish(&mut self, seen: u64) {
                let _ = seen;
                #(#absent)*
                #finish_shared
                #after
            }
        }
    })
}

/// The statements that write each field; `place` turns a field's name into a reference to it.
pub(crate) fn writes(
    fields: &[WireField],
    extra: &Ident,
    place: &dyn Fn(&Ident) -> TokenStream,
) -> Vec<TokenStream> {
    let extra = place(extra);
    let mut out = Vec::new();
    for (number, field) in fields.iter().enumerate() {
        let number = number as u32;
        let key = &field.key;
        let value = place(&field.ident);
        out.push(match field.role {
            Role::Extra => continue,
            Role::Flatten => quote! {
                ::rusty_claw_protocol::wire::WireObject::write_members(
                    #value, map, ::rusty_claw_protocol::wire::Tags::NONE)?;
            },
            Role::Required => quote!((#extra).write_required(map, #key, #value)?;),
            Role::Optional => quote!((#extra).write_optional(map, #key, #number, #value)?;),
        });
    }
    out
}
