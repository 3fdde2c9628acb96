//! `#[tool]`: an async function as a tool of the model.

mod options;
mod parameters;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Error, Expr, ExprLit, Ident, ItemFn, Lit, Meta};

use options::Options;
use parameters::{Arguments, Parameters};

/// Writes the tool in place of the function.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let function: ItemFn = syn::parse2(item.clone()).map_err(|_| {
        let message = "#[tool] goes on an async function; for a closure there is `Tool::new`";
        Error::new_spanned(&item, message)
    })?;
    let options = Options::parse(options)?;
    check_signature(&function)?;

    let name = &function.sig.ident;
    let description = match &options.description {
        Some(description) => description.value(),
        None => doc_text(&function.attrs),
    };
    if description.is_empty() {
        let message = "a tool needs a description, from which the model learns what it is for: \
                       write a doc comment, or `#[tool(description = \"…\")]`";
        return Err(Error::new_spanned(name, message));
    }
    let tool_name = match &options.name {
        Some(name) => name.value(),
        None => name.to_string().trim_start_matches("r#").to_owned(),
    };
    let parameters = Parameters::read(&function.sig)?;
    let library = options.library();
    let handler = handler(&library, name, &parameters);
    let settings = options.settings();
    let function_itself = as_associated_function(&function, &parameters);

    let docs = attributes_named(&function.attrs, "doc");
    let conditions = attributes_named(&function.attrs, "cfg");
    let visibility = &function.vis;
    Ok(quote! {
        #(#docs)*
        #(#conditions)*
        #[allow(non_camel_case_types)]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #visibility struct #name;

        #(#conditions)*
        impl #name {
            #function_itself
        }

        #(#conditions)*
        impl #library::mcp::IntoTool for #name {
            fn into_tool(self) -> #library::mcp::Tool {
                #handler
                #library::mcp::Tool::new(#tool_name, #description, handler) #settings
            }
        }
    })
}

fn check_signature(function: &ItemFn) -> syn::Result<()> {
    let signature = &function.sig;
    if signature.asyncness.is_none() {
        let message = "a tool's function is async: write `async fn`";
        return Err(Error::new_spanned(signature.fn_token, message));
    }
    if !signature.generics.params.is_empty() {
        let message = "a tool's function has no generic parameters: the model calls one function \
                       with one schema";
        return Err(Error::new_spanned(&signature.generics, message));
    }
    if let Some(unsafety) = &signature.unsafety {
        let message = "a tool's function is safe: anything may call it";
        return Err(Error::new_spanned(unsafety, message));
    }
    Ok(())
}

/// `let handler = …;`, which takes what `Tool::new` gives and calls the function.
fn handler(library: &TokenStream, name: &Ident, parameters: &Parameters<'_>) -> TokenStream {
    let context = parameters.context.map(|_| quote!(context,));
    let context_parameter = parameters
        .context
        .map(|_| quote!(context: #library::mcp::ToolContext,));
    match &parameters.arguments {
        Arguments::None => quote! {
            let handler = |#context_parameter _: #library::mcp::NoArguments| {
                #name::call(#context)
            };
        },
        Arguments::Whole(ty) => quote! {
            let handler = |#context_parameter arguments: #ty| #name::call(#context arguments);
        },
        Arguments::Members(members) => {
            let fields = members.iter().map(parameters::Member::field);
            let defaults = members
                .iter()
                .filter_map(parameters::Member::default_function);
            let names: Vec<_> = members.iter().map(|member| member.name).collect();
            let serde = quote!(#library::serde).to_string().replace(' ', "");
            let schemars = quote!(#library::schemars).to_string().replace(' ', "");
            quote! {
                #(#defaults)*
                #[derive(#library::serde::Deserialize, #library::schemars::JsonSchema)]
                #[serde(crate = #serde)]
                #[schemars(crate = #schemars)]
                struct __Arguments {
                    #(#fields,)*
                }
                let handler = |#context_parameter __arguments: __Arguments| {
                    #name::call(#context #(__arguments.#names),*)
                };
            }
        }
    }
}

/// The function as it was written, under the name `call`.
fn as_associated_function(function: &ItemFn, parameters: &Parameters<'_>) -> TokenStream {
    let conditions = |attribute: &&Attribute| !attribute.path().is_ident("cfg");
    let attributes = function.attrs.iter().filter(conditions);
    let visibility = &function.vis;
    let inputs = &parameters.cleaned;
    let output = &function.sig.output;
    let body = &function.block;
    quote! {
        #(#attributes)*
        #visibility async fn call(#(#inputs),*) #output #body
    }
}

fn attributes_named<'a>(attributes: &'a [Attribute], name: &str) -> Vec<&'a Attribute> {
    let named = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident(name));
    named.collect()
}

/// The text of a doc comment: the space after `///` is not part of it.
fn doc_text(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes_named(attributes, "doc") {
        if let Meta::NameValue(meta) = &attribute.meta
            && let Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) = &meta.value
        {
            let text = text.value();
            for line in text.lines() {
                lines.push(line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned());
            }
            if text.is_empty() {
                lines.push(String::new());
            }
        }
    }
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests;
