//! States that are put away: they look like this, and one of another version is refused.

use claw_server::progress::ProgressTracker;
use claw_server::{
    EventBuilder, MobileProjection, Sequenced, SubAgentProgressMonitor, UiProjection,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::laws::Tested;
use crate::recorded::{self, Item};

/// The states of everything that can be put away, in the middle of a session with a subagent.
fn states() -> Vec<(&'static str, Value)> {
    let items = recorded::one("agent_foreground").items;
    let (mut ui, mut mobile) = (UiProjection::fresh(), MobileProjection::fresh());
    let mut monitor = SubAgentProgressMonitor::default();
    let mut builder = EventBuilder::new(1);
    for item in &items[..items.len() / 2] {
        item.send_to(&mut ui, &mut Vec::new());
        item.send_to(&mut mobile, &mut Vec::new());
        if let Item::Event(event) = item {
            monitor.event(event);
            if let Some(line) = event.line() {
                builder.received(
                    event.at_ms,
                    rusty_claw_protocol::Line::clone(&line),
                    &mut claw_server::Output::default(),
                );
            }
        }
    }
    vec![
        ("ui", state(&ui)),
        ("mobile", state(&mobile)),
        ("tracker", state(builder.progress())),
        ("monitor", state(&monitor)),
    ]
}

fn state<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) -> Value {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&text).unwrap(), *value);
    serde_json::from_str(&text).unwrap()
}

/// The reason why a state is rejected; `None` if it is accepted.
fn refused(name: &str, state: &Value) -> Option<String> {
    fn read<T: DeserializeOwned>(state: &Value) -> Option<String> {
        let read = serde_json::from_str::<T>(&state.to_string());
        read.err().map(|error| error.to_string())
    }
    match name {
        "ui" => read::<UiProjection>(state),
        "mobile" => read::<MobileProjection>(state),
        "tracker" => read::<ProgressTracker>(state),
        "monitor" => read::<SubAgentProgressMonitor>(state),
        other => panic!("{other}"),
    }
}

/// When this changes in a way in which a state of before is read wrongly or not at all, its
/// `StateVersion` is to be raised.
#[test]
fn states_look_like_this() {
    let states = states();
    for (name, state) in &states {
        assert_eq!(state["v"], 1);
        assert_eq!(refused(name, state), None);
        assert!(state.as_object().unwrap().len() > 2, "{name}: {state}");
    }
    let lines = states.iter().map(|(name, state)| {
        let state = serde_json::to_string_pretty(state).unwrap();
        format!("{name}: {state}")
    });
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_state_of_another_version_is_refused_with_what_to_do() {
    for (name, mut state) in states() {
        for (version, why) in [
            (
                json!(2),
                "it is of version 2, and this library reads version 1",
            ),
            (
                json!(0),
                "it is of version 0, and this library reads version 1",
            ),
            (
                Value::Null,
                "it names no version, and this library reads version 1",
            ),
            (json!("one"), "this state cannot be restored"),
        ] {
            state["v"] = version;
            let error = refused(name, &state).expect("it is refused");
            assert!(error.contains(why), "{name}: {error}");
            assert!(
                error.contains("make it anew from the events"),
                "{name}: {error}"
            );
        }
        state.as_object_mut().unwrap().remove("v");
        let error = refused(name, &state).expect("it is refused");
        assert!(error.contains("it names no version"), "{name}: {error}");
    }
}

#[test]
fn a_part_that_was_otherwise_before_is_refused_and_not_misread() {
    let tracker = |asks: Value| {
        let calls = json!({"toolu_1": {"asks": asks, "began": 1}});
        json!({"v": 1, "lanes": {"calls": calls, "count": 1, "has_agents": false}})
    };
    let now = tracker(json!({"Output": {"subject": "call/toolu_1", "is_all": true}}));
    assert_eq!(refused("tracker", &now), None);
    // The former format of a call whose output counts.
    let before = tracker(json!({"Output": "call/toolu_1"}));
    let error = refused("tracker", &before).expect("it is refused");
    assert!(error.contains("make it anew from the events"), "{error}");
}

#[test]
fn what_goes_around_a_dialect_is_of_its_version() {
    let around = Sequenced::new(UiProjection::new(1), 3);
    let text = serde_json::to_string(&around).unwrap();
    assert_eq!(
        serde_json::from_str::<Sequenced<UiProjection>>(&text).unwrap(),
        around
    );
    let text = text.replace("\"v\":1", "\"v\":9");
    let error = serde_json::from_str::<Sequenced<UiProjection>>(&text).unwrap_err();
    assert!(error.to_string().contains("it is of version 9"), "{error}");
}
