//! The dialect `audit`: the decisions of a session, each with its request and the device or rule
//! that decided.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use claw_server::event::Fact;
use claw_server::{Dialect, SessionEvent};
use claw_transcript::{Detector, Pseudonyms, Redact};
use rusty_claw::messages::ContentBlock;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest as _, Sha256};

/// The most calls that are kept for a later decision of a rule, and their total size. Most calls
/// have no such decision, and every client has its own copy.
const KEPT: usize = 256;
const KEPT_BYTES: usize = 1024 * 1024;
/// The most bytes of a request that are kept and sent.
const MAX_REQUEST: usize = 64 * 1024;

/// The dialect [`DialectName::Audit`](crate::DialectName::Audit).
#[derive(Debug, Clone, Default)]
pub(crate) struct Audit {
    seen: u64,
    /// Open interactions, by their id. Copies of the dialect share the requests.
    open: HashMap<String, Arc<Shown>>,
    /// Recent calls that a rule may decide, by their id.
    calls: VecDeque<(String, Arc<Shown>)>,
    /// The size of the calls.
    bytes: usize,
}

#[derive(Debug)]
struct Shown {
    tool: Option<String>,
    /// The request of the CLI, or the input of the call.
    request: String,
}

/// A decision.
#[derive(Serialize)]
struct Decision<'a> {
    sequence: u64,
    at_ms: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<u64>,
    /// `answered`, `expired`, `withdrawn`, `granted` or `revoked`.
    outcome: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    interaction: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// The request that the person saw, or the call that the rule decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<Box<RawValue>>,
    /// The response that the CLI received, or the grant.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Box<RawValue>>,
    /// The device, the policy or the grant that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a str>,
}

impl Audit {
    fn keep_call(&mut self, id: String, shown: Shown) {
        self.bytes += shown.request.len();
        self.calls.push_back((id, Arc::new(shown)));
        while self.calls.len() > KEPT || self.bytes > KEPT_BYTES {
            let Some((_, oldest)) = self.calls.pop_front() else {
                return;
            };
            self.bytes -= oldest.request.len();
        }
    }

    /// Drops a call that has ended.
    fn drop_call(&mut self, id: &str) {
        let at = self.calls.iter().position(|(known, _)| known == id);
        if let Some((_, ended)) = at.and_then(|at| self.calls.remove(at)) {
            self.bytes -= ended.request.len();
        }
    }

    /// Returns the request of an interaction that ends. The id of a further request about the same
    /// call ends with `#` and a number.
    fn take(&mut self, id: &str) -> Option<Arc<Shown>> {
        if let Some(open) = self.open.remove(id) {
            return Some(open);
        }
        let call = id.split_once('#').map_or(id, |(call, _)| call);
        let mut calls = self.calls.iter().rev();
        let found = calls.find(|(known, _)| known == call)?;
        Some(Arc::clone(&found.1))
    }
}

/// Truncates a large request. The hash identifies the whole request.
fn cut(request: &str) -> String {
    if request.len() <= MAX_REQUEST {
        return request.to_owned();
    }
    // A secret at the cut would not be recognized after it.
    let redacted = redacted(request);
    let text = redacted.get();
    let end = (0..=MAX_REQUEST.min(text.len())).rfind(|end| text.is_char_boundary(*end));
    let start = &text[..end.unwrap_or_default()];
    let hash = format!("{:x}", Sha256::digest(request));
    let cut = serde_json::json!({"start": start, "bytes": request.len(), "sha256": hash});
    cut.to_string()
}

impl Dialect for Audit {
    type Message = Box<RawValue>;

    fn event(&mut self, event: &SessionEvent, messages: &mut Vec<Self::Message>) {
        self.seen = event.sequence;
        let (outcome, interaction, answer, by) = match &event.fact {
            Fact::Message(_) => {
                let Some(line) = event.line() else { return };
                for block in line
                    .message()
                    .map_or(&[][..], |message| message.content_blocks())
                {
                    match block {
                        ContentBlock::ToolUse {
                            id, name, input, ..
                        } => {
                            let shown = Shown {
                                tool: Some(name.to_string()),
                                request: cut(input.json().text()),
                            };
                            self.keep_call(id.to_string(), shown);
                        }
                        ContentBlock::ToolResult { tool_use_id, .. } => {
                            self.drop_call(tool_use_id);
                        }
                        _ => {}
                    }
                }
                return;
            }
            Fact::InteractionOpened(opened) => {
                let shown = Shown {
                    tool: opened.tool_name.clone(),
                    request: cut(opened.request.text()),
                };
                let id = opened.id.as_str().to_owned();
                self.open.insert(id, Arc::new(shown));
                return;
            }
            Fact::InteractionAnswered(answer) => (
                "answered",
                Some(answer.id.as_str()),
                Some(redacted(answer.answer.text())),
                answer.by.as_deref(),
            ),
            Fact::InteractionExpired(id) => ("expired", Some(id.as_str()), None, None),
            Fact::InteractionWithdrawn(id) => ("withdrawn", Some(id.as_str()), None, None),
            Fact::Granted(grant) => ("granted", None, json(grant), None),
            Fact::Revoked(grant) => ("revoked", None, json(grant), None),
            _ => return,
        };
        let shown = interaction.and_then(|id| self.take(id));
        let decision = Decision {
            sequence: event.sequence,
            at_ms: event.at_ms,
            turn: event.turn,
            outcome,
            interaction,
            tool: shown.as_ref().and_then(|shown| shown.tool.clone()),
            shown: shown.map(|shown| redacted(&shown.request)),
            answer,
            by,
        };
        messages.extend(json(&decision));
    }

    fn gap(&mut self, _: u64, to: u64, _: &mut Vec<Self::Message>) {
        self.seen = to;
    }

    fn sequence(&self) -> u64 {
        self.seen
    }
}

fn json(value: &impl Serialize) -> Option<Box<RawValue>> {
    to_raw_value(value).ok()
}

/// Replaces secrets in a JSON text. Names, addresses and paths stay, because the decision depends
/// on them.
fn redacted(text: &str) -> Box<RawValue> {
    let secrets = Redact::new()
        .without(Detector::Email)
        .without(Detector::Phone)
        .without(Detector::Ipv4)
        .without(Detector::Ipv6)
        .without(Detector::HomeUser)
        .without(Detector::HighEntropy);
    let redacted = match secrets.line(text.as_bytes(), &mut Pseudonyms::new()) {
        Ok(None) => Some(text.to_owned()),
        Ok(Some(new)) => String::from_utf8(new).ok(),
        Err(_) => None,
    };
    let redacted = redacted.and_then(|text| RawValue::from_string(text).ok());
    redacted.unwrap_or_else(|| RawValue::NULL.to_owned())
}

#[cfg(test)]
mod tests {
    use claw_server::Json;
    use claw_server::event::{Interaction, InteractionAnswer, InteractionId, InteractionKind};
    use serde_json::Value;

    use super::*;

    fn decisions(facts: Vec<Fact>) -> Vec<Value> {
        let mut audit = Audit::default();
        let mut messages = Vec::new();
        for (fact, sequence) in facts.into_iter().zip(1..) {
            audit.event(&SessionEvent::new(sequence, 1, 7, fact), &mut messages);
        }
        let decisions = messages.iter();
        decisions
            .map(|one| serde_json::from_str(one.get()).unwrap())
            .collect()
    }

    fn answered(id: &str, by: &str) -> Fact {
        let answer = Json::from_serialize(&serde_json::json!({"behavior": "allow"})).unwrap();
        let mut answer = InteractionAnswer::new(InteractionId::new(id), answer);
        answer.by = Some(by.to_owned());
        Fact::InteractionAnswered(answer)
    }

    fn call(id: &str, text: &str) -> Fact {
        let call = serde_json::json!({"type": "assistant", "message": {"role": "assistant",
            "content": [{"type": "tool_use", "id": id, "name": "Write", "input": {"text": text}}]}});
        Fact::message(call.to_string())
    }

    fn result(id: &str) -> Fact {
        let result = serde_json::json!({"type": "user", "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id, "content": "done"}]}});
        Fact::message(result.to_string())
    }

    #[test]
    fn open_interactions_are_kept_and_calls_are_bounded() {
        let request = Json::from_serialize(&serde_json::json!({"mark": "shown"})).unwrap();
        let asked = InteractionId::new("asked");
        let asked = Interaction::new(asked, InteractionKind::Permission, request);
        let mut facts = vec![Fact::InteractionOpened(asked)];
        let large = "x".repeat(MAX_REQUEST + 1);
        let (small, all) = (KEPT + 1, KEPT + 1 + KEPT_BYTES / MAX_REQUEST);
        facts.extend((0..all).map(|number| {
            let text = if number < small { "x" } else { &large };
            call(&format!("call-{number}"), text)
        }));
        let last = format!("call-{}", all - 1);
        let ended = format!("call-{}", all - 2);
        facts.push(result(&ended));
        let mut audit = Audit::default();
        for (fact, sequence) in facts.into_iter().zip(1..) {
            audit.event(&SessionEvent::new(sequence, 1, 7, fact), &mut Vec::new());
        }
        assert!(audit.bytes <= KEPT_BYTES, "{}", audit.bytes);
        let kept: usize = audit.calls.iter().map(|(_, one)| one.request.len()).sum();
        assert_eq!(audit.bytes, kept);
        let mut shown = |id: &str| {
            let mut messages = Vec::new();
            audit.event(
                &SessionEvent::new(9999, 1, 7, answered(id, "x")),
                &mut messages,
            );
            serde_json::from_str::<Value>(messages[0].get()).unwrap()["shown"].clone()
        };
        assert_eq!(shown("asked")["mark"], "shown");
        assert_eq!(shown("asked"), Value::Null, "it has ended");
        assert_eq!(shown(&ended), Value::Null, "it has ended");
        assert_eq!(shown("call-0"), Value::Null, "it is too old");
        // A call may be asked about twice.
        for id in [last.clone(), format!("{last}#2")] {
            let cut = shown(&id);
            assert!(cut["start"].as_str().unwrap().len() <= MAX_REQUEST);
            assert_eq!(cut["bytes"], large.len() + r#"{"text":""}"#.len());
            assert_eq!(cut["sha256"].as_str().unwrap().len(), 64);
        }
    }

    #[test]
    fn a_decision_has_what_was_shown_and_who_decided() {
        let request = serde_json::json!({
            "tool_name": "Bash",
            "input": {"command": "curl -H 'Authorization: Bearer 0123456789abcdefghijklmnopqrstuvwxyz' example.org"},
        });
        let request = Json::from_serialize(&request).unwrap();
        let mut asked = Interaction::new(
            InteractionId::new("toolu_1"),
            InteractionKind::Permission,
            request,
        );
        asked.tool_name = Some("Bash".to_owned());
        let call = r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_2","name":"Read","input":{"file_path":"/home/user/a"}}]}}"#;
        let decisions = decisions(vec![
            Fact::InteractionOpened(asked),
            answered("toolu_1", "phone (d1)"),
            Fact::message(call),
            answered("toolu_2", "grant of /home/user"),
            Fact::InteractionExpired(InteractionId::new("toolu_3")),
        ]);
        assert_eq!(decisions.len(), 3, "{decisions:?}");
        let [by_person, by_rule, expired] = &decisions[..] else {
            unreachable!()
        };
        assert_eq!(by_person["by"], "phone (d1)");
        assert_eq!(by_person["answer"]["behavior"], "allow");
        let shown = by_person["shown"]["input"]["command"].as_str().unwrap();
        assert!(
            shown.starts_with("curl") && !shown.contains("0123456789"),
            "{shown}"
        );
        assert_eq!(by_rule["by"], "grant of /home/user");
        assert_eq!(by_rule["tool"], "Read");
        assert_eq!(by_rule["shown"]["file_path"], "/home/user/a");
        assert_eq!(expired["outcome"], "expired");
        assert_eq!(expired["shown"], Value::Null);
    }
}
