//! The report of an export, for people and for programs.

use std::borrow::Cow;
use std::error::Error as _;
use std::path::Path;

use claw_transcript::{ExportReport, FolderReport, Format, Loss, TranscriptError};
use serde::{Serialize, Serializer};

use crate::printer::{Printer, style};
use crate::words;

/// The report for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer<'a> {
    format: &'static str,
    /// Missing if it went to standard output.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "readable")]
    output: Option<&'a Path>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    sessions: u64,
    messages: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    branches: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subagents: Option<u64>,
    /// Messages that are left out, or marked in the document's dialect.
    hidden: u64,
    /// Lines that are left out because they may repeat hidden messages.
    quoting: u64,
    bytes_in: u64,
    bytes_out: u64,
    /// What the document's dialect cannot represent.
    lost: Vec<Lost<'a>>,
    failed: Vec<Failed<'a>>,
}

#[derive(Debug, Serialize)]
struct Lost<'a> {
    what: &'static str,
    name: &'a str,
    count: u64,
}

#[derive(Debug, Serialize)]
struct Failed<'a> {
    path: Cow<'a, str>,
    why: String,
}

impl<'a> Answer<'a> {
    pub(super) fn of_session(
        report: &'a ExportReport,
        format: Format,
        output: Option<&'a Path>,
    ) -> Self {
        Self {
            format: format.as_str(),
            output,
            title: Some(report.title.as_str()).filter(|title| !title.is_empty()),
            sessions: 1,
            messages: report.messages,
            branches: Some(report.branches),
            subagents: Some(report.subagents),
            hidden: report.deleted,
            quoting: report.quoting,
            bytes_in: report.bytes_in,
            bytes_out: report.bytes_out,
            lost: lost(&report.losses),
            failed: Vec::new(),
        }
    }

    pub(super) fn of_folder(report: &'a FolderReport, format: Format, folder: &'a Path) -> Self {
        let failed = report.failed.iter().map(|(path, error)| Failed {
            path: words::path(path),
            why: whole(error),
        });
        Self {
            format: format.as_str(),
            output: Some(folder),
            title: None,
            sessions: report.sessions,
            messages: report.messages,
            branches: None,
            subagents: None,
            hidden: report.deleted,
            quoting: report.quoting,
            bytes_in: report.bytes_in,
            bytes_out: report.bytes_out,
            lost: lost(&report.losses),
            failed: failed.collect(),
        }
    }
}

/// Serializes a path that may not be valid UTF-8.
fn readable<S: Serializer>(path: &Option<&Path>, serializer: S) -> Result<S::Ok, S::Error> {
    path.map(words::path).serialize(serializer)
}

/// An error with its causes, on one line.
fn whole(error: &TranscriptError) -> String {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.fold(error.to_string(), |said, cause| format!("{said}: {cause}"))
}

fn lost(losses: &[Loss]) -> Vec<Lost<'_>> {
    let all = losses.iter().map(|loss| Lost {
        what: loss.what,
        name: &loss.name,
        count: loss.count,
    });
    all.collect()
}

/// Maximum number of losses shown to people.
const SHOWN: usize = 12;

impl Answer<'_> {
    /// Prints the report; to standard error if the export itself goes to standard output.
    pub(super) fn say(&self, as_json: bool, printer: &mut Printer) -> anyhow::Result<()> {
        if as_json {
            match self.output {
                Some(_) => printer.json(self)?,
                None => eprintln!("{}", serde_json::to_string(self)?),
            }
            return Ok(());
        }
        if let Some(output) = self.output {
            self.say_written(output, printer)?;
        }
        self.say_hidden();
        self.say_lost();
        let bad = style::BAD;
        for failed in &self.failed {
            anstream::eprintln!(
                "{bad}not written{bad:#} {}: {}",
                words::plain(&failed.path),
                failed.why
            );
        }
        Ok(())
    }

    fn say_written(&self, output: &Path, printer: &mut Printer) -> anyhow::Result<()> {
        let good = style::GOOD;
        let mut parts = Vec::new();
        if self.sessions != 1 || self.branches.is_none() {
            parts.push(words::several(self.sessions, "session"));
        }
        parts.push(words::several(self.messages, "message"));
        if let Some(branches) = self.branches.filter(|count| *count > 1) {
            parts.push(words::several(branches, "branch"));
        }
        if let Some(subagents) = self.subagents.filter(|count| *count > 0) {
            parts.push(words::several(subagents, "subagent"));
        }
        parts.push(words::size(self.bytes_out));
        printer.line(format_args!(
            "{good}written{good:#} to {}: {}",
            output.display(),
            parts.join(", ")
        ))?;
        Ok(())
    }

    fn say_hidden(&self) {
        let warn = style::WARN;
        if self.hidden > 0 {
            let count = words::several(self.hidden, "hidden message");
            let what = match self.format {
                "document" => "included, marked isDeleted",
                _ => "left out (--with-hidden)",
            };
            anstream::eprintln!("{warn}{count}{warn:#} {what}");
        }
        if self.quoting > 0 {
            let count = words::several(self.quoting, "line");
            anstream::eprintln!("{warn}{count}{warn:#} left out that may repeat them");
        }
    }

    fn say_lost(&self) {
        if self.lost.is_empty() {
            return;
        }
        let faint = style::FAINT;
        anstream::eprintln!("The document's dialect cannot represent:");
        for lost in self.lost.iter().take(SHOWN) {
            let name = words::cut(lost.name, 60);
            let count = words::count(lost.count);
            anstream::eprintln!(
                "  {faint}{}{faint:#} {name} {faint}× {count}{faint:#}",
                lost.what
            );
        }
        let more = self.lost.len().saturating_sub(SHOWN);
        if more > 0 {
            anstream::eprintln!("  {faint}and {more} more (--json){faint:#}");
        }
    }
}
