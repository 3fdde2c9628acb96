//! The dialect `audit`: the decisions of a session, each with its request and the device or rule
//! that decided.

use std::collections::VecDeque;

use claw_server::event::Fact;
use claw_server::{Dialect, SessionEvent};
use claw_transcript::{Detector, Pseudonyms, Redact};
use rusty_claw::messages::ContentBlock;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// The number of calls and interactions that are kept for a later decision. Most calls need none.
const KEPT: usize = 256;

/// The dialect [`DialectName::Audit`](crate::DialectName::Audit).
#[derive(Debug, Clone, Default)]
pub(crate) struct Audit {
    seen: u64,
    /// Open interactions, and recent calls that a rule may decide, by the id of the interaction or
    /// the call.
    shown: VecDeque<(String, Shown)>,
}

#[derive(Debug, Clone)]
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
    fn keep(&mut self, id: String, shown: Shown) {
        if self.shown.len() == KEPT {
            self.shown.pop_front();
        }
        self.shown.push_back((id, shown));
    }

    /// Returns the request of an interaction. The id of a further request about the same call ends
    /// with `#` and a number.
    fn take(&mut self, id: &str) -> Option<Shown> {
        let call = id.split_once('#').map_or(id, |(call, _)| call);
        let find = |wanted: &str| self.shown.iter().rposition(|(id, _)| id == wanted);
        let at = find(id).or_else(|| find(call))?;
        Some(self.shown[at].1.clone())
    }
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
                    if let ContentBlock::ToolUse {
                        id, name, input, ..
                    } = block
                    {
                        let shown = Shown {
                            tool: Some(name.to_string()),
                            request: input.json().text().to_owned(),
                        };
                        self.keep(id.to_string(), shown);
                    }
                }
                return;
            }
            Fact::InteractionOpened(opened) => {
                let shown = Shown {
                    tool: opened.tool_name.clone(),
                    request: opened.request.text().to_owned(),
                };
                self.keep(opened.id.as_str().to_owned(), shown);
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
