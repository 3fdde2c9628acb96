//! `claw sessions show`

use std::borrow::Cow;
use std::collections::HashMap;

use clap::Args;
use claw_transcript::{MessageFilter, Part, Role, SessionMessage};
use serde::Serialize;

use super::{Place, resolve};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::words;

/// What to show.
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The session's id, or how it begins.
    session: String,
    /// Only the last messages.
    #[arg(short = 'n', long, value_name = "COUNT")]
    last: Option<usize>,
    /// Also what the model thought.
    #[arg(long)]
    thinking: bool,
    /// Tool calls and results in full, not a line each.
    #[arg(long)]
    full: bool,
}

/// A message for programs: its API message as it stands in the file.
#[derive(Debug, Serialize)]
struct Row<'a> {
    role: &'static str,
    uuid: &'a str,
    timestamp: Option<&'a str>,
    message: Option<&'a serde_json::value::RawValue>,
}

pub(super) fn run(place: &Place, args: &ShowArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let library = place.library()?;
    let id = resolve(&library, &args.session)?;
    let messages = library.messages(&id, &MessageFilter::new())?;
    let from = args
        .last
        .map_or(0, |last| messages.len().saturating_sub(last));
    let shown = &messages[from..];
    let contents: Vec<_> = shown
        .iter()
        .map(|message| message.message.as_ref()?.get("content"))
        .collect();
    let texts = contents.iter().flatten().map(|content| content.text());
    let mut results = Results::of(texts);
    for (message, content) in shown.iter().zip(&contents) {
        if place.json {
            let json = message.message.as_ref().map(|json| json.text());
            printer.json(&Row {
                role: message.role.as_str(),
                uuid: &message.uuid,
                timestamp: message.timestamp.as_deref(),
                message: json.and_then(|json| serde_json::from_str(json).ok()),
            })?;
        } else if let Some(content) = content {
            print(message, content.text(), &mut results, args, printer)?;
        }
    }
    Ok(Status::Fine)
}

/// What tools returned, by the call: a result is shown under its call, also when several calls
/// ran at once.
struct Results<'m>(HashMap<Cow<'m, str>, Part<'m>>);

impl<'m> Results<'m> {
    fn of(contents: impl Iterator<Item = &'m str>) -> Self {
        let parts = contents.flat_map(Part::of_content);
        let named = parts.filter_map(|part| match &part {
            Part::Answer {
                call: Some(call), ..
            } => Some((call.clone(), part)),
            _ => None,
        });
        Self(named.collect())
    }
}

fn print<'m>(
    message: &SessionMessage,
    content: &'m str,
    results: &mut Results<'m>,
    args: &ShowArgs,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let faint = style::FAINT;
    for part in Part::of_content(content) {
        match &part {
            Part::Text(text) if message.role == Role::User => {
                let prompt = style::TITLE;
                let mark = if message.is_meta { "·" } else { "❯" };
                printer.line(format_args!(
                    "{prompt}{mark} {}{prompt:#}\n",
                    words::plain(text)
                ))?;
            }
            Part::Text(text) => printer.line(format_args!("{}\n", words::plain(text)))?,
            Part::Thinking { text, .. } if args.thinking && !text.is_empty() => {
                printer.line(format_args!("{faint}{}{faint:#}\n", words::plain(text)))?;
            }
            Part::Call {
                id, name, input, ..
            } => {
                let tool = style::NAME;
                let name = name.as_deref().unwrap_or("tool");
                let about = match part.about() {
                    Some(about) if !args.full => words::cut(&about, 100),
                    _ => words::plain(input.unwrap_or("{}")),
                };
                printer.line(format_args!(
                    "{tool}● {name}{tool:#} {faint}{about}{faint:#}"
                ))?;
                match id.as_ref().and_then(|id| results.0.remove(id)) {
                    Some(result) => print_result(&result, args, printer)?,
                    None => printer.line("")?,
                }
            }
            // One whose call was shown is gone from there.
            Part::Answer {
                call: Some(call), ..
            } if results.0.remove(call).is_none() => {}
            Part::Answer { .. } => print_result(&part, args, printer)?,
            Part::Image { media_type, .. } => {
                let kind = media_type.as_deref().unwrap_or("image");
                printer.line(format_args!("{faint}[{kind}]{faint:#}"))?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn print_result(result: &Part<'_>, args: &ShowArgs, printer: &mut Printer) -> anyhow::Result<()> {
    let Part::Answer {
        content, is_error, ..
    } = result
    else {
        return Ok(());
    };
    let text = content.map(words::of_content).unwrap_or_default();
    let look = if *is_error { style::BAD } else { style::FAINT };
    if args.full {
        printer.line(format_args!("{look}{}{look:#}\n", words::plain(&text)))?;
        return Ok(());
    }
    let more = match text.lines().count() {
        0 | 1 => String::new(),
        lines => format!(" ({lines} lines)"),
    };
    let first = words::cut(text.lines().next().unwrap_or(""), 100);
    printer.line(format_args!("{look}  ⎿ {first}{more}{look:#}\n"))?;
    Ok(())
}
