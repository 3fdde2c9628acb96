//! A stamp of the sources that a record is about, so that an old record is not taken for a new one.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// What decides how a line is framed and read.
const READERS: [&str; 3] = [
    "crates/rusty_claw_protocol/src",
    "crates/rusty_claw_macros/src",
    "crates/rusty_claw/src/framing.rs",
];

/// The stamp of the sources that read lines: sixteen hexadecimal digits.
pub(crate) fn stamp(root: &Path) -> Result<String> {
    stamp_of(root, &READERS)
}

/// What the stamp is of, for people.
pub(crate) fn described() -> String {
    READERS.map(|part| format!("`{part}`")).join(", ")
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
        assert_eq!(stamp(&root).unwrap(), stamp(&root).unwrap());
    }
}
