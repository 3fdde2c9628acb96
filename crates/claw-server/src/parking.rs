//! Decides which interaction of a dead process stays open. Pure.
//!
//! The CLI can ask again for one call of a session whose process is gone (see
//! [`SessionLibrary::park`](rusty_claw::sessions::SessionLibrary::park)). [`plan`] selects it from
//! the interactions in the log and the calls in the session file. The agent can write that file, so
//! nothing in it counts as an answer: it can only prevent that a call is parked.

use rusty_claw::sessions::{SessionCall, SessionCalls};

use crate::controller::rearming::is_same_value;
use crate::event::{Interaction, InteractionId, InteractionKind};

/// Tools that run after an earlier call of the same reply is done, or have no effects.
const WAIT_THEIR_TURN: [&str; 13] = [
    "AskUserQuestion",
    "Bash",
    "Edit",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "MultiEdit",
    "NotebookEdit",
    "Read",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// What the log has about the calls of the running turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Logged<'a> {
    /// The open interactions.
    pub(crate) open: &'a [Interaction],
    /// Calls that were allowed by a person, a policy or a grant, and that have no result.
    pub(crate) allowed: &'a [String],
    /// Calls that were denied.
    pub(crate) denied: &'a [String],
    /// The folder in which the next process starts.
    pub(crate) folder: &'a str,
    /// Whether the CLI asks for a parked call again.
    pub(crate) repeats_calls: bool,
    /// Whether a call is parked already. The other calls of its reply were withdrawn then, and no
    /// process has had them since.
    pub(crate) is_parked: bool,
}

/// An interaction that ends because its process is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Withdrawal {
    pub(crate) id: InteractionId,
    pub(crate) reason: String,
}

/// What to do with the interactions of a process that is gone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Plan {
    /// There is nothing to record.
    Nothing,
    /// The call of this interaction is parked, and the interaction stays open.
    Park {
        interaction: InteractionId,
        call: SessionCall,
        withdrawn: Vec<Withdrawal>,
    },
    /// The interaction stays open, and the turn is continued after its answer: the model is called
    /// again, and may make the call again.
    Continue {
        interaction: InteractionId,
        withdrawn: Vec<Withdrawal>,
    },
    /// No interaction stays open, and the turn is interrupted.
    Interrupted {
        /// Calls that may have run, without a result.
        unknown_calls: Vec<String>,
        withdrawn: Vec<Withdrawal>,
    },
}

const NO_FILE: &str = "its process ended, and the session file is missing";
const DAMAGED: &str = "its process ended, and the end of the session file cannot be read";
const SUBAGENT: &str = "its process ended; calls of subagents cannot wait without a process";
const NOT_A_CALL: &str = "its process ended; only tool calls can wait without a process";
const ANSWERED: &str = "the session file has a result of this call: it was answered elsewhere";
const ABSENT: &str = "its process ended, and the last reply of the session file has no such call";
const CHANGED: &str = "its process ended, and its call in the session file is another one";
const MOVED: &str = "its process ended, and the agent had gone to another folder";
const SIBLING: &str = "its process ended, and only one call of a reply can wait without a process";
const UNKNOWN: &str = "its process ended while another call of the reply may have run";

/// Decides about a session whose process is gone. `file` is `None` if it has no file.
pub(crate) fn plan(logged: Logged<'_>, file: Option<&SessionCalls>) -> Plan {
    let Logged {
        open,
        allowed,
        repeats_calls,
        ..
    } = logged;
    if open.is_empty() && allowed.is_empty() {
        return Plan::Nothing;
    }
    let none = SessionCalls::default();
    let calls = file.unwrap_or(&none);
    let (mut candidates, mut others) = (Vec::new(), Vec::new());
    let mut withdrawn = Vec::new();
    for interaction in open {
        match position(interaction, file, logged.folder) {
            Ok(at) => candidates.push((at, interaction)),
            Err(NOT_A_CALL) if file.is_some() && !calls.is_damaged => others.push(interaction),
            Err(reason) => withdrawn.push(Withdrawal::of(interaction, reason)),
        }
    }
    candidates.sort_by_key(|(at, _)| *at);
    let mut unknown_calls = allowed.to_vec();
    unknown_calls.retain(|call| !calls.has_result(call));
    // Calls run in the order of the reply. This one is the first that is not done.
    let is_current = |at: usize, call: &SessionCall| {
        unknown_calls.contains(&call.id) || candidates.first().is_some_and(|first| first.0 == at)
    };
    let mut reply = calls.last_reply.iter().enumerate();
    let current = reply.position(|(at, call)| is_current(at, call));
    for (at, call) in calls.last_reply.iter().enumerate() {
        let waits = current.is_some_and(|current| at > current)
            && WAIT_THEIR_TURN.contains(&call.name.as_str());
        let is_over = waits || logged.is_parked || unknown_calls.contains(&call.id);
        if !is_over && may_run(logged, calls, call) {
            unknown_calls.push(call.id.clone());
        }
    }
    let is_safe = unknown_calls.is_empty();
    let candidates = candidates.into_iter().map(|(at, one)| (Some(at), one));
    let mut rest = candidates.chain(others.into_iter().map(|one| (None, one)));
    let kept = if is_safe { rest.next() } else { None };
    withdrawn.extend(rest.map(|(at, other)| {
        let reason = match (at, is_safe) {
            (None, _) => NOT_A_CALL,
            (Some(_), true) => SIBLING,
            (Some(_), false) => UNKNOWN,
        };
        Withdrawal::of(other, reason)
    }));
    match kept {
        Some((Some(at), interaction)) if repeats_calls => Plan::Park {
            interaction: interaction.id.clone(),
            call: calls.last_reply[at].clone(),
            withdrawn,
        },
        Some((_, interaction)) => Plan::Continue {
            interaction: interaction.id.clone(),
            withdrawn,
        },
        None => Plan::Interrupted {
            unknown_calls,
            withdrawn,
        },
    }
}

impl Withdrawal {
    fn of(interaction: &Interaction, reason: &str) -> Self {
        Self {
            id: interaction.id.clone(),
            reason: reason.to_owned(),
        }
    }

    /// Withdraws all for the same reason.
    pub(crate) fn all(open: &[Interaction], reason: &str) -> Vec<Self> {
        open.iter().map(|one| Self::of(one, reason)).collect()
    }
}

/// Whether a call of the reply may have run, or may run, without an answer in the log.
fn may_run(logged: Logged<'_>, calls: &SessionCalls, call: &SessionCall) -> bool {
    let is_it = |interaction: &Interaction| {
        asks_for_call(&interaction.kind) && interaction.tool_use_id.as_ref() == Some(&call.id)
    };
    let is_open = !calls.is_damaged && logged.open.iter().any(is_it);
    !is_open && !calls.has_result(&call.id) && !logged.denied.contains(&call.id)
}

/// Whether an interaction of this kind asks whether a call may run.
pub(crate) fn asks_for_call(kind: &InteractionKind) -> bool {
    use InteractionKind::{Permission, Plan, Question};
    matches!(kind, Permission | Plan | Question)
}

/// Returns the position of an interaction's call in the last reply, or why it cannot be parked.
fn position(
    interaction: &Interaction,
    file: Option<&SessionCalls>,
    folder: &str,
) -> Result<usize, &'static str> {
    let id = interaction.tool_use_id.as_ref();
    let Some(id) = id.filter(|_| asks_for_call(&interaction.kind)) else {
        return Err(NOT_A_CALL);
    };
    if interaction
        .request
        .get("agent_id")
        .is_some_and(|agent| !agent.is_null())
    {
        return Err(SUBAGENT);
    }
    let file = file.ok_or(NO_FILE)?;
    if file.has_result(id) {
        return Err(ANSWERED);
    }
    if file.is_damaged {
        return Err(DAMAGED);
    }
    let at = file.last_reply.iter().position(|call| call.id == *id);
    let at = at.ok_or(ABSENT)?;
    let call = &file.last_reply[at];
    if !is_same(interaction, call) {
        return Err(CHANGED);
    }
    // The same input may have another effect in another folder.
    match call.cwd.as_deref() == Some(folder) {
        true => Ok(at),
        false => Err(MOVED),
    }
}

/// Whether an interaction is about the call as it is in the file.
fn is_same(interaction: &Interaction, call: &SessionCall) -> bool {
    let Some(input) = interaction.request.get("input") else {
        return false;
    };
    // Without a file of the plan, the CLI leaves the plan out of its request.
    let is_bare_plan = interaction.kind == InteractionKind::Plan && input.text().trim() == "{}";
    interaction.tool_name.as_ref() == Some(&call.name)
        && (is_bare_plan || is_same_value(&input, &call.input))
}

#[cfg(test)]
mod tests {
    use rusty_claw_protocol::Json;

    use super::*;

    fn call(id: &str, name: &str) -> SessionCall {
        SessionCall {
            id: id.to_owned(),
            name: name.to_owned(),
            input: Json::from_text(r#"{"n":1}"#).unwrap(),
            cwd: Some("/p".to_owned()),
        }
    }

    /// An interaction about `call(id, name)`.
    fn asked(id: &str, name: &str) -> Interaction {
        asked_with(id, name, r#""input":{ "n": 1 }"#)
    }

    fn asked_with(id: &str, name: &str, members: &str) -> Interaction {
        let kind = match name {
            "AskUserQuestion" => InteractionKind::Question,
            "ExitPlanMode" => InteractionKind::Plan,
            _ => InteractionKind::Permission,
        };
        let request = Json::from_text(&format!("{{{members}}}")).unwrap();
        let mut asked = Interaction::new(InteractionId::new(format!("i-{id}")), kind, request);
        asked.tool_use_id = Some(id.to_owned());
        asked.tool_name = Some(name.to_owned());
        asked
    }

    /// A file whose last reply has these calls; `!` marks those with a result.
    fn file(calls: &str) -> SessionCalls {
        let mut file = SessionCalls::default();
        for one in calls.split_ascii_whitespace() {
            let (id, name) = one.split_once(':').unwrap();
            let bare = id.trim_end_matches('!');
            if bare != id {
                file.answered.insert(bare.to_owned());
            }
            file.last_reply.push(call(bare, name));
        }
        file
    }

    fn ids(text: &str) -> Vec<String> {
        text.split_ascii_whitespace().map(str::to_owned).collect()
    }

    /// Shows a plan as a line.
    fn shown(plan: &Plan) -> String {
        let ended = |withdrawn: &[Withdrawal]| {
            let mut ended = String::new();
            for one in withdrawn {
                let reason = match one.reason.as_str() {
                    NO_FILE => "no file",
                    DAMAGED => "damaged",
                    SUBAGENT => "subagent",
                    NOT_A_CALL => "not a call",
                    ANSWERED => "answered",
                    ABSENT => "absent",
                    CHANGED => "changed",
                    MOVED => "moved",
                    SIBLING => "sibling",
                    _ => "unknown",
                };
                ended += &format!("; {} {reason}", one.id.as_str());
            }
            ended
        };
        match plan {
            Plan::Nothing => "nothing".to_owned(),
            Plan::Park {
                interaction,
                call,
                withdrawn,
            } => {
                assert_eq!(interaction.as_str(), format!("i-{}", call.id));
                format!("park {}{}", call.id, ended(withdrawn))
            }
            Plan::Continue {
                interaction,
                withdrawn,
            } => format!("continue {}{}", interaction.as_str(), ended(withdrawn)),
            Plan::Interrupted {
                unknown_calls,
                withdrawn,
            } => format!("interrupted {unknown_calls:?}{}", ended(withdrawn)),
        }
    }

    fn planned(open: &[Interaction], allowed: &str, denied: &str, calls: &str) -> String {
        let logged = Logged {
            open,
            allowed: &ids(allowed),
            denied: &ids(denied),
            folder: "/p",
            repeats_calls: true,
            is_parked: false,
        };
        shown(&plan(logged, Some(&file(calls))))
    }

    #[test]
    fn the_first_unanswered_call_is_parked_unless_another_may_have_run() {
        let bash = |id: &str| asked(id, "Bash");
        for (open, allowed, denied, calls, wanted) in [
            ("", "", "", "a:Bash", "nothing"),
            ("a", "", "", "a:Bash", "park a"),
            // The log has them in another order.
            (
                "c b a",
                "",
                "",
                "a:Bash b:Bash c:Bash",
                "park a; i-b sibling; i-c sibling",
            ),
            ("b", "", "", "a!:Bash b:Bash", "park b"),
            ("b", "", "a", "a:Bash b:Bash", "park b"),
            ("b", "a", "", "a!:Bash b:Bash", "park b"),
            // Later calls of these tools have not begun.
            ("a", "", "", "a:Bash b:Bash c:Write", "park a"),
            (
                "a",
                "",
                "",
                "a:Bash b:Agent",
                r#"interrupted ["b"]; i-a unknown"#,
            ),
            (
                "a",
                "",
                "",
                "a:Bash b:mcp__s__t",
                r#"interrupted ["b"]; i-a unknown"#,
            ),
            // A rule of the CLI allowed it, without a request.
            (
                "b",
                "",
                "",
                "a:Bash b:Bash",
                r#"interrupted ["a"]; i-b unknown"#,
            ),
            (
                "b c",
                "a",
                "",
                "a:Bash b:Bash c:Bash",
                r#"interrupted ["a"]; i-b unknown; i-c unknown"#,
            ),
            (
                "a",
                "b",
                "",
                "a:Bash b:Read",
                r#"interrupted ["b"]; i-a unknown"#,
            ),
            ("", "a", "", "a:Bash b:Bash", r#"interrupted ["a"]"#),
            ("", "a", "", "a!:Bash", "interrupted []"),
            (
                "",
                "of-a-subagent",
                "",
                "",
                r#"interrupted ["of-a-subagent"]"#,
            ),
            ("a", "", "", "a!:Bash", "interrupted []; i-a answered"),
            ("a b", "", "", "a!:Bash b:Bash", "park b; i-a answered"),
            ("a", "", "", "", "interrupted []; i-a absent"),
            ("a", "", "", "a:Write", "interrupted []; i-a changed"),
        ] {
            let open: Vec<Interaction> = open.split_ascii_whitespace().map(bash).collect();
            let seen = planned(&open, allowed, denied, calls);
            assert_eq!(seen, wanted, "{open:?} {allowed} {denied} {calls}");
        }
    }

    #[test]
    fn only_a_call_with_the_same_input_is_parked() {
        for (interaction, wanted) in [
            (
                asked_with("a", "Bash", r#""input":{"n":1.0}"#),
                "interrupted []; i-a changed",
            ),
            (
                asked_with("a", "Bash", r#""input":{}"#),
                "interrupted []; i-a changed",
            ),
            (
                asked_with("a", "Bash", r#""command":"ls""#),
                "interrupted []; i-a changed",
            ),
            (
                asked_with("a", "Bash", r#""input":{"n":1},"agent_id":"x""#),
                "interrupted []; i-a subagent",
            ),
            (
                asked_with("a", "Bash", r#""input":{"n":1},"agent_id":null"#),
                "park a",
            ),
        ] {
            assert_eq!(planned(&[interaction], "", "", "a:Bash"), wanted);
        }
        let plan = asked_with("a", "ExitPlanMode", r#""input":{}"#);
        assert_eq!(planned(&[plan], "", "", "a:ExitPlanMode"), "park a");
        let question = asked("a", "AskUserQuestion");
        assert_eq!(planned(&[question], "", "", "a:AskUserQuestion"), "park a");
    }

    #[test]
    fn elicitations_and_dialogs_wait_for_a_continued_turn() {
        use InteractionKind::{Dialog, Elicitation, Unknown};
        for kind in [Elicitation, Dialog, Unknown("riddle".to_owned())] {
            let mut other = asked("a", "Bash");
            other.kind = kind;
            let open = [other, asked("b", "Bash")];
            assert_eq!(planned(&open[..1], "", "", ""), "continue i-a");
            assert_eq!(planned(&open[..1], "", "", "a!:Bash"), "continue i-a");
            // The call that it comes from may have run.
            let seen = planned(&open[..1], "", "", "a:Bash");
            assert_eq!(seen, r#"interrupted ["a"]; i-a not a call"#);
            let seen = planned(&open, "", "", "b:Bash");
            assert_eq!(seen, "park b; i-a not a call");
        }
    }

    #[test]
    fn a_parked_call_stays_parked_beside_calls_that_were_withdrawn() {
        let open = [asked("a", "mcp__s__t")];
        let file = file("a:mcp__s__t b:mcp__s__t");
        let mut logged = Logged {
            open: &open,
            allowed: &[],
            denied: &[],
            folder: "/p",
            repeats_calls: true,
            is_parked: false,
        };
        let seen = shown(&plan(logged, Some(&file)));
        assert_eq!(seen, r#"interrupted ["b"]; i-a unknown"#);
        logged.is_parked = true;
        assert_eq!(shown(&plan(logged, Some(&file))), "park a");
    }

    #[test]
    fn a_call_from_another_folder_is_not_parked() {
        let open = [asked("a", "Bash")];
        let logged = Logged {
            open: &open,
            allowed: &[],
            denied: &[],
            folder: "/p/build",
            repeats_calls: true,
            is_parked: false,
        };
        let mut file = file("a:Bash");
        let seen = shown(&plan(logged, Some(&file)));
        assert_eq!(seen, r#"interrupted []; i-a moved"#);
        file.last_reply[0].cwd = None;
        let seen = shown(&plan(logged, Some(&file)));
        assert_eq!(seen, r#"interrupted []; i-a moved"#);
    }

    #[test]
    fn a_turn_is_continued_if_the_cli_does_not_repeat_calls() {
        let open = [asked("a", "Bash"), asked("b", "Bash")];
        for (allowed, calls, wanted) in [
            ("", "a:Bash b:Bash", "continue i-a; i-b sibling"),
            (
                "c",
                "a:Bash b:Bash",
                r#"interrupted ["c"]; i-a unknown; i-b unknown"#,
            ),
            (
                "",
                "c:Bash a:Bash b:Bash",
                r#"interrupted ["c"]; i-a unknown; i-b unknown"#,
            ),
        ] {
            let logged = Logged {
                open: &open,
                allowed: &ids(allowed),
                denied: &[],
                folder: "/p",
                repeats_calls: false,
                is_parked: false,
            };
            assert_eq!(shown(&plan(logged, Some(&file(calls)))), wanted);
        }
    }

    #[test]
    fn nothing_is_parked_without_a_readable_file() {
        let open = [asked("a", "Bash")];
        let logged = Logged {
            open: &open,
            allowed: &[],
            denied: &[],
            folder: "/p",
            repeats_calls: true,
            is_parked: false,
        };
        assert_eq!(shown(&plan(logged, None)), "interrupted []; i-a no file");
        let mut damaged = file("a:Bash");
        damaged.is_damaged = true;
        let seen = shown(&plan(logged, Some(&damaged)));
        assert_eq!(seen, r#"interrupted ["a"]; i-a damaged"#);
    }
}
