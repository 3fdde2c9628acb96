//! The files of this repository, and the installed CLI package.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The root of the workspace, whatever folder the tool was started in.
pub(crate) fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.map_or_else(PathBuf::new, Path::to_path_buf)
}

/// Reads a file, and names it in the error.
pub(crate) fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file and the folders above it.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, bytes));
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// All files below a folder, sorted by their paths. A folder that is missing has none.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    // As texts: components would put the folder of a module before its file.
    files.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    files
}

/// A variable by which `cargo xtask` passes the installed CLI package.
pub(crate) fn variable(name: &str) -> Result<String> {
    let value = std::env::var(name);
    value.with_context(|| format!("{name} is not set: start this with `cargo xtask`"))
}
