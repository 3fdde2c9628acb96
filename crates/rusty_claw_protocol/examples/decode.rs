//! Prints a session: one short line per message, for any input.
//!
//! ```text
//! cargo run -p rusty_claw_protocol --example decode -- testdata/cli/2.1.325/text_tool_loop/stdout.ndjson
//! ```

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, StdoutLock, Write};
use std::process::ExitCode;

use rusty_claw_protocol::control::ControlRequest;
use rusty_claw_protocol::messages::{
    ApiStreamEvent, ContentBlock, ContentDelta, Message, ResultMessage, SystemMessage,
};
use rusty_claw_protocol::{Line, Peek};

const HELP: &str = "\
Prints one short line for each message of the Claude Code CLI.

usage: decode [--json] [--deltas] [FILE...]

Reads files of lines, or standard input when no file or - is given, so it can follow a running CLI:
  claude -p 'Hello' --output-format stream-json --verbose | decode

  --json    print type, subtype, session_id and uuid of each line as JSON, without decoding the rest
  --deltas  print every stream_event; without it, a run of them is one line with the text so far
  --help    print this

The first column is the line's number, the second its type and subtype, the third what it says:
  \"text\"         what the model or the user said
  Read {...}     a tool call and its input
  -> text        what a tool returned (-x when it failed)
No line makes it fail: an unknown type, or a line that is no JSON object, is printed as such.
Colours appear on a terminal only, and not when NO_COLOR is set.
";

/// The maximum number of characters shown of a text.
const SNIPPET: usize = 72;

fn main() -> ExitCode {
    let (mut json, mut deltas, mut files) = (false, false, Vec::new());
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--json") => json = true,
            Some("--deltas") => deltas = true,
            Some("--help" | "-h") => {
                print!("{HELP}");
                return ExitCode::SUCCESS;
            }
            Some(option) if option.starts_with("--") => {
                eprintln!("decode: there is no {option}; --help shows what there is");
                return ExitCode::from(2);
            }
            _ => files.push(argument),
        }
    }
    if files.is_empty() {
        if io::stdin().is_terminal() {
            eprintln!(
                "decode: waiting for lines on standard input; --help shows what else there is"
            );
        }
        files.push("-".into());
    }
    let stdout = io::stdout();
    let colours = stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut digest = Digest {
        out: stdout.lock(),
        colours,
        deltas,
        run: None,
    };
    let mut unread = false;
    for file in &files {
        let opened: io::Result<Box<dyn BufRead>> = if file == "-" {
            Ok(Box::new(io::stdin().lock()))
        } else {
            File::open(file).map(|file| Box::new(BufReader::new(file)) as Box<dyn BufRead>)
        };
        if files.len() > 1 && !json && writeln!(digest.out, "{}", file.display()).is_err() {
            return ExitCode::SUCCESS;
        }
        let outcome = opened.map(|mut lines| digest.read(&mut *lines, json));
        match outcome {
            Ok(Ok(Ended::Input)) => {}
            // The reader is gone, as under `head`.
            Ok(Ok(Ended::Output)) => return ExitCode::SUCCESS,
            Ok(Err(error)) | Err(error) => {
                eprintln!("decode: cannot read {}: {error}", file.display());
                unread = true;
            }
        }
    }
    ExitCode::from(u8::from(unread))
}

/// Whether the input or the output ended first.
enum Ended {
    Input,
    Output,
}

struct Digest {
    out: StdoutLock<'static>,
    colours: bool,
    deltas: bool,
    /// A run of stream events: the first line, their number, and their text.
    run: Option<(usize, usize, String)>,
}

impl Digest {
    fn read(&mut self, lines: &mut dyn BufRead, json: bool) -> io::Result<Ended> {
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            if lines.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if line.last() == Some(&b'\n') {
                line.pop();
            }
            let printed = if json {
                peek(&mut self.out, number, &line)
            } else {
                self.line(number, &line)
            };
            if printed.is_err() {
                return Ok(Ended::Output);
            }
        }
        let ended = self.end_run().and_then(|()| self.out.flush());
        Ok(ended.map_or(Ended::Output, |()| Ended::Input))
    }

    fn line(&mut self, number: usize, line: &[u8]) -> io::Result<()> {
        let decoded = Line::decode(line.to_vec());
        let Some(message) = decoded.message() else {
            self.end_run()?;
            return self.row(
                number,
                "not a message",
                MAGENTA,
                &snippet(&decoded.raw().to_text()),
            );
        };
        if let (Message::StreamEvent(event), false) = (message, self.deltas) {
            let (_, count, text) = self.run.get_or_insert((number, 0, String::new()));
            *count += 1;
            text.push_str(event.event.as_ref().map_or("", piece));
            return Ok(());
        }
        self.end_run()?;
        let kind = match message.subtype() {
            Some(subtype) => format!("{}/{subtype}", message.message_type()),
            None => message.message_type().to_owned(),
        };
        self.row(number, &kind, colour(message), &says(message))
    }

    /// Prints the pending run of stream events, if there is one.
    fn end_run(&mut self) -> io::Result<()> {
        match self.run.take() {
            Some((number, count, text)) => {
                let text = if text.is_empty() { text } else { quoted(&text) };
                self.row(number, &format!("stream_event x{count}"), DIM, &text)
            }
            None => Ok(()),
        }
    }

    fn row(&mut self, number: usize, kind: &str, colour: &str, says: &str) -> io::Result<()> {
        let kind = clean(kind);
        let row = format!("{number:>5}  {kind:<30} {says}");
        let row = row.trim_end();
        if self.colours {
            writeln!(self.out, "{colour}{row}{RESET}")
        } else {
            writeln!(self.out, "{row}")
        }
    }
}

/// Prints the four members that lines are routed by as JSON; `null` for missing ones.
fn peek(out: &mut StdoutLock<'_>, number: usize, line: &[u8]) -> io::Result<()> {
    let peek = Peek::new(line);
    let row = serde_json::json!({
        "line": number,
        "is_object": peek.is_some(),
        "type": peek.as_ref().and_then(|p| p.message_type.as_deref()),
        "subtype": peek.as_ref().and_then(|p| p.subtype.as_deref()),
        "session_id": peek.as_ref().and_then(|p| p.session_id.as_deref()),
        "uuid": peek.as_ref().and_then(|p| p.uuid.as_deref()),
    });
    writeln!(out, "{row}")
}

/// A short description of a message.
fn says(message: &Message) -> String {
    match message {
        Message::Assistant(_) | Message::User(_) => {
            let blocks: Vec<String> = message.content_blocks().iter().map(block).collect();
            blocks.join(" | ")
        }
        Message::Result(result) => ending(result),
        Message::System(SystemMessage::Init { tools, details, .. }) => format!(
            "{}, {} tools, in {}",
            clean(details.model.as_deref().unwrap_or("no model")),
            tools.len(),
            clean(details.cwd.as_deref().unwrap_or("no folder")),
        ),
        Message::System(SystemMessage::ApiRetry(retry)) => format!(
            "attempt {} of {}, in {} ms",
            retry.attempt, retry.max_retries, retry.retry_delay_ms
        ),
        Message::System(SystemMessage::Informational(notice)) => quoted(&notice.content),
        Message::ControlRequest {
            request: ControlRequest::CanUseTool(ask),
            ..
        } => format!(
            "may it? {} {}",
            clean(&ask.tool_name),
            snippet(ask.input.json().text())
        ),
        Message::StreamEvent(event) => event
            .event
            .as_ref()
            .map(piece)
            .filter(|text| !text.is_empty())
            .map_or_else(|| clean(event.kind()), quoted),
        Message::Unknown(unknown) => format!("unknown: {}", unknown.cause),
        _ => String::new(),
    }
}

fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text { text, .. } => quoted(text),
        ContentBlock::Thinking { thinking, .. } => format!("thinks {}", quoted(thinking)),
        ContentBlock::ToolUse { name, input, .. } => {
            format!("{} {}", clean(name), snippet(input.json().text()))
        }
        ContentBlock::ToolResult {
            content, is_error, ..
        } => {
            let arrow = if *is_error { "-x" } else { "->" };
            format!("{arrow} {}", snippet(&content.to_text()))
        }
        other => format!("[{}]", clean(other.tag())),
    }
}

fn ending(result: &ResultMessage) -> String {
    let (text, cost, calls, time) = match result {
        ResultMessage::Success {
            result,
            total_cost_usd,
            num_turns,
            duration_ms,
            ..
        } => (result, total_cost_usd, num_turns, duration_ms),
        ResultMessage::Error {
            error,
            total_cost_usd,
            num_turns,
            duration_ms,
            ..
        } => (error, total_cost_usd, num_turns, duration_ms),
        _ => return String::new(),
    };
    let mut says = vec![quoted(text)];
    says.extend(result.is_error().then(|| "failed".to_owned()));
    says.extend(calls.map(|calls| format!("{calls} turns")));
    says.extend(time.map(|ms| format!("{ms} ms")));
    says.extend(cost.map(|cost| format!("${cost:.4}")));
    says.join(", ")
}

/// Returns the text that a stream event adds.
fn piece(event: &ApiStreamEvent) -> &str {
    match event {
        ApiStreamEvent::ContentBlockDelta { delta, .. } => match delta {
            ContentDelta::TextDelta { text, .. } => text,
            ContentDelta::ThinkingDelta { thinking, .. } => thinking,
            ContentDelta::InputJsonDelta { partial_json, .. } => partial_json,
            _ => "",
        },
        _ => "",
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", snippet(text))
}

fn snippet(text: &str) -> String {
    let mut chars = text.trim().chars();
    let start: String = chars.by_ref().take(SNIPPET).collect();
    let more = if chars.next().is_some() { "…" } else { "" };
    format!("{}{more}", clean(&start))
}

/// Removes control characters, so that recorded text cannot affect the terminal.
fn clean(text: &str) -> String {
    text.replace(char::is_control, " ")
}

const RESET: &str = "\x1b[0m";
const DIM: &str = "\x1b[2m";
const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const YELLOW: &str = "\x1b[33m";
const MAGENTA: &str = "\x1b[35m";
const CYAN: &str = "\x1b[36m";

fn colour(message: &Message) -> &'static str {
    match message {
        Message::Unknown(_) => MAGENTA,
        _ if message.is_error() => RED,
        Message::Assistant(_) => GREEN,
        Message::User(_) => CYAN,
        Message::Result(_) | Message::ControlRequest { .. } => YELLOW,
        _ => DIM,
    }
}
