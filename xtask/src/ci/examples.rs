//! Runs every example without a key and checks its output.
//!
//! Each runs with the real CLI and a scripted model and, if the stand-in supports it, without a
//! CLI.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::process::Cmd;
use crate::cli_package::{self, workspace_root};
use crate::prove::build;

/// Where the examples are: packages, and the folders of their examples.
const FOLDERS: &[(&str, &str)] = &[
    ("rusty_claw", "crates/rusty_claw/examples"),
    ("claw-server", "crates/claw-server/examples"),
];
/// The timeout of an example.
const LONGEST: Duration = Duration::from_secs(90);

/// What an example prints on standard output, line for line.
struct Example {
    name: &'static str,
    prints: &'static [&'static str],
    /// Whether it also runs where there is no CLI.
    stand_in: bool,
}

const fn anywhere(name: &'static str, prints: &'static [&'static str]) -> Example {
    Example {
        name,
        prints,
        stand_in: true,
    }
}

const fn real_cli(name: &'static str, prints: &'static [&'static str]) -> Example {
    Example {
        name,
        prints,
        stand_in: false,
    }
}

/// Every example, and what it prints. One without a row fails the job.
const EXAMPLES: &[Example] = &[
    anywhere("ask", &["2 + 2 is 4."]),
    anywhere("blocking", &["Hello, Ada.", "Your name is Ada."]),
    anywhere(
        "chat",
        &[
            "You: My name is Ada.",
            "Claude: Hello, Ada.",
            "You: What is my name?",
            "Claude: Your name is Ada.",
            "closed by end_session",
        ],
    ),
    real_cli(
        "checkpoint_rewind",
        &[
            "The roses are blue now.",
            "after the turn: roses are blue",
            "after rewinding: roses are red",
        ],
    ),
    real_cli(
        "hooks",
        &[
            "stopped: rm -rf build",
            "the turn is about to end",
            "I was not allowed to remove the folder.",
        ],
    ),
    anywhere(
        "images",
        &["The picture is red, and the log has one error."],
    ),
    anywhere("interrupt", &["heard something: true", "interrupted"]),
    anywhere("limits", &["timed out after 1 s"]),
    anywhere(
        "permission",
        &[
            "allowed: touch notes.txt",
            "denied: rm -rf notes.txt",
            "The file is there; I was not allowed to remove it.",
        ],
    ),
    anywhere(
        "policy",
        &[
            r#"no rule for: {"command":"mkdir sub","description":"make a folder"}"#,
            "One ran, one was forbidden, one was asked about.",
        ],
    ),
    anywhere("pool", &["ready before anybody asks", "At your service."]),
    anywhere("questions", &["Which colour? (Blue, Red)", "Blue it is."]),
    real_cli(
        "resume_and_fork",
        &[
            "I will remember 7.",
            "It was 7.",
            "resumed under the same id: true",
            "Now it is 8.",
            "forked under the same id: false",
        ],
    ),
    real_cli(
        "sessions_list",
        &[
            "user: 1 blocks",
            "assistant: 1 blocks",
            "title: Capitals",
            "left: 0",
        ],
    ),
    real_cli(
        "store",
        &[
            "I will remember 7.",
            "everything is in the store: true",
            "It was 7.",
        ],
    ),
    anywhere(
        "server_mode",
        &[
            "phone: yes to touch notes.txt",
            "desktop: another client (phone) answered this interaction first",
            "phone: Which colour? Blue or Red",
            "phone: The notes will be blue.",
            "session closed",
            "the desktop saw the same: true",
        ],
    ),
    anywhere(
        "stream_text",
        &["The crab walked sideways, and so the story ended."],
    ),
    anywhere("structured", &["An index may be out of bounds. (7 of 10)"]),
    real_cli(
        "subagents",
        &["checker: The sum is right.", "main: The checker agrees."],
    ),
    anywhere(
        "tools",
        &["divide(84, 2)", "84 / 2 is 42.", "notes: [\"84 / 2 = 42\"]"],
    ),
];

/// Builds the examples and runs each.
pub(crate) fn run() -> Result<()> {
    let ran = run_all()?;
    println!(
        "{} examples run with the real CLI, {} of them also without",
        ran.with_cli, ran.without
    );
    ensure!(ran.wrong.is_empty(), "{}", ran.wrong.join("\n"));
    Ok(())
}

/// The results of all examples.
pub(crate) struct Ran {
    /// Number of examples with the right output on the real CLI.
    pub(crate) with_cli: usize,
    /// The same on the stand-in.
    pub(crate) without: usize,
    /// What went wrong, example by example.
    pub(crate) wrong: Vec<String>,
}

/// Builds the examples and runs each, with the real CLI and without.
pub(crate) fn run_all() -> Result<Ran> {
    let found = all_names()?;
    let mut wrong = unexpected(&found);
    let cli = cli_package::ensure()?;
    let packages = FOLDERS.iter().flat_map(|(name, _)| ["--package", name]);
    Cmd::cargo()
        .args(["build", "--locked", "--quiet", "--examples", "--bins"])
        .args(["--package", "claw-testkit"])
        .args(packages)
        .run()?;
    let built = build::target_dir().join("debug");
    let (mut with_cli, mut without) = (0, 0);
    for example in EXAMPLES {
        let program = built.join("examples").join(example.name);
        match check(example, &program, &[("CLAUDE_CLI_PATH", cli.binary())]) {
            Ok(took) => {
                println!("{}: {:.1} s", example.name, took.as_secs_f64());
                with_cli += 1;
            }
            Err(error) => wrong.push(format!("{}: {error:#}", example.name)),
        }
        if example.stand_in {
            let stand_in = built.join("fake-claude");
            match check(example, &program, &[("CLAW_FAKE_CLAUDE", stand_in)]) {
                Ok(_) => without += 1,
                Err(error) => wrong.push(format!("{} without a CLI: {error:#}", example.name)),
            }
        }
    }
    Ok(Ran {
        with_cli,
        without,
        wrong,
    })
}

/// All examples, by name.
fn all_names() -> Result<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for (_, folder) in FOLDERS {
        for name in names(&workspace_root().join(folder))? {
            ensure!(all.insert(name.clone()), "two examples are called {name}");
        }
    }
    Ok(all)
}

/// The examples in a folder, by name.
fn names(folder: &Path) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let entries = std::fs::read_dir(folder);
    for entry in entries.with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs")
            && let Some(name) = path.file_stem().and_then(|name| name.to_str())
        {
            names.insert(name.to_owned());
        }
    }
    Ok(names)
}

/// Examples without a row, and rows without an example.
fn unexpected(found: &BTreeSet<String>) -> Vec<String> {
    let expected: BTreeSet<String> = EXAMPLES.iter().map(|row| row.name.to_owned()).collect();
    let new = found.difference(&expected).map(|name| {
        format!("{name}: its output is not listed: add a row to xtask/src/ci/examples.rs")
    });
    let gone = expected
        .difference(found)
        .map(|name| format!("{name}: there is no such example: remove its row"));
    new.chain(gone).collect()
}

/// Runs an example and compares. Its environment is empty but for this, so that it sees
/// no key, no settings and no other CLI of this machine.
fn check(example: &Example, program: &Path, env: &[(&str, PathBuf)]) -> Result<Duration> {
    let home = tempfile::tempdir()?;
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("CLAW_DEMO", "1")
        .env("HOME", home.path())
        .env("PATH", path_without_cli())
        .envs(env.iter().map(|(name, value)| (name, value)))
        .current_dir(home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command
        .spawn()
        .with_context(|| format!("{} did not start", program.display()))?;
    while child.try_wait()?.is_none() {
        if start.elapsed() > LONGEST {
            child.kill()?;
            let output = child.wait_with_output()?;
            bail!(
                "not done after {} s; so far: {}",
                LONGEST.as_secs(),
                String::from_utf8_lossy(&output.stdout)
            );
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let took = start.elapsed();
    let output = child.wait_with_output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "ended with {}: {}",
        output.status,
        stderr.trim()
    );
    let stdout = String::from_utf8_lossy(&output.stdout);
    let printed: Vec<&str> = stdout.lines().collect();
    ensure!(
        printed == example.prints,
        "should print {:#?}, printed {printed:#?}; on standard error: {}",
        example.prints,
        stderr.trim()
    );
    let stand_in = env.iter().any(|(name, _)| *name == "CLAW_FAKE_CLAUDE");
    let which = if stand_in { "stand-in" } else { "real CLI" };
    ensure!(
        stderr.contains(which),
        "does not print that it uses the {which}: {}",
        stderr.trim()
    );
    Ok(took)
}

/// This process's `PATH` without the folders that hold a CLI.
pub(super) fn path_without_cli() -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).filter(|folder| !folder.join("claude").exists());
    std::env::join_paths(folders).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_has_a_row_and_every_row_an_example() {
        let found = all_names().unwrap();
        assert!(!found.is_empty());
        assert_eq!(unexpected(&found), [""; 0]);
    }

    #[test]
    fn a_new_example_without_a_row_is_found() {
        let mut found = all_names().unwrap();
        found.insert("new_one".to_owned());
        found.remove("ask");
        let wrong = unexpected(&found);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(
            wrong[0].starts_with("new_one: its output is not listed"),
            "{wrong:?}"
        );
        assert!(wrong[1].starts_with("ask: there is no such"), "{wrong:?}");
    }

    #[test]
    fn an_example_that_prints_something_else_is_found() {
        let example = anywhere("echo", &["real CLI"]);
        let error = check(&example, Path::new("/bin/pwd"), &[]).unwrap_err();
        assert!(error.to_string().contains("should print"), "{error}");
    }
}
