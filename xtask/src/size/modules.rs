//! The modules of a crate, and what a path names in them.

use std::collections::BTreeMap;

use super::lines::{Source, attributes, below, is_test};
use super::paths::{self, Import};

/// A module: a file, or an inline module of one.
#[derive(Default)]
pub(super) struct Module {
    /// The index of its file among the sources.
    pub(super) file: usize,
    pub(super) parent: Option<usize>,
    children: BTreeMap<String, usize>,
    /// Names bound by `use`.
    bindings: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    /// Every path that is used in it.
    pub(super) paths: Vec<Vec<String>>,
    /// Every path that it exports under its own name.
    pub(super) exports: Vec<Vec<String>>,
    items: Vec<String>,
}

/// The modules of one crate; the first is its root.
pub(super) struct Modules(pub(super) Vec<Module>);

/// The most re-exports that are followed: a longer chain is circular.
const DEEPEST: usize = 20;

/// How a path was reached.
#[derive(Clone, Copy, Default)]
struct Search {
    /// The number of re-exports that were followed.
    depth: usize,
    /// Whether it was built from a glob, which may not contain the name.
    in_glob: bool,
}

impl Modules {
    pub(super) fn of_root(root: usize, sources: &[Source]) -> Self {
        let mut modules = Self(Vec::new());
        modules.add(None, root, &sources[root].syntax.items, sources);
        modules
    }

    fn add(
        &mut self,
        parent: Option<usize>,
        file: usize,
        items: &[syn::Item],
        sources: &[Source],
    ) -> usize {
        let at = self.0.len();
        self.0.push(Module {
            file,
            parent,
            ..Module::default()
        });
        for item in items.iter().filter(|item| !is_test(attributes(item))) {
            match item {
                syn::Item::Mod(module) => {
                    let name = module.ident.to_string();
                    let (file, items) = match &module.content {
                        Some((_, items)) => (file, items),
                        None => {
                            let stem = below(&sources[file].name, &name);
                            let child = sources
                                .iter()
                                .position(|source| source.name.strip_suffix(".rs") == Some(&stem));
                            let Some(child) = child else { continue };
                            (child, &sources[child].syntax.items)
                        }
                    };
                    let child = self.add(Some(at), file, items, sources);
                    self.0[at].children.insert(name, child);
                }
                syn::Item::Use(import) => {
                    let module = &mut self.0[at];
                    for Import { path, name } in paths::imports_in(&import.tree, &[]) {
                        let users = match import.vis {
                            syn::Visibility::Inherited => &mut module.paths,
                            _ => &mut module.exports,
                        };
                        users.push(path.clone());
                        match name {
                            Some(name) => drop(module.bindings.insert(name, path)),
                            None => module.globs.push(path),
                        }
                    }
                }
                other => {
                    let module = &mut self.0[at];
                    module.items.extend(paths::name_of(other));
                    module.paths.extend(paths::paths_in(other));
                }
            }
        }
        at
    }

    /// The files that a module imports.
    pub(super) fn imports_of(&self, at: usize) -> impl Iterator<Item = usize> {
        let resolve = move |path: &Vec<String>| self.resolve(at, path, Search::default());
        let used = self.0[at].paths.iter().filter_map(resolve);
        // Re-exporting from a child module is a declaration, as `mod` is, and no import.
        let exported = self.0[at].exports.iter().filter_map(resolve);
        let exported = exported.filter(move |target| !self.is_below(*target, at));
        used.chain(exported).map(|target| self.0[target].file)
    }

    fn is_below(&self, module: usize, parent: usize) -> bool {
        std::iter::successors(Some(module), |at| self.0[*at].parent).any(|at| at == parent)
    }

    /// The module that defines what a path names, or that the path names.
    fn resolve(&self, from: usize, path: &[String], search: Search) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        let (mut at, mut rest) = match first.as_str() {
            "crate" => (0, rest),
            "self" => (from, rest),
            "super" => (self.0[from].parent?, rest),
            _ => (from, path),
        };
        while let Some((name, after)) = rest.split_first() {
            let module = &self.0[at];
            if name == "super" {
                at = module.parent?;
            } else if let Some(child) = module.children.get(name) {
                at = *child;
            } else {
                // A name that no item of a module defines comes from a macro in it.
                let is_in_module = at != 0 && rest.len() < path.len() && !search.in_glob;
                let found = self.item(at, name, after, search);
                return found.or(is_in_module.then_some(at));
            }
            rest = after;
        }
        Some(at)
    }

    fn item(&self, at: usize, name: &str, after: &[String], search: Search) -> Option<usize> {
        let module = &self.0[at];
        if module.items.iter().any(|item| item == name) || search.depth > DEEPEST {
            return Some(at);
        }
        let depth = search.depth + 1;
        if let Some(bound) = module.bindings.get(name) {
            // `use name;` of another crate binds the name to itself.
            if bound.as_slice() == [name] {
                return None;
            }
            let path: Vec<String> = bound.iter().chain(after).cloned().collect();
            return self.resolve(at, &path, Search { depth, ..search });
        }
        module.globs.iter().find_map(|glob| {
            let path: Vec<String> = glob.iter().cloned().chain([name.to_owned()]).collect();
            let in_glob = true;
            self.resolve(at, &path, Search { depth, in_glob })
        })
    }
}
