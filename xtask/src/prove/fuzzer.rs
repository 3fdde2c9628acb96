//! How the fuzzer is started: the same way for the long runs of the proof and the short ones of CI.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};
use claw_transcript::Entry;
use rusty_claw_protocol::Line;

use super::{recordings, typed};
use crate::ci::tools;

/// How many run at once: each fuzzer keeps one core busy, and small machines have two.
const AT_ONCE: usize = 2;
/// Longer inputs make every step slower and find nothing that shorter ones do not.
const MOST_BYTES: usize = 4096;
/// Seeds must leave room to grow.
const SEED_BYTES: usize = 2048;
/// The maximum number of seeds of one kind.
const SEEDS_OF_A_KIND: usize = 3;

/// What a build for a short run gets: optimising takes the compiler longer than the run, and code
/// that is optimised less has the same branches.
const QUICKLY: [(&str, &str); 2] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "0"),
];
/// The targets call no unsafe code of ours, so a short run does without AddressSanitizer.
const UNSANITIZED: &[&str] = &["--sanitizer", "none"];

/// How the targets are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// For a run of minutes.
    Optimised,
    /// For a run of seconds.
    Quick,
}

/// How cargo runs the fuzzer on this machine.
#[derive(Debug)]
pub(crate) struct Launch {
    /// What cargo gets, first the choice of the toolchain.
    pub(crate) args: Vec<String>,
    /// Set in its environment.
    pub(crate) env: Vec<(&'static str, &'static str)>,
}

impl Launch {
    /// The run of one target on the inputs in a folder. `limit` is an argument of libFuzzer that
    /// ends the run.
    pub(crate) fn new(build: Build, root: &Path, target: &str, limit: &str, inputs: &Path) -> Self {
        let toolchain = Toolchain::here(build);
        Self::with(toolchain, root, target, limit, inputs)
    }

    fn with(toolchain: Toolchain, root: &Path, target: &str, limit: &str, inputs: &Path) -> Self {
        let mut args: Vec<String> = toolchain.args.map(str::to_owned).into_iter().collect();
        args.extend(["fuzz", "run"].map(str::to_owned));
        args.extend(toolchain.flags.iter().map(|flag| (*flag).to_owned()));
        args.push(target.to_owned());
        args.push(inputs.display().to_string());
        args.push("--".to_owned());
        let of = Target::named(target);
        if let Some(words) = of.words {
            args.push(format!("-dict={}", root.join(words).display()));
        }
        args.push(format!("-max_len={}", of.most_bytes));
        args.push("-timeout=25".to_owned());
        args.push("-print_final_stats=1".to_owned());
        args.push(limit.to_owned());
        Self {
            args,
            env: toolchain.env,
        }
    }

    /// The command, with its output captured.
    pub(crate) fn command(&self, root: &Path) -> Command {
        let mut command = Command::new("cargo");
        command
            .args(&self.args)
            .envs(self.env.iter().copied())
            .current_dir(root)
            .stdin(Stdio::null());
        command
    }
}

/// The compiler that cargo uses, and its settings.
struct Toolchain {
    args: Option<&'static str>,
    /// What `cargo fuzz build` and `cargo fuzz run` get.
    flags: &'static [&'static str],
    env: Vec<(&'static str, &'static str)>,
}

impl Toolchain {
    fn here(build: Build) -> Self {
        Self::with(tools::has_toolchain("nightly"), build)
    }

    fn with(nightly: bool, build: Build) -> Self {
        // Without a nightly toolchain, this allows the unstable flags of the fuzzer on stable.
        let unlocked = (!nightly).then_some(("RUSTC_BOOTSTRAP", "1"));
        let is_quick = build == Build::Quick;
        let quickly = QUICKLY.into_iter().filter(|_| is_quick);
        Self {
            args: nightly.then_some("+nightly"),
            flags: if is_quick { UNSANITIZED } else { &[] },
            env: unlocked.into_iter().chain(quickly).collect(),
        }
    }
}

/// What is particular to a target.
pub(crate) struct Target {
    /// A file of words that inputs are made of.
    pub(crate) words: Option<&'static str>,
    /// The maximum length of an input.
    pub(crate) most_bytes: usize,
    seeds: Seeds,
}

/// What a target starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seeds {
    /// Lines of the CLI, alone.
    Lines,
    /// Streams of lines behind the lengths of four pieces.
    Streams,
    /// Lines of session files, alone and glued.
    Entries,
    /// Short session files.
    Files,
    /// Bytes that encode lines.
    Described,
    /// Short session files, and texts of a conversation.
    Texts,
    /// What follows the program in a command line.
    Commands,
}

impl Target {
    pub(crate) fn named(name: &str) -> Self {
        let (words, seeds) = match name {
            "framing" => (Some("fuzz/json.dict"), Seeds::Streams),
            "entry" | "salvage" => (Some("fuzz/session.dict"), Seeds::Entries),
            "repair" => (Some("fuzz/session.dict"), Seeds::Files),
            "repair_lines" => (None, Seeds::Described),
            "export" | "redact" => (Some("fuzz/text.dict"), Seeds::Texts),
            "shell" => (Some("fuzz/shell.dict"), Seeds::Commands),
            _ => (Some("fuzz/json.dict"), Seeds::Lines),
        };
        Self {
            words,
            most_bytes: match seeds {
                // Five bytes are a line, and forty lines are enough to go wrong in every way.
                Seeds::Described => 200,
                Seeds::Commands => 200,
                _ => MOST_BYTES,
            },
            seeds,
        }
    }

    /// The seeds: recorded lines, always the same ones.
    pub(crate) fn read_seeds(&self, root: &Path) -> Result<Vec<Vec<u8>>> {
        let seeds = match self.seeds {
            kind @ (Seeds::Lines | Seeds::Streams) => {
                of_the_cli(kind, lines_of(&recordings::stdout_files(root)?)?)
            }
            Seeds::Entries => entries(&lines_of(&session_files(root)?)?),
            Seeds::Files => files(&session_files(root)?)?,
            Seeds::Described => described(),
            Seeds::Texts => {
                let texts = TEXTS.iter().map(|text| text.as_bytes().to_vec());
                files(&session_files(root)?)?
                    .into_iter()
                    .chain(texts)
                    .collect()
            }
            Seeds::Commands => arguments(root)?,
        };
        ensure!(!seeds.is_empty(), "there is no recorded line to start from");
        Ok(seeds)
    }
}

/// Builds all targets, so that no run waits for another one to be built. Installs the fuzzer first
/// if it is missing.
pub(crate) fn build(build: Build, root: &Path) -> Result<()> {
    tools::FUZZ.ensure()?;
    let toolchain = Toolchain::here(build);
    let status = Command::new("cargo")
        .args(toolchain.args)
        .args(["fuzz", "build"])
        .args(toolchain.flags)
        .envs(toolchain.env)
        .current_dir(root)
        .stdin(Stdio::null())
        .status()
        .context("cargo did not start")?;
    ensure!(status.success(), "the targets of fuzz/ do not build");
    Ok(())
}

/// Runs a function for all targets, two at a time. Returns the results in order.
pub(crate) fn side_by_side<T: Send>(
    targets: &[impl AsRef<str> + Sync],
    run: impl Fn(&str) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(target) = targets.get(at) else {
                return done;
            };
            done.push((at, run(target.as_ref())));
        }
    };
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        let done = workers.into_iter().map(|worker| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        done.flatten().collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

/// The last lines of a log, with the findings of a fuzzer.
pub(crate) fn end(log: &str) -> String {
    let end: Vec<&str> = log.lines().rev().take(40).collect();
    end.into_iter().rev().collect::<Vec<_>>().join("\n")
}

/// Writes the seeds of a target into a folder.
pub(crate) fn write_seeds(root: &Path, target: &str, folder: &Path) -> Result<()> {
    write_inputs(&Target::named(target).read_seeds(root)?, folder)
}

/// Writes inputs into a folder, each into a file.
pub(crate) fn write_inputs(inputs: &[Vec<u8>], folder: &Path) -> Result<()> {
    for (index, input) in inputs.iter().enumerate() {
        let path = folder.join(format!("{index:04}"));
        std::fs::write(&path, input).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn lines_of(paths: &[PathBuf]) -> Result<Vec<Vec<u8>>> {
    let mut lines = Vec::new();
    for path in paths {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let split = bytes.split(|byte| *byte == b'\n');
        lines.extend(split.filter(|line| !line.is_empty()).map(<[u8]>::to_vec));
    }
    Ok(lines)
}

/// Session files: hand-made ones of every flow first, then recorded ones.
fn session_files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in [
        "testdata/sessions/flows",
        "testdata/sessions/made",
        "testdata/cli",
    ] {
        let mut found = Vec::new();
        jsonl_under(&root.join(folder), &mut found)?;
        found.sort();
        files.extend(found);
    }
    ensure!(!files.is_empty(), "there are no session files in testdata/");
    Ok(files)
}

fn jsonl_under(folder: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            jsonl_under(&path, into)?;
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            into.push(path);
        }
    }
    Ok(())
}

/// The first short lines of each kind.
fn few_of_each(lines: Vec<Vec<u8>>, kind: impl Fn(&[u8]) -> String) -> Vec<Vec<Vec<u8>>> {
    let mut kinds: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    for line in lines.into_iter().filter(|line| line.len() < SEED_BYTES) {
        let same = kinds.entry(kind(&line)).or_default();
        if same.len() < SEEDS_OF_A_KIND && !same.contains(&line) {
            same.push(line);
        }
    }
    kinds.into_values().collect()
}

fn of_the_cli(seeds: Seeds, lines: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let lines = few_of_each(lines, |line| {
        let decoded = Line::decode(line.to_vec());
        let kind = decoded.message().map(typed::kind_of_message);
        kind.unwrap_or_default()
    });
    let lines = lines.into_iter();
    if seeds == Seeds::Streams {
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

/// Lines of each kind, and what crashes make of them: cut in the middle with the next one behind.
fn entries(lines: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let kind = |line: &[u8]| {
        let entry = Entry::read(line);
        let kind = entry.map(|entry| format!("{} {:?}", entry.kind_text(), entry.dialect()));
        kind.unwrap_or_default()
    };
    let mut seeds: Vec<Vec<u8>> = few_of_each(lines.to_vec(), kind).concat();
    let glued = seeds.windows(2).map(|pair| {
        let half = &pair[0][..pair[0].len() / 2];
        [half, &pair[1], b"\n\0\0", &pair[0]].concat()
    });
    let glued: Vec<Vec<u8>> = glued.filter(|seed| seed.len() <= MOST_BYTES).collect();
    seeds.extend(glued);
    seeds
}

/// The short lines of each file, as many as there is room for.
fn files(paths: &[PathBuf]) -> Result<Vec<Vec<u8>>> {
    let mut seeds = Vec::new();
    for path in paths {
        let mut seed = Vec::new();
        for line in lines_of(std::slice::from_ref(path))? {
            if seed.len() + line.len() < MOST_BYTES {
                seed.extend(line);
                seed.push(b'\n');
            }
        }
        if !seed.is_empty() && !seeds.contains(&seed) {
            seeds.push(seed);
        }
    }
    Ok(seeds)
}

/// Texts of a conversation that pages and searches for secrets treat in different ways.
const TEXTS: &[&str] = &[
    "# Title\n\n- a [link](https://example.com) and `code`\n\n```sh\nls\n```\n",
    "<b>bold</b> & \"quoted\" </details><script>alert(1)</script>",
    "|a|b|\n|--|--|\n|1|2|\n\n> quoted\n\n1. one\n2. two",
    "<bash-stdout>\u{1b}[31mred\u{1b}[0m</bash-stdout>",
    "export DB_PASSWORD=hunter2hunter2 && curl -H 'Authorization: Bearer abcdefghij0123456789'",
    "mail me@example.com from 10.1.2.3, in /home/me/project",
];

/// Commands that rules cover, without their programs.
fn arguments(root: &Path) -> Result<Vec<Vec<u8>>> {
    #[derive(serde::Deserialize)]
    struct Case {
        command: String,
    }
    let path = root.join("testdata/server/shell/benign.jsonl");
    let lines = lines_of(std::slice::from_ref(&path))?;
    let cases = lines.iter().map(|line| {
        let case: Case =
            serde_json::from_slice(line).with_context(|| path.display().to_string())?;
        let arguments = case.command.split_once(' ').map(|(_, arguments)| arguments);
        Ok(arguments.unwrap_or_default().as_bytes().to_vec())
    });
    let mut seeds: Vec<Vec<u8>> = cases.collect::<Result<_>>()?;
    seeds.retain(|seed| !seed.is_empty() && seed.len() < 100);
    Ok(seeds)
}

/// Seeds of the target `repair_lines`, with five bytes for each line of a conversation: kind, id,
/// parent, more, damage.
fn described() -> Vec<Vec<u8>> {
    const NONE: u8 = 12;
    let whole = |kind: u8, own: u8, parent: u8, more: u8| [kind, own, parent, more, 0xFF];
    let text = [whole(0, 0, NONE, 0), whole(5, 1, 0, 0), whole(0, 2, 1, 1)].concat();
    let tools = [
        whole(0, 0, NONE, 0),
        whole(7, 1, 0, 0),
        whole(7, 2, 1, 1),
        whole(2, 3, 1, 0),
        whole(2, 4, 2, 1),
        whole(5, 5, 4, 8),
    ]
    .concat();
    let compacted = [
        whole(0, 0, NONE, 0),
        whole(5, 1, 0, 0),
        whole(9, 2, NONE, 1 | 3 << 3),
        whole(10, 3, 2, 1),
        whole(0, 4, 3, 2),
    ]
    .concat();
    vec![text, tools, compacted]
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
        assert_eq!(
            of_the_cli(Seeds::Lines, lines.clone()).len(),
            2 + SEEDS_OF_A_KIND
        );
        let framing = of_the_cli(Seeds::Streams, lines);
        assert_eq!(framing.len(), 3);
        assert!(framing.iter().all(|seed| seed.len() <= MOST_BYTES));
    }

    #[test]
    fn every_target_has_seeds_that_it_has_room_for() {
        let root = crate::cli_package::workspace_root();
        for name in [
            "framing",
            "decode",
            "entry",
            "salvage",
            "repair",
            "repair_lines",
            "export",
            "redact",
            "shell",
        ] {
            let target = Target::named(name);
            let seeds = target.read_seeds(&root).unwrap();
            assert!(seeds.len() >= 3, "{name}");
            let mut lengths = seeds.iter().map(Vec::len);
            assert!(lengths.all(|length| length <= target.most_bytes), "{name}");
        }
    }

    #[test]
    fn two_run_at_a_time_and_answer_in_order() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let two = std::sync::Barrier::new(AT_ONCE);
        let ran = side_by_side(&["a", "b", "c", "d"], |target| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            two.wait();
            now.fetch_sub(1, Ordering::SeqCst);
            target.to_uppercase()
        });
        assert_eq!(ran, ["A", "B", "C", "D"]);
        assert_eq!(most.into_inner(), AT_ONCE);
    }

    #[test]
    fn without_nightly_the_stable_compiler_is_unlocked() {
        let launch = |nightly, build| {
            let toolchain = Toolchain::with(nightly, build);
            Launch::with(
                toolchain,
                Path::new("/r"),
                "decode",
                "-runs=0",
                Path::new("/c"),
            )
        };
        let nightly = launch(true, Build::Optimised);
        assert_eq!(nightly.args.first().map(String::as_str), Some("+nightly"));
        assert_eq!(nightly.env, []);
        let stable = launch(false, Build::Quick);
        assert_eq!(stable.env[0], ("RUSTC_BOOTSTRAP", "1"));
        assert_eq!(stable.env[1..], QUICKLY);
        assert_eq!(
            stable.args.join(" "),
            "fuzz run --sanitizer none decode /c -- -dict=/r/fuzz/json.dict -max_len=4096 -timeout=25 -print_final_stats=1 -runs=0"
        );
    }
}
