//! Runs every example without a key and checks its output.
//!
//! Each runs with the real CLI and a scripted model and, if the stand-in supports it, without a
//! CLI.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::fake_claude_path;
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::{Variants, path_without_cli, real_cli};
use tokio::process::Command;

/// Where the examples are.
const FOLDERS: [&str; 2] = ["rusty_claw/examples", "claw-server/examples"];
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

const fn needs_cli(name: &'static str, prints: &'static [&'static str]) -> Example {
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
    needs_cli(
        "checkpoint_rewind",
        &[
            "The roses are blue now.",
            "after the turn: roses are blue",
            "after rewinding: roses are red",
        ],
    ),
    needs_cli(
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
    needs_cli(
        "resume_and_fork",
        &[
            "I will remember 7.",
            "It was 7.",
            "resumed under the same id: true",
            "Now it is 8.",
            "forked under the same id: false",
        ],
    ),
    needs_cli(
        "sessions_list",
        &[
            "user: 1 blocks",
            "assistant: 1 blocks",
            "title: Capitals",
            "left: 0",
        ],
    ),
    needs_cli(
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
    needs_cli(
        "subagents",
        &["checker: The sum is right.", "main: The checker agrees."],
    ),
    anywhere(
        "tools",
        &["divide(84, 2)", "84 / 2 is 42.", "notes: [\"84 / 2 = 42\"]"],
    ),
];

/// Runs every example. Cargo has built them beside this test.
pub(crate) async fn figure() -> Result<Figure> {
    let listed: BTreeSet<String> = EXAMPLES.iter().map(|row| row.name.to_owned()).collect();
    let found = names()?;
    ensure!(
        listed == found,
        "listed {listed:?}, but there are {found:?}"
    );
    let test = std::env::current_exe()?;
    let built = test
        .ancestors()
        .nth(2)
        .context("the test is in no target folder")?;
    let built = built.join("examples");
    let (cli, stand_in) = (real_cli().binary, fake_claude_path()?);
    let mut variants = Variants::new().limit(LONGEST);
    for row in EXAMPLES {
        let program = built.join(row.name);
        let with_cli = check(row, program.clone(), "CLAUDE_CLI_PATH", cli.clone());
        variants = variants.add(format!("{} on the real CLI", row.name), with_cli);
        if row.stand_in {
            let without = check(row, program, "CLAW_FAKE_CLAUDE", stand_in.clone());
            variants = variants.add(format!("{} on the stand-in", row.name), without);
        }
    }
    let name = "examples compiled and run without a key, on the real CLI and on its stand-in";
    Ok(variants.figure(name, "all").await)
}

/// The examples, by name.
fn names() -> Result<BTreeSet<String>> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut names = BTreeSet::new();
    for folder in FOLDERS {
        for entry in std::fs::read_dir(crates.join(folder))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let Some(name) = name.strip_suffix(".rs") else {
                continue;
            };
            ensure!(
                names.insert(name.to_owned()),
                "two examples are called {name}"
            );
        }
    }
    Ok(names)
}

/// Runs an example and compares. Its environment is empty but for `cli`, so that it sees no key, no
/// settings and no other CLI of this machine.
async fn check(
    example: &Example,
    program: PathBuf,
    variable: &str,
    cli: PathBuf,
) -> Result<String> {
    let home = tempfile::tempdir()?;
    let output = Command::new(&program)
        .env_clear()
        .env("CLAW_DEMO", "1")
        .env("HOME", home.path())
        .env("PATH", path_without_cli())
        .env(variable, cli)
        .current_dir(home.path())
        .kill_on_drop(true)
        .output()
        .await
        .with_context(|| format!("{} did not start", program.display()))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let printed: Vec<&str> = stdout.lines().collect();
    ensure!(
        output.status.success() && printed == example.prints,
        "should print {:#?}, printed {printed:#?} and ended with {}: {stderr}",
        example.prints,
        output.status
    );
    let which = ["stand-in", "real CLI"][usize::from(variable == "CLAUDE_CLI_PATH")];
    ensure!(
        stderr.contains(which),
        "does not print that it uses the {which}: {stderr}"
    );
    Ok(format!("{} lines", printed.len()))
}
