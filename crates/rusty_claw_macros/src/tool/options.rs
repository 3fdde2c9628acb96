//! The options of `#[tool(…)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::parse::Parser;
use syn::{LitBool, LitStr, Path, Token, parse_quote};

/// The options of `#[tool(…)]`. Hints that are not given are not sent.
#[derive(Default)]
pub(super) struct Options {
    pub(super) name: Option<LitStr>,
    pub(super) description: Option<LitStr>,
    title: Option<LitStr>,
    search_hint: Option<LitStr>,
    read_only: Option<bool>,
    destructive: Option<bool>,
    idempotent: Option<bool>,
    open_world: Option<bool>,
    always_load: Option<bool>,
    crate_path: Option<Path>,
}

impl Options {
    pub(super) fn parse(tokens: TokenStream) -> syn::Result<Self> {
        let mut options = Self::default();
        let parser = syn::meta::parser(|meta| options.take(&meta));
        parser.parse2(tokens)?;
        Ok(options)
    }

    /// Parses the options of a method; the path to the library defaults to that of the block.
    pub(super) fn parse_within(tokens: TokenStream, library: &Path) -> syn::Result<Self> {
        let mut options = Self::parse(tokens)?;
        options.crate_path.get_or_insert_with(|| library.clone());
        Ok(options)
    }

    /// Parses the options of `#[tools(…)]`: the path to the library.
    pub(super) fn only_crate(tokens: TokenStream) -> syn::Result<Path> {
        let mut options = Self::default();
        let parser = syn::meta::parser(|meta| {
            if meta.path.is_ident("crate") {
                return options.take(&meta);
            }
            Err(meta.error("#[tools] has one option, `crate`; the others go into #[tool(…)]"))
        });
        parser.parse2(tokens)?;
        Ok(options.library())
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string);
        match name.as_deref().unwrap_or_default() {
            "name" => set(&mut self.name, text(meta)?, meta),
            "description" => set(&mut self.description, text(meta)?, meta),
            "title" => set(&mut self.title, text(meta)?, meta),
            "search_hint" => set(&mut self.search_hint, text(meta)?, meta),
            "read_only" => set(&mut self.read_only, flag(meta)?, meta),
            "destructive" => set(&mut self.destructive, flag(meta)?, meta),
            "idempotent" => set(&mut self.idempotent, flag(meta)?, meta),
            "open_world" => set(&mut self.open_world, flag(meta)?, meta),
            "always_load" => set(&mut self.always_load, flag(meta)?, meta),
            "crate" => {
                let path = text(meta)?.parse_with(Path::parse_mod_style)?;
                set(&mut self.crate_path, path, meta)
            }
            _ => Err(meta.error(
                "unknown option of #[tool]; there are `name`, `description`, `title`, \
                 `read_only`, `destructive`, `idempotent`, `open_world`, `always_load`, \
                 `search_hint` and `crate`",
            )),
        }
    }

    /// The path to the library; `::rusty_claw` by default.
    pub(super) fn library(&self) -> Path {
        let usual = || parse_quote!(::rusty_claw);
        self.crate_path.clone().unwrap_or_else(usual)
    }

    /// The calls after `Tool::new(…)`.
    pub(super) fn settings(&self) -> TokenStream {
        let title = self.title.iter();
        let search_hint = self.search_hint.iter();
        let read_only = self.read_only.iter();
        let destructive = self.destructive.iter();
        let idempotent = self.idempotent.iter();
        let open_world = self.open_world.iter();
        let always_load = self.always_load.iter();
        quote! {
            #(.title(#title))*
            #(.read_only(#read_only))*
            #(.destructive(#destructive))*
            #(.idempotent(#idempotent))*
            #(.open_world(#open_world))*
            #(.always_load(#always_load))*
            #(.search_hint(#search_hint))*
        }
    }
}

fn set<T>(place: &mut Option<T>, value: T, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if place.replace(value).is_some() {
        return Err(meta.error("this option is given twice"));
    }
    Ok(())
}

fn text(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    meta.value()?.parse()
}

/// `read_only` or `read_only = true` or `read_only = false`.
fn flag(meta: &ParseNestedMeta<'_>) -> syn::Result<bool> {
    if !meta.input.peek(Token![=]) {
        return Ok(true);
    }
    let value: LitBool = meta.value()?.parse()?;
    Ok(value.value)
}
