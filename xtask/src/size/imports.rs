//! Which file imports which, within a crate.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

use super::lines::Source;
use super::modules::Modules;

/// Files and the files they import.
pub(super) type Imports = BTreeMap<String, BTreeSet<String>>;

pub(super) fn between_files(sources: &[Source]) -> Result<Imports> {
    let is_root = |name: &str| {
        let is_crate = name.ends_with("/src/lib.rs") || name.ends_with("/src/main.rs");
        is_crate || name.contains("/src/bin/")
    };
    let mut imports = Imports::new();
    for (root, _) in sources
        .iter()
        .enumerate()
        .filter(|(_, source)| is_root(&source.name))
    {
        let modules = Modules::of_root(root, sources);
        for (at, module) in modules.0.iter().enumerate() {
            let others = modules.imports_of(at).filter(|file| *file != module.file);
            let names: BTreeSet<String> = others.map(|file| sources[file].name.clone()).collect();
            if !names.is_empty() {
                let of_file = imports.entry(sources[module.file].name.clone());
                of_file.or_default().extend(names);
            }
        }
    }
    ensure!(!imports.is_empty(), "no imports were found");
    Ok(imports)
}
