//! What we write goes outside of the CLI's folder.

use std::path::Path;

use claw_transcript::real_place;

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
