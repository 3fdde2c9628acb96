//! `claw sessions export`

use std::error::Error as _;
use std::fs::File;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use claw_transcript::{
    Branches, Export, ExportReport, FolderReport, Format, Loss, SessionFile, SessionLibrary, Theme,
    TranscriptError,
};
use serde::Serialize;

use super::{Place, check, hide, outside};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::progress::Progress;
use crate::words;

/// What to write, and how.
#[derive(Debug, Args)]
#[command(after_help = "\
A page of HTML needs nothing else: pictures, colours and script are in it, nothing is loaded, and
nothing that was said in the session can act. It folds, prints, and works without its script. Every
message has an address: click its time.

Without --output the export goes to standard output. --json alone writes the conversation as JSON;
with another form it prints what came of the export, with all that --document could not keep.

Hidden messages are left out: see claw sessions hide. Secrets are not: redact first.

Exit codes: 0 done, 2 some sessions of --all could not be written, 3 could not export.

Examples:
  claw sessions export 4f0c -o it.html             a page
  claw sessions export 4f0c --markdown | less      to read here
  claw sessions export 4f0c --json | jq '.[].kind' for programs
  claw sessions export 4f0c --branch live -o .     without abandoned branches, as 4f0c….html
  claw sessions export 4f0c --document --json -o d.jsonl
                                                   the document's dialect, and what it lost
  claw sessions export --all --here -o pages       everything of this directory, with a list
  claw sessions redact 4f0c -o share && claw sessions export share/4f0c*.jsonl -o share/it.html")]
pub(super) struct ExportArgs {
    /// The session's id, how it begins, or a file.
    #[arg(required_unless_present = "all")]
    session: Option<String>,
    /// Every session, one file each, and for HTML a page that lists them.
    #[arg(long, conflicts_with = "session", requires = "output")]
    all: bool,
    /// The file, or the folder; made when it is not there.
    #[arg(long, short, value_name = "PATH")]
    output: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
    /// Which branches: all, live, or the one that has the message of this uuid.
    #[arg(long, value_name = "BRANCH", default_value = "all")]
    branch: String,
    /// Leave out what the model thought.
    #[arg(long)]
    no_thinking: bool,
    /// Leave out what subagents did.
    #[arg(long)]
    no_sidechains: bool,
    /// Also notices, hidden instructions and attachments.
    #[arg(long)]
    system: bool,
    /// Also messages that were hidden.
    #[arg(long)]
    with_hidden: bool,
    /// What to call it; else its title, else its first prompt.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The colours of a page.
    #[arg(long, value_enum, default_value = "auto", value_name = "COLOURS")]
    theme: Colours,
    #[command(flatten)]
    own: hide::OwnFolder,
}

/// What to make of a session.
#[derive(Debug, Clone, Copy, Args)]
#[group(multiple = false)]
struct Form {
    /// One page that needs nothing else (the default).
    #[arg(long)]
    html: bool,
    /// Markdown.
    #[arg(long)]
    markdown: bool,
    /// The lines as they are, of the chosen branches.
    #[arg(long)]
    jsonl: bool,
    /// The dialect of the message type specification.
    #[arg(long)]
    document: bool,
}

/// The colours of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Colours {
    /// As the reader's system is set.
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Form {
    /// The form, and whether what came of it is to be printed for programs.
    fn choose(self, json: bool) -> (Format, bool) {
        let format = match self {
            Self { html: true, .. } => Format::Html,
            Self { markdown: true, .. } => Format::Markdown,
            Self { jsonl: true, .. } => Format::Jsonl,
            Self { document: true, .. } => Format::Document,
            _ if json => return (Format::Json, false),
            _ => Format::Html,
        };
        (format, json)
    }
}

pub(super) fn run(
    place: &Place,
    args: &ExportArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let library = place.library()?;
    let (format, report_as_json) = args.form.choose(place.json);
    if let Some(output) = &args.output {
        outside::refuse(output, library.config_dir())?;
    }
    let mut export = Export::new(format)
        .branches(match args.branch.as_str() {
            "all" => Branches::All,
            "live" => Branches::Live,
            uuid => Branches::Through(hide::uuid_of(uuid).to_owned()),
        })
        .thinking(!args.no_thinking)
        .sidechains(!args.no_sidechains)
        .system(args.system)
        .theme(match args.theme {
            Colours::Auto => Theme::Auto,
            Colours::Light => Theme::Light,
            Colours::Dark => Theme::Dark,
        });
    if let Some(title) = &args.title {
        export = export.title(title);
    }
    if let (false, Some(folder)) = (args.with_hidden, args.own.folder()) {
        export = export.without_deleted_in(folder);
    }
    match (&args.session, &args.output) {
        (Some(session), output) => {
            let mut files = check::files(&library, std::slice::from_ref(session))?;
            // The session's own file first: the conversation is in it.
            files.sort_by_key(|file| file.companions().is_none());
            let output = output.as_ref().map(|to| file_in(to, &files, format));
            let report = match &output {
                Some(path) => write_file(&export, &files, path)?,
                None => write_out(&export, &files, format)?,
            };
            let answer = Answer::of_session(&report, format, output.as_deref());
            said(&answer, report_as_json, printer)?;
            Ok(Status::Fine)
        }
        (None, Some(folder)) => {
            let report = write_all(&export, &library, folder)?;
            let answer = Answer::of_folder(&report, format, folder);
            said(&answer, report_as_json, printer)?;
            Ok(if report.failed.is_empty() {
                Status::Fine
            } else {
                Status::Found(2)
            })
        }
        (None, None) => anyhow::bail!("name a session, or give --all and --output DIR"),
    }
}

/// The file to write: the one that was named, or one in the folder that was named.
fn file_in(output: &Path, files: &[SessionFile], format: Format) -> PathBuf {
    if !output.is_dir() {
        return output.to_owned();
    }
    let id = files.first().and_then(|main| main.session_id.as_deref());
    output.join(format!("{}.{}", id.unwrap_or("session"), format.ending()))
}

/// Writes a file whole, or leaves what was there.
fn write_file(export: &Export, files: &[SessionFile], path: &Path) -> anyhow::Result<ExportReport> {
    for file in files {
        if claw_transcript::real_place(&file.path)? == claw_transcript::real_place(path)? {
            anyhow::bail!(
                "{} is the session itself: name another file",
                path.display()
            );
        }
    }
    let create = |path: &Path| {
        File::create(path).with_context(|| format!("cannot write {}", path.display()))
    };
    // Pipes and devices cannot be replaced.
    if path.exists() && !path.is_file() {
        return Ok(export.write(files, &mut create(path)?)?);
    }
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let written = create(&part).and_then(|mut file| Ok(export.write(files, &mut file)?));
    let written = written.and_then(|report| {
        std::fs::rename(&part, path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(report)
    });
    if written.is_err() {
        // It is there only when writing it failed halfway.
        let _ = std::fs::remove_file(&part);
    }
    written
}

fn write_out(
    export: &Export,
    files: &[SessionFile],
    format: Format,
) -> anyhow::Result<ExportReport> {
    let mut out = std::io::stdout().lock();
    if format == Format::Html && out.is_terminal() {
        anyhow::bail!("a page is not for a terminal: give --output FILE, or --markdown");
    }
    Ok(export.write(files, &mut out)?)
}

fn write_all(
    export: &Export,
    library: &SessionLibrary,
    folder: &Path,
) -> anyhow::Result<FolderReport> {
    let total = library.files()?.iter().map(|file| file.len).sum();
    let progress = Progress::bytes("writing", total);
    let done = AtomicU64::new(0);
    Ok(export.write_folder(library, folder, |one| {
        let before = done.fetch_add(one.bytes_in, Ordering::Relaxed);
        progress.at(before + one.bytes_in);
    })?)
}

/// What came of it, for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    format: &'static str,
    /// Absent when it went to standard output.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a Path>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    sessions: u64,
    messages: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    branches: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subagents: Option<u64>,
    /// Left out, or marked in the document's dialect.
    hidden: u64,
    bytes_in: u64,
    bytes_out: u64,
    /// What the document's dialect has no place for.
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
    path: &'a Path,
    why: String,
}

impl<'a> Answer<'a> {
    fn of_session(report: &'a ExportReport, format: Format, output: Option<&'a Path>) -> Self {
        Self {
            format: format.as_str(),
            output,
            title: Some(report.title.as_str()).filter(|title| !title.is_empty()),
            sessions: 1,
            messages: report.messages,
            branches: Some(report.branches),
            subagents: Some(report.subagents),
            hidden: report.deleted,
            bytes_in: report.bytes_in,
            bytes_out: report.bytes_out,
            lost: lost(&report.losses),
            failed: Vec::new(),
        }
    }

    fn of_folder(report: &'a FolderReport, format: Format, folder: &'a Path) -> Self {
        let failed = report.failed.iter().map(|(path, error)| Failed {
            path,
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
            bytes_in: report.bytes_in,
            bytes_out: report.bytes_out,
            lost: lost(&report.losses),
            failed: failed.collect(),
        }
    }
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

/// How many lines of losses people are shown.
const SHOWN: usize = 12;

/// Says what came of it: where the export is not, so that it stays whole.
fn said(answer: &Answer<'_>, as_json: bool, printer: &mut Printer) -> anyhow::Result<()> {
    if as_json {
        match answer.output {
            Some(_) => printer.json(answer)?,
            None => eprintln!("{}", serde_json::to_string(answer)?),
        }
        return Ok(());
    }
    let (faint, good, warn, bad) = (style::FAINT, style::GOOD, style::WARN, style::BAD);
    if let Some(output) = answer.output {
        let several = |count: u64, one: &str, many: &str| {
            let unit = if count == 1 { one } else { many };
            format!("{} {unit}", words::count(count))
        };
        let mut parts = Vec::new();
        if answer.sessions != 1 || answer.branches.is_none() {
            parts.push(several(answer.sessions, "session", "sessions"));
        }
        parts.push(several(answer.messages, "message", "messages"));
        if let Some(branches) = answer.branches.filter(|count| *count > 1) {
            parts.push(several(branches, "branch", "branches"));
        }
        if let Some(subagents) = answer.subagents.filter(|count| *count > 0) {
            parts.push(several(subagents, "subagent", "subagents"));
        }
        parts.push(words::size(answer.bytes_out));
        printer.line(format_args!(
            "{good}written{good:#} to {}: {}",
            output.display(),
            parts.join(", ")
        ))?;
    }
    if answer.hidden > 0 {
        let what = match answer.format {
            "document" => "hidden messages are in it, marked isDeleted",
            _ => "hidden messages are left out (--with-hidden)",
        };
        anstream::eprintln!("{warn}{}{warn:#} {what}", words::count(answer.hidden));
    }
    if !answer.lost.is_empty() {
        anstream::eprintln!("The document's dialect has no place for:");
        for lost in answer.lost.iter().take(SHOWN) {
            let name = words::cut(lost.name, 60);
            let count = words::count(lost.count);
            anstream::eprintln!(
                "  {faint}{}{faint:#} {name} {faint}× {count}{faint:#}",
                lost.what
            );
        }
        if let Some(more) = answer
            .lost
            .len()
            .checked_sub(SHOWN)
            .filter(|more| *more > 0)
        {
            anstream::eprintln!("  {faint}and {more} more (--json){faint:#}");
        }
    }
    for failed in &answer.failed {
        anstream::eprintln!(
            "{bad}not written{bad:#} {}: {}",
            failed.path.display(),
            failed.why
        );
    }
    Ok(())
}
