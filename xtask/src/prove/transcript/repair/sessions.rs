//! Sessions that the real CLI makes, with marks in every turn.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use claw_transcript::ProjectKey;
use serde_json::json;

use crate::cli_package::CliPackage;
use crate::prove::sdk::World;

/// The session that is made, damaged and resumed.
pub(super) const ID: &str = "5e5e5e5e-0000-4000-8000-000000000001";

/// How long a person takes for the next prompt. The CLI forgives a missing parent when the line
/// before is at most five seconds older, which between prompts is never so.
const THINKING: Duration = Duration::from_secs(6);

/// A session of the CLI.
pub(super) struct Made {
    /// The main file, line by line.
    pub(super) lines: Vec<String>,
    /// What each turn can be known by.
    pub(super) marks: Vec<&'static str>,
    /// What lies beside the main file.
    companions: Vec<(PathBuf, Vec<u8>)>,
}

impl Made {
    pub(super) fn bytes(&self) -> Vec<u8> {
        (self.lines.join("\n") + "\n").into_bytes()
    }

    pub(super) fn put_companions(&self, folder: &Path) -> Result<()> {
        for (inside, bytes) in &self.companions {
            let path = folder.join(inside);
            std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
            std::fs::write(path, bytes)?;
        }
        Ok(())
    }

    fn read(world: &World, marks: &[&'static str]) -> Result<Self> {
        let key = ProjectKey::of_dir(world.project());
        let folder = world.config().join("projects").join(key.as_str());
        let path = folder.join(format!("{ID}.jsonl"));
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("the CLI left no session at {}", path.display()))?;
        let mut companions = Vec::new();
        let beside = path.with_extension("");
        gather(&beside, &beside, &mut companions)?;
        Ok(Self {
            lines: text.lines().map(str::to_owned).collect(),
            marks: marks.to_vec(),
            companions,
        })
    }
}

fn gather(folder: &Path, root: &Path, into: &mut Vec<(PathBuf, Vec<u8>)>) -> Result<()> {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, root, into)?;
        } else {
            into.push((path.strip_prefix(root)?.to_owned(), std::fs::read(&path)?));
        }
    }
    Ok(())
}

/// A call whose result is a mark that the call itself does not hold.
fn bash(turn: Turn, id: &str, mark: &str) -> Turn {
    let input = json!({
        "command": format!("printf 'res%s' {id}"),
        "description": mark,
    });
    turn.tool_use(format!("toolu_{id}"), "Bash", input)
}

/// Five turns: a call, three calls at once, an emoji, a subagent, and words.
pub(super) async fn long(cli: &CliPackage) -> Result<Made> {
    let world = World::new(cli).await?;
    let three = Turn::empty()
        .thinking("saidTH2", "c2ln")
        .then_text("saidR2a");
    let three = bash(three, "b1", "callB1");
    let three = bash(bash(three, "b2", "callB2"), "b3", "callB3");
    let agent = json!({
        "description": "callAG", "prompt": "SUBPROMPT",
        "subagent_type": "general-purpose", "run_in_background": false,
    });
    let turns = [
        bash(Turn::text("saidR1a"), "a1", "callA1"),
        Turn::text("saidR1b"),
        three,
        Turn::text("saidR2b"),
        Turn::text("saidR3 🦀 crab"),
        Turn::text("saidR4a").tool_use("toolu_ag", "Agent", agent),
        bash(Turn::empty(), "s1", "callS1"),
        Turn::text("saidSUB"),
        Turn::text("saidR4b"),
        Turn::text("saidR5"),
    ];
    for turn in turns {
        world.api.turn(turn);
    }
    for said in ["saidP1", "saidP2", "saidP3", "saidP4", "saidP5"] {
        go_on(&world, said).await?;
    }
    Made::read(
        &world,
        &[
            "saidP1", "saidR1a", "callA1", "resa1", "saidR1b", "saidP2", "saidTH2", "saidR2a",
            "callB1", "callB2", "callB3", "resb1", "resb2", "resb3", "saidR2b", "saidP3", "saidR3",
            "saidP4", "saidR4a", "callAG", "saidSUB", "saidR4b", "saidP5", "saidR5",
        ],
    )
}

/// Two turns, a compaction, and two turns.
pub(super) async fn compacted(cli: &CliPackage) -> Result<Made> {
    let world = World::new(cli).await?;
    let turns = [
        Turn::text("saidR1"),
        Turn::text("saidR2"),
        Turn::text("<summary>saidSUM</summary>"),
        bash(Turn::text("saidR3a"), "c1", "callC1"),
        Turn::text("saidR3b"),
        Turn::text("saidR4"),
    ];
    for turn in turns {
        world.api.turn(turn);
    }
    for said in ["saidP1", "saidP2", "/compact", "saidP3", "saidP4"] {
        go_on(&world, said).await?;
    }
    Made::read(
        &world,
        &[
            "saidP1", "saidR1", "saidP2", "saidR2", "saidSUM", "saidP3", "saidR3a", "callC1",
            "resc1", "saidR3b", "saidP4", "saidR4",
        ],
    )
}

async fn go_on(world: &World, said: &str) -> Result<()> {
    let is_first = world.api.requests().is_empty();
    if !is_first {
        tokio::time::sleep(THINKING).await;
    }
    let session = if is_first { "--session-id" } else { "--resume" };
    let (ended_well, text) = prompt(world, said, &[session, ID]).await?;
    ensure!(ended_well, "the CLI did not answer {said:?}: {text}");
    Ok(())
}

/// Runs the CLI for one prompt; says whether it ended well, and what it printed.
pub(super) async fn prompt(world: &World, said: &str, args: &[&str]) -> Result<(bool, String)> {
    let child = tokio::process::Command::new(world.binary())
        .args(["-p", said, "--allowedTools", "Bash,Agent"])
        .args(args)
        .env_clear()
        .envs(world.environment())
        .current_dir(world.project())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("the CLI did not start")?;
    let output = tokio::time::timeout(Duration::from_secs(120), child.wait_with_output())
        .await
        .context("the CLI did not end within two minutes")??;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok((output.status.success(), text))
}
