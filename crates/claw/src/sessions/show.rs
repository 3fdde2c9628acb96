//! `claw sessions show`

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
    for message in &messages[from..] {
        if place.json {
            let json = message.message.as_ref().map(|json| json.text());
            printer.json(&Row {
                role: message.role.as_str(),
                uuid: &message.uuid,
                timestamp: message.timestamp.as_deref(),
                message: json.and_then(|json| serde_json::from_str(json).ok()),
            })?;
        } else {
            print(message, args, printer)?;
        }
    }
    Ok(Status::Fine)
}

fn print(message: &SessionMessage, args: &ShowArgs, printer: &mut Printer) -> anyhow::Result<()> {
    let Some(json) = &message.message else {
        return Ok(());
    };
    let content = json.get("content");
    let Some(content) = content.as_ref().map(|content| content.text()) else {
        return Ok(());
    };
    let faint = style::FAINT;
    for part in Part::of_content(content) {
        match part {
            Part::Text(text) if message.role == Role::User => {
                let prompt = style::TITLE;
                let mark = if message.is_meta { "·" } else { "❯" };
                printer.line(format_args!(
                    "{prompt}{mark} {}{prompt:#}\n",
                    words::plain(&text)
                ))?;
            }
            Part::Text(text) => printer.line(format_args!("{}\n", words::plain(&text)))?,
            Part::Thinking { text, .. } if args.thinking && !text.is_empty() => {
                printer.line(format_args!("{faint}{}{faint:#}\n", words::plain(&text)))?;
            }
            Part::Call { name, input, .. } => {
                let tool = style::NAME;
                let name = name.as_deref().unwrap_or("tool").to_owned();
                let input = input.unwrap_or("{}");
                let input = if args.full {
                    words::plain(input)
                } else {
                    words::cut(input, 100)
                };
                printer.line(format_args!(
                    "{tool}● {name}{tool:#} {faint}{input}{faint:#}"
                ))?;
            }
            Part::Answer {
                content, is_error, ..
            } => {
                let text = content.map(words::of_content).unwrap_or_default();
                let look = if is_error { style::BAD } else { style::FAINT };
                if args.full {
                    printer.line(format_args!("{look}{}{look:#}\n", words::plain(&text)))?;
                } else {
                    let lines = text.lines().count();
                    let more = if lines > 1 {
                        format!(" ({lines} lines)")
                    } else {
                        String::new()
                    };
                    let first = words::cut(text.lines().next().unwrap_or(""), 100);
                    printer.line(format_args!("{look}  ⎿ {first}{more}{look:#}\n"))?;
                }
            }
            Part::Image { media_type, .. } => {
                let kind = media_type.as_deref().unwrap_or("image").to_owned();
                printer.line(format_args!("{faint}[{kind}]{faint:#}"))?;
            }
            _ => {}
        }
    }
    Ok(())
}
