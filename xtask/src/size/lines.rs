//! Rust sources and their code lines.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use syn::spanned::Spanned as _;
use syn::visit::Visit;

use crate::ci::source_files;

/// A Rust file.
pub(super) struct Source {
    /// Relative to the workspace root.
    pub(super) name: String,
    /// Lines without comments, blanks and tests; 0 for tests and examples.
    pub(super) code_lines: usize,
    pub(super) syntax: syn::File,
}

pub(super) fn read_all() -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    let mut tests = BTreeSet::new();
    for file in source_files::all()? {
        if !file.name.ends_with(".rs") {
            continue;
        }
        let Some(bytes) = file.read()? else { continue };
        let text =
            String::from_utf8(bytes).with_context(|| format!("{} is not text", file.name))?;
        let syntax =
            syn::parse_file(&text).with_context(|| format!("cannot parse {}", file.name))?;
        let mut found = TestItems::default();
        found.visit_file(&syntax);
        tests.extend(found.modules.iter().map(|module| below(&file.name, module)));
        let is_code = |(number, line): (usize, &str)| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with("//") && !found.lines.contains(&(number + 1))
        };
        let code_lines = text
            .lines()
            .enumerate()
            .filter(|line| is_code(*line))
            .count();
        sources.push(Source {
            code_lines: if is_test_or_example(&file.name) {
                0
            } else {
                code_lines
            },
            name: file.name,
            syntax,
        });
    }
    for source in &mut sources {
        let stem = source.name.trim_end_matches(".rs");
        if tests
            .iter()
            .any(|test| stem == test || stem.starts_with(&format!("{test}/")))
        {
            source.code_lines = 0;
        }
    }
    Ok(sources)
}

/// The file of a module declared in `file`, without `.rs`.
pub(super) fn below(file: &str, module: &str) -> String {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    match name {
        "lib.rs" | "main.rs" => format!("{folder}/{module}"),
        _ => format!("{folder}/{}/{module}", name.trim_end_matches(".rs")),
    }
}

/// Whether a file is in the folder `tests`, `benches` or `examples` of a crate. Outside `crates/`,
/// these folders count as code.
fn is_test_or_example(name: &str) -> bool {
    let folder = name
        .strip_prefix("crates/")
        .and_then(|name| name.split('/').nth(1));
    folder.is_some_and(|folder| ["tests", "benches", "examples"].contains(&folder))
}

/// Items under `#[cfg(test)]`.
#[derive(Default)]
struct TestItems {
    lines: BTreeSet<usize>,
    /// Modules in files of their own.
    modules: Vec<String>,
}

impl<'ast> Visit<'ast> for TestItems {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_test(attributes(item)) {
            return syn::visit::visit_item(self, item);
        }
        let span = item.span();
        self.lines.extend(span.start().line..=span.end().line);
        if let syn::Item::Mod(module) = item
            && module.content.is_none()
        {
            self.modules.push(module.ident.to_string());
        }
    }
}

/// Whether the attributes restrict an item to tests.
pub(super) fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Meta>()
                .is_ok_and(|condition| needs_test(&condition))
    })
}

fn needs_test(condition: &syn::Meta) -> bool {
    match condition {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) if list.path.is_ident("all") => list
            .parse_args_with(
                syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated,
            )
            .is_ok_and(|all| all.iter().any(needs_test)),
        _ => false,
    }
}

/// The attributes of an item.
pub(super) fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    use syn::Item;
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_items_are_found() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n#[cfg(all(test, unix))]\nmod c;\n#[cfg(not(test))]\nfn d() {}\n";
        let mut found = TestItems::default();
        found.visit_file(&syn::parse_file(text).unwrap());
        assert_eq!(found.lines, (2..=7).collect());
        assert_eq!(found.modules, ["c"]);
    }

    #[test]
    fn modules_are_below_their_file() {
        assert_eq!(below("a/src/lib.rs", "b"), "a/src/b");
        assert_eq!(below("a/src/b.rs", "c"), "a/src/b/c");
    }
}
