//! What a session's progress and its events take, however long it lasts.

use claw_server::event::{Fact, LifecycleState, ProgressSource, SessionEvent};
use claw_server::progress::ProgressTracker;
use claw_server::{EventLog as _, Fence, Json, MemoryLog, PageLimit, SessionId};
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::generator;
use crate::played::{Played, call, result, text};
use crate::progress_laws::{Tally, goes_on};
use crate::recorded::{self, Item};
use crate::rows;

/// How much a tracker may be, written as JSON.
const MOST: usize = 768 * 1024;

/// A session that measures the size of its tracker.
struct Long {
    played: Played,
    largest: usize,
    lines: usize,
}

impl Long {
    fn new() -> Self {
        Self {
            played: Played::new(10),
            largest: 0,
            lines: 0,
        }
    }

    fn line(&mut self, line: &Value) {
        self.lines += 1;
        self.played.line(line);
        if self.lines.is_multiple_of(500) {
            self.measure();
        }
    }

    fn tracker(&self) -> &ProgressTracker {
        self.played.builder.progress()
    }

    fn measure(&mut self) {
        let text = serde_json::to_string(self.tracker()).unwrap();
        self.largest = self.largest.max(text.len());
        let read: ProgressTracker = serde_json::from_str(&text).unwrap();
        assert_eq!(&read, self.tracker());
    }

    fn call(&mut self, lane: Option<&str>, id: &str, name: &str, input: &Value) {
        self.line(&call(lane, id, name, input));
    }

    fn result(&mut self, id: &str, text: &str) {
        self.line(&result(None, id, text));
    }

    fn says(&mut self, lane: &str, said: &str) {
        self.line(&text(Some(lane), said));
    }

    fn task(&mut self, call: &str, subtype: &str) {
        let line = json!({"type": "system", "subtype": subtype, "task_id": format!("{call}/task"),
            "tool_use_id": call, "description": "look", "subagent_type": "Explore",
            "task_type": "local_agent", "is_backgrounded": true, "status": "completed",
            "summary": "done", "output_file": ""});
        self.line(&line);
    }

    /// The number of subjects in the tracker at the end.
    fn known(&self) -> usize {
        let tracker = serde_json::to_value(self.tracker()).unwrap();
        tracker["subjects"]["known"]
            .as_object()
            .map_or(0, |known| known.len())
    }

    /// It stayed below a limit, and nothing went back without a reason.
    fn stays_below(mut self, most: usize) {
        self.measure();
        println!(
            "{} lines, {} updates, {} subjects at the end, the largest tracker was {} bytes (at most {most})",
            self.lines,
            self.updates(),
            self.known(),
            self.largest,
        );
        assert!(self.largest <= most, "{} bytes", self.largest);
        goes_on(&self.played.items, &mut Tally::default()).unwrap();
    }

    fn updates(&self) -> usize {
        let is_update = |item: &&Item| matches!(item, Item::Event(event) if matches!(event.fact, Fact::Progress(_)));
        self.played.items.iter().filter(is_update).count()
    }
}

fn list(of: usize) -> Value {
    let points: Vec<Value> = (0..of)
        .map(|point| {
            let state = if point % 2 == 0 {
                "completed"
            } else {
                "pending"
            };
            json!({"content": format!("point {point}: {}", "long ".repeat(80)), "status": state,
                "activeForm": "at it ".repeat(80)})
        })
        .collect();
    json!({"todos": points})
}

#[test]
fn commands_that_end_half_way_are_not_kept_for_ever() {
    let mut long = Long::new();
    for number in 0..20_000 {
        let id = format!("toolu_{number}");
        long.call(None, &id, "Bash", &json!({"command": "make"}));
        let done = number % 300;
        long.result(&id, &format!("[{done}/340] CC foo.o\n"));
    }
    assert_eq!(long.updates(), 20_000);
    assert!(long.known() <= 40, "{}", long.known());
    long.stays_below(32 * 1024);
}

#[test]
fn subagents_that_end_leave_no_lists_and_no_words() {
    let mut long = Long::new();
    for number in 0..3_000 {
        let id = format!("toolu_{number}");
        long.task(&id, "task_started");
        if number % 3 == 0 {
            long.call(Some(&id), &format!("{id}/list"), "TodoWrite", &list(3));
        } else {
            long.says(&id, "Step 2/7: looking.");
        }
        long.task(&id, "task_notification");
        if number % 5 == 0 {
            // A late message of the subagent.
            long.says(&id, "Step 1/7: looking.");
        }
    }
    let tracker = serde_json::to_value(long.tracker()).unwrap();
    assert_eq!(tracker["lists"]["written"], Value::Null);
    long.stays_below(128 * 1024);
}

#[test]
fn what_never_ends_has_a_limit() {
    let mut long = Long::new();
    for number in 0..6_000 {
        let id = format!("toolu_{number}");
        match number % 5 {
            0 => {
                long.task(&id, "task_started");
                long.call(Some(&id), &format!("{id}/list"), "TodoWrite", &list(1));
            }
            1 => long.says(&id, "Step 2/7: looking."),
            2 => long.call(Some(&id), &id, "Bash", &json!({"command": "make"})),
            3 => {
                let asked = json!({"bash_id": format!("b{number}")});
                long.call(None, &id, "BashOutput", &asked);
                long.result(&id, "[12/340] CC foo.o\n");
            }
            _ => long.line(
                &json!({"type": "tool_progress", "tool_use_id": id, "tool_name": "Bash",
                "elapsed_time_seconds": 3, "parent_tool_use_id": null}),
            ),
        }
    }
    long.measure();
    long.played.ended(LifecycleState::Lost);
    // Ended tasks, ended lists and texts of subagents, and other ended subjects.
    assert!(long.known() <= 64 + 64 + 40, "{}", long.known());
    long.stays_below(MOST);
}

#[test]
fn a_long_list_is_counted_whole_and_shown_in_part() {
    let mut long = Long::new();
    long.call(None, "toolu_0", "TodoWrite", &list(3_000));
    for number in 1..=1_200 {
        let id = format!("toolu_{number}");
        let text = "x".repeat(1_000);
        long.call(
            None,
            &id,
            "TaskCreate",
            &json!({"subject": text, "description": "y"}),
        );
        long.result(&id, &format!("Task #{number} created"));
        if number % 2 == 0 {
            let id = format!("{id}/done");
            let done = json!({"taskId": number.to_string(), "status": "completed"});
            long.call(None, &id, "TaskUpdate", &done);
            long.result(&id, &format!("Updated task #{number} status"));
        }
    }
    let mut lists = Vec::new();
    for item in &long.played.items {
        if let Item::Event(event) = item
            && let Fact::Progress(update) = &event.fact
            && update.source == ProgressSource::Todo
        {
            assert!(update.items.len() <= 100);
            let shown = update.items.len() as u64 + update.left_out;
            assert_eq!(update.total.map(|total| total.get()), Some(shown as f64));
            assert!(update.items.iter().all(|item| item.text.len() <= 210));
            assert!(
                update
                    .items
                    .iter()
                    .any(|item| item.status.as_str() == "Pending")
            );
            lists.push(update);
        }
    }
    let counts = |index: usize| {
        (
            lists[index].done.unwrap().get(),
            lists[index].total.unwrap().get(),
        )
    };
    assert_eq!(counts(0), (1_500.0, 3_000.0));
    assert_eq!(counts(lists.len() - 1), (600.0, 1_200.0));
    long.stays_below(MOST);
}

/// The limit of a log is one of memory only if events weigh what they are.
fn weighs_what_it_is(event: &SessionEvent) {
    let size = serde_json::to_string(event).unwrap().len();
    let small = Arc::new(SessionEvent::new(
        u64::MAX,
        1,
        0,
        Fact::TurnStarted(Vec::new()),
    ));
    let event = Arc::new(event.clone());
    let is_kept = |limit: usize| {
        let log = MemoryLog::keeping(limit);
        for (event, expected_last) in [(&event, 0), (&small, event.sequence)] {
            let fence = Fence {
                epoch: 1,
                expected_last,
            };
            let events = std::slice::from_ref(event);
            let stored = log.append(SessionId::from(1), fence, events).now_or_never();
            stored.unwrap().unwrap();
        }
        let read = log
            .read(SessionId::from(1), 0, PageLimit::ALL)
            .now_or_never()
            .unwrap()
            .unwrap();
        read.len() == 2
    };
    assert!(
        !is_kept(size * 2 / 3),
        "it weighs less than {size}: {event:?}"
    );
    assert!(
        is_kept(size * 2 + 2_048),
        "it weighs more than {size}: {event:?}"
    );
}

#[test]
fn recorded_and_generated_events_weigh_what_they_are() {
    let recorded = recorded::all().into_iter();
    let generated = (0..300).map(generator::session);
    let sessions = recorded.map(|session| session.items).chain(generated);
    let mut count = 0;
    for item in sessions.flatten() {
        if let Item::Event(event) = item {
            weighs_what_it_is(&event);
            count += 1;
        }
    }
    assert!(count > 5_000, "{count} events");
}

/// Facts of which one part is long.
const LONG_FACTS: &str = r#"
message | LONG
input_accepted | {"id":"i","mode":"Queue","content":"x","metadata":{"a":LONG}}
input_accepted | {"id":"i","mode":"Queue","content":"x","key":LONG}
input_accepted | {"id":"i","mode":"Queue","content":"x","from":LONG}
input_accepted | {"id":"i","mode":"Queue","content":LONG}
input_accepted | {"id":"i","mode":LONG,"content":"x"}
input_delivered | {"id":LONG}
input_failed | {"id":"i","indeterminate":false,"reason":LONG}
interaction_opened | {"id":"p","kind":"Permission","request":{"a":LONG}}
interaction_opened | {"id":"p","kind":"Permission","request":{},"group":LONG}
interaction_answered | {"id":"p","answer":{},"by":LONG}
interaction_withdrawn | {"id":LONG}
turn_started | {"inputs":[LONG,LONG]}
turn_ended | {"ending":"Failed","reason":LONG}
lifecycle | {"state":"Lost","reason":LONG}
lifecycle | {"state":"Lost","lost":[NAMES]}
progress | {"subject":"todo","kind":"Checklist","state":"Running","source":"Todo","confidence":1,"detail":LONG}
progress | {"subject":"todo","kind":"Checklist","state":"Running","source":"Todo","confidence":1,"items":[ITEMS]}
confetti | {"a":LONG}
"#;

#[test]
fn everything_with_a_length_weighs() {
    let long = json!("x".repeat(100_000)).to_string();
    let names = vec![json!("a name ".repeat(10)).to_string(); 2_000].join(",");
    let items = vec![r#"{"text":"a","status":"Pending"}"#; 2_000].join(",");
    for [kind, body] in rows(LONG_FACTS) {
        let body = body.replace("LONG", &long).replace("NAMES", &names);
        let body = body.replace("ITEMS", &items);
        let event = format!(r#"{{"v":1,"seq":7,"epoch":1,"at":0,"kind":"{kind}","body":{body}}}"#);
        let event: SessionEvent = serde_json::from_str(&event).unwrap();
        assert_eq!(event.fact.kind(), kind);
        weighs_what_it_is(&event);
    }
    let mut event = SessionEvent::new(7, 1, 0, Fact::TurnStarted(Vec::new()));
    let long = Json::from_text(&long).unwrap();
    event.extra.insert("new".into(), long);
    weighs_what_it_is(&event);
}
