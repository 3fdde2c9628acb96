//! `claw sessions tree`

use std::borrow::Cow;

use clap::Args;
use claw_transcript::{DrawOptions, SessionTree, TreeReader, draw_rows};
use serde::Serialize;

use super::{Place, check};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::words;

/// What to draw.
#[derive(Debug, Args)]
#[command(after_help = "\
The live branch goes straight down. What was abandoned (edited prompts, regenerated replies) and what
subagents did is indented where it begins. Calls that ran side by side are one turn, not branches.

Examples:
  claw sessions tree 4f0c
  claw sessions tree copy.jsonl --ascii --no-sidechains")]
pub(super) struct TreeArgs {
    /// The session's id, how it begins, or a file.
    session: String,
    /// How wide a row may be.
    #[arg(long, default_value_t = 100, value_name = "COLUMNS")]
    width: usize,
    /// Only characters that every terminal has.
    #[arg(long)]
    ascii: bool,
    /// Leave out what subagents did.
    #[arg(long)]
    no_sidechains: bool,
    /// Also say how many lines of plumbing stand between messages.
    #[arg(long)]
    folded: bool,
}

/// A message for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    index: usize,
    parent: Option<usize>,
    kind: &'static str,
    path: Option<Cow<'a, str>>,
    /// Where its first line begins.
    offset: Option<u64>,
    time: Option<String>,
    time_ms: Option<i64>,
    sidechain: bool,
    live: bool,
    error: bool,
    interrupted: bool,
    preview: String,
}

pub(super) fn run(place: &Place, args: &TreeArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let library = place.library()?;
    let mut files = check::files(&library, std::slice::from_ref(&args.session))?;
    // The session's own file first: the tree is drawn from it.
    files.sort_by_key(|file| file.companions().is_none());
    let tree = SessionTree::read(&files)?;
    if tree.live().next().is_none() {
        check::must_hold_a_session(&files)?;
    }
    let mut reader = TreeReader::new(&tree);
    if place.json {
        return json(&tree, &mut reader, printer);
    }
    let options = DrawOptions::new()
        .width(args.width)
        .ascii(args.ascii)
        .sidechains(!args.no_sidechains)
        .folded(args.folded);
    let (faint, name, warn) = (style::FAINT, style::NAME, style::WARN);
    let mut written = Ok(());
    draw_rows(
        &tree,
        &options,
        |id| reader.preview(id).unwrap_or_default(),
        |row| {
            if written.is_err() {
                return;
            }
            let mut line = format!("{faint}{}{faint:#}{name}{}{name:#}", row.rails, row.label);
            if !row.marks.is_empty() {
                line.push_str(&format!(" {warn}{}{warn:#}", row.marks));
            }
            if !row.text.is_empty() {
                line.push_str(&format!(" {}", row.text));
            }
            written = printer.line(line.trim_end());
        },
    );
    written?;
    Ok(Status::Fine)
}

fn json(
    tree: &SessionTree,
    reader: &mut TreeReader<'_>,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let files: Vec<_> = tree.files().collect();
    for (id, node) in tree.nodes() {
        printer.json(&Row {
            index: id.index(),
            parent: node.parent().map(|parent| parent.index()),
            kind: node.kind().as_str(),
            path: files.get(node.file()).copied().flatten().map(words::path),
            offset: tree.spans(id).first().map(|span| span.offset),
            time: node.time_ms().map(words::iso),
            time_ms: node.time_ms(),
            sidechain: node.is_sidechain(),
            live: node.is_live(),
            error: node.is_error(),
            interrupted: node.is_interrupted(),
            preview: reader.preview(id)?,
        })?;
    }
    Ok(Status::Fine)
}
