//! Sessions that the real CLI writes, with marks in every turn.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use claw_testkit::real_cli::World;
use serde_json::{Value, json};

use crate::resume::{OtherFile, project_folder, prompt, read_files};

/// The session that is written, damaged and resumed.
pub(crate) const ID: &str = "5e5e5e5e-0000-4000-8000-000000000001";

/// A fork of it.
const FORK: &str = "5e5e5e5e-0000-4000-8000-000000000002";

/// The pause before the next prompt. The CLI ignores a missing parent if the previous line is at
/// most five seconds older, which is never the case between the prompts of a person.
const PAUSE: Duration = Duration::from_secs(6);

/// A session of the CLI.
#[derive(Clone)]
pub(crate) struct Made {
    pub(crate) id: &'static str,
    /// The main file, line by line.
    pub(crate) lines: Vec<String>,
    /// The marks of the turns.
    pub(crate) marks: Vec<&'static str>,
    /// The marks of its subagent's turns.
    pub(crate) of_agents: Vec<&'static str>,
    /// The other files in the folder of the project.
    pub(crate) others: Vec<OtherFile>,
}

impl Made {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        (self.lines.join("\n") + "\n").into_bytes()
    }

    pub(crate) fn read(
        world: &World,
        id: &'static str,
        marks: &[&'static str],
        of_agents: &[&'static str],
    ) -> Result<Self> {
        let folder = project_folder(world);
        let path = folder.join(format!("{id}.jsonl"));
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("the CLI left no session at {}", path.display()))?;
        let mut others = read_files(&folder)?;
        others.retain(|(inside, _)| folder.join(inside) != path);
        Ok(Self {
            id,
            lines: text.lines().map(str::to_owned).collect(),
            marks: marks.to_vec(),
            of_agents: of_agents.to_vec(),
            others,
        })
    }

    /// The same session as old releases wrote it: the lines of a subagent are in the main file,
    /// after its call, with a root of their own or with the call as their parent.
    pub(crate) fn inline(&self, under_the_call: bool) -> Result<Self> {
        let mut made = self.clone();
        let (agents, others) = made
            .others
            .into_iter()
            .partition(|(inside, _)| is_agent(inside));
        made.others = others;
        let is_call =
            |line: &String| line.contains("\"type\":\"assistant\"") && line.contains("callAG");
        let call = made.lines.iter().position(is_call).context("no call")?;
        let uuid = member(&made.lines[call], "uuid")?;
        let agents: Vec<OtherFile> = agents;
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

    /// The same session as older releases wrote it: the subagent's file is next to the main file.
    pub(crate) fn old_layout(&self) -> Result<Self> {
        let mut made = self.clone();
        made.others
            .retain(|(inside, _)| !is_agent(inside) || has_lines(inside));
        for (inside, _) in &mut made.others {
            if is_agent(inside) {
                *inside = inside.file_name().map(PathBuf::from).context("no name")?;
            }
        }
        Ok(made)
    }
}

/// A string member of a line.
pub(crate) fn member(line: &str, name: &str) -> Result<String> {
    let value: Value = serde_json::from_str(line)?;
    let member = value[name].as_str();
    Ok(member.with_context(|| format!("no {name}"))?.to_owned())
}

fn is_agent(inside: &Path) -> bool {
    inside.iter().any(|part| part == "subagents")
}

fn has_lines(inside: &Path) -> bool {
    inside.extension().is_some_and(|ending| ending == "jsonl")
}

/// A line without one of its members, otherwise unchanged.
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

/// A call whose result is a mark that the call does not contain.
pub(crate) fn bash(turn: Turn, id: &str, mark: &str) -> Turn {
    let input = json!({
        "command": format!("printf 'res%s' {id}"),
        "description": mark,
    });
    turn.tool_use(format!("toolu_{id}"), "Bash", input)
}

/// Five turns: a call, three calls at once, an emoji, a subagent, and text.
pub(crate) async fn long() -> Result<Made> {
    let world = World::new().await?;
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
    for text in ["saidP1", "saidP2", "saidP3", "saidP4", "saidP5"] {
        go_on(&world, text).await?;
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
pub(crate) async fn forked() -> Result<Made> {
    let world = World::new().await?;
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
    for (text, args) in [("saidP3", &fork[..]), ("saidP4", &["--resume", FORK])] {
        tokio::time::sleep(PAUSE).await;
        let (succeeded, output) = prompt(&world, text, args).await?;
        ensure!(succeeded, "the CLI did not answer {text:?}: {output}");
    }
    let marks = [
        "saidP1", "saidR1a", "callA1", "resa1", "saidR1b", "saidP2", "saidR2", "saidP3", "saidR3a",
        "callC1", "resc1", "saidR3b", "saidP4", "saidR4",
    ];
    Made::read(&world, FORK, &marks, &[])
}

/// Two turns, a compaction, and two turns.
pub(crate) async fn compacted() -> Result<Made> {
    let world = World::new().await?;
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
    for text in ["saidP1", "saidP2", "/compact", "saidP3", "saidP4"] {
        go_on(&world, text).await?;
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

/// Sends the next prompt of the session.
pub(crate) async fn go_on(world: &World, text: &str) -> Result<()> {
    let is_first = world.api.requests().is_empty();
    if !is_first {
        tokio::time::sleep(PAUSE).await;
    }
    let session = if is_first { "--session-id" } else { "--resume" };
    let (succeeded, output) = prompt(world, text, &[session, ID]).await?;
    ensure!(succeeded, "the CLI did not answer {text:?}: {output}");
    Ok(())
}
