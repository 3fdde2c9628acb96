//! Files that only their owner can read.

use std::fs::File;
use std::path::Path;

/// Creates a file for an export, or truncates an existing one. Only its owner can read the file
/// (mode 0600 on Unix), because it contains a conversation.
///
/// # Errors
/// Returns an error if the file cannot be created, opened or changed.
pub fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
        let file = options.mode(0o600).open(path)?;
        // An existing file keeps its mode when it is opened. Pipes and devices are left unchanged.
        if file.metadata()?.is_file() {
            file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        }
        Ok(file)
    }
    #[cfg(not(unix))]
    options.open(path)
}
