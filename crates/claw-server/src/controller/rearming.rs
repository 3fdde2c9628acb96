//! Matches requests that a running CLI repeats with the interactions of the previous owner. Pure.

use std::collections::BTreeMap;

use rusty_claw::control::messages::ControlRequest;
use rusty_claw::permission::PermissionAsk;
use rusty_claw_protocol::Json;
use serde_json::value::RawValue;

use super::permission_bridge::{of_dialog, of_elicitation, of_permission};
use crate::event::{Interaction, InteractionId};
use crate::interactions::{InteractionRegistry, Unconfirmed};
use crate::parking::asks_for_call;
use crate::registry::CliResponse;

/// The members of a permission request that decide what an answer allows. The others (suggestions,
/// reasons, descriptions) may change when the CLI repeats it.
const IDENTITY: [&str; 3] = ["tool_name", "input", "agent_id"];
/// Values that are nested more deeply do not match.
const DEPTH: usize = 100;

/// What to do with a request of the CLI.
#[derive(Debug)]
pub(super) enum Rearm {
    /// It is a new interaction.
    New,
    /// It repeats this interaction, which is open and keeps its expiry.
    Open(InteractionId),
    /// It repeats this interaction, whose answer is stored.
    Answered(InteractionId, CliResponse),
}

/// An interaction of the previous owner, which the CLI may repeat once.
#[derive(Debug)]
pub(super) struct Inherited {
    pub(super) interaction: Interaction,
    /// The stored answer; `None` while it is open.
    pub(super) answer: Option<CliResponse>,
}

/// Returns the interactions that the previous owner left open, or whose answers the CLI may not
/// have received.
pub(super) fn inherited(interactions: &InteractionRegistry) -> Vec<Inherited> {
    let open = interactions.open().map(|interaction| Inherited {
        interaction: interaction.clone(),
        answer: None,
    });
    let over = interactions.unconfirmed().map(|over| {
        let Unconfirmed {
            interaction,
            answer,
        } = over;
        let kind = &interaction.kind;
        Inherited {
            interaction: interaction.clone(),
            answer: Some(match answer {
                Some(answer) => CliResponse::from_logged(kind, answer),
                None => CliResponse::expired(kind),
            }),
        }
    });
    open.chain(over).collect()
}

/// Matches a request with the interactions of the previous owner. Anything but the same kind, tool,
/// call and input is a new interaction, so that an answer never reaches another input.
pub(super) fn rearm(inherited: &[Inherited], asked: &Interaction) -> Rearm {
    let found = inherited
        .iter()
        .find(|one| is_same(&one.interaction, asked));
    match found {
        None => Rearm::New,
        Some(Inherited {
            interaction,
            answer: None,
        }) => Rearm::Open(interaction.id.clone()),
        Some(Inherited {
            interaction,
            answer: Some(answer),
        }) => Rearm::Answered(interaction.id.clone(), answer.clone()),
    }
}

/// Converts a request that the CLI lists as pending; `None` if it is not for a person.
fn listed(request: ControlRequest) -> Option<Interaction> {
    match request {
        ControlRequest::CanUseTool(request) => Some(of_permission(&PermissionAsk::new(*request))),
        ControlRequest::Elicitation(request) => Some(of_elicitation(&request, 0)),
        ControlRequest::RequestUserDialog(request) => Some(of_dialog(&request, 0)),
        _ => None,
    }
}

/// Splits the interactions of the previous owner into those that the CLI lists as pending, and the
/// others.
pub(super) fn split(
    mut inherited: Vec<Inherited>,
    pending: Vec<ControlRequest>,
) -> (Vec<Inherited>, Vec<Inherited>) {
    let mut repeated = Vec::new();
    for asked in pending.into_iter().filter_map(listed) {
        let is_asked = |one: &Inherited| is_same(&one.interaction, &asked);
        if let Some(at) = inherited.iter().position(is_asked) {
            repeated.push(inherited.remove(at));
        }
    }
    (repeated, inherited)
}

fn is_same(one: &Interaction, other: &Interaction) -> bool {
    // A call without an id cannot be recognized.
    one.tool_use_id == other.tool_use_id
        && (one.tool_use_id.is_some() || !asks_for_call(&one.kind))
        && asks_for_the_same(one, other)
}

/// Whether two requests, of the same or of different calls, ask for the same tool, input and agent.
pub(super) fn asks_for_the_same(one: &Interaction, other: &Interaction) -> bool {
    if one.kind != other.kind || one.tool_name != other.tool_name {
        return false;
    }
    if !asks_for_call(&one.kind) {
        return is_same_json(one.request.text(), other.request.text(), DEPTH);
    }
    one.request.get("input").is_some()
        && IDENTITY.into_iter().all(
            |name| match (one.request.get(name), other.request.get(name)) {
                (Some(one), Some(other)) => is_same_value(&one, &other),
                (None, None) => true,
                _ => false,
            },
        )
}

/// Compares two JSON texts by value, whatever the order of members. Numbers are compared as text,
/// because different large numbers can have the same floating-point value.
pub(crate) fn is_same_value(one: &Json, other: &Json) -> bool {
    is_same_json(one.text(), other.text(), DEPTH)
}

fn is_same_json(one: &str, other: &str, depth: usize) -> bool {
    let (one, other) = (one.trim(), other.trim());
    if one == other {
        return true;
    }
    let (Some(first), true) = (one.bytes().next(), depth > 0) else {
        return false;
    };
    if other.bytes().next() != Some(first) {
        return false;
    }
    match first {
        b'{' => {
            type Members<'a> = BTreeMap<String, &'a RawValue>;
            let parse = |text| serde_json::from_str::<Members<'_>>(text).ok();
            let (Some(one), Some(other)) = (parse(one), parse(other)) else {
                return false;
            };
            one.len() == other.len()
                && one.iter().zip(&other).all(|((name, one), (its, other))| {
                    name == its && is_same_json(one.get(), other.get(), depth - 1)
                })
        }
        b'[' => {
            let parse = |text| serde_json::from_str::<Vec<&RawValue>>(text).ok();
            let (Some(one), Some(other)) = (parse(one), parse(other)) else {
                return false;
            };
            one.len() == other.len()
                && one
                    .iter()
                    .zip(&other)
                    .all(|(one, other)| is_same_json(one.get(), other.get(), depth - 1))
        }
        b'"' => {
            let parse = |text| serde_json::from_str::<String>(text).ok();
            parse(one).is_some_and(|one| Some(one) == parse(other))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use rusty_claw::permission::PermissionAnswer;

    use super::*;
    use crate::event::{Fact, InteractionAnswer, InteractionKind};

    fn asked(request: &str) -> Interaction {
        let request = Json::from_text(request).unwrap();
        let request = request.view::<ControlRequest>().unwrap();
        listed(request).unwrap()
    }

    fn bash(call: &str, input: &str, rest: &str) -> String {
        format!(
            r#"{{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"{call}","input":{input}{rest}}}"#
        )
    }

    const ELICITATION: &str =
        r#"{"subtype":"elicitation","mcp_server_name":"s","message":"Name?"}"#;

    /// A registry in which a call of Bash is open, and the others have ended in these ways.
    fn registry() -> InteractionRegistry {
        let mut interactions = InteractionRegistry::new();
        let mut open = |request: &str, end: fn(InteractionId) -> Option<Fact>| {
            let interaction = asked(request);
            let id = interaction.id.clone();
            interactions.apply(&Fact::InteractionOpened(interaction));
            end(id).iter().for_each(|fact| interactions.apply(fact));
        };
        open(&bash("open", r#"{"command":"ls","n":1}"#, ""), |_| None);
        open(&bash("yes", r#"{"command":"ls"}"#, ""), |id| {
            let yes = Json::from_text(r#"{"behavior":"allow","updatedInput":{"command":"ls -l"}}"#);
            Some(Fact::InteractionAnswered(InteractionAnswer::new(
                id,
                yes.unwrap(),
            )))
        });
        open(&bash("odd", r#"{"command":"ls"}"#, ""), |id| {
            let odd = Json::from_text(r#"{"behavior":"perhaps"}"#).unwrap();
            Some(Fact::InteractionAnswered(InteractionAnswer::new(id, odd)))
        });
        open(&bash("late", r#"{"command":"ls"}"#, ""), |id| {
            Some(Fact::InteractionExpired(id))
        });
        open(&bash("gone", r#"{"command":"ls"}"#, ""), |id| {
            Some(Fact::InteractionWithdrawn(id))
        });
        open(ELICITATION, |_| None);
        interactions
    }

    #[test]
    fn only_the_same_call_with_the_same_input_is_matched() {
        let inherited = inherited(&registry());
        let bash_of = |request: String| match rearm(&inherited, &asked(&request)) {
            Rearm::New => "new".to_owned(),
            Rearm::Open(id) => format!("open {}", id.as_str()),
            Rearm::Answered(id, response) => format!("{} {}", id.as_str(), response.to_json()),
        };
        let ls = r#"{"command":"ls"}"#;
        let plan = r#"{"subtype":"can_use_tool","tool_name":"ExitPlanMode","tool_use_id":"open","input":{"command":"ls","n":1}}"#;
        for (request, wanted) in [
            (bash("open", r#"{"command":"ls","n":1}"#, ""), "open open"),
            (
                bash("open", r#"{"n":1, "command":"l\u0073"}"#, ""),
                "open open",
            ),
            (
                bash(
                    "open",
                    r#"{"command":"ls","n":1}"#,
                    r#","description":"other","permission_suggestions":[]"#,
                ),
                "open open",
            ),
            (bash("open", r#"{"command":"ls","n":1.0}"#, ""), "new"),
            (bash("open", r#"{"command":"ls","n":2}"#, ""), "new"),
            (bash("open", r#"{"command":"ls","n":1,"m":1}"#, ""), "new"),
            (bash("open", ls, ""), "new"),
            (
                bash("open", r#"{"command":"ls","n":1}"#, r#","agent_id":"a""#),
                "new",
            ),
            (bash("other", r#"{"command":"ls","n":1}"#, ""), "new"),
            (bash("", r#"{"command":"ls","n":1}"#, ""), "new"),
            (
                bash("open", r#"{"command":"ls","n":1}"#, "").replace("Bash", "Shell"),
                "new",
            ),
            (plan.to_owned(), "new"),
            (
                bash("yes", ls, ""),
                r#"yes {"behavior":"allow","updatedInput":{"command":"ls -l"}}"#,
            ),
            (bash("yes", r#"{"command":"ls -l"}"#, ""), "new"),
            (bash("gone", ls, ""), "new"),
            (ELICITATION.to_owned(), "open elicitation-0"),
            (ELICITATION.replace("Name?", "Password?"), "new"),
        ] {
            assert_eq!(bash_of(request.clone()), wanted, "{request}");
        }
        for call in ["odd", "late"] {
            let answered = bash_of(bash(call, ls, ""));
            assert!(answered.contains(r#""behavior":"deny""#), "{answered}");
        }
    }

    #[test]
    fn large_numbers_and_deep_values_do_not_match_by_accident() {
        assert!(!is_same_json(
            "[9007199254740993]",
            "[9007199254740992]",
            DEPTH
        ));
        let deep = |end: &str| format!("{}{end}{}", "[ ".repeat(120), "]".repeat(120));
        assert!(!is_same_json(&deep("1"), &deep("2"), DEPTH));
        assert!(!is_same_json(&deep("1"), &deep(" 1"), DEPTH));
        assert!(is_same_json("{}", "{ }", DEPTH));
        assert!(!is_same_json("null", "{}", DEPTH));
    }

    #[test]
    fn a_stored_answer_of_another_kind_is_a_denial() {
        use InteractionKind::{Dialog, Elicitation, Permission, Unknown};
        let allow = CliResponse::Permission(PermissionAnswer::allow()).to_json();
        for kind in [Elicitation, Dialog, Unknown("Riddle".to_owned())] {
            let denied = CliResponse::from_logged(&kind, &allow).to_json();
            assert!(!denied.text().contains("allow"), "{kind}: {denied}");
        }
        let declined = Json::from_text(r#"{"action":"accept","content":{}}"#).unwrap();
        let denied = CliResponse::from_logged(&Permission, &declined).to_json();
        assert!(denied.text().contains("deny"), "{denied}");
    }
}
