//! `claw sessions tree`

use std::borrow::Cow;

use clap::Args;
use claw_transcript::{DrawOptions, SessionTree, TreeReader, draw_rows};
use serde::Serialize;

use super::scope::{Scope, files_of, must_hold_a_session};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::words;

/// What to draw.
#[derive(Debug, Args)]
#[command(after_help = "\
The live branch goes straight down. Abandoned branches (edited prompts, regenerated replies) and
subagents are indented where they start. Parallel calls are one turn, not branches.

Examples:
  claw sessions tree 4f0c
  claw sessions tree copy.jsonl --ascii --no-sidechains")]
pub(super) struct TreeArgs {
    /// A session, by its id or the start of it, or a file.
    session: String,
    /// Maximum width of a row.
    #[arg(long, default_value_t = 100, value_name = "COLUMNS")]
    width: usize,
    /// Draw with ASCII characters only.
    #[arg(long)]
    ascii: bool,
    /// Leave out subagents.
    #[arg(long)]
    no_sidechains: bool,
    /// Also show the number of internal lines between messages.
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
    /// The offset of its first line.
    offset: Option<u64>,
    time: Option<String>,
    time_ms: Option<i64>,
    sidechain: bool,
    live: bool,
    error: bool,
    interrupted: bool,
    preview: String,
}

pub(super) fn run(scope: &Scope, args: &TreeArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let library = scope.library()?;
    let files = files_of(&library, &args.session)?;
    let tree = SessionTree::read(&files)?;
    if tree.live().next().is_none() {
        must_hold_a_session(&files)?;
    }
    let mut reader = TreeReader::new(&tree);
    if scope.json {
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
