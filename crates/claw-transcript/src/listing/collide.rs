//! Directories that share a folder because they have the same key.

use std::path::Path;

use crate::project_key::{composed, dashed};

/// Returns whether a session ran in a directory other than that of its folder, and that directory
/// still exists. Sessions of moved or deleted directories stay in the list.
pub(super) fn is_another_dir(cwd: &str, dir: &str, own_dirs: &[String]) -> bool {
    let cwd_text = slashed(&composed(cwd));
    let is_own = own_dirs.iter().any(|own| {
        let own = slashed(own);
        cwd_text == own || cwd_text.starts_with(&format!("{}/", own.trim_end_matches('/')))
    });
    if is_own || !differ(cwd, dir) {
        return false;
    }
    let Ok(real) = std::fs::canonicalize(Path::new(cwd)) else {
        return false;
    };
    differ(&composed(&real.to_string_lossy()), dir)
}

/// Returns whether two different paths have the same key.
fn differ(one: &str, other: &str) -> bool {
    dashed(one) == dashed(other) && slashed(one) != slashed(other)
}

fn slashed(path: &str) -> String {
    path.replace('\\', "/")
}
