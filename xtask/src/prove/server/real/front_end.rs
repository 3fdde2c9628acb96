//! Somebody who looks at a session, and remembers all of it.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use claw_server::{StopReason, UiMessage};
use tokio::sync::{mpsc, watch};

use super::stage::PATIENCE;

/// A front end: a sink that keeps what it was sent.
pub(super) struct FrontEnd {
    heard: Arc<Mutex<Vec<UiMessage>>>,
    count: watch::Receiver<usize>,
}

impl FrontEnd {
    pub(super) fn new() -> (Self, mpsc::Sender<UiMessage>) {
        let (sink, mut messages) = mpsc::channel(16);
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (counted, count) = watch::channel(0);
        let kept = Arc::clone(&heard);
        tokio::spawn(async move {
            while let Some(message) = messages.recv().await {
                let count = {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    kept.push(message);
                    kept.len()
                };
                counted.send_replace(count);
            }
        });
        (Self { heard, count }, sink)
    }

    /// Everything so far.
    pub(super) fn heard(&self) -> Vec<UiMessage> {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.clone()
    }

    /// Waits for a message that fits, or finds it among those that came.
    pub(super) async fn until(
        &self,
        what: &str,
        fits: impl Fn(&UiMessage) -> bool,
    ) -> Result<UiMessage> {
        let mut count = self.count.clone();
        let found = async {
            loop {
                let so_far = *count.borrow_and_update();
                let found = self.heard().into_iter().take(so_far).find(&fits);
                if found.is_some() || count.changed().await.is_err() {
                    return found;
                }
            }
        };
        let found = tokio::time::timeout(PATIENCE, found).await.ok().flatten();
        found.with_context(|| {
            let heard: Vec<String> = self.seen();
            format!("a front end never saw: {what}; it saw {heard:?}")
        })
    }

    /// Waits until a call is asked about, whatever kind of prompt it is.
    pub(super) async fn asked(&self, call: &str) -> Result<UiMessage> {
        let about = |message: &UiMessage| match message {
            UiMessage::PermissionRequired { tool_use_id, .. }
            | UiMessage::UserInteractionRequired { tool_use_id, .. } => tool_use_id == call,
            _ => false,
        };
        self.until(&format!("a prompt for {call}"), about).await
    }

    /// Waits until a prompt is over.
    pub(super) async fn resolved(&self, prompt: &str) -> Result<()> {
        let is_it = |message: &UiMessage| matches!(message, UiMessage::PromptResolved { prompt_id, .. } if prompt_id == prompt);
        self.until(&format!("the end of {prompt}"), is_it).await?;
        Ok(())
    }

    /// Waits for the end of a turn, and says how it ended.
    pub(super) async fn completed(&self, turn: u64) -> Result<StopReason> {
        let is_it = |message: &UiMessage| matches!(message, UiMessage::Complete { turn_id, .. } if turn_id.sequence == turn);
        match self
            .until(&format!("the end of turn {turn}"), is_it)
            .await?
        {
            UiMessage::Complete { stop_reason, .. } => Ok(stop_reason),
            other => bail!("{other:?} is no end of a turn"),
        }
    }

    /// Waits until nothing more can come.
    pub(super) async fn over(&self) -> Result<()> {
        let mut count = self.count.clone();
        let ended = async { while count.changed().await.is_ok() {} };
        let ended = tokio::time::timeout(PATIENCE, ended).await;
        ended.context("a front end was never let go")
    }

    /// The text of all answers.
    pub(super) fn text(&self) -> String {
        let texts = self
            .heard()
            .into_iter()
            .filter_map(|message| match message {
                UiMessage::TextChunk { text, .. } => Some(text),
                _ => None,
            });
        texts.collect()
    }

    /// What a person would see of it, in order, one line each. Text that came in pieces is one
    /// line.
    pub(super) fn seen(&self) -> Vec<String> {
        let mut seen: Vec<String> = Vec::new();
        let mut writes = false;
        for message in self.heard() {
            if let UiMessage::TextChunk { text, .. } = &message {
                match seen.last_mut().filter(|_| writes) {
                    Some(last) => last.push_str(text),
                    None => seen.push(format!("text {text}")),
                }
                writes = true;
                continue;
            }
            let line = line(&message);
            writes &= line.is_none();
            seen.extend(line);
        }
        seen
    }
}

/// A message in a few words; nothing for those that only keep counts and states.
fn line(message: &UiMessage) -> Option<String> {
    Some(match message {
        UiMessage::ToolExecuting { tool_use_id, .. } => format!("runs {tool_use_id}"),
        UiMessage::ToolCompleted { tool_use_id, .. } => format!("ran {tool_use_id}"),
        UiMessage::PermissionRequired { tool_use_id, .. } => format!("may {tool_use_id}?"),
        UiMessage::BatchPermissionRequired {
            batch_id, requests, ..
        } => format!("may {batch_id} and others, {} in all?", requests.len()),
        UiMessage::UserInteractionRequired { tool_use_id, .. } => format!("which {tool_use_id}?"),
        UiMessage::PromptRequired { kind, .. } => format!("prompt {kind}?"),
        UiMessage::PlanUpdated { tool_use_id, .. } => format!("plan {tool_use_id}"),
        UiMessage::PromptResolved {
            prompt_id,
            resolution,
            by,
            ..
        } => match by {
            Some(by) => format!("{} {prompt_id} by {by}", resolution.as_str()),
            None => format!("{} {prompt_id}", resolution.as_str()),
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
