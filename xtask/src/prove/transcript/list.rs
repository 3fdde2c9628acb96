//! A list of ten thousand sessions.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::source::Source;
use super::speed::joined;
use super::{Inputs, claw};
use crate::cli_package::{CLI_VERSION, workspace_root};
use crate::prove::figure::Figure;

const SESSIONS: usize = 10_000;
const PROJECTS: usize = 100;
const SECONDS_BAR: f64 = 0.3;
const MEMORY_BAR: f64 = 60e6;

pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let bytes = write(folder.path())?;
    let source = Source::at(folder.path())?;
    let mut tasks = Vec::new();
    let ours = inputs.claw().map(|program| program.list(&source));
    let figure = Figure::new("list of 10,000 sessions", "≤ 0.3 s, ≤ 60 MB").note(format!(
        "copies of recorded sessions, each with an id of its own, in {PROJECTS} projects: {:.0} MB",
        bytes as f64 / 1e6
    ));
    if let Some(missing) = joined(ours, &mut tasks) {
        return Ok(vec![figure.measured(missing, false)]);
    }
    let mut listed = 0;
    for task in &tasks {
        listed = claw::sessions_listed(&inputs.runner.output(task)?.0)?;
    }
    let rounds = inputs.runner.rounds(&tasks, inputs.rounds())?;
    let wall = rounds.spread(claw::NAME, |took| took.wall)?;
    let peak = rounds.spread(claw::NAME, |took| took.peak)?;
    Ok(vec![figure.measured(
        format!(
            "{listed} sessions in {:.3} s ({:.3}–{:.3}), {:.1} MB",
            wall.median,
            wall.min,
            wall.max,
            peak.max / 1e6
        ),
        listed == SESSIONS && wall.median <= SECONDS_BAR && peak.max <= MEMORY_BAR,
    )])
}

/// Copies recorded sessions until there are enough; returns how many bytes there are.
fn write(home: &Path) -> Result<usize> {
    let mut recorded = Vec::new();
    for path in recorded_sessions()? {
        let id = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .context("a recorded session has no name")?
            .to_owned();
        recorded.push((id, std::fs::read_to_string(&path)?));
    }
    ensure!(!recorded.is_empty(), "there are no recorded sessions");
    let mut bytes = 0;
    for (number, (id, text)) in (0..SESSIONS).zip(recorded.iter().cycle()) {
        let project = number % PROJECTS;
        let folder = home.join(format!(".claude/projects/-home-user-project-{project}"));
        std::fs::create_dir_all(&folder)?;
        let new_id = format!("00000000-0000-4000-8000-{number:012}");
        let text = text.replace(id, &new_id).replace(
            r#""cwd":"/home/user/project""#,
            &format!(r#""cwd":"/home/user/project/{project}""#),
        );
        std::fs::write(folder.join(format!("{new_id}.jsonl")), &text)?;
        bytes += text.len();
    }
    Ok(bytes)
}

/// Main files only: each is one session.
fn recorded_sessions() -> Result<Vec<PathBuf>> {
    let mut sessions = Vec::new();
    let scenarios = workspace_root().join("testdata/cli").join(CLI_VERSION);
    for scenario in children(&scenarios)? {
        for project in children(&scenario.join("sessions"))? {
            let files = children(&project)?;
            sessions.extend(
                files
                    .into_iter()
                    .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")),
            );
        }
    }
    sessions.sort();
    Ok(sessions)
}

/// What is in a folder; nothing when there is none.
fn children(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_sessions_are_found_and_read_as_text() {
        let found = recorded_sessions().unwrap();
        assert!(found.len() > 40, "{}", found.len());
        for path in found {
            let text = std::fs::read_to_string(&path);
            assert!(text.is_ok(), "{}", path.display());
        }
    }
}
