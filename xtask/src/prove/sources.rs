//! A stamp of the sources of a record, by which an outdated record is recognized.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// The sources that a record is about: files and folders of this repository.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sources(&'static [&'static str]);

/// The code that frames and decodes lines of the CLI.
pub(crate) const PROTOCOL: Sources = Sources(&[
    "crates/rusty_claw_protocol/src",
    "crates/rusty_claw_macros/src",
    "crates/rusty_claw/src/framing.rs",
]);

/// The code that reads and repairs session files. Code that counts or shows them is not included,
/// so that its changes do not make a record stale.
pub(crate) const SESSION_FILES: Sources = Sources(&[
    // Repair uses it to find damage.
    "crates/claw-transcript/src/check.rs",
    "crates/claw-transcript/src/check",
    "crates/claw-transcript/src/entry.rs",
    "crates/claw-transcript/src/entry",
    "crates/claw-transcript/src/lines.rs",
    "crates/claw-transcript/src/lines",
    "crates/claw-transcript/src/members.rs",
    "crates/claw-transcript/src/repair.rs",
    "crates/claw-transcript/src/repair",
]);

impl Sources {
    /// The stamp: sixteen hexadecimal digits.
    pub(crate) fn stamp(self, root: &Path) -> Result<String> {
        stamp_of(root, self.0)
    }

    /// The paths that the stamp covers, for people.
    pub(crate) fn described(self) -> String {
        let parts: Vec<String> = self.0.iter().map(|part| format!("`{part}`")).collect();
        parts.join(", ")
    }

    /// The files and folders, by their paths from the root.
    #[cfg(test)]
    pub(crate) fn parts(self) -> &'static [&'static str] {
        self.0
    }
}

fn stamp_of(root: &Path, parts: &[&str]) -> Result<String> {
    let mut hash = Fnv::default();
    for part in parts {
        let mut files = Vec::new();
        collect(&root.join(part), &mut files)?;
        ensure!(!files.is_empty(), "{part} has no files");
        files.sort();
        for path in files {
            let name = path.strip_prefix(root).unwrap_or(&path);
            let text =
                std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            // With lengths, so that a byte that moves to the next name or file changes the stamp.
            for piece in [name.to_string_lossy().as_bytes(), &text] {
                hash.add(&(piece.len() as u64).to_le_bytes());
                hash.add(piece);
            }
        }
    }
    Ok(format!("{:016x}", hash.0))
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if path.is_file() {
        files.push(path.to_owned());
        return Ok(());
    }
    let entries =
        std::fs::read_dir(path).with_context(|| format!("cannot list {}", path.display()))?;
    for entry in entries {
        collect(&entry?.path(), files)?;
    }
    Ok(())
}

/// FNV-1a, which is enough to distinguish versions.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_count_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
        let stamp = || stamp_of(root, &["a", "c.rs"]);
        assert!(stamp().is_err());
        write("a/b/one.rs", "1");
        write("c.rs", "2");
        let first = stamp().unwrap();
        assert_eq!(first.len(), 16);
        assert_eq!(stamp().unwrap(), first);
        write("elsewhere.rs", "3");
        assert_eq!(stamp().unwrap(), first);
        write("c.rs", "3");
        assert_ne!(stamp().unwrap(), first);
        write("c.rs", "2");
        assert_eq!(stamp().unwrap(), first);
        std::fs::rename(root.join("a/b/one.rs"), root.join("a/b/two.rs")).unwrap();
        assert_ne!(stamp().unwrap(), first);
    }

    #[test]
    fn the_sources_of_this_workspace_have_a_stamp() {
        let root = crate::cli_package::workspace_root();
        for sources in [PROTOCOL, SESSION_FILES] {
            assert_eq!(sources.stamp(&root).unwrap(), sources.stamp(&root).unwrap());
        }
    }
}
