//! Finds messages of a front end and describes them.

use claw_server::{StopReason, UiMessage};

use crate::front_end::FrontEnd;
use crate::stage::id;

impl FrontEnd {
    /// Finds a message among those received, or reads on until it comes.
    pub(crate) async fn find(&mut self, fits: impl Fn(&UiMessage) -> bool) -> UiMessage {
        if let Some(found) = self.received.iter().find(|message| fits(message)) {
            return found.clone();
        }
        loop {
            let next = self.next().await;
            let Some(message) = next else {
                panic!("the session ended; a front end saw {}", self.seen());
            };
            if fits(&message) {
                return message;
            }
        }
    }

    /// Waits until a call needs an answer of any kind.
    pub(crate) async fn asked(&mut self, call: &str) -> UiMessage {
        let call = id(call);
        self.find(|message| match message {
            UiMessage::PermissionRequired { tool_use_id, .. }
            | UiMessage::UserInteractionRequired { tool_use_id, .. } => *tool_use_id == call,
            _ => false,
        })
        .await
    }

    /// Waits until an interaction is over.
    pub(crate) async fn resolved(&mut self, call: &str) -> UiMessage {
        let call = id(call);
        self.find(|message| matches!(message, UiMessage::InteractionResolved { interaction_id, .. } if *interaction_id == call))
            .await
    }

    /// Waits for the end of a turn.
    pub(crate) async fn completed(&mut self, turn: u64) -> StopReason {
        let is_end = |message: &UiMessage| matches!(message, UiMessage::Complete { turn_id, .. } if turn_id.sequence == turn);
        match self.find(is_end).await {
            UiMessage::Complete { stop_reason, .. } => stop_reason,
            other => panic!("{other:?}"),
        }
    }

    /// The text of all answers.
    pub(crate) fn text(&self) -> String {
        let texts = self.received.iter().filter_map(|message| match message {
            UiMessage::TextChunk { text, .. } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// What a person sees, in order and separated by commas. Consecutive pieces of text are one.
    pub(crate) fn seen(&self) -> String {
        let mut seen: Vec<String> = Vec::new();
        let mut in_text = false;
        for message in &self.received {
            if let UiMessage::TextChunk { text, .. } = message {
                match seen.last_mut().filter(|_| in_text) {
                    Some(last) => last.push_str(text),
                    None => seen.push(format!("text {text}")),
                }
                in_text = true;
            } else if let Some(line) = line(message) {
                in_text = false;
                seen.push(line.replace("toolu_", ""));
            }
        }
        seen.join(", ")
    }
}

/// A message in a few words; `None` for counts and states.
fn line(message: &UiMessage) -> Option<String> {
    Some(match message {
        UiMessage::ToolExecuting { tool_use_id, .. } => format!("runs {tool_use_id}"),
        UiMessage::ToolCompleted { tool_use_id, .. } => format!("ran {tool_use_id}"),
        UiMessage::PermissionRequired { tool_use_id, .. } => format!("may {tool_use_id}?"),
        UiMessage::BatchPermissionRequired {
            batch_id, requests, ..
        } => format!("may {batch_id} and others, {} in all?", requests.len()),
        UiMessage::UserInteractionRequired { tool_use_id, .. } => format!("which {tool_use_id}?"),
        UiMessage::InteractionRequired { kind, .. } => format!("prompt {kind}?"),
        UiMessage::PlanUpdated { tool_use_id, .. } => format!("plan {tool_use_id}"),
        UiMessage::InteractionResolved {
            interaction_id,
            resolution,
            by,
            ..
        } => match by {
            Some(by) => format!("{} {interaction_id} by {by}", resolution.as_str()),
            None => format!("{} {interaction_id}", resolution.as_str()),
        },
        UiMessage::Complete {
            turn_id,
            stop_reason,
            ..
        } => format!("complete {} {}", turn_id.sequence, stop_reason.as_str()),
        UiMessage::SubagentText { text, .. } => format!("subagent text {text}"),
        UiMessage::Error { message, .. } => format!("error {message}"),
        UiMessage::TextRetracted { length, .. } => format!("retracted {length}"),
        UiMessage::Gap { from, to, .. } => format!("gap {from} to {to}"),
        _ => return None,
    })
}
