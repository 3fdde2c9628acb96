//! `claw sessions`, without a command.

use std::collections::HashSet;
use std::time::SystemTime;

use claw_transcript::{FileRole, SessionFilter};
use serde::Serialize;

use super::list;
use super::scope::{Scope, say_unreadable};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::words;

/// A summary of all sessions.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Overview {
    folder: String,
    projects: usize,
    sessions: usize,
    agent_files: usize,
    bytes: u64,
    written_last_day: usize,
}

pub(super) fn run(scope: &Scope, printer: &mut Printer) -> anyhow::Result<Status> {
    let library = scope.library()?;
    let now = SystemTime::now();
    let survey = library.survey()?;
    let files = survey.files;
    let mains = || files.iter().filter(|file| file.role == FileRole::Main);
    let agents = || {
        let agent = |role: &FileRole| matches!(role, FileRole::Agent { .. });
        files.iter().filter(move |file| agent(&file.role))
    };
    let projects: HashSet<_> = files.iter().map(|file| &file.project).collect();
    let overview = Overview {
        folder: words::path(&library.projects_dir()).into_owned(),
        projects: projects.len(),
        sessions: mains().count(),
        agent_files: agents().count(),
        bytes: files.iter().map(|file| file.len).sum(),
        written_last_day: mains()
            .filter(|file| {
                let age = now.duration_since(file.modified);
                age.is_ok_and(|age| age.as_secs() < 86_400)
            })
            .count(),
    };
    if scope.json {
        printer.json(&overview)?;
        return Ok(Status::Fine);
    }
    let (title, faint) = (style::TITLE, style::FAINT);
    printer.line(format_args!(
        "{title}{}{title:#} of {}, {} in {} {faint}({}){faint:#}",
        words::several(overview.sessions as u64, "session"),
        words::several(overview.projects as u64, "project"),
        words::size(overview.bytes),
        words::several(files.len() as u64, "file"),
        words::plain(&overview.folder),
    ))?;
    if overview.sessions == 0 {
        printer.line("Claude Code creates one with the first prompt.")?;
        return Ok(Status::Fine);
    }
    printer.line(format_args!(
        "{} modified in the last 24 h; {} of subagents",
        words::count(overview.written_last_day as u64),
        words::several(overview.agent_files as u64, "file"),
    ))?;
    say_unreadable(&survey.unreadable);
    printer.line("")?;
    let newest = library.list(&SessionFilter::new().limit(8).silent(true).copies(true))?;
    printer.raw_display(&list::table(&library, &newest, now))?;
    printer.line("")?;
    printer.line(format_args!(
        "{faint}next: claw sessions show ID · list · usage · check · search TEXT · export{faint:#}"
    ))?;
    Ok(Status::Fine)
}
