//! `claw sessions export`

mod answer;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use claw_transcript::{
    Branches, Export, ExportReport, FolderReport, Format, SessionFile, SessionLibrary, Theme,
    private_file,
};

use super::hide::uuid_of;
use super::scope::{OwnFolder, Scope, files_of, refuse_inside, say_unlisted};
use crate::exit::Status;
use crate::printer::Printer;
use crate::progress::Progress;
use answer::Answer;

/// What to write, and how.
#[derive(Debug, Args)]
#[command(after_help = "\
An HTML page is self-contained: it includes its images, colours and script, loads nothing, and runs
nothing from the session. It also works without its script, and prints. Every message has an
address: click its time.

Without --output, the export goes to standard output. --json alone writes the conversation as JSON;
with another format it prints a report of the export, with everything that --document could not
represent.

Hidden messages are left out, also in copies and forks of the session: see claw sessions hide. So
are generated titles, and from --jsonl the lines that may repeat hidden messages: the last prompt,
the queue, requests, checkpoints. --document keeps their position, marked isDeleted, without their
text. Other messages that quote them are kept. Secrets are kept too: redact first.

Exit codes: 0 done, 2 some sessions of --all could not be written, 3 could not export.

Examples:
  claw sessions export 4f0c -o it.html             a page
  claw sessions export 4f0c --markdown | less      to read in the terminal
  claw sessions export 4f0c --json | jq '.[].kind' for programs
  claw sessions export 4f0c --branch live -o .     without abandoned branches, as 4f0c….html
  claw sessions export 4f0c --document --json -o d.jsonl
                                                   the document's dialect, with a report
  claw sessions export --all --here -o pages       all sessions of this directory, with a list
  claw sessions redact 4f0c -o share && claw sessions export share/4f0c*.jsonl -o share/it.html")]
pub(super) struct ExportArgs {
    /// A session, by its id or the start of it, or a file.
    #[arg(required_unless_present = "all")]
    session: Option<String>,
    /// All sessions, one file each, and for HTML a page that lists them.
    #[arg(long, conflicts_with = "session", requires = "output")]
    all: bool,
    /// The file or folder; created if it does not exist.
    #[arg(long, short, value_name = "PATH")]
    output: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
    /// The branches: all, live, or the uuid of a message for its branch.
    #[arg(long, value_name = "BRANCH", default_value = "all")]
    branch: String,
    /// Leave out thinking.
    #[arg(long)]
    no_thinking: bool,
    /// Leave out subagents.
    #[arg(long)]
    no_sidechains: bool,
    /// Include notices, hidden instructions and attachments.
    #[arg(long)]
    system: bool,
    /// Include hidden messages; --document marks them isDeleted.
    #[arg(long)]
    with_hidden: bool,
    /// The title of the export [default: the title or first prompt of the session].
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The colours of a page.
    #[arg(long, value_enum, default_value = "auto", value_name = "COLOURS")]
    theme: Colours,
    #[command(flatten)]
    own: OwnFolder,
}

/// What to make of a session.
#[derive(Debug, Clone, Copy, Args)]
#[group(multiple = false)]
struct Form {
    /// A self-contained page (the default).
    #[arg(long)]
    html: bool,
    /// Markdown.
    #[arg(long)]
    markdown: bool,
    /// The lines of the chosen branches, unchanged, without the separate files of subagents.
    #[arg(long)]
    jsonl: bool,
    /// The dialect of the message type specification.
    #[arg(long)]
    document: bool,
}

/// The colours of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Colours {
    /// The setting of the reader's system.
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Form {
    /// The format, and whether the report is printed as JSON.
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
    scope: &Scope,
    args: &ExportArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let library = scope.library()?;
    let (format, report_as_json) = args.form.choose(scope.json);
    // As in other programs, `-` is standard output.
    let output = args.output.as_ref().filter(|to| to.as_os_str() != "-");
    if let Some(output) = output {
        refuse_inside(output, library.config_dir())?;
    }
    let mut export = Export::new(format)
        .branches(match args.branch.as_str() {
            "all" => Branches::All,
            "live" => Branches::Live,
            uuid => Branches::Through(uuid_of(uuid).to_owned()),
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
    // The document's dialect marks hidden messages, even if their text is included.
    let marks = args.own.folder();
    if let Some(folder) = marks.filter(|_| !args.with_hidden || format == Format::Document) {
        export = export
            .without_deleted_in(folder)
            .deleted_text(args.with_hidden);
    }
    match (&args.session, output) {
        (Some(session), output) => {
            let files = files_of(&library, session)?;
            let output = output.map(|to| file_in(to, &files, format));
            let report = match &output {
                Some(path) => write_file(&export, &files, path)?,
                None => write_out(&export, &files, format)?,
            };
            let answer = Answer::of_session(&report, format, output.as_deref());
            answer.say(report_as_json, printer)?;
            Ok(Status::Fine)
        }
        (None, Some(folder)) => {
            let report = write_all(&export, &library, folder)?;
            let answer = Answer::of_folder(&report, format, folder);
            answer.say(report_as_json, printer)?;
            Ok(if report.failed.is_empty() {
                Status::Fine
            } else {
                Status::Found(2)
            })
        }
        (None, None) => anyhow::bail!("give a session, or --all and --output DIR"),
    }
}

/// The file to write: the given one, or one in the given folder.
fn file_in(output: &Path, files: &[SessionFile], format: Format) -> PathBuf {
    if !output.is_dir() {
        return output.to_owned();
    }
    let id = files.first().and_then(|main| main.session_id.as_deref());
    output.join(format!("{}.{}", id.unwrap_or("session"), format.ending()))
}

/// Writes a file completely, or leaves the old one.
fn write_file(export: &Export, files: &[SessionFile], path: &Path) -> anyhow::Result<ExportReport> {
    for file in files {
        if claw_transcript::real_place(&file.path)? == claw_transcript::real_place(path)? {
            anyhow::bail!(
                "{} is the session itself: choose another file",
                path.display()
            );
        }
    }
    let create = |path: &Path| {
        private_file(path).with_context(|| format!("cannot write {}", path.display()))
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
            .with_context(|| format!("cannot create {}", folder.display()))?;
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
        // It only exists if writing failed halfway.
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
        anyhow::bail!("HTML is not for a terminal: give --output FILE, or --markdown");
    }
    Ok(export.write(files, &mut out)?)
}

fn write_all(
    export: &Export,
    library: &SessionLibrary,
    folder: &Path,
) -> anyhow::Result<FolderReport> {
    say_unlisted(library);
    let total = library.files()?.iter().map(|file| file.len).sum();
    let progress = Progress::bytes("writing", total);
    let done = AtomicU64::new(0);
    Ok(export.write_folder(library, folder, |one| {
        let before = done.fetch_add(one.bytes_in, Ordering::Relaxed);
        progress.at(before + one.bytes_in);
    })?)
}
