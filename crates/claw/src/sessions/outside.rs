//! What we write goes outside of the CLI's folder.

use std::path::{Path, PathBuf};

/// Refuses a place among the files of the CLI.
pub(super) fn refuse(output: &Path, config_dir: &Path) -> anyhow::Result<()> {
    if real_place(output)?.starts_with(real_place(config_dir)?) {
        anyhow::bail!(
            "{} is among the files of Claude Code: name a place elsewhere",
            output.display()
        );
    }
    Ok(())
}

/// Where a path leads, though its end may not be there yet.
pub(super) fn real_place(path: &Path) -> anyhow::Result<PathBuf> {
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
