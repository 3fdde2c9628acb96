//! The parameters of a tool's function, and the arguments that the model passes.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Error, Expr, FnArg, Ident, LitStr, Pat, PatType, Signature, Token, Type};

/// The parameters of a tool's function.
pub(super) struct Parameters<'a> {
    /// The `ToolContext`, if it takes one.
    pub(super) context: Option<&'a PatType>,
    pub(super) arguments: Arguments<'a>,
    /// All of them, without our attributes.
    pub(super) cleaned: Vec<PatType>,
}

/// The arguments that the model passes.
pub(super) enum Arguments<'a> {
    None,
    /// One value of this type, whose members are the arguments.
    Whole(&'a Type),
    /// One parameter for each argument.
    Members(Vec<Member<'a>>),
}

/// One argument.
pub(super) struct Member<'a> {
    pub(super) name: &'a Ident,
    ty: &'a Type,
    /// Attributes that are copied to the generated field: doc comments, `serde`, `schemars`.
    passed_on: Vec<&'a Attribute>,
    doc: Option<LitStr>,
    renamed: Option<LitStr>,
    default: Option<DefaultValue>,
}

enum DefaultValue {
    OfType,
    Of(Box<Expr>),
}

impl<'a> Parameters<'a> {
    pub(super) fn read(signature: &'a Signature) -> syn::Result<Self> {
        // The caller has checked the receiver.
        let typed = |input: &'a FnArg| match input {
            FnArg::Typed(parameter) => Some(parameter),
            FnArg::Receiver(_) => None,
        };
        let parameters: Vec<&PatType> = signature.inputs.iter().filter_map(typed).collect();
        for parameter in &parameters {
            check_type(&parameter.ty)?;
        }
        let cleaned = parameters.iter().map(|parameter| cleaned(parameter));
        let cleaned = cleaned.collect();
        let (context, given) = match parameters.split_first() {
            Some((first, rest)) if is_context(&first.ty) => (Some(*first), rest),
            _ => (None, &parameters[..]),
        };
        if let Some(late) = given.iter().find(|parameter| is_context(&parameter.ty)) {
            let message = "the `ToolContext` is the first parameter, and there is one";
            return Err(Error::new_spanned(late, message));
        }
        let arguments = match given {
            [] => Arguments::None,
            [only] if is_whole(only) => Arguments::Whole(&only.ty),
            members => {
                let members = members.iter().map(|parameter| Member::read(parameter));
                Arguments::Members(members.collect::<syn::Result<_>>()?)
            }
        };
        Ok(Self {
            context,
            arguments,
            cleaned,
        })
    }
}

impl<'a> Member<'a> {
    fn read(parameter: &'a PatType) -> syn::Result<Self> {
        let name = match &*parameter.pat {
            Pat::Ident(pattern) if pattern.subpat.is_none() && pattern.by_ref.is_none() => {
                &pattern.ident
            }
            pattern => {
                let message = "an argument needs a name, by which the model gives it; to take \
                               several apart, use one struct with all of them";
                return Err(Error::new_spanned(pattern, message));
            }
        };
        let is_passed_on = |attribute: &&Attribute| {
            ["doc", "serde", "schemars"]
                .iter()
                .any(|name| attribute.path().is_ident(name))
        };
        let mut member = Self {
            name,
            ty: &parameter.ty,
            passed_on: parameter.attrs.iter().filter(is_passed_on).collect(),
            doc: None,
            renamed: None,
            default: None,
        };
        for attribute in parameter.attrs.iter().filter(|attribute| is_arg(attribute)) {
            if matches!(attribute.meta, syn::Meta::Path(_)) {
                continue;
            }
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("doc") {
                    member.doc = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("name") {
                    member.renamed = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("default") {
                    member.default = Some(if meta.input.peek(Token![=]) {
                        DefaultValue::Of(Box::new(meta.value()?.parse()?))
                    } else {
                        DefaultValue::OfType
                    });
                } else {
                    let message = "unknown option of #[arg]; there are `doc`, `name` and `default`";
                    return Err(meta.error(message));
                }
                Ok(())
            })?;
        }
        Ok(member)
    }

    /// The field of the generated struct.
    pub(super) fn field(&self) -> TokenStream {
        let Self {
            name,
            ty,
            passed_on,
            ..
        } = self;
        let doc = self.doc.iter();
        let renamed = self.renamed.iter();
        let default = self.default.as_ref().map(|default| match default {
            DefaultValue::OfType => quote!(#[serde(default)]),
            DefaultValue::Of(_) => {
                let function = self.default_name().to_string();
                quote!(#[serde(default = #function)])
            }
        });
        quote! {
            #(#passed_on)*
            #(#[doc = #doc])*
            #(#[serde(rename = #renamed)])*
            #default
            #name: #ty
        }
    }

    /// The function that serde calls for an argument that the model omitted.
    pub(super) fn default_function(&self) -> Option<TokenStream> {
        let Some(DefaultValue::Of(value)) = &self.default else {
            return None;
        };
        let (function, ty) = (self.default_name(), self.ty);
        Some(quote! {
            fn #function() -> #ty {
                ::core::convert::Into::into(#value)
            }
        })
    }

    fn default_name(&self) -> Ident {
        format_ident!("__default_{}", self.name)
    }
}

/// The parameter without the attributes that describe arguments.
fn cleaned(parameter: &PatType) -> PatType {
    let mut parameter = parameter.clone();
    parameter.attrs.retain(|attribute| {
        let path = attribute.path();
        !["arg", "doc", "serde", "schemars"]
            .iter()
            .any(|name| path.is_ident(name))
    });
    parameter
}

fn check_type(ty: &Type) -> syn::Result<()> {
    let message = match ty {
        Type::Reference(_) => {
            "a tool owns its arguments: take `String` for `&str`, `Vec` for a slice"
        }
        Type::ImplTrait(_) => {
            "a tool's arguments have types that have names: the schema is made of them"
        }
        _ => return Ok(()),
    };
    Err(Error::new_spanned(ty, message))
}

fn is_arg(attribute: &Attribute) -> bool {
    attribute.path().is_ident("arg")
}

fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        Type::Paren(inner) => last_name(&inner.elem),
        Type::Group(inner) => last_name(&inner.elem),
        _ => None,
    }
}

fn is_context(ty: &Type) -> bool {
    last_name(ty).is_some_and(|name| name == "ToolContext")
}

/// Whether a single parameter is all arguments at once. It is not if its type cannot be an object,
/// or if it has `#[arg]`.
fn is_whole(parameter: &PatType) -> bool {
    const NO_OBJECT: &[&str] = &[
        "BTreeSet", "HashSet", "IpAddr", "Ipv4Addr", "Ipv6Addr", "NonZero", "Option", "PathBuf",
        "String", "Vec", "VecDeque", "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64",
        "i8", "isize", "u128", "u16", "u32", "u64", "u8", "usize",
    ];
    if parameter.attrs.iter().any(is_arg) {
        return false;
    }
    match &*parameter.ty {
        Type::Array(_) | Type::Tuple(_) => false,
        ty => !last_name(ty).is_some_and(|name| NO_OBJECT.contains(&name.as_str())),
    }
}
