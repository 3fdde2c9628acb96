//! Where a path leads.

use std::io;
use std::path::{Path, PathBuf};

/// Where a path leads, through links, though its end may not be there yet.
///
/// Whoever is about to write a file asks this first, so that nothing lands among the files of the
/// CLI by way of a link or a `..`.
///
/// # Errors
/// The path is empty, or the working directory cannot be told.
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
