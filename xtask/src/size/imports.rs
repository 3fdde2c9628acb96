//! Which file imports which, within a crate.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

use super::lines::Source;
use super::modules::Modules;

/// Files and the files they import.
pub(super) type Imports = BTreeMap<String, BTreeSet<String>>;

pub(super) fn between_files(sources: &[Source]) -> Result<Imports> {
    let is_root = |name: &str| {
        let product = name.starts_with("crates/") || name.starts_with("xtask/");
        let root = name.ends_with("/src/lib.rs") || name.ends_with("/src/main.rs");
        product && (root || name.contains("/src/bin/"))
    };
    let mut imports = Imports::new();
    for (root, _) in sources
        .iter()
        .enumerate()
        .filter(|(_, source)| is_root(&source.name))
    {
        let modules = Modules::of_root(root, sources);
        for (at, module) in modules.0.iter().enumerate() {
            for path in &module.paths {
                if let Some(target) = modules.resolve(at, path, 0)
                    && modules.0[target].file != module.file
                {
                    imports
                        .entry(sources[module.file].name.clone())
                        .or_default()
                        .insert(sources[modules.0[target].file].name.clone());
                }
            }
        }
    }
    ensure!(!imports.is_empty(), "no imports were found");
    Ok(imports)
}
