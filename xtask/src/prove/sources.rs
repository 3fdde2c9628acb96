//! A stamp of the sources that a record is about, so that an old record is not taken for a new one.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// The sources that a record is about: files and folders of this repository.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sources(&'static [&'static str]);

/// What decides how a line of the CLI is framed and read.
pub(crate) const PROTOCOL: Sources = Sources(&[
    "crates/rusty_claw_protocol/src",
    "crates/rusty_claw_macros/src",
    "crates/rusty_claw/src/framing.rs",
]);

/// What decides how session files are read and repaired. What counts or shows them is not in it, so
/// that its changes make no record old.
pub(crate) const SESSION_FILES: Sources = Sources(&[
    // Repair asks it what is damaged.
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

    /// What the stamp is of, for people.
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
            // Lengths keep a byte from moving over to the next name or file unseen.
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

/// FNV-1a: tells versions apart, which is all that is asked of it.
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
