//! The cache folder of this library.

use std::path::PathBuf;

/// `rusty_claw` in the user's cache folder.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    std::env::var_os("XDG_CACHE_HOME")
        .and_then(|folder| absolute(folder.into()))
        .or_else(|| Some(std::env::home_dir().and_then(absolute)?.join(".cache")))
        .map(|folder| folder.join("rusty_claw"))
}
