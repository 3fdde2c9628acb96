//! Redacts a session with secrets and resumes the copy with the real CLI.
//!
//! The secrets are in prompts, replies, tool calls, results, the prompt of a subagent, a long result,
//! and once more without context. None may be left in the copy or reach the model; all other marks
//! must arrive.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::World;
use claw_transcript::{Check, Pseudonyms, Redact, SessionFile};
use serde_json::{Value, json};

use crate::resume::{OtherFile, ask, put, read_files};
use crate::sent;
use crate::sessions::{ID, Made, bash, go_on};

pub(crate) async fn figure() -> Result<Figure> {
    let figure = Figure::new(
        "a real session with secrets in it, redacted: secrets in the copy and in what the model is \
         sent when the real CLI resumes it; errors by `check`; what was said besides",
        "0; 0; all of it",
    );
    let secrets = Secrets::new();
    let made = session(&secrets).await?;
    let whole = World::new().await?;
    put(&whole, ID, &made.bytes(), &made.others)?;
    let (messages, errors) = ask(&whole, ID).await?;
    let marks: Vec<&str> = made.marks.iter().chain(&made.of_agents).copied().collect();
    let expected = sent::marks(&messages, &marks);
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
        let copy = redacted(&made, new_id).await?;
        let left = secrets.in_files(&copy)?;
        kept += left.len();
        wrong.extend(left);
        let total = checked(&copy)?;
        broken += total;
        let (messages, errors) = resumed(&copy).await?;
        wrong.extend(errors);
        let sent_text = serde_json::to_string(&messages)?;
        let seen = secrets.in_text(&sent_text);
        leaked += seen.len();
        wrong.extend(
            seen.into_iter()
                .map(|name| format!("the model is sent {name}")),
        );
        let found = sent::compared(&expected, &sent::marks(&messages, &marks));
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
        .note("twice: under the same id, and under a new one")
        .list("wrong", wrong))
}

/// The secrets, by name. They are concatenated at run time, so that scanners do not report this
/// file.
struct Secrets {
    all: [(&'static str, String); 7],
}

impl Secrets {
    fn new() -> Self {
        let token = ["ghp_", "9fKq2LmX7vRt4BzN8cWd1YhJ5sGa3EpU6oTi"];
        let all = [
            ("an AWS key", ["AKIA", "Q3EGWJ5T7ZLMX2PD"]),
            ("a GitHub token", token),
            ("a password", ["Tr0ub4", "dor9x"]),
            ("a password in a URL", ["Zz91", "kkQQ1"]),
            ("an address", ["203.0.", "113.78"]),
            ("an e-mail address", ["anna.keller@", "firma.rs"]),
            ("an API key in a long result", ["qwe98", "zxc76asd5"]),
        ];
        Self {
            all: all.map(|(name, halves)| (name, halves.concat())),
        }
    }

    /// The names of the secrets that a text contains.
    fn in_text(&self, text: &str) -> Vec<&'static str> {
        let there = self.all.iter().filter(|(_, secret)| text.contains(secret));
        there.map(|(name, _)| *name).collect()
    }

    fn in_files(&self, copy: &Copy) -> Result<Vec<String>> {
        let mut left = Vec::new();
        let main = [(copy.path.clone(), std::fs::read(&copy.path)?)];
        for (path, bytes) in main.iter().chain(&copy.others) {
            let text = format!("{} {}", path.display(), String::from_utf8_lossy(bytes));
            for name in self.in_text(&text) {
                left.push(format!("{name} is left in {}", path.display()));
            }
        }
        Ok(left)
    }
}

/// A session that contains all secrets, most of them more than once.
async fn session(secrets: &Secrets) -> Result<Made> {
    let world = World::new().await?;
    let all = secrets.all.each_ref();
    let [aws, token, password, in_url, address, mail, key] = all.map(|(_, secret)| secret);
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
    for text in [
        format!("saidP1 deploy with {aws}"),
        format!("saidP2 I typed {password} again, see postgres://app:{in_url}@{address}:5432/db"),
        "saidP3".to_owned(),
        "saidP4".to_owned(),
    ] {
        go_on(&world, &text).await?;
    }
    let marks = [
        "saidP1", "saidR1a", "callA1", "resa1", "saidR1b", "saidP2", "saidR2", "saidP3", "saidR3a",
        "callAG", "saidSUB", "saidR3b", "saidP4", "saidR4a", "callD1", "resd1", "saidR4b",
    ];
    let made = Made::read(&world, ID, &marks, &["SUBPROMPT", "callS1", "ress1"])?;
    let is_result = |(inside, _): &OtherFile| inside.iter().any(|part| part == "tool-results");
    ensure!(
        made.others.iter().any(is_result),
        "no result was too long for a line"
    );
    Ok(made)
}

/// The redacted copy of a session.
struct Copy {
    id: String,
    path: PathBuf,
    others: Vec<OtherFile>,
    _folder: tempfile::TempDir,
}

/// Redacts a session into a new folder.
async fn redacted(made: &Made, new_id: bool) -> Result<Copy> {
    let world = World::new().await?;
    let original = put(&world, ID, &made.bytes(), &made.others)?;
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("copy");
    let report = Redact::new().new_id(new_id).session(
        &SessionFile::at(original)?,
        &mut Pseudonyms::new(),
        Some(&out),
    )?;
    let path = report.main_file().context("there is no copy")?.to_owned();
    let mut others = read_files(&out)?;
    others.retain(|(inside, _)| out.join(inside) != path);
    let stem = path.file_stem().unwrap_or_default();
    let id = stem.to_string_lossy().into_owned();
    ensure!((id == ID) != new_id, "the copy has the id {id}");
    Ok(Copy {
        id,
        path,
        others,
        _folder: folder,
    })
}

/// The number of errors by `check` in a copy and its subagents.
fn checked(copy: &Copy) -> Result<u64> {
    let main = SessionFile::at(&copy.path)?;
    let mut files = main.agents()?;
    ensure!(!files.is_empty(), "the copy has no subagent");
    files.push(main);
    Ok(Check::new().files(&files).total.errors)
}

async fn resumed(copy: &Copy) -> Result<(Vec<Value>, Vec<String>)> {
    let world = World::new().await?;
    put(&world, &copy.id, &std::fs::read(&copy.path)?, &copy.others)?;
    ask(&world, &copy.id).await
}
