//! Directories that share a folder because their keys are the same.

use std::path::Path;

use crate::project_key::{composed, dashed};

/// Whether a session ran in another directory than the one whose folder it lies in, and that
/// other directory is still there. Sessions of moved or deleted directories stay where they are.
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

/// Two paths with one key.
fn differ(one: &str, other: &str) -> bool {
    dashed(one) == dashed(other) && slashed(one) != slashed(other)
}

fn slashed(path: &str) -> String {
    path.replace('\\', "/")
}
