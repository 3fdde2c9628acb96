//! The calls of a session that must not run again, computed from its events.

use rusty_claw_protocol::{Json, RawLine};
use serde::{Deserialize, Serialize};

use crate::event::{Fact, Interaction, InteractionId, LifecycleState};
use crate::interactions::InteractionRegistry;
use crate::parking::asks_for_call;

/// The decided calls of the running turn, and calls that the CLI may ask for again although they
/// are over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CallLedger {
    /// Calls that were allowed, without a result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) allowed: Vec<String>,
    /// Calls that were denied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) denied: Vec<String>,
    /// The call that the session file parks, while its interaction is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parked: Option<String>,
    /// Calls that may have run, and parked calls that are over. The session file may bring them
    /// back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) refused: Vec<String>,
}

impl CallLedger {
    /// Applies a fact, before `interactions` does.
    pub(super) fn apply(&mut self, fact: &Fact, interactions: &InteractionRegistry) {
        match fact {
            Fact::InteractionAnswered(answer) => {
                let Some(behavior) = answer.answer.get("behavior").and_then(|it| it.to_text())
                else {
                    return;
                };
                let decided = match behavior.as_str() {
                    "deny" => &mut self.denied,
                    _ => &mut self.allowed,
                };
                decided.push(call_of(&answer.id, interactions));
                self.over(&answer.id, interactions);
            }
            Fact::InteractionExpired(id) => {
                self.denied.push(call_of(id, interactions));
                self.over(id, interactions);
            }
            Fact::InteractionWithdrawn(id) => self.over(id, interactions),
            Fact::Message(line) if !self.allowed.is_empty() => {
                let results = results(line);
                self.allowed.retain(|call| !results.contains(call));
            }
            Fact::TurnEnded(_) => {
                self.allowed.clear();
                self.denied.clear();
            }
            Fact::Lifecycle(lifecycle) => {
                for call in &lifecycle.unknown_calls {
                    self.refuse(call.clone());
                }
                match lifecycle.state {
                    LifecycleState::Parked => {
                        // The turn of another interaction is continued.
                        let mut open = interactions.open();
                        let call = open.find(|open| asks_for_call(&open.kind));
                        self.parked = call.and_then(|open| open.tool_use_id.clone());
                    }
                    LifecycleState::Starting => {
                        self.allowed.clear();
                        self.denied.clear();
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Whether the session file parks a call whose interaction is open.
    pub(super) fn is_parked(&self) -> bool {
        self.parked.is_some()
    }

    /// Whether the call of this open interaction is parked in the session file.
    pub(super) fn parks(&self, open: &Interaction) -> bool {
        self.is_parked() && self.parked == open.tool_use_id
    }

    fn over(&mut self, id: &InteractionId, interactions: &InteractionRegistry) {
        if self.parked.as_ref() == Some(&call_of(id, interactions)) {
            let parked = self.parked.take();
            parked.into_iter().for_each(|call| self.refuse(call));
        }
    }

    fn refuse(&mut self, call: String) {
        if !self.refused.contains(&call) {
            self.refused.push(call);
        }
    }
}

/// The call of an interaction. One that was never open, because a policy decided, is named after its
/// call.
fn call_of(id: &InteractionId, interactions: &InteractionRegistry) -> String {
    let open = interactions.get(id);
    if let Some(call) = open.and_then(|open| open.tool_use_id.as_ref()) {
        return call.clone();
    }
    let id = id.as_str();
    let numbered = id.rsplit_once('#');
    let bare = numbered.filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    bare.map_or(id, |(call, _)| call).to_owned()
}

/// The calls whose results are in a line.
fn results(line: &RawLine) -> Vec<String> {
    let Ok(text) = std::str::from_utf8(line.as_bytes()) else {
        return Vec::new();
    };
    if !text.contains("tool_result") {
        return Vec::new();
    }
    let content = Json::from_text(text).ok();
    let content = content.filter(|line| is(line, "type", "user"));
    let content = content.and_then(|line| line.get("message")?.get("content"));
    let blocks: Vec<Json> = content.and_then(|it| it.parse().ok()).unwrap_or_default();
    let results = blocks
        .iter()
        .filter(|block| is(block, "type", "tool_result"));
    results
        .filter_map(|block| block.get("tool_use_id")?.to_text())
        .collect()
}

fn is(value: &Json, name: &str, wanted: &str) -> bool {
    value.get(name).and_then(|it| it.to_text()).as_deref() == Some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{EndedTurn, InteractionAnswer, InteractionKind, Lifecycle, TurnEnding};

    fn open(id: &str, call: &str) -> Fact {
        let id = InteractionId::new(id);
        let mut open = Interaction::new(id, InteractionKind::Permission, Json::default());
        open.tool_use_id = Some(call.to_owned());
        Fact::InteractionOpened(open)
    }

    fn answer(id: &str, answer: &str) -> Fact {
        let answer = Json::from_text(answer).unwrap();
        Fact::InteractionAnswered(InteractionAnswer::new(InteractionId::new(id), answer))
    }

    const ALLOW: &str = r#"{"behavior":"allow"}"#;
    const DENY: &str = r#"{"behavior":"deny","message":"no"}"#;

    fn ledger(facts: &[Fact]) -> CallLedger {
        let (mut ledger, mut interactions) = (CallLedger::default(), InteractionRegistry::new());
        for fact in facts {
            ledger.apply(fact, &interactions);
            interactions.apply(fact);
        }
        ledger
    }

    #[test]
    fn an_allowed_call_is_kept_until_its_result_is_seen() {
        let result = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}}"#;
        let mut facts = vec![
            open("a", "a"),
            answer("a", ALLOW),
            // By a policy, for a call that was asked for twice.
            answer("b#2", ALLOW),
            open("c", "c"),
            answer("c", DENY),
            answer("form", r#"{"action":"accept"}"#),
        ];
        let before = ledger(&facts);
        assert_eq!(before.allowed, ["a", "b"]);
        assert_eq!(before.denied, ["c"]);
        facts.push(Fact::message(result));
        assert_eq!(ledger(&facts).allowed, ["b"]);
        facts.push(Fact::TurnEnded(EndedTurn::new(TurnEnding::Succeeded)));
        assert_eq!(ledger(&facts), CallLedger::default());
    }

    #[test]
    fn calls_that_may_have_run_and_parked_calls_that_are_over_are_refused() {
        let mut lost = Lifecycle::new(LifecycleState::Lost);
        lost.unknown_calls = vec!["u".to_owned()];
        let parked = Fact::Lifecycle(Lifecycle::new(LifecycleState::Parked));
        let begin = [open("p", "p"), parked, Fact::Lifecycle(lost)];
        assert_eq!(ledger(&begin).refused, ["u"]);
        for end in [
            answer("p", ALLOW),
            answer("p", DENY),
            Fact::InteractionExpired(InteractionId::new("p")),
            Fact::InteractionWithdrawn(InteractionId::new("p")),
        ] {
            let facts = [&begin[..], &[end]].concat();
            assert_eq!(ledger(&facts).refused, ["u", "p"]);
        }
        let other = [&begin[..], &[open("q", "q"), answer("q", DENY)]].concat();
        assert_eq!(ledger(&other).refused, ["u"]);
    }
}
