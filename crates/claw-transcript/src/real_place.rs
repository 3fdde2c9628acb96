//! Resolves paths.

use std::io;
use std::path::{Path, PathBuf};

/// Resolves a path through symbolic links; its end may not exist yet.
///
/// Call it before writing a file, so that no link or `..` leads to the files of the CLI.
///
/// # Errors
/// Returns an error if the path is empty, or the working directory is unknown.
pub fn real_place(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let mut missing = Vec::new();
    for above in path.ancestors() {
        if let Ok(mut real) = above.canonicalize() {
            real.extend(missing.iter().rev());
            return Ok(real);
        }
        missing.extend(above.file_name());
    }
    Ok(path)
}
