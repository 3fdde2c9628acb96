//! The names that items define and use.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

/// The name that an item defines.
pub(super) fn name_of(item: &syn::Item) -> Option<String> {
    use syn::Item;
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// The paths of two and more segments in an item, also in the arguments of macros.
pub(super) fn paths_in(item: &syn::Item) -> Vec<Vec<String>> {
    let mut paths = Paths(Vec::new());
    paths.visit_item(item);
    paths.0
}

/// A path of a `use`.
pub(super) struct Import {
    pub(super) path: Vec<String>,
    /// The name that it binds; none for a glob.
    pub(super) name: Option<String>,
}

/// The paths of a `use`, each behind a prefix.
pub(super) fn imports_in(tree: &syn::UseTree, prefix: &[String]) -> Vec<Import> {
    let (named, bound) = match tree {
        syn::UseTree::Path(path) => {
            let below = [prefix, &[path.ident.to_string()]].concat();
            return imports_in(&path.tree, &below);
        }
        syn::UseTree::Group(group) => {
            let trees = group.items.iter();
            return trees.flat_map(|tree| imports_in(tree, prefix)).collect();
        }
        syn::UseTree::Glob(_) => (None, None),
        syn::UseTree::Name(name) => (Some(&name.ident), Some(&name.ident)),
        syn::UseTree::Rename(name) => (Some(&name.ident), Some(&name.rename)),
    };
    // `use a::{self}` names `a`.
    let named = named.map(ToString::to_string);
    let path: Vec<String> = prefix
        .iter()
        .cloned()
        .chain(named.filter(|name| name != "self"))
        .collect();
    let bound = bound.map(ToString::to_string);
    let name = match bound {
        Some(own) if own == "self" => path.last().cloned(),
        bound => bound,
    };
    vec![Import { path, name }]
}

struct Paths(Vec<Vec<String>>);

impl<'ast> Visit<'ast> for Paths {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            let names = path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string());
            self.0.push(names.collect());
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, import: &'ast syn::ItemUse) {
        let imports = imports_in(&import.tree, &[]).into_iter();
        self.0.extend(imports.map(|import| import.path));
    }

    // `pub(in a::b)` imports nothing.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
        syn::visit::visit_macro(self, call);
    }
}

impl Paths {
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.keep(&mut path);
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.keep(&mut path);
                    self.tokens(group.stream());
                }
                _ => self.keep(&mut path),
            }
        }
        self.keep(&mut path);
    }

    fn keep(&mut self, path: &mut Vec<String>) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.0.push(path);
        }
    }
}
