//! The `#[wire(…)]` attributes, and the fields of wire types.

use syn::{Attribute, Expr, ExprLit, Fields, Ident, Lit, LitStr, Meta, Path, Type};

/// The parsed attributes of one item.
#[derive(Default)]
pub(crate) struct WireAttributes {
    pub(crate) name: Option<String>,
    pub(crate) aliases: Vec<String>,
    pub(crate) rename_all: Option<String>,
    pub(crate) tag: Option<String>,
    pub(crate) flatten: bool,
    pub(crate) nullable: bool,
    pub(crate) later: bool,
    pub(crate) own_new: bool,
    pub(crate) after: Option<Path>,
    pub(crate) or: Option<Path>,
    pub(crate) with: Option<Path>,
}

impl WireAttributes {
    pub(crate) fn parse(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut out = Self::default();
        for attribute in attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("wire"))
        {
            attribute.parse_nested_meta(|meta| {
                for (flag, place) in [
                    ("flatten", &mut out.flatten),
                    ("nullable", &mut out.nullable),
                    ("later", &mut out.later),
                    ("own_new", &mut out.own_new),
                ] {
                    if meta.path.is_ident(flag) {
                        *place = true;
                        return Ok(());
                    }
                }
                let literal = meta.value()?.parse::<LitStr>()?;
                let value = literal.value();
                if meta.path.is_ident("name") {
                    out.name = Some(value);
                } else if meta.path.is_ident("alias") {
                    out.aliases.push(value);
                } else if meta.path.is_ident("rename_all") {
                    if !matches!(value.as_str(), "camelCase" | "PascalCase") {
                        return Err(meta.error("neither camelCase nor PascalCase"));
                    }
                    out.rename_all = Some(value);
                } else if meta.path.is_ident("tag") {
                    out.tag = Some(value);
                } else if meta.path.is_ident("after") {
                    out.after = Some(literal.parse()?);
                } else if meta.path.is_ident("or") {
                    out.or = Some(literal.parse()?);
                } else if meta.path.is_ident("with") {
                    out.with = Some(literal.parse()?);
                } else {
                    return Err(meta.error("not a wire attribute"));
                }
                Ok(())
            })?;
        }
        Ok(out)
    }
}

/// One named field of a struct or of a variant.
pub(crate) struct WireField {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) key: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) doc: String,
    pub(crate) role: Role,
    /// Whether it is a parameter of the constructor.
    pub(crate) given: bool,
}

/// How a field is read and written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Optional,
    Required,
    Flatten,
    Extra,
}

impl WireField {
    pub(crate) fn list(fields: &Fields, rename_all: Option<&str>) -> syn::Result<Vec<Self>> {
        let Fields::Named(named) = fields else {
            return Err(syn::Error::new_spanned(
                fields,
                "wire types have named fields",
            ));
        };
        named
            .named
            .iter()
            .map(|field| Self::parse(field, rename_all))
            .collect()
    }

    fn parse(field: &syn::Field, rename_all: Option<&str>) -> syn::Result<Self> {
        let Some(ident) = field.ident.clone() else {
            return Err(syn::Error::new_spanned(
                field,
                "wire types have named fields",
            ));
        };
        let attributes = WireAttributes::parse(&field.attrs)?;
        if attributes.flatten && !attributes.aliases.is_empty() {
            return Err(syn::Error::new_spanned(
                field,
                "a shared object has no name, so no alias either",
            ));
        }
        let plain = ident.to_string().trim_start_matches("r#").to_owned();
        let renamed = match rename_all {
            Some(_) => camel_case(&plain),
            None => plain,
        };
        let outer = outer_type(&field.ty);
        let given = !attributes.later && !matches!(outer.as_deref(), Some("Extra" | "Option"));
        let role = match outer.as_deref() {
            _ if attributes.flatten => Role::Flatten,
            _ if attributes.nullable => Role::Required,
            Some("Extra") => Role::Extra,
            Some("Option") => Role::Optional,
            _ => Role::Required,
        };
        Ok(Self {
            ident,
            ty: field.ty.clone(),
            key: attributes.name.unwrap_or(renamed),
            aliases: attributes.aliases,
            doc: doc_text(&field.attrs),
            role,
            given,
        })
    }
}

/// The field that keeps unrecognized members.
pub(crate) fn extra_field(fields: &[WireField], at: &dyn quote::ToTokens) -> syn::Result<Ident> {
    let mut extras = fields.iter().filter(|field| field.role == Role::Extra);
    match (extras.next(), extras.next()) {
        (Some(extra), None) => Ok(extra.ident.clone()),
        _ => Err(syn::Error::new_spanned(
            at,
            "a wire type needs exactly one field `extra: Extra`",
        )),
    }
}

/// The first paragraph of an item's documentation, as one line.
pub(crate) fn doc_text(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes {
        if let Meta::NameValue(meta) = &attribute.meta
            && meta.path.is_ident("doc")
            && let Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) = &meta.value
        {
            lines.push(text.value().trim().to_owned());
        }
    }
    // The reference page has one line for each item.
    lines
        .split(String::is_empty)
        .next()
        .unwrap_or_default()
        .join(" ")
}

/// The last segment of a type's path, such as `Option`.
pub(crate) fn outer_type(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    path.path
        .segments
        .last()
        .map(|segment| segment.ident.to_string())
}

/// The tag of a variant: its name, in the case of `rename_all` or else in snake case.
pub(crate) fn tag_of(name: &str, rename_all: Option<&str>) -> String {
    match rename_all {
        Some("PascalCase") => name.to_owned(),
        Some(_) => camel_case(&snake_case(name)),
        None => snake_case(name),
    }
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for (index, c) in name.char_indices() {
        if c.is_uppercase() && index > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

fn camel_case(name: &str) -> String {
    let mut out = String::new();
    let mut upper = false;
    for c in name.chars() {
        if c == '_' {
            upper = true;
        } else if std::mem::take(&mut upper) {
            out.extend(c.to_uppercase());
        } else {
            out.push(c);
        }
    }
    out
}
