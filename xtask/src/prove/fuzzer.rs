//! How the fuzzer is started: the same way for the long runs of the proof and the short ones of CI.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use rusty_claw_protocol::Line;

use super::{recordings, typed};
use crate::ci::tools;

/// Longer inputs make every step slower and find nothing that shorter ones do not.
const MOST_BYTES: usize = 4096;
/// Seeds must leave room to grow.
const SEED_BYTES: usize = 2048;
/// Lines of one kind: a few, so that rare kinds are not drowned.
const SEEDS_OF_A_KIND: usize = 3;

/// How cargo runs the fuzzer on this machine.
#[derive(Debug)]
pub(crate) struct Launch {
    /// What cargo gets, first the choice of the toolchain.
    pub(crate) args: Vec<String>,
    /// Set in its environment.
    pub(crate) env: Option<(&'static str, &'static str)>,
}

impl Launch {
    /// The run of one target, starting from the seeds in a folder (which it adds to).
    pub(crate) fn new(root: &Path, target: &str, seconds: u64, corpus: &Path) -> Self {
        Self::with(
            tools::has_toolchain("nightly"),
            root,
            target,
            seconds,
            corpus,
        )
    }

    fn with(nightly: bool, root: &Path, target: &str, seconds: u64, corpus: &Path) -> Self {
        let mut args = Vec::new();
        if nightly {
            args.push("+nightly".to_owned());
        }
        args.extend(["fuzz", "run", target].map(str::to_owned));
        args.push(corpus.display().to_string());
        args.push("--".to_owned());
        args.push(format!("-dict={}", root.join("fuzz/json.dict").display()));
        args.push(format!("-max_len={MOST_BYTES}"));
        args.push("-timeout=25".to_owned());
        args.push("-print_final_stats=1".to_owned());
        args.push(format!("-max_total_time={seconds}"));
        // Without a nightly toolchain, the stable one can be told to allow what the fuzzer needs.
        let env = (!nightly).then_some(("RUSTC_BOOTSTRAP", "1"));
        Self { args, env }
    }
}

/// Writes the seeds of a target into a folder: recorded lines, always the same ones.
pub(crate) fn write_seeds(root: &Path, target: &str, folder: &Path) -> Result<usize> {
    let mut lines = Vec::new();
    for path in recordings::stdout_files(root)? {
        let bytes =
            std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        lines.extend(
            bytes
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty())
                .map(<[u8]>::to_vec),
        );
    }
    let seeds = seeds(target, lines);
    ensure!(!seeds.is_empty(), "there is no recorded line to start from");
    for (index, seed) in seeds.iter().enumerate() {
        let path = folder.join(format!("seed-{index:04}"));
        std::fs::write(&path, seed).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(seeds.len())
}

/// The first short lines of each kind.
fn seeds(target: &str, lines: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut kinds: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    for line in lines.into_iter().filter(|line| line.len() < SEED_BYTES) {
        let decoded = Line::decode(line.clone());
        let kind = decoded.message().map(typed::kind_of_message);
        let same = kinds.entry(kind.unwrap_or_default()).or_default();
        if same.len() < SEEDS_OF_A_KIND && !same.contains(&line) {
            same.push(line);
        }
    }
    let lines = kinds.into_values();
    if target == "framing" {
        // Its input begins with four lengths of pieces, then comes a stream of lines.
        lines
            .map(|lines| [b"\x01\x07\x40\xc8".to_vec(), lines.join(&b'\n')].concat())
            .map(|mut seed| {
                seed.truncate(MOST_BYTES);
                seed
            })
            .collect()
    } else {
        lines.flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_few_short_lines_of_every_kind() {
        let line = |text: &str| text.as_bytes().to_vec();
        let mut lines = vec![
            line(r#"{"type":"keep_alive"}"#),
            line(r#"{"type":"keep_alive"}"#),
            line("not JSON"),
            vec![b'x'; SEED_BYTES],
        ];
        for index in 0..9 {
            lines.push(format!(r#"{{"type":"user","uuid":"{index}"}}"#).into_bytes());
        }
        assert_eq!(seeds("decode", lines.clone()).len(), 2 + SEEDS_OF_A_KIND);
        let framing = seeds("framing", lines);
        assert_eq!(framing.len(), 3);
        assert!(framing.iter().all(|seed| seed.len() <= MOST_BYTES));
    }

    #[test]
    fn without_nightly_the_stable_compiler_is_unlocked() {
        let launch =
            |nightly| Launch::with(nightly, Path::new("/r"), "decode", 60, Path::new("/c"));
        assert_eq!(
            launch(true).args.first().map(String::as_str),
            Some("+nightly")
        );
        assert_eq!(launch(true).env, None);
        let stable = launch(false);
        assert_eq!(stable.env, Some(("RUSTC_BOOTSTRAP", "1")));
        assert_eq!(
            stable.args.join(" "),
            "fuzz run decode /c -- -dict=/r/fuzz/json.dict -max_len=4096 -timeout=25 -print_final_stats=1 -max_total_time=60"
        );
    }
}
