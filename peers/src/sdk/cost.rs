//! Processor time of many messages, beside the official SDKs.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail, ensure};
use claw_bench::process::{fake_cli, json_of, print_json};
use claw_bench::rounds::{Rounds, times};
use claw_bench::sdk::cost::{Cost, one_turn, world};
use claw_bench::sdk::run::Driver;
use claw_testkit::figure::{Figure, quick};
use claw_testkit::recordings::recordings;
use claw_testkit::{FakeScript, FakeTurn, Replay};
use rusty_claw::Options;
use serde_json::Value;

use super::official::{python, typescript};

/// The program that is measured: one turn of a CLI, with our SDK.
pub(super) const PROGRAM: &str = "messages-ours";

pub(super) fn main(args: &[String]) -> Result<()> {
    let [cli] = args else {
        bail!("usage: CLI");
    };
    print_json(one_turn(Options::new().cli_path(cli)))
}

pub(super) fn measure() -> Result<Vec<Figure>> {
    let (lines, rounds) = if quick() { (1_000, 1) } else { (10_000, 9) };
    let (_runtime, world) = world([])?;
    let cli = flood(world.folder(), lines)?;
    let drivers = [
        Driver::own("ours", PROGRAM)?,
        typescript("messages.mjs"),
        python("messages.py")?,
    ];
    let names = drivers.each_ref().map(|driver| driver.name);
    let rounds = Rounds::measure(rounds, &names, |at| {
        let mut command = Command::new(&drivers[at].program);
        command
            .args(&drivers[at].args)
            .arg(&cli)
            .env_clear()
            .envs(world.environment())
            .current_dir(world.project());
        let cost: Cost = json_of(&mut command)?;
        let messages = cost.messages;
        // The Python SDK skips messages of unknown types.
        let is_whole = messages * 10 >= lines * 8;
        ensure!(is_whole, "{command:?}: {messages} messages");
        Ok(cost.cpu_ms)
    })?;
    let ratios = [
        rounds.ratio("ours", "TypeScript")?,
        rounds.ratio("ours", "Python")?,
    ];
    let [typescript, python] = ratios.map(times);
    let passed = ratios[0].median >= 3.0 && ratios[1].median >= 8.0;
    let figure = Figure::new(
        "own CPU per 10,000 messages, beside TypeScript and Python",
        "≥ 3× less than TypeScript, ≥ 8× less than Python",
    )
    .measured(format!("{typescript} and {python} less"), passed)
    .note(format!(
        "{lines} messages as recorded, each read and decoded; interleaved rounds, medians: {}",
        rounds.shown(|ms| format!("{ms:.0} ms"))
    ));
    Ok(vec![figure.timed()])
}

/// The recordings that a flood repeats.
const RECORDINGS: &str = "text_long_turn text_content_zoo_partial tools_files text_tool_loop";

/// A CLI that prints so many recorded messages in one turn.
fn flood(folder: &Path, lines: usize) -> Result<PathBuf> {
    let mut corpus: Vec<Vec<u8>> = Vec::new();
    for recording in recordings()? {
        if RECORDINGS.split(' ').any(|name| name == recording.name) {
            corpus.extend(recording.stdout);
        }
    }
    corpus.retain(|line| {
        let line: Value = serde_json::from_slice(line).unwrap_or_default();
        let kind = line["type"].as_str().unwrap_or_default();
        ["assistant", "user", "stream_event", "system"].contains(&kind)
    });
    let repeated = corpus.iter().cycle().take(lines);
    let text: Vec<u8> = repeated
        .flat_map(|line| [line.as_slice(), b"\n"].concat())
        .collect();
    let file = folder.join("messages.ndjson");
    std::fs::write(&file, text)?;
    let replay = Replay {
        file,
        ..Replay::default()
    };
    let turn = FakeTurn::new().step(replay);
    fake_cli(folder, &FakeScript::new().turn(turn))
}
