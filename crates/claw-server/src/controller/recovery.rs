//! Completes the log from the CLI's session file, after the holder of the CLI was lost.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rusty_claw::sessions::{MessageFilter, SessionLibrary, SessionMessage};
use rusty_claw::transport::custody;
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::{Json, Line};

use super::recorder::Recorder;
use crate::event::{Fact, Gap, LifecycleState};
use crate::log::{EventLog, LogError, PageLimit};
use crate::session_id::SessionId;

/// How much of the end of the log is searched for known messages.
const KNOWN_EVENTS: u64 = 4096;

/// What a session file has no entries for.
const NOT_IN_FILE: [&str; 3] = [
    "results of turns, with their cost and usage",
    "streamed text of messages that were not completed",
    "system messages, receipts of inputs and messages of subagents",
];

/// Appends the messages of the conversation that the log lacks, and records a gap. Does nothing if
/// the log has everything that the file has, and no turn was running.
///
/// # Errors
/// The log cannot be read.
pub(super) async fn complete(
    recorder: &mut Recorder,
    library: Option<SessionLibrary>,
) -> Result<(), LogError> {
    let after_offset = recorder.state.record.offset.unwrap_or(0);
    // A CLI receives no input before it is ready. It can only continue a turn that the file has.
    let was_working = recorder.state.builder.turn().is_some()
        && recorder.state.record.lifecycle != Some(LifecycleState::Starting);
    let last = recorder.stored().load(Ordering::Acquire);
    let known = Known::read(recorder.log(), recorder.session_id, last).await?;
    // A CLI that still runs could write to the file after it was read.
    custody::sweep().await;
    let conversation = recorder.state.record.cli_session_id.clone();
    let messages = match (conversation, library) {
        (Some(conversation), Some(library)) => {
            let read = move || library.messages(&conversation, &MessageFilter::new());
            let read = rusty_claw::runtime::spawn_blocking(read).await;
            read.ok().and_then(|read| {
                read.inspect_err(|error| {
                    tracing::warn!(%error, "the conversation cannot be read, and is not completed");
                })
                .ok()
            })
        }
        _ => None,
    };
    let is_read = messages.is_some();
    let lacking = known.lacking(messages.unwrap_or_default());
    let is_found = lacking.is_some();
    let lines: Vec<String> = lacking
        .into_iter()
        .flatten()
        .map(|one| line(&one))
        .collect();
    if lines.is_empty() && !was_working {
        return Ok(());
    }
    let recovered = lines.len() as u64;
    for line in lines {
        recorder.recovered(Line::decode(line));
    }
    let mut missing: Vec<String> = NOT_IN_FILE.map(str::to_owned).into();
    if !is_read || !is_found {
        let why = match is_read {
            false => "messages: the session file cannot be read",
            true => "messages: the session file has none that the log knows",
        };
        missing.insert(0, why.to_owned());
    }
    recorder.fact(Fact::Gap(Gap {
        after_offset,
        recovered,
        missing,
    }));
    Ok(())
}

/// The ids of messages and inputs at the end of the log.
#[derive(Debug, Default)]
struct Known {
    messages: HashSet<String>,
    inputs: HashSet<String>,
}

impl Known {
    async fn read(
        log: Arc<dyn EventLog>,
        session_id: SessionId,
        last: u64,
    ) -> Result<Self, LogError> {
        let mut after = last.saturating_sub(KNOWN_EVENTS);
        let mut known = Self::default();
        loop {
            let page = log.read(session_id, after, PageLimit::events(512)).await?;
            let Some(end) = page.last() else {
                return Ok(known);
            };
            after = end.sequence;
            for event in page {
                match &event.fact {
                    Fact::InputAccepted(input) => {
                        known.inputs.insert(input.id.as_str().to_owned());
                    }
                    Fact::Message(_) => {
                        let line = event.line();
                        let id = line.as_deref().and_then(Line::message).and_then(uuid);
                        known.messages.extend(id.map(str::to_owned));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Returns the messages after the last one that is known, or after the first input if no
    /// message is known. `None` if neither is found: they could belong to an older conversation.
    fn lacking(&self, mut conversation: Vec<SessionMessage>) -> Option<Vec<SessionMessage>> {
        let known = |one: &SessionMessage| self.messages.contains(&one.uuid);
        let input = |one: &SessionMessage| self.inputs.contains(&one.uuid);
        let at = conversation.iter().rposition(known);
        let at = at.or_else(|| conversation.iter().position(input))?;
        let mut rest = conversation.split_off(at + 1);
        // The CLI does not print prompts, so the log has them as inputs.
        rest.retain(|one| !input(one));
        Some(rest)
    }
}

fn uuid(message: &Message) -> Option<&str> {
    match message {
        Message::Assistant(message) => message.uuid.as_deref(),
        Message::User(message) => message.uuid.as_deref(),
        _ => None,
    }
}

/// The message as the CLI would have printed it.
fn line(message: &SessionMessage) -> String {
    let head = serde_json::json!({
        "type": message.role.as_str(),
        "parent_tool_use_id": null,
        "session_id": message.session_id,
        "uuid": message.uuid,
        "timestamp": message.timestamp,
    });
    let head = head.to_string();
    let open = head.trim_end_matches('}');
    let body = message.message.as_ref().map_or("null", Json::text);
    format!("{open},\"message\":{body}}}")
}
