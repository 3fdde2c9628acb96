//! A builder that attaches to a running CLI, after each line of recorded sessions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::{Json, Line};

use super::{EventBuilder, Output, SavedBuilder};
use crate::event::{AcceptedInput, Fact, InputId, Lifecycle, LifecycleState, SessionEvent};

/// The number of cuts in a session with more lines. A plain test has a time limit.
const CUTS: usize = 3;
/// Sessions that are cut after each line.
const WHOLE: [&str; 5] = [
    "err_retry_ok",
    "perm_parallel_writes",
    "queue_fold_into_tool_turn",
    "task_bash_background",
    "text_two_turns",
];

enum Step {
    /// A prompt is stored and sent.
    Input(AcceptedInput),
    /// The CLI prints a line.
    Line(Vec<u8>),
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cli/2.1.325")
}

fn lines(file: &Path) -> impl Iterator<Item = Vec<u8>> + use<> {
    let bytes = std::fs::read(file).unwrap();
    let lines: Vec<Vec<u8>> = bytes.split(|byte| *byte == b'\n').map(Vec::from).collect();
    lines.into_iter().filter(|line| !line.is_empty())
}

/// The prompts and lines of a recording, in order.
fn steps(folder: &Path) -> Vec<Step> {
    let meta = std::fs::read_to_string(folder.join("meta.json")).unwrap();
    let meta: serde_json::Value = serde_json::from_str(&meta).unwrap();
    let mut host = lines(&folder.join("stdin.ndjson"));
    let mut cli = lines(&folder.join("stdout.ndjson"));
    let mut steps = Vec::new();
    for step in meta["exchange"].as_str().unwrap().split(", ") {
        let Some((side, count)) = step.split_once(' ') else {
            continue;
        };
        for _ in 0..count.parse().unwrap() {
            if side == "out" {
                steps.extend(cli.next().map(Step::Line));
                continue;
            }
            let Some(line) = host.next() else { continue };
            if let Some(Message::User(user)) = Line::decode(line).message()
                && let Some(uuid) = &user.uuid
            {
                let content = Json::from_serialize(&user.message.content).unwrap();
                let input = AcceptedInput::new(InputId::new(uuid.as_str()), content);
                steps.push(Step::Input(input));
            }
        }
    }
    steps
}

/// An owner of a session, with the time in steps.
struct Owner {
    builder: EventBuilder,
    events: Vec<Arc<SessionEvent>>,
    text: String,
}

impl Owner {
    fn new(builder: EventBuilder) -> Self {
        let (events, text) = (Vec::new(), String::new());
        Self {
            builder,
            events,
            text,
        }
    }

    /// Returns whether there were events.
    fn step(&mut self, at: usize, step: &Step) -> bool {
        let mut output = Output::default();
        let at = i64::try_from(at).unwrap();
        match step {
            Step::Input(input) => {
                let event = self.builder.accepted(at, input.clone());
                output.events.push(event);
                self.builder.sent(input.id.clone());
            }
            Step::Line(line) => self.builder.line(at, line.clone(), &mut output),
        }
        let has_events = !output.events.is_empty();
        self.take(output);
        has_events
    }

    fn ended(&mut self, at: usize) {
        let mut output = Output::default();
        let lost = Lifecycle::new(LifecycleState::Lost);
        let at = i64::try_from(at).unwrap();
        self.builder.ended(at, lost, &mut output);
        self.take(output);
    }

    fn take(&mut self, output: Output) {
        self.events.extend(output.events.into_iter().map(Arc::new));
        for delta in output.deltas {
            let json = serde_json::to_string(&delta).unwrap();
            self.text.push_str(&json);
        }
    }
}

/// Inputs that were stored, and of which the log has nothing more.
fn undelivered(events: &[Arc<SessionEvent>]) -> Vec<InputId> {
    let mut open = Vec::new();
    for event in events {
        match &event.fact {
            Fact::InputAccepted(input) => open.push(input.id.clone()),
            Fact::InputDelivered(id) => open.retain(|open| open != id),
            Fact::InputFailed(failure) => open.retain(|open| *open != failure.id),
            _ => {}
        }
    }
    open
}

struct Recorded {
    name: String,
    steps: Vec<Step>,
    whole: Owner,
    /// After each step: the number of events, the steps that they include, and a checkpoint.
    places: Vec<(usize, usize, Option<String>)>,
}

impl Recorded {
    fn of(name: String) -> Self {
        let steps = steps(&folder().join(&name));
        let mut whole = Owner::new(EventBuilder::new(1));
        let mut places = vec![(0, 0, None)];
        let mut offset = 0;
        for (at, step) in steps.iter().enumerate() {
            if whole.step(at, step) && matches!(step, Step::Line(_)) {
                offset = at + 1;
            }
            let saved = whole.builder.save();
            let saved = saved.map(|saved| serde_json::to_string(&saved).unwrap());
            places.push((whole.events.len(), offset, saved));
        }
        whole.ended(steps.len());
        Self {
            name,
            steps,
            whole,
            places,
        }
    }

    /// Cuts the session after some steps and attaches, with the builder of the checkpoint after
    /// these steps, if there is one.
    fn check(&self, cut: usize, checkpoint: usize, sends_again: bool) {
        let (stored, offset, _) = self.places[cut];
        let log = &self.whole.events[..stored];
        let (saved_at, _, saved) = &self.places[checkpoint];
        let (mut builder, after) = match saved {
            Some(saved) => {
                let saved: SavedBuilder = serde_json::from_str(saved).unwrap();
                (EventBuilder::restore(1, saved), *saved_at)
            }
            None => (EventBuilder::new(1), 0),
        };
        builder.replay_all(&log[after..]);
        builder.attach();
        if sends_again {
            for id in undelivered(log) {
                builder.sent(id);
            }
        }
        let mut owner = Owner::new(builder);
        for (at, step) in self.steps.iter().enumerate().skip(offset) {
            // Prompts before the cut are in the log.
            if at >= cut || matches!(step, Step::Line(_)) {
                owner.step(at, step);
            }
        }
        owner.ended(self.steps.len());
        let expected = &self.whole.events[stored..];
        for (event, expected) in owner.events.iter().zip(expected) {
            assert_eq!(
                event, expected,
                "{}: cut after {cut}, read from {offset}, checkpoint at {checkpoint}",
                self.name
            );
        }
        assert_eq!(owner.events.len(), expected.len(), "{} {cut}", self.name);
    }
}

#[test]
fn an_attached_builder_continues_recorded_sessions_as_if_uncut() {
    let names = std::fs::read_dir(folder()).unwrap().flatten();
    let mut names: Vec<String> = names
        .filter(|entry| entry.path().join("stdout.ndjson").exists())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut cuts = 0;
    for name in names {
        let recorded = Recorded::of(name);
        let steps = recorded.steps.len();
        let stride = match WHOLE.contains(&&*recorded.name) {
            true => 1,
            false => steps.div_ceil(CUTS).max(1),
        };
        // Other cuts and checkpoints in each session.
        let first = (7 * recorded.name.len()) % stride;
        for cut in (first..=steps).step_by(stride) {
            recorded.check(cut, [0, cut / 2, cut][cuts % 3], true);
            cuts += 1;
        }
    }
    assert!(cuts > 600, "{cuts}");
}

/// The previous owner may have sent an input that the next one does not send again, because
/// another turn runs first.
#[test]
fn an_input_that_only_its_receipts_name_is_delivered() {
    for name in ["text_two_turns", "queue_three_at_once", "text_basic"] {
        let recorded = Recorded::of(name.to_owned());
        for cut in 0..=recorded.steps.len() {
            recorded.check(cut, 0, false);
        }
    }
}

#[test]
fn an_input_of_a_turn_that_waited_without_a_process_ends_with_the_turn() {
    let line = |text: &str| Step::Line(text.as_bytes().to_vec());
    let mut owner = Owner::new(EventBuilder::new(1));
    let input = AcceptedInput::new(InputId::new("a"), Json::default());
    owner.step(0, &Step::Input(input));
    for state in ["queued", "started"] {
        owner.step(0, &line(&format!(
            r#"{{"type":"command_lifecycle","command_uuid":"a","state":"{state}","session_id":"s"}}"#
        )));
    }
    owner.step(
        0,
        &line(r#"{"type":"system","subtype":"init","session_id":"s","tools":[],"mcp_servers":[]}"#),
    );
    for state in [
        LifecycleState::Parked,
        LifecycleState::Starting,
        LifecycleState::Ready,
    ] {
        let fact = Fact::Lifecycle(Lifecycle::new(state));
        let event = owner.builder.fact(0, fact);
        owner.events.push(Arc::new(event));
    }
    let mut next = Owner::new(EventBuilder::new(2));
    next.builder.replay_all(&owner.events);
    next.builder.attach();
    next.step(
        0,
        &line(r#"{"type":"result","subtype":"success","is_error":false,"result":"Hi"}"#),
    );
    let kinds: Vec<&str> = next.events.iter().map(|event| event.fact.kind()).collect();
    assert_eq!(kinds, ["message", "input_processed", "turn_ended"]);
}
