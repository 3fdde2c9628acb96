//! Renders a session for a terminal: a pure function of its frames.

use std::collections::HashSet;
use std::fmt::Write as _;

use anstyle::Style;
use claw_gateway::client::EventsMessage;
use claw_server::event::{Interaction, InteractionId};
use claw_server::{
    Fact, InputState, InteractionOutcome, SessionEvent, SessionPhase, StopReason, UiMessage,
    UiProjection,
};
use serde_json::Value;

use super::requests;
use crate::printer::style;
use crate::words;

/// The longest line of a tool.
const WIDTH: usize = 100;
/// Members of a tool's input that describe a call, the most useful first.
const TELLING: [&str; 8] = [
    "command",
    "file_path",
    "notebook_path",
    "path",
    "pattern",
    "url",
    "query",
    "description",
];

/// The state of a session that the terminal shows.
///
/// Frames may be repeated: repeated events print nothing, and streamed text continues where it
/// ended.
#[derive(Debug)]
pub(super) struct Screen {
    projection: UiProjection,
    /// Requests that wait for an answer, oldest first.
    open: Vec<Interaction>,
    /// The running turn.
    turn: Option<u64>,
    /// The last turn that ended.
    over: u64,
    is_closed: bool,
    failed: HashSet<String>,
    /// The keys of inputs that were typed in this terminal, and are not printed again.
    own: Vec<String>,
    /// Whether the cursor is at the start of a line.
    is_at_start: bool,
    /// Whether the last printed line is text of the agent.
    is_in_text: bool,
}

impl Screen {
    /// Creates the screen of a client that starts at the first event.
    pub(super) fn new() -> Self {
        Self {
            projection: UiProjection::new(0),
            open: Vec::new(),
            turn: None,
            over: 0,
            is_closed: false,
            failed: HashSet::new(),
            own: Vec::new(),
            is_at_start: true,
            is_in_text: false,
        }
    }

    /// Starts after a cursor: earlier events are not reported as missing.
    pub(super) fn start(&mut self, after: u64) {
        if after > 0 {
            self.projection.gap(1, after, &mut Vec::new());
        }
    }

    /// The requests that wait for an answer, oldest first.
    pub(super) fn open(&self) -> &[Interaction] {
        &self.open
    }

    /// The running turn.
    pub(super) fn turn(&self) -> Option<u64> {
        self.turn
    }

    /// Whether the session has ended.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The sequence of the last event.
    pub(super) fn sequence(&self) -> u64 {
        self.projection.sequence()
    }

    /// Adds the key of an input that is not printed again, because it was typed in this terminal.
    pub(super) fn sent(&mut self, key: &str) {
        self.own.push(key.to_owned());
    }

    /// Records that other code prints whole lines now. Returns the line break that it must print
    /// first, if any.
    pub(super) fn interrupted(&mut self) -> &'static str {
        let needed = if self.is_at_start { "" } else { "\n" };
        self.is_at_start = true;
        needed
    }

    /// Returns the text to print for a message. Lines are complete, except those of streamed text.
    pub(super) fn message(&mut self, message: &EventsMessage) -> String {
        let mut out = String::new();
        let mut shown = Vec::new();
        match message {
            EventsMessage::Event(event) => {
                let is_new = event.sequence > self.projection.sequence();
                self.projection.event(event, &mut shown);
                if is_new {
                    self.fact(event, &mut out);
                }
            }
            EventsMessage::Delta(delta) => self.projection.delta(delta, &mut shown),
            EventsMessage::Gap { from, to } => self.projection.gap(*from, *to, &mut shown),
            _ => {}
        }
        for message in &shown {
            self.show(message, &mut out);
        }
        out
    }

    fn fact(&mut self, event: &SessionEvent, out: &mut String) {
        let is_of_turn = !event.fact.kind().starts_with("input_");
        let turn = event.turn.filter(|turn| is_of_turn && *turn > self.over);
        if let Some(turn) = turn {
            let is_over = matches!(event.fact, Fact::TurnEnded(_));
            self.turn = (!is_over).then_some(turn);
            if is_over {
                self.over = turn;
            }
        }
        match &event.fact {
            Fact::InputAccepted(input) => {
                let key = input.key.as_deref().unwrap_or_default();
                if !self.own.iter().any(|own| key.ends_with(own.as_str())) {
                    let text = prompt(&input.content.to_string());
                    self.line(style::TITLE, &format!("❯ {text}"), out);
                }
            }
            Fact::InteractionOpened(interaction) => self.ask(interaction, out),
            Fact::InteractionAnswered(answer) => self.close(&answer.id),
            Fact::InteractionExpired(id) | Fact::InteractionWithdrawn(id) => self.close(id),
            _ => {}
        }
    }

    /// Adds a request that was opened before the cursor.
    pub(super) fn waiting(&mut self, interaction: &Interaction) -> String {
        let mut out = String::new();
        self.ask(interaction, &mut out);
        out
    }

    fn ask(&mut self, interaction: &Interaction, out: &mut String) {
        if self.open.iter().any(|open| open.id == interaction.id) {
            return;
        }
        self.open.push(interaction.clone());
        for line in requests::details(interaction) {
            self.line(style::WARN, &format!("? {line}"), out);
        }
    }

    fn close(&mut self, id: &InteractionId) {
        self.open.retain(|interaction| interaction.id != *id);
    }

    fn show(&mut self, message: &UiMessage, out: &mut String) {
        let (faint, bad, warn) = (style::FAINT, style::BAD, style::WARN);
        match message {
            UiMessage::TextChunk { text, .. } => self.text(text, out),
            UiMessage::TextRetracted { .. } => self.line(faint, "· (this text was withdrawn)", out),
            UiMessage::Display { content, .. } => self.line(Style::new(), content, out),
            UiMessage::ToolExecuting {
                tool_name, input, ..
            } => {
                let (name, look) = (words::cut(tool_name, 40), style::NAME);
                let about = words::cut(&about(input), WIDTH);
                let line = format!("{look}● {name}{look:#} {faint}{about}{faint:#}");
                self.own_line(&line, out);
            }
            UiMessage::ToolFailed { tool_use_id, .. } => {
                self.failed.insert(tool_use_id.clone());
            }
            UiMessage::ToolCompleted {
                tool_use_id,
                result,
                ..
            } => {
                let look = match self.failed.remove(tool_use_id) {
                    true => bad,
                    false => faint,
                };
                let more = match result.lines().count() {
                    0 | 1 => String::new(),
                    lines => format!(" ({lines} lines)"),
                };
                let first = words::cut(result.lines().next().unwrap_or_default(), WIDTH);
                self.line(look, &format!("  ⎿ {first}{more}"), out);
            }
            UiMessage::Error { message, .. } => self.line(bad, message, out),
            UiMessage::Complete { stop_reason, .. } => match stop_reason {
                StopReason::EndTurn | StopReason::StopSequence | StopReason::Error => {
                    out.push_str(self.interrupted());
                }
                reason => self.line(warn, &format!("· the turn ended: {reason}"), out),
            },
            UiMessage::InteractionResolved { outcome, by, .. } => {
                let by = by.as_deref().map(|by| format!(" by {by}"));
                let by = by.unwrap_or_default();
                let (look, what) = match outcome {
                    Some(InteractionOutcome::Allowed) => (style::GOOD, "allowed"),
                    Some(InteractionOutcome::Answered) => (style::GOOD, "answered"),
                    Some(InteractionOutcome::Denied) => (bad, "denied"),
                    Some(InteractionOutcome::Expired) => (bad, "denied: no answer in time"),
                    _ => (faint, "withdrawn"),
                };
                self.line(look, &format!("  ⎿ {what}{by}"), out);
            }
            UiMessage::InputReceipt {
                state: InputState::Failed | InputState::Indeterminate,
                reason,
                ..
            } => {
                let reason = reason.as_deref().unwrap_or("no reason is known");
                self.line(bad, &format!("· the input failed: {reason}"), out);
            }
            UiMessage::SessionState { state, detail, .. } => self.phase(state, detail, out),
            UiMessage::UsageLimit { status, .. } if status == "rejected" => {
                self.line(warn, "· a usage limit is reached", out);
            }
            UiMessage::Gap { from, to, .. } => {
                self.line(warn, &format!("· events {from} to {to} are missing"), out);
            }
            _ => {}
        }
    }

    fn phase(&mut self, state: &SessionPhase, detail: &Option<String>, out: &mut String) {
        let what = match state {
            SessionPhase::Lost => "the agent's process ended",
            SessionPhase::Closed => {
                self.is_closed = true;
                "the session has ended"
            }
            _ => return,
        };
        let detail = detail.as_deref().map(|detail| format!(": {detail}"));
        let line = format!("· {what}{}", detail.unwrap_or_default());
        self.line(style::FAINT, &line, out);
    }

    /// Adds streamed text.
    fn text(&mut self, text: &str, out: &mut String) {
        let text = words::plain(text);
        if text.is_empty() {
            return;
        }
        if !self.is_in_text {
            out.push_str(self.interrupted());
        }
        self.is_in_text = true;
        self.is_at_start = text.ends_with('\n');
        out.push_str(&text);
    }

    /// Adds text on lines of its own.
    fn line(&mut self, look: Style, text: &str, out: &mut String) {
        let text = words::plain(text);
        self.own_line(&format!("{look}{}{look:#}", text.trim_end()), out);
    }

    fn own_line(&mut self, line: &str, out: &mut String) {
        out.push_str(self.interrupted());
        self.is_in_text = false;
        let _ = writeln!(out, "{line}");
    }
}

/// Returns the text of an input.
fn prompt(content: &str) -> String {
    match serde_json::from_str(content) {
        Ok(Value::String(text)) => text,
        _ => words::of_content(content),
    }
}

/// Returns a short description of a call.
fn about(input: &Value) -> String {
    let telling = TELLING.iter().find_map(|name| input.get(name)?.as_str());
    match (telling, input) {
        (Some(text), _) => text.to_owned(),
        (None, Value::Object(members)) if members.is_empty() => String::new(),
        (None, input) => input.to_string(),
    }
}

#[cfg(test)]
mod tests;
