//! `claw sessions redact`

use std::path::{Path, PathBuf};

use clap::Args;
use claw_transcript::{Check, Detector, OwnRules, Pseudonyms, Redact, RedactReport, SessionFile};
use serde::Serialize;

use super::scope::{Scope, main_files, refuse_inside};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::words;

/// What to redact, and how.
#[derive(Debug, Args)]
#[command(after_help = "\
Without --output, prints what would be replaced and writes nothing. The copy is the same
conversation and can be resumed; the original is not changed. The same secret has the same pseudonym
in all files of a run, and with --key in all runs. The key maps pseudonyms to secrets: keep it
private.

A secret that is found by its context, such as a password after its name or a user in the path of a
home folder, is also replaced everywhere else, unless it is short or an ordinary word. Not found:
names of people and hosts (see --rules and --with host), hexadecimal strings and words without a
name before them, and the contents of images, documents and other data.

Your own rules, in JSON:
  {\"rules\": [{\"name\": \"customer\", \"words\": [\"Acme\"], \"ignoreCase\": true},
             {\"name\": \"ticket\", \"regex\": \"OPS-[0-9]+\"}]}

No program finds everything: read the copy before you share it.

Exit codes: 0 done, 2 the copy has more errors than the original, 3 could not redact.

Examples:
  claw sessions redact 4f0c                           show what would be replaced
  claw sessions redact 4f0c -o to-share --images      a copy to share
  claw sessions redact 4f0c -o to-share --key my.key  with the same pseudonyms every time
  claw sessions redact 4f0c --without ipv4,phone --with host")]
pub(super) struct RedactArgs {
    /// Sessions, by their id or the start of it, or files.
    #[arg(required = true)]
    sessions: Vec<String>,
    /// The folder for the copy; created if it does not exist.
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// The file that maps pseudonyms to secrets; keep it private.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// A file with your own rules.
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Only these detectors.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<Detector>,
    /// Also these detectors.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    with: Vec<Detector>,
    /// Not these detectors.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    without: Vec<Detector>,
    /// Minimum entropy, in bits per character, of a string that counts as random.
    #[arg(long, value_name = "BITS", default_value_t = 4.0)]
    entropy: f64,
    /// Replace every image with one pixel; documents and other data stay, and are counted.
    #[arg(long)]
    images: bool,
    /// Give the copy a new session id.
    #[arg(long)]
    new_id: bool,
    /// Also list every replacement.
    #[arg(long)]
    places: bool,
}

/// A report for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    #[serde(flatten)]
    report: &'a RedactReport,
    /// Whether the copy has no more errors and warnings than the original; missing if none was
    /// written.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_order: Option<bool>,
}

pub(super) fn run(
    scope: &Scope,
    args: &RedactArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let library = scope.library()?;
    let originals = main_files(&library, &args.sessions)?;
    if let Some(output) = &args.output {
        refuse(output, library.config_dir(), args.key.as_deref())?;
    }
    let mut names = match &args.key {
        Some(key) => Pseudonyms::load(key)?,
        None => Pseudonyms::new(),
    };
    let redact = redact(args)?;
    let mut worse = false;
    for original in &originals {
        let report = redact.session(original, &mut names, args.output.as_deref())?;
        // Before anything else can fail: the copy cannot be reversed without its key.
        if let (Some(key), Some(_)) = (&args.key, &args.output) {
            names.save(key)?;
        }
        let in_order = report.main_file().map(|copy| in_order(original, copy));
        let in_order = in_order.transpose()?;
        worse |= in_order == Some(false);
        if scope.json {
            printer.json(&Answer {
                report: &report,
                in_order,
            })?;
        } else {
            print(&report, in_order, args, printer)?;
        }
    }
    Ok(if worse {
        Status::Found(2)
    } else {
        Status::Fine
    })
}

fn redact(args: &RedactArgs) -> anyhow::Result<Redact> {
    let mut redact = Redact::new()
        .entropy(args.entropy)
        .images(args.images)
        .new_id(args.new_id);
    if !args.only.is_empty() {
        redact = redact.only(args.only.iter().copied());
    }
    for detector in &args.with {
        redact = redact.with(*detector);
    }
    for detector in &args.without {
        redact = redact.without(*detector);
    }
    if let Some(rules) = &args.rules {
        redact = redact.rules(OwnRules::load(rules)?);
    }
    Ok(redact)
}

/// Rejects a copy inside the CLI's folder, and a key inside the folder of the copy.
fn refuse(output: &Path, config_dir: &Path, key: Option<&Path>) -> anyhow::Result<()> {
    refuse_inside(output, config_dir)?;
    if let Some(key) = key
        && claw_transcript::real_place(key)?.starts_with(claw_transcript::real_place(output)?)
    {
        anyhow::bail!(
            "{} would be shared with the copy: keep the key outside of {}",
            key.display(),
            output.display()
        );
    }
    Ok(())
}

/// Whether the copy has no more errors and warnings than the original.
fn in_order(original: &SessionFile, copy: &Path) -> anyhow::Result<bool> {
    let total = |file: &SessionFile| -> anyhow::Result<(u64, u64)> {
        let mut files = file.agents()?;
        files.push(file.clone());
        let total = Check::new().files(&files).total;
        Ok((total.errors, total.warnings))
    };
    let (before, after) = (total(original)?, total(&SessionFile::at(copy)?)?);
    Ok(after.0 <= before.0 && after.1 <= before.1)
}

fn print(
    report: &RedactReport,
    in_order: Option<bool>,
    args: &RedactArgs,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let (faint, title, good, bad) = (style::FAINT, style::TITLE, style::GOOD, style::BAD);
    if let Some(file) = report.files.first() {
        printer.line(format_args!("{title}{}{title:#}", file.original.display()))?;
    }
    let text = match args.places {
        true => report.to_text(),
        false => report.summary(),
    };
    for line in text.lines() {
        printer.line(format_args!("  {line}"))?;
    }
    match (report.main_file(), in_order) {
        (Some(copy), Some(true)) => printer.line(format_args!(
            "  {good}written{good:#} to {}, without new errors",
            copy.display()
        ))?,
        (Some(copy), _) => printer.line(format_args!(
            "  {bad}written{bad:#} to {}, with more errors than the original: see claw sessions check",
            copy.display()
        ))?,
        (None, _) => printer.line(format_args!(
            "  {faint}nothing written: give --output DIR for a copy{faint:#}"
        ))?,
    }
    if let Some(id) = &report.new_session_id {
        printer.line(format_args!("  new id {id}"))?;
    }
    let unseen = report.sum(|file| file.not_searched);
    if unseen > 0 && !args.images {
        printer.line(format_args!(
            "  {faint}{} images or other data were not changed: see --images{faint:#}",
            words::count(unseen)
        ))?;
    }
    Ok(())
}
