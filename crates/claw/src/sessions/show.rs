//! `claw sessions show`

use std::borrow::Cow;
use std::collections::HashMap;

use clap::Args;
use claw_transcript::{Entry, NodeId, NodeKind, Part, SessionTree, TreeReader};
use serde::Serialize;

use super::scope::{Scope, files_of, must_hold_a_session};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::words;

/// What to show.
#[derive(Debug, Args)]
#[command(after_help = "\
Shows the branch that the CLI would resume, from the first message on, including messages before a
compaction. For edited prompts and subagents, see `claw sessions tree`.

Examples:
  claw sessions show 4f0c
  claw sessions show 4f0c -n 5 --full
  claw sessions show copy.jsonl --thinking")]
pub(super) struct ShowArgs {
    /// A session, by its id or the start of it, or a file.
    session: String,
    /// Only this many messages, from the end.
    #[arg(short = 'n', long, value_name = "COUNT")]
    last: Option<usize>,
    /// Also show thinking.
    #[arg(long)]
    thinking: bool,
    /// Show tool calls and results in full instead of on one line.
    #[arg(long)]
    full: bool,
}

/// A line of a message as in the file, for programs.
#[derive(Debug, Serialize)]
struct Row<'a> {
    kind: &'static str,
    uuid: Option<Cow<'a, str>>,
    time: Option<Cow<'a, str>>,
    entry: Option<&'a serde_json::value::RawValue>,
}

pub(super) fn run(scope: &Scope, args: &ShowArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let library = scope.library()?;
    let files = files_of(&library, &args.session)?;
    let tree = SessionTree::read(&files)?;
    let mut live: Vec<NodeId> = tree.live().collect();
    if live.is_empty() {
        must_hold_a_session(&files)?;
    }
    if let Some(last) = args.last {
        live.drain(..live.len().saturating_sub(last));
    }
    let mut reader = TreeReader::new(&tree);
    // Lines of results are read twice: a result is shown under its call.
    let mut results = Results::default();
    for id in &live {
        if tree.node(*id).kind() == NodeKind::Results && !scope.json {
            for line in reader.lines(*id)? {
                results.keep(&line, args);
            }
        }
    }
    for id in live {
        let kind = tree.node(id).kind();
        let told = match kind {
            NodeKind::Prompt | NodeKind::Reply | NodeKind::Results => None,
            _ if args.full || scope.json => None,
            _ => Some(reader.preview(id)?),
        };
        if let Some(told) = told {
            print_aside(kind, &told, printer)?;
            continue;
        }
        for line in reader.lines(id)? {
            let Some(entry) = Entry::read(&line) else {
                continue;
            };
            if scope.json {
                printer.json(&Row {
                    kind: kind.as_str(),
                    uuid: entry.uuid(),
                    time: entry.timestamp(),
                    entry: serde_json::from_str(entry.text()).ok(),
                })?;
            } else {
                print(kind, &entry, &mut results, args, printer)?;
            }
        }
    }
    if !scope.json {
        say_rest(&tree);
    }
    Ok(Status::Fine)
}

/// Prints what was not shown.
fn say_rest(tree: &SessionTree) {
    let abandoned = tree.branches().len().saturating_sub(1) as u64;
    let agents = tree.sidechains().len() as u64;
    if abandoned + agents > 0 {
        let (faint, branches) = (style::FAINT, words::several(abandoned, "other branch"));
        let agents = words::several(agents, "subagent");
        anstream::eprintln!("{faint}not shown: {branches}, {agents}; see `tree`{faint:#}");
    }
}

/// The result of a tool, as it is shown.
struct Returned {
    is_error: bool,
    text: String,
}

impl Returned {
    fn of(content: Option<&str>, is_error: bool, args: &ShowArgs) -> Self {
        let text = content.map(words::of_content).unwrap_or_default();
        let text = if args.full {
            words::plain(&text)
        } else {
            let more = match text.lines().count() {
                0 | 1 => String::new(),
                lines => format!(" ({lines} lines)"),
            };
            let first = words::cut(text.lines().next().unwrap_or(""), 100);
            format!("  ⎿ {first}{more}")
        };
        Self { is_error, text }
    }

    fn print(&self, printer: &mut Printer) -> std::io::Result<()> {
        let look = if self.is_error {
            style::BAD
        } else {
            style::FAINT
        };
        printer.line(format_args!("{look}{}{look:#}\n", self.text))
    }
}

/// The results of tools by call: a result is shown under its call, even if several calls ran in
/// parallel.
#[derive(Default)]
struct Results(HashMap<String, Returned>);

impl Results {
    fn keep(&mut self, line: &[u8], args: &ShowArgs) {
        let Some(entry) = Entry::read(line) else {
            return;
        };
        for part in entry.parts() {
            if let Part::Answer {
                call: Some(call),
                content,
                is_error,
                ..
            } = part
            {
                let returned = Returned::of(content, is_error, args);
                self.0.insert(call.into_owned(), returned);
            }
        }
    }
}

/// Prints the preview of an entry that is neither a prompt, a reply nor a result.
fn print_aside(kind: NodeKind, told: &str, printer: &mut Printer) -> std::io::Result<()> {
    match kind {
        NodeKind::Queued | NodeKind::Command => {
            let prompt = style::TITLE;
            printer.line(format_args!("{prompt}❯ {told}{prompt:#}\n"))
        }
        _ => {
            let faint = style::FAINT;
            printer.line(format_args!("{faint}· {} {told}{faint:#}\n", kind.as_str()))
        }
    }
}

fn print(
    kind: NodeKind,
    entry: &Entry<'_>,
    results: &mut Results,
    args: &ShowArgs,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let faint = style::FAINT;
    for part in entry.parts() {
        match &part {
            Part::Text(text) if kind == NodeKind::Reply => {
                printer.line(format_args!("{}\n", words::plain(text)))?;
            }
            Part::Text(text) => {
                let prompt = style::TITLE;
                let mark = if entry.flags().meta { "·" } else { "❯" };
                printer.line(format_args!(
                    "{prompt}{mark} {}{prompt:#}\n",
                    words::plain(text)
                ))?;
            }
            Part::Thinking { text, .. } if args.thinking && !text.is_empty() => {
                printer.line(format_args!("{faint}{}{faint:#}\n", words::plain(text)))?;
            }
            Part::Call {
                id, name, input, ..
            } => {
                let tool = style::NAME;
                let name = words::plain(name.as_deref().unwrap_or("tool"));
                let about = match (args.full, part.about()) {
                    (true, _) => words::plain(input.unwrap_or("{}")),
                    (false, Some(about)) => words::cut(&about, 100),
                    (false, None) => words::cut(input.unwrap_or("{}"), 100),
                };
                printer.line(format_args!(
                    "{tool}● {name}{tool:#} {faint}{about}{faint:#}"
                ))?;
                match id.as_ref().and_then(|id| results.0.remove(&**id)) {
                    Some(returned) => returned.print(printer)?,
                    None => printer.line("")?,
                }
            }
            // A result whose call was shown is already removed.
            Part::Answer {
                call: Some(call), ..
            } => {
                if let Some(returned) = results.0.remove(&**call) {
                    returned.print(printer)?;
                }
            }
            Part::Answer {
                content, is_error, ..
            } => Returned::of(*content, *is_error, args).print(printer)?,
            Part::Image { media_type, .. } => {
                let kind = words::plain(media_type.as_deref().unwrap_or("image"));
                printer.line(format_args!("{faint}[{kind}]{faint:#}"))?;
            }
            _ => {}
        }
    }
    Ok(())
}
