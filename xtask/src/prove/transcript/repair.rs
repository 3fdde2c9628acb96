//! Damaged sessions, repaired, and resumed by the real CLI.
//!
//! Every turn of a session has marks: words that the model must be sent again when the session is
//! resumed. A damage destroys some of them; all others must arrive after a repair. The same damage
//! without a repair is resumed beside it, to show what it costs.

mod cases;
mod sessions;
mod strict;

use anyhow::{Context, Result, ensure};
use claw_transcript::{ProjectKey, RepairPlan, RepairTarget};
use serde_json::Value;

use self::cases::Case;
use self::sessions::{ID, Made, prompt};
use super::Inputs;
use crate::cli_package::{self, CliPackage};
use crate::prove::figure::Figure;
use crate::prove::sdk::World;

pub(super) fn measure(_: &Inputs) -> Result<Vec<Figure>> {
    let cli = cli_package::ensure()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    Ok(vec![runtime.block_on(figure(&cli))?])
}

async fn figure(cli: &CliPackage) -> Result<Figure> {
    let (long, compacted) = tokio::try_join!(sessions::long(cli), sessions::compacted(cli))?;
    let mut wrong = Vec::new();
    let mut rows = vec![
        "| damage | steps | errors by `check`, before and after | the model is sent, repaired | \
         the same without repair |"
            .to_owned(),
        "|---|---|---|---|---|".to_owned(),
    ];
    let (mut count, mut harmed) = (0, 0);
    for (made, cases) in [
        (&long, cases::of_long(&long)?),
        (&compacted, cases::of_compacted(&compacted)?),
    ] {
        let whole = resume(cli, &made.bytes(), made, false).await?;
        let baseline = whole.seen(&made.marks);
        ensure!(
            whole.errors.is_empty() && baseline.len() >= 5,
            "the CLI does not resume the whole session: {:?}",
            whole.errors
        );
        for case in cases {
            count += 1;
            let expected = case.expected(&baseline);
            let (repaired, left) = tokio::try_join!(
                resume(cli, &case.bytes, made, true),
                resume(cli, &case.bytes, made, false),
            )?;
            let lost = repaired.lacks(&expected);
            if !lost.is_empty() || !repaired.errors.is_empty() {
                wrong.push(format!(
                    "{}: lost {lost:?}, {:?}",
                    case.name, repaired.errors
                ));
            }
            if !left.lacks(&expected).is_empty() || !left.errors.is_empty() {
                harmed += 1;
            }
            rows.push(row(&case, &expected, &repaired, &left));
        }
    }
    let right = count - wrong.len();
    let mut figure = Figure::new(
        "real sessions damaged, repaired, resumed by the real CLI and seen whole by the model",
        "all of ≥ 12",
    )
    .measured(
        format!(
            "{right} of {count} (without repair {} of them)",
            count - harmed
        ),
        wrong.is_empty() && count >= 12,
    )
    .list("wrong", wrong);
    figure.notes.extend(rows);
    Ok(figure)
}

fn row(case: &Case, expected: &[&str], repaired: &Resumed, left: &Resumed) -> String {
    let told = |resumed: &Resumed| {
        let lost = resumed.lacks(expected).len();
        let mut told = format!("{} of {} marks", expected.len() - lost, expected.len());
        if let Some(error) = resumed.errors.first() {
            told.push_str(&format!(", and: {error}"));
        }
        told
    };
    format!(
        "| {} | {} | {} → {} | {} | {} |",
        case.name,
        repaired.steps,
        repaired.checked.0,
        repaired.checked.1,
        told(repaired),
        told(left)
    )
}

/// What came of resuming a session.
struct Resumed {
    steps: usize,
    /// The errors that checking finds before and after a repair.
    checked: (u64, u64),
    /// Everything that the model was sent, as text.
    sent: String,
    /// Why the API, or we, would not take it.
    errors: Vec<String>,
}

impl Resumed {
    fn seen<'m>(&self, marks: &[&'m str]) -> Vec<&'m str> {
        let marks = marks.iter().copied();
        marks.filter(|mark| self.sent.contains(mark)).collect()
    }

    fn lacks<'m>(&self, marks: &[&'m str]) -> Vec<&'m str> {
        let marks = marks.iter().copied();
        marks.filter(|mark| !self.sent.contains(mark)).collect()
    }
}

/// Puts a file into a fresh config folder, repairs it when asked to, and resumes it.
async fn resume(cli: &CliPackage, bytes: &[u8], made: &Made, repair: bool) -> Result<Resumed> {
    let world = World::new(cli).await?;
    world.api.fallback(claw_testkit::Turn::text("Noted."));
    let key = ProjectKey::of_dir(world.project());
    let folder = world.config().join("projects").join(key.as_str());
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{ID}.jsonl"));
    std::fs::write(&path, bytes)?;
    made.put_companions(&path.with_extension(""))?;
    let (mut id, mut errors) = (ID.to_owned(), Vec::new());
    let (mut steps, mut checked) = (0, (0, 0));
    if repair {
        let plan = RepairPlan::of_file(&path)?;
        steps = plan.steps().count();
        let repaired = plan
            .apply(&RepairTarget::NewSession)
            .with_context(|| format!("cannot repair:\n{plan}"))?;
        if repaired.steps_left > 0 {
            errors.push(format!("{} steps are left", repaired.steps_left));
        }
        if std::fs::read(&path)? != bytes {
            errors.push("the original changed".to_owned());
        }
        let text = std::fs::read(&repaired.path)?;
        let mut lines = text.split(|byte| *byte == b'\n');
        // This reader takes no half emoji, no bytes that are not UTF-8 and nothing around JSON.
        let is_strict = |line: &[u8]| {
            line.is_empty()
                || std::str::from_utf8(line)
                    .is_ok_and(|line| serde_json::from_str::<Value>(line).is_ok())
        };
        if !lines.all(is_strict) {
            errors.push("a line of the repaired file is not strict JSON".to_owned());
        }
        checked = (repaired.errors_before, repaired.errors_left);
        id = repaired.session_id;
    }
    let (ended_well, said) = prompt(&world, "the next prompt", &["--resume", &id]).await?;
    if !ended_well {
        errors.push(said.trim().chars().take(80).collect());
    }
    let requests = world.api.requests();
    let asked = requests
        .iter()
        .rfind(|request| request.path == "/v1/messages" && !request.tool_names().is_empty());
    let messages = asked.map(|request| request.messages()).unwrap_or_default();
    errors.extend(strict::refusals(messages));
    Ok(Resumed {
        steps,
        checked,
        sent: serde_json::to_string(messages)?,
        errors,
    })
}
