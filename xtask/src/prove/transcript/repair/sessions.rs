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
pub(in super::super) const ID: &str = "5e5e5e5e-0000-4000-8000-000000000001";

/// A fork of it.
const FORK: &str = "5e5e5e5e-0000-4000-8000-000000000002";

/// How long a person takes for the next prompt. The CLI forgives a missing parent when the line
/// before is at most five seconds older, which between prompts is never so.
const THINKING: Duration = Duration::from_secs(6);

/// A file beside a session's own, by its path from the folder of the project.
pub(in super::super) type Beside = (PathBuf, Vec<u8>);

/// A session of the CLI.
#[derive(Clone)]
pub(in super::super) struct Made {
    pub(in super::super) id: &'static str,
    /// The main file, line by line.
    pub(in super::super) lines: Vec<String>,
    /// What each turn can be known by.
    pub(in super::super) marks: Vec<&'static str>,
    /// What the turns of its subagent can be known by.
    pub(in super::super) of_agents: Vec<&'static str>,
    /// Everything else in the folder of the project.
    pub(in super::super) beside: Vec<Beside>,
}

impl Made {
    pub(in super::super) fn bytes(&self) -> Vec<u8> {
        (self.lines.join("\n") + "\n").into_bytes()
    }

    pub(in super::super) fn read(
        world: &World,
        id: &'static str,
        marks: &[&'static str],
        of_agents: &[&'static str],
    ) -> Result<Self> {
        let folder = project_folder(world);
        let path = folder.join(format!("{id}.jsonl"));
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("the CLI left no session at {}", path.display()))?;
        let mut beside = Vec::new();
        gather(&folder, &folder, &mut beside)?;
        beside.retain(|(inside, _)| folder.join(inside) != path);
        Ok(Self {
            id,
            lines: text.lines().map(str::to_owned).collect(),
            marks: marks.to_vec(),
            of_agents: of_agents.to_vec(),
            beside,
        })
    }

    /// The same as old releases kept it: what a subagent did stands in the main file behind its
    /// call, under a root of its own or under the call itself.
    pub(super) fn inline(&self, under_the_call: bool) -> Result<Self> {
        let mut made = self.clone();
        let (agents, beside) = made
            .beside
            .into_iter()
            .partition(|(inside, _)| is_agent(inside));
        made.beside = beside;
        let is_call =
            |line: &String| line.contains("\"type\":\"assistant\"") && line.contains("callAG");
        let call = made.lines.iter().position(is_call).context("no call")?;
        let uuid = super::cases::member(&made.lines[call], "uuid")?;
        let agents: Vec<Beside> = agents;
        let files = agents.iter().filter(|(inside, _)| has_lines(inside));
        let mut inline = Vec::new();
        for (_, bytes) in files {
            for line in String::from_utf8_lossy(bytes).lines() {
                let mut line = without_member(line, "agentId")?;
                if under_the_call {
                    let root = format!("\"parentUuid\":\"{uuid}\"");
                    line = line.replacen("\"parentUuid\":null", &root, 1);
                }
                inline.push(line);
            }
        }
        ensure!(
            inline.len() >= 4,
            "the subagent left {} lines",
            inline.len()
        );
        made.lines.splice(call + 1..call + 1, inline);
        Ok(made)
    }

    /// The same as older releases kept it: the subagent's file beside the session's.
    pub(super) fn old_layout(&self) -> Result<Self> {
        let mut made = self.clone();
        made.beside
            .retain(|(inside, _)| !is_agent(inside) || has_lines(inside));
        for (inside, _) in &mut made.beside {
            if is_agent(inside) {
                *inside = inside.file_name().map(PathBuf::from).context("no name")?;
            }
        }
        Ok(made)
    }
}

fn is_agent(inside: &Path) -> bool {
    inside.iter().any(|part| part == "subagents")
}

fn has_lines(inside: &Path) -> bool {
    inside.extension().is_some_and(|ending| ending == "jsonl")
}

/// A line without one of its own members, otherwise as it stands.
fn without_member(line: &str, name: &str) -> Result<String> {
    let start = format!("\"{name}\":\"");
    let (before, rest) = line
        .split_once(&start)
        .with_context(|| format!("no {name}"))?;
    let (_, rest) = rest
        .split_once("\",")
        .with_context(|| format!("{name} is last"))?;
    Ok(format!("{before}{rest}"))
}

/// Where the CLI keeps the sessions of a world.
pub(in super::super) fn project_folder(world: &World) -> PathBuf {
    let key = ProjectKey::of_dir(world.project());
    world.config().join("projects").join(key.as_str())
}

pub(in super::super) fn gather(
    folder: &Path,
    root: &Path,
    into: &mut Vec<(PathBuf, Vec<u8>)>,
) -> Result<()> {
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
pub(in super::super) fn bash(turn: Turn, id: &str, mark: &str) -> Turn {
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
    let of_agents = ["SUBPROMPT", "callS1", "ress1", "saidSUB"];
    Made::read(
        &world,
        ID,
        &[
            "saidP1", "saidR1a", "callA1", "resa1", "saidR1b", "saidP2", "saidTH2", "saidR2a",
            "callB1", "callB2", "callB3", "resb1", "resb2", "resb3", "saidR2b", "saidP3", "saidR3",
            "saidP4", "saidR4a", "callAG", "saidSUB", "saidR4b", "saidP5", "saidR5",
        ],
        &of_agents,
    )
}

/// Two turns, and two more in a fork of them.
pub(super) async fn forked(cli: &CliPackage) -> Result<Made> {
    let world = World::new(cli).await?;
    let turns = [
        bash(Turn::text("saidR1a"), "a1", "callA1"),
        Turn::text("saidR1b"),
        Turn::text("saidR2"),
        bash(Turn::text("saidR3a"), "c1", "callC1"),
        Turn::text("saidR3b"),
        Turn::text("saidR4"),
    ];
    for turn in turns {
        world.api.turn(turn);
    }
    go_on(&world, "saidP1").await?;
    go_on(&world, "saidP2").await?;
    let fork = ["--resume", ID, "--fork-session", "--session-id", FORK];
    for (said, args) in [("saidP3", &fork[..]), ("saidP4", &["--resume", FORK])] {
        tokio::time::sleep(THINKING).await;
        let (ended_well, text) = prompt(&world, said, args).await?;
        ensure!(ended_well, "the CLI did not answer {said:?}: {text}");
    }
    let marks = [
        "saidP1", "saidR1a", "callA1", "resa1", "saidR1b", "saidP2", "saidR2", "saidP3", "saidR3a",
        "callC1", "resc1", "saidR3b", "saidP4", "saidR4",
    ];
    Made::read(&world, FORK, &marks, &[])
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
        ID,
        &[
            "saidP1", "saidR1", "saidP2", "saidR2", "saidSUM", "saidP3", "saidR3a", "callC1",
            "resc1", "saidR3b", "saidP4", "saidR4",
        ],
        &[],
    )
}

pub(in super::super) async fn go_on(world: &World, said: &str) -> Result<()> {
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
pub(in super::super) async fn prompt(
    world: &World,
    said: &str,
    args: &[&str],
) -> Result<(bool, String)> {
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
