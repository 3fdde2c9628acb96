//! The inputs of a short run: seeds, and mutations of them by a generator with a fixed seed.
//!
//! libFuzzer's own mutations differ between runs, because it prefers inputs that reach new
//! branches, and hash maps with random seeds reach different ones.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, Result};
use fastrand::Rng;

use crate::prove::fuzzer::Target;

/// The inputs of a target: its seeds, then mutations, `count` in all. They depend on the repository
/// only.
pub(super) fn inputs(root: &Path, target: &str, count: usize) -> Result<Vec<Vec<u8>>> {
    let target = Target::named(target);
    let seeds = target.read_seeds(root)?;
    let words = match target.words {
        Some(path) => read_words(&root.join(path))?,
        None => Vec::new(),
    };
    let mut rng = Rng::with_seed(1);
    let mut inputs = seeds.clone();
    let mut known = HashSet::new();
    while inputs.len() < count {
        let mut input = mutate(&mut rng, &seeds, &words);
        input.truncate(target.most_bytes);
        if known.insert(input.clone()) {
            inputs.push(input);
        }
    }
    Ok(inputs)
}

/// A seed with one to five changes: pieces are deleted, or replaced or preceded by others.
fn mutate(rng: &mut Rng, seeds: &[Vec<u8>], words: &[Vec<u8>]) -> Vec<u8> {
    let mut input = rng.choice(seeds).cloned().unwrap_or_default();
    for _ in 0..rng.u8(1..=5) {
        let mut old = range(rng, &input);
        let new = match rng.u8(..5) {
            0 => Vec::new(),
            1 => input[range(rng, &input)].to_vec(),
            2 => {
                let other = rng.choice(seeds).map_or(&[][..], Vec::as_slice);
                other[range(rng, other)].to_vec()
            }
            3 if !words.is_empty() => rng.choice(words).cloned().unwrap_or_default(),
            _ => vec![rng.u8(..)],
        };
        if !new.is_empty() && rng.bool() {
            old.end = old.start;
        }
        drop(input.splice(old, new));
    }
    input
}

/// A range of some bytes, more often a short one than a long one.
fn range(rng: &mut Rng, bytes: &[u8]) -> std::ops::Range<usize> {
    let start = rng.usize(..=bytes.len());
    let most = (bytes.len() - start) >> rng.u8(..10);
    start..start + rng.usize(..=most)
}

/// The words of a dictionary: quoted lines, with bytes as `\x0A`.
fn read_words(path: &Path) -> Result<Vec<Vec<u8>>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let words = text.lines().map(|line| {
        // With this change, a word is a JSON string whose characters are bytes.
        let word: String = serde_json::from_str(&line.replace("\\x", "\\u00"))
            .with_context(|| format!("{}: {line} is not a word", path.display()))?;
        let bytes: Result<_, _> = word.chars().map(u8::try_from).collect();
        bytes.with_context(|| format!("{}: {line} is not ASCII", path.display()))
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli_package::workspace_root;

    #[test]
    fn inputs_are_many_and_the_same_each_time() {
        for target in ["repair", "repair_lines", "shell"] {
            let [one, other] = [(), ()].map(|()| inputs(&workspace_root(), target, 1000).unwrap());
            assert!(one == other, "{target}");
            let different: HashSet<_> = one.iter().collect();
            assert!(different.len() > 900, "{target}: {}", different.len());
        }
    }

    #[test]
    fn words_are_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dict");
        std::fs::write(
            &path,
            r#""a\"b\\c"
"\xE2\x0A"
"#,
        )
        .unwrap();
        assert_eq!(
            read_words(&path).unwrap(),
            [b"a\"b\\c".to_vec(), b"\xE2\n".to_vec()]
        );
    }
}
