//! A session with secrets in it, redacted by our program and resumed by the real CLI.
//!
//! Secrets are said in every way in which a session comes by them: typed, answered, called with,
//! returned, given to a subagent, printed at length, and once more without anything around them.
//! None may be left in the copy or reach the model, and all that was said besides must arrive.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use claw_transcript::{Check, SessionFile};
use serde_json::{Value, json};

use super::Inputs;
use super::claw::Claw;
use super::repair::sent;
use super::repair::sessions::{Beside, ID, Made, bash, gather, go_on};
use super::repair::{ask, put};
use crate::cli_package::{self, CliPackage};
use crate::prove::figure::Figure;
use crate::prove::sdk::World;

#[tokio::main(worker_threads = 2)]
pub(super) async fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let figure = Figure::new(
        "a real session with secrets in it, redacted: secrets in the copy and in what the model is \
         sent when the real CLI resumes it; errors by `check`; what was said besides",
        "0; 0; all of it",
    );
    let claw = match inputs.claw() {
        Ok(claw) => claw,
        Err(error) => return Ok(vec![figure.measured(format!("missing: {error:#}"), false)]),
    };
    let cli = cli_package::ensure()?;
    Ok(vec![measured(figure, claw, &cli).await?])
}

async fn measured(figure: Figure, claw: &Claw, cli: &CliPackage) -> Result<Figure> {
    let secrets = Secrets::new();
    let made = session(cli, &secrets).await?;
    let whole = World::new(cli).await?;
    put(&whole, ID, &made.bytes(), &made.beside)?;
    let (messages, errors) = ask(&whole, ID).await?;
    let marks: Vec<&str> = made.marks.iter().chain(&made.of_agents).copied().collect();
    let expected = sent::said(&messages, &marks);
    ensure!(
        errors.is_empty() && expected.len() >= 10,
        "the CLI does not resume the original: {errors:?}"
    );
    let planted = secrets.in_text(&serde_json::to_string(&messages)?);
    ensure!(
        planted.len() == secrets.all.len(),
        "the CLI does not send all secrets of the original: {planted:?}"
    );
    let mut wrong = Vec::new();
    let (mut kept, mut leaked, mut broken, mut arrived) = (0, 0, 0, usize::MAX);
    for new_id in [false, true] {
        let copy = redacted(claw, &made, new_id, cli).await?;
        let left = secrets.in_files(&copy)?;
        kept += left.len();
        wrong.extend(left);
        let total = checked(&copy)?;
        broken += total;
        let (messages, errors) = resumed(&copy, cli).await?;
        wrong.extend(errors);
        let sent_text = serde_json::to_string(&messages)?;
        let seen = secrets.in_text(&sent_text);
        leaked += seen.len();
        wrong.extend(
            seen.into_iter()
                .map(|name| format!("the model is sent {name}")),
        );
        let found = sent::compared(&expected, &sent::said(&messages, &marks));
        arrived = arrived.min(expected.len() - found.missing.len());
        if !found.is_same() {
            wrong.push(found.to_string());
        }
    }
    let passed = wrong.is_empty() && kept + leaked == 0 && broken == 0;
    let all = secrets.all.len();
    Ok(figure
        .measured(
            format!(
                "{kept} of {all} in the copy, {leaked} sent; {broken} errors; {arrived} of {} marks, \
                 in their order and roles",
                expected.len()
            ),
            passed,
        )
        .note("twice: under the same id, and with `--new-id`")
        .list("wrong", wrong))
}

/// What must not get out, by name. Put together here, so that nobody takes this file for a leak.
struct Secrets {
    all: Vec<(&'static str, String)>,
}

impl Secrets {
    fn new() -> Self {
        let all = [
            ("an AWS key", ["AKIA", "Q3EGWJ5T7ZLMX2PD"]),
            (
                "a GitHub token",
                ["ghp_", "9fKq2LmX7vRt4BzN8cWd1YhJ5sGa3EpU6oTi"],
            ),
            ("a password", ["Tr0ub4", "dor9x"]),
            ("a password in a URL", ["Zz91", "kkQQ1"]),
            ("an address", ["203.0.", "113.78"]),
            ("an e-mail address", ["anna.keller@", "firma.rs"]),
            ("an API key in a long result", ["qwe98", "zxc76asd5"]),
        ];
        Self {
            all: all.map(|(name, halves)| (name, halves.concat())).to_vec(),
        }
    }

    fn get(&self, name: &str) -> Result<&str> {
        let found = self.all.iter().find(|(known, _)| *known == name);
        Ok(&found.with_context(|| format!("no secret {name}"))?.1)
    }

    /// The names of those that a text has.
    fn in_text(&self, text: &str) -> Vec<&'static str> {
        let there = self.all.iter().filter(|(_, secret)| text.contains(secret));
        there.map(|(name, _)| *name).collect()
    }

    fn in_files(&self, copy: &Copy) -> Result<Vec<String>> {
        let mut left = Vec::new();
        let main = [(copy.path.clone(), std::fs::read(&copy.path)?)];
        for (path, bytes) in main.iter().chain(&copy.beside) {
            let text = format!("{} {}", path.display(), String::from_utf8_lossy(bytes));
            for name in self.in_text(&text) {
                left.push(format!("{name} is left in {}", path.display()));
            }
        }
        Ok(left)
    }
}

/// A session in which all secrets are said, most of them more than once.
async fn session(cli: &CliPackage, secrets: &Secrets) -> Result<Made> {
    let world = World::new(cli).await?;
    let (aws, token) = (secrets.get("an AWS key")?, secrets.get("a GitHub token")?);
    let (password, mail) = (
        secrets.get("a password")?,
        secrets.get("an e-mail address")?,
    );
    let (in_url, address) = (
        secrets.get("a password in a URL")?,
        secrets.get("an address")?,
    );
    let key = secrets.get("an API key in a long result")?;
    let run = |turn: Turn, id: &str, mark: &str, command: String| {
        let input = json!({ "command": command, "description": mark });
        turn.tool_use(format!("toolu_{id}"), "Bash", input)
    };
    let agent = json!({
        "description": "callAG", "prompt": format!("SUBPROMPT write to {mail} with {token}"),
        "subagent_type": "general-purpose", "run_in_background": false,
    });
    let export = format!("export DB_PASSWORD={password}; printf 'res%s token={token}' a1");
    let long =
        format!("printf 'res%s api_key={key} ' d1; seq -s ' ' 1 12000; printf 'api_key={key}'");
    let turns = [
        run(
            Turn::text(format!("saidR1a, and I write to {mail}")),
            "a1",
            "callA1",
            export,
        ),
        Turn::text("saidR1b"),
        Turn::text(format!("saidR2: {address} answers, {password} does not")),
        Turn::text("saidR3a").tool_use("toolu_ag", "Agent", agent),
        bash(Turn::empty(), "s1", "callS1"),
        Turn::text(format!("saidSUB {mail}")),
        Turn::text("saidR3b"),
        run(Turn::text("saidR4a"), "d1", "callD1", long),
        Turn::text("saidR4b"),
    ];
    for turn in turns {
        world.api.turn(turn);
    }
    for said in [
        format!("saidP1 deploy with {aws}"),
        format!("saidP2 I typed {password} again, see postgres://app:{in_url}@{address}:5432/db"),
        "saidP3".to_owned(),
        "saidP4".to_owned(),
    ] {
        go_on(&world, &said).await?;
    }
    let marks = [
        "saidP1", "saidR1a", "callA1", "resa1", "saidR1b", "saidP2", "saidR2", "saidP3", "saidR3a",
        "callAG", "saidSUB", "saidR3b", "saidP4", "saidR4a", "callD1", "resd1", "saidR4b",
    ];
    let made = Made::read(&world, ID, &marks, &["SUBPROMPT", "callS1", "ress1"])?;
    let is_result = |(inside, _): &Beside| inside.iter().any(|part| part == "tool-results");
    ensure!(
        made.beside.iter().any(is_result),
        "no result was too long for a line"
    );
    Ok(made)
}

/// A session that was redacted.
struct Copy {
    id: String,
    path: PathBuf,
    beside: Vec<Beside>,
    _folder: tempfile::TempDir,
}

/// Runs `claw sessions redact`.
async fn redacted(claw: &Claw, made: &Made, new_id: bool, cli: &CliPackage) -> Result<Copy> {
    let world = World::new(cli).await?;
    put(&world, ID, &made.bytes(), &made.beside)?;
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("copy");
    let output = Command::new(claw.program())
        .args(["sessions", "redact", ID, "--json", "--config-dir"])
        .arg(world.config())
        .arg("--output")
        .arg(&out)
        .args(new_id.then_some("--new-id"))
        .env_clear()
        .envs(world.environment())
        .stdin(Stdio::null())
        .output()
        .context("claw did not start")?;
    ensure!(
        output.status.success(),
        "claw did not redact: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    let told: Value = serde_json::from_slice(&output.stdout).context("it did not print JSON")?;
    ensure!(
        told["inOrder"] == true,
        "it says that the copy is not in order"
    );
    let mut beside = Vec::new();
    gather(&out, &out, &mut beside)?;
    let is_main = |(inside, _): &Beside| {
        inside.extension().is_some_and(|e| e == "jsonl") && inside.iter().count() == 1
    };
    let main = beside
        .iter()
        .position(is_main)
        .context("there is no copy")?;
    let (name, _) = beside.remove(main);
    let id = name
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    ensure!((id == ID) != new_id, "the copy has the id {id}");
    Ok(Copy {
        path: out.join(name),
        id,
        beside,
        _folder: folder,
    })
}

/// How many errors checking finds in a copy, its subagents included.
fn checked(copy: &Copy) -> Result<u64> {
    let main = SessionFile::at(&copy.path)?;
    let mut files = main.agents()?;
    ensure!(!files.is_empty(), "the copy has no subagent");
    files.push(main);
    Ok(Check::new().files(&files).total.errors)
}

async fn resumed(copy: &Copy, cli: &CliPackage) -> Result<(Vec<Value>, Vec<String>)> {
    let world = World::new(cli).await?;
    let path: &Path = &copy.path;
    put(&world, &copy.id, &std::fs::read(path)?, &copy.beside)?;
    ask(&world, &copy.id).await
}
