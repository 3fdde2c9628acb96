//! Converts lines of the conversation to messages.

use std::collections::HashSet;

use rusty_claw_protocol::Json;

use super::message::{MessageFilter, Role, SessionMessage};
use crate::conversation::{Deliveries, Id, LocalCommand, Node, is_shown};
use crate::entry::Kind;
use crate::error::TranscriptError;
use crate::lines::{LineReader, readable};
use crate::members::{self, Members};

/// The lines of a conversation, and how to show them.
#[derive(Default)]
pub(super) struct Parts<'a> {
    pub(super) lines: Vec<&'a Node>,
    /// The number of queued prompts at the end, after the last message.
    pub(super) trailing: usize,
    pub(super) deliveries: Option<&'a Deliveries>,
    /// Whether hidden messages are shown, as in the conversations of subagents.
    pub(super) keep_meta: bool,
    pub(super) system: bool,
    pub(super) parent_tool_use_id: Option<String>,
    pub(super) parent_agent_id: Option<String>,
}

impl Parts<'_> {
    /// Reads the messages that the filter selects.
    pub(super) fn assemble(
        &self,
        file: &mut LineReader,
        filter: &MessageFilter,
    ) -> Result<Vec<SessionMessage>, TranscriptError> {
        let commands = completed_commands(&self.lines);
        let delivered = self.delivered(&commands);
        let mut taken: HashSet<Id> = self.lines.iter().map(|node| node.id).collect();
        let mut messages = Vec::new();
        let mut to_skip = filter.offset;
        let limit = filter.limit.filter(|limit| *limit > 0);
        for (at, node) in self.lines.iter().enumerate() {
            if limit.is_some_and(|limit| messages.len() >= limit) {
                break;
            }
            let queued = node.queued.is_some() && delivered[at];
            if !queued && !self.is_shown(node) {
                continue;
            }
            // Plain messages are counted without reading them. Queued ones are read first, because
            // some are not shown.
            if !queued && to_skip > 0 {
                to_skip -= 1;
                continue;
            }
            let line = file.line_at(node.span)?;
            let text = readable(&line);
            let Some(line) = Members::read(&text) else {
                continue;
            };
            let message = if queued {
                self.queued_message(&line, node, &mut taken)
            } else {
                let mut message = self.message(&line, node);
                message.is_completed_local_command = commands.contains(&at);
                Some(message)
            };
            match message {
                Some(_) if to_skip > 0 => to_skip -= 1,
                message => messages.extend(message),
            }
        }
        Ok(messages)
    }

    fn is_shown(&self, node: &Node) -> bool {
        let role = node.is_said() || (node.kind == Kind::System && self.system);
        let open = !node.sidechain && !node.team && (!node.meta || node.shown_origin);
        role && (self.keep_meta || open)
    }

    /// Returns whether each line, as a queued prompt, became part of the conversation: the log
    /// records its delivery, or the model replied before the next prompt, or it is pending at the
    /// end.
    fn delivered(&self, commands: &HashSet<usize>) -> Vec<bool> {
        let verdicts = self.deliveries.map(|known| known.verdicts(&self.lines));
        let mut verdicts = verdicts.unwrap_or_default();
        let mut delivered = vec![false; self.lines.len()];
        let mut reply_follows = false;
        for (at, node) in self.lines.iter().enumerate().rev() {
            let waiting = at + self.trailing >= self.lines.len();
            delivered[at] = verdicts.remove(&at).unwrap_or(reply_follows || waiting);
            if node.kind == Kind::Assistant || node.answers_tools || node.interrupt {
                reply_follows = true;
            } else if node.kind == Kind::User
                && !node.meta
                && !node.compact_summary
                && !commands.contains(&at)
            {
                reply_follows = false;
            }
        }
        delivered
    }

    fn message(&self, line: &Members<'_>, node: &Node) -> SessionMessage {
        let text = |name: &str| line.string(name).map(String::from);
        let denial = text("toolDenialKind").filter(|kind| DENIALS.contains(&&**kind));
        SessionMessage {
            role: match node.kind {
                Kind::Assistant => Role::Assistant,
                Kind::User => Role::User,
                _ => Role::System,
            },
            uuid: text("uuid").unwrap_or_default(),
            session_id: text("sessionId"),
            message: line.get("message").and_then(json),
            parent_tool_use_id: self.parent_tool_use_id.clone(),
            parent_agent_id: self.parent_agent_id.clone(),
            timestamp: text("timestamp"),
            origin: line.get("origin").and_then(shown_origin),
            is_meta: line.is_true("isMeta")
                || line.is_true("isCompactSummary")
                || line.is_true("isVisibleInTranscriptOnly"),
            is_compact_summary: line.is_true("isCompactSummary"),
            is_queued_command: false,
            is_completed_local_command: false,
            interrupted_by_shutdown: line.is_true("interruptedByShutdown"),
            tool_denial_unanswered: text("toolDenialUnanswered")
                .filter(|reason| reason == "stream-closed"),
            not_executed: denial.and_then(|kind| Some((only_result(line)?, kind))),
        }
    }

    /// Converts a queued prompt to the user message that it became. `None` if it is not shown.
    fn queued_message(
        &self,
        line: &Members<'_>,
        node: &Node,
        taken: &mut HashSet<Id>,
    ) -> Option<SessionMessage> {
        if !self.keep_meta && (node.sidechain || node.team) {
            return None;
        }
        let queued = line.object("attachment")?;
        let origin = queued.object("origin");
        let meta = queued.is_truthy("isMeta");
        let hidden = meta && !self.keep_meta && !origin.as_ref().is_some_and(is_shown);
        let prompt = queued.get("prompt")?;
        if hidden || queued.object("forwardedIntent").is_some() || !prompt.starts_with(['"', '[']) {
            return None;
        }
        // Skipped if its queued prompt is already shown; otherwise it has the uuid of that prompt.
        let source = node.queued.as_ref().and_then(|queued| queued.source);
        if source.is_some_and(|source| source != node.id && !taken.insert(source)) {
            return None;
        }
        let named = source.and_then(|_| queued.string("source_uuid"));
        let uuid = named.or_else(|| line.string("uuid"))?;
        let notified = queued.string("commandMode").as_deref() == Some("task-notification");
        let origin = queued.get("origin").and_then(shown_origin).or_else(|| {
            let notice = notified.then_some(r#"{"kind":"task-notification"}"#);
            notice.and_then(json)
        });
        Some(SessionMessage {
            role: Role::User,
            uuid: uuid.into_owned(),
            message: json(&format!(r#"{{"role":"user","content":{prompt}}}"#)),
            origin,
            is_meta: meta,
            is_queued_command: true,
            ..self.message(line, node)
        })
    }
}

/// The reasons of the CLI for not running a tool.
const DENIALS: [&str; 7] = [
    "user-rejected",
    "permission-rule",
    "automode-blocked",
    "automode-unavailable",
    "automode-parsing-error",
    "interrupted",
    "cancelled",
];

/// The tool call that a line has the result of, if it has exactly one result.
fn only_result(line: &Members<'_>) -> Option<String> {
    let message = line.object("message")?;
    let blocks = members::list(message.get("content")?);
    let mut results = blocks
        .into_iter()
        .filter_map(Members::read)
        .filter(|block| block.string("type").as_deref() == Some("tool_result"));
    let only = results.next()?;
    let id = only.string("tool_use_id")?.into_owned();
    results.next().is_none().then_some(id)
}

/// Lines that record local commands, which ran without the model: a caveat, the command, its
/// output.
fn completed_commands(lines: &[&Node]) -> HashSet<usize> {
    let mut completed = HashSet::new();
    for (at, node) in lines.iter().enumerate() {
        if node.kind != Kind::User || !node.meta || node.local_command != Some(LocalCommand::Caveat)
        {
            continue;
        }
        let mut recorded = false;
        for (behind, node) in lines.iter().enumerate().skip(at + 1) {
            match (node.kind, node.local_command) {
                (Kind::Assistant, _) => break,
                (Kind::User, _) if node.meta => {}
                (Kind::User, Some(LocalCommand::Record)) if !recorded => {
                    recorded = true;
                    completed.insert(behind);
                }
                (Kind::User, Some(LocalCommand::Output)) if recorded => {
                    completed.insert(behind);
                }
                (Kind::User, _) => break,
                _ => {}
            }
        }
    }
    completed
}

/// An origin as in the official SDK: only some members of a task notification.
fn shown_origin(origin: &str) -> Option<Json> {
    const SHOWN: [&str; 5] = ["kind", "subkind", "fireReason", "producer", "runId"];
    if !members::is_truthy(origin) {
        return None;
    }
    let object = Members::read(origin);
    let Some(notified) = object
        .as_ref()
        .filter(|object| object.string("kind").as_deref() == Some("task-notification"))
    else {
        return json(origin);
    };
    let mut parts: Vec<String> = SHOWN
        .iter()
        .filter_map(|name| Some(format!("\"{name}\":{}", notified.get(name)?)))
        .collect();
    if notified.string("taskKind").as_deref() == Some("mcp-task") {
        parts.push(r#""taskKind":"mcp-task""#.to_owned());
    }
    json(&format!("{{{}}}", parts.join(",")))
}

fn json(text: &str) -> Option<Json> {
    Json::from_text(text).ok()
}
