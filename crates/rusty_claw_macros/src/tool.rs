//! `#[tool]`: an async function as a tool of the model. `#[tools]`: the methods of a type.

mod options;
mod parameters;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, Expr, ExprLit, FnArg, ImplItem, ImplItemFn, ItemFn, ItemImpl, Lit, Meta,
    Path, ReceiverKind, ReturnType, Safety, Signature,
};

use options::Options;
use parameters::{Arguments, Parameters};

/// Replaces the function with the tool.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let function: ItemFn = syn::parse2(item.clone()).map_err(|_| {
        let message = "#[tool] goes on an async function; for a closure there is `Tool::new`";
        Error::new_spanned(&item, message)
    })?;
    let options = Options::parse(options)?;
    if let Some(receiver) = function.sig.receiver() {
        let message = "the methods of a type become tools together: put \
                       #[rusty_claw::mcp::tools] on the impl block";
        return Err(Error::new_spanned(receiver, message));
    }
    let name = &function.sig.ident;
    let parameters = Parameters::read(&function.sig)?;
    let library = options.library();
    let call = |arguments| quote!(#name::call(#arguments));
    let tool = tool(&options, &function.attrs, &function.sig, &parameters, call)?;
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
                #tool
            }
        }
    })
}

/// Keeps the methods, and adds an implementation of `ToolSet` with those that have `#[tool]`.
pub(crate) fn expand_impl(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let mut block: ItemImpl = syn::parse2(item.clone()).map_err(|_| {
        let message = "#[tools] goes on an impl block; a function takes #[tool]";
        Error::new_spanned(&item, message)
    })?;
    if let Some((of, _)) = &block.trait_ {
        let message = "#[tools] goes on the methods of a type itself, not on those of a trait";
        return Err(Error::new_spanned(of, message));
    }
    let library = Options::only_crate(options)?;
    let mut tools = Vec::new();
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item
            && let Some(at) = method.attrs.iter().position(is_tool)
        {
            let attribute = method.attrs.remove(at);
            tools.push(method_as_tool(method, &attribute, &library)?);
        }
    }
    if tools.is_empty() {
        let message = "no method here is a tool: put #[tool] on those that the model may call";
        return Err(Error::new_spanned(&block.self_ty, message));
    }
    let (generics, _, condition) = block.generics.split_for_impl();
    let state = &block.self_ty;
    Ok(quote! {
        #block

        impl #generics #library::mcp::ToolSet for #state #condition {
            fn tools(self: ::std::sync::Arc<Self>) -> ::std::vec::Vec<#library::mcp::Tool> {
                let mut tools = ::std::vec::Vec::new();
                #(#tools)*
                tools
            }
        }
    })
}

fn is_tool(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|segment| segment.ident == "tool")
}

/// Generates `tools.push(…);`, and removes from the parameters what describes arguments.
fn method_as_tool(
    method: &mut ImplItemFn,
    attribute: &Attribute,
    library: &Path,
) -> syn::Result<TokenStream> {
    let options = match &attribute.meta {
        Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    let options = Options::parse_within(options, library)?;
    let takes_a_reference = method
        .sig
        .receiver()
        .is_some_and(|receiver| matches!(receiver.kind, ReceiverKind::Reference(_, _, None)));
    if !takes_a_reference {
        let message = "a tool of a type takes `&self`: calls come at the same time, so what \
                       changes is behind a lock; a function without `self` goes outside the block";
        return Err(Error::new_spanned(&method.sig, message));
    }
    let name = &method.sig.ident;
    let parameters = Parameters::read(&method.sig)?;
    let call = |arguments| quote!(state.#name(#arguments));
    let tool = tool(&options, &method.attrs, &method.sig, &parameters, call)?;
    let conditions = attributes_named(&method.attrs, "cfg");
    let push = quote! {
        #(#conditions)*
        tools.push({
            let state = ::std::sync::Arc::clone(&self);
            #tool
        });
    };
    let cleaned = parameters.cleaned.into_iter();
    for (parameter, cleaned) in method.sig.inputs.iter_mut().skip(1).zip(cleaned) {
        *parameter = FnArg::Typed(cleaned);
    }
    Ok(push)
}

/// The expression that creates the tool; `call` generates the call of the function.
fn tool(
    options: &Options,
    attributes: &[Attribute],
    signature: &Signature,
    parameters: &Parameters<'_>,
    call: impl FnOnce(TokenStream) -> TokenStream,
) -> syn::Result<TokenStream> {
    check_signature(signature)?;
    let name = &signature.ident;
    let description = match &options.description {
        Some(description) => description.value(),
        None => doc_text(attributes),
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
    let library = options.library();
    let settings = options.settings();
    let handler = handler(&library, signature, parameters, call);
    Ok(quote! {
        #handler
        #library::mcp::Tool::new(#tool_name, #description, handler) #settings
    })
}

fn check_signature(signature: &Signature) -> syn::Result<()> {
    if signature.asyncness.is_none() {
        let message = "a tool's function is async: write `async fn`";
        return Err(Error::new_spanned(signature.fn_token, message));
    }
    if !signature.generics.params.is_empty() {
        let message = "a tool's function has no generic parameters: the model calls one function \
                       with one schema";
        return Err(Error::new_spanned(&signature.generics, message));
    }
    if let Safety::Unsafe(unsafety) = &signature.safety {
        let message = "a tool's function is safe: anything may call it";
        return Err(Error::new_spanned(unsafety, message));
    }
    Ok(())
}

/// `let handler = …;`, which takes what `Tool::new` passes and calls the function.
///
/// The conversion of the result is generated here, with the span of the return type: in
/// `Tool::new`, an invalid return type would be reported as an invalid function.
fn handler(
    library: &Path,
    signature: &Signature,
    parameters: &Parameters<'_>,
    call: impl FnOnce(TokenStream) -> TokenStream,
) -> TokenStream {
    let context = parameters.context.map(|_| quote!(context,));
    let context_parameter = parameters
        .context
        .map(|_| quote!(context: #library::mcp::ToolContext,));
    let (declared, argument, given) = match &parameters.arguments {
        Arguments::None => (
            TokenStream::new(),
            quote!(_: #library::mcp::NoArguments),
            TokenStream::new(),
        ),
        Arguments::Whole(ty) => (
            TokenStream::new(),
            quote!(arguments: #ty),
            quote!(arguments),
        ),
        Arguments::Members(members) => {
            let fields = members.iter().map(parameters::Member::field);
            let defaults = members
                .iter()
                .filter_map(parameters::Member::default_function);
            let names = members.iter().map(|member| member.name);
            let serde = quote!(#library::serde).to_string().replace(' ', "");
            let schemars = quote!(#library::schemars).to_string().replace(' ', "");
            let declared = quote! {
                #(#defaults)*
                #[derive(#library::serde::Deserialize, #library::schemars::JsonSchema)]
                #[serde(crate = #serde)]
                #[schemars(crate = #schemars)]
                struct __Arguments {
                    #(#fields,)*
                }
            };
            let given = quote!(#(__arguments.#names),*);
            (declared, quote!(__arguments: __Arguments), given)
        }
    };
    let call = call(quote!(#context #given));
    let span = match &signature.output {
        ReturnType::Default => Span::call_site(),
        ReturnType::Type(_, ty) => ty.span(),
    };
    // Resolved at the call site, so that the error is shown at the type and not at the attribute.
    let span = span.resolved_at(Span::call_site());
    let convert = quote_spanned! {span=>
        #library::mcp::IntoToolResult::into_tool_result(
            (&&&&#library::mcp::OutputType::of(&__output)).wrap(__output)
        )
    };
    let state = signature
        .receiver()
        .map(|_| quote!(let state = ::std::sync::Arc::clone(&state);));
    quote! {
        #declared
        let handler = move |#context_parameter #argument| {
            #state
            async move {
                use #library::mcp::WrapOutput as _;
                let __output = #call.await;
                #convert
            }
        };
    }
}

/// The original function, renamed to `call`.
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
