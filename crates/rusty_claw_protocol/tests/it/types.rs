//! Every declared message, request and hook has a type of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::path::Path;

use claw_testkit::figure::{Figure, record};
use claw_testkit::recordings::pins;
use rusty_claw_protocol::audit::audit;
use rusty_claw_protocol::hook::HookInput;
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::wire::{Wire, read_all};
use serde_json::Value;

use crate::samples::samples;

/// The figures of `cargo xtask prove protocol --only types`.
#[test]
fn everything_declared_has_its_own_type() {
    record("types", vec![messages(), control_requests(), hooks()]);
}

/// The message union.
fn messages() -> Figure {
    let types = Types::of(union(), "messages", kind_of_message);
    let (accepted, own, all) = (types.kinds.len(), types.own(), types.wanted.len());
    Figure::new("message union alternatives of the type file: accepted / given their own type", "41 / 41 of 41")
        .measured(format!("{accepted} / {own} of {all}"), all == 41 && accepted == all && own == all)
        .note("own type: every sample decodes to a variant (and payload type) that no other alternative decodes to, and nothing inside it is unknown, unread or of a new shape")
        .note("`SDKUserMessage` and `SDKUserMessageReplay` are one type on the wire but for `isReplay`; they are distinguished by `UserMessage::is_replay`")
        .list("not given their own type", types.troubles())
}

/// Control requests in both directions.
fn control_requests() -> Figure {
    let of = |direction: &str| {
        let wanted = declared("/control_requests", "name", |it| {
            it["direction"] == direction
        });
        Types::of(wanted, "control_requests", kind_of_request)
    };
    let both = [of("sdk_to_cli"), of("cli_to_sdk")];
    let counts = both
        .each_ref()
        .map(|types| (types.own(), types.wanted.len()));
    let [(to_cli, to_cli_all), (to_sdk, to_sdk_all)] = counts;
    Figure::new(
        "control requests typed: SDK→CLI, CLI→SDK declared",
        "36 of 36, 5 of 5",
    )
    .measured(
        format!("{to_cli} of {to_cli_all}, {to_sdk} of {to_sdk_all}"),
        counts == [(36, 36), (5, 5)],
    )
    .list("not typed", both.iter().flat_map(Types::troubles))
}

/// Hook events.
fn hooks() -> Figure {
    let wanted = declared("/hooks/inputs", "event", |_| true);
    let types = Types::of::<HookInput>(wanted, "hooks", kind);
    let (own, all) = (types.own(), types.wanted.len());
    Figure::new("hook events typed", "33 of 33")
        .measured(format!("{own} of {all}"), own == 33 && all == 33)
        .list("not typed", types.troubles())
}

/// Names in a list of the model of the vendor's type file.
fn declared(list: &str, name: &str, is_wanted: impl Fn(&Value) -> bool) -> BTreeSet<String> {
    let types = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/types");
    let file = types.join(format!("{}.json", pins().package));
    let text = std::fs::read_to_string(file).expect("a model of the pinned package");
    let model: Value = serde_json::from_str(&text).expect("the model is JSON");
    let list = model.pointer(list).and_then(Value::as_array).expect(list);
    let wanted = list.iter().filter(|it| is_wanted(it));
    wanted
        .map(|it| it[name].as_str().expect(name).to_owned())
        .collect()
}

/// The alternatives of the message union.
pub(crate) fn union() -> BTreeSet<String> {
    declared("/messages", "name", |_| true)
}

/// The alternative of the union that a message is, by the kinds that the samples decode to.
pub(crate) fn union_by_kind() -> BTreeMap<String, String> {
    let types = Types::of(union(), "messages", kind_of_message);
    let mut union = BTreeMap::new();
    for (name, kinds) in types.kinds {
        union.extend(kinds.into_iter().map(|kind| (kind, name.clone())));
    }
    union
}

/// The kinds that the samples of each name decode to.
#[derive(Debug, Default)]
struct Types {
    kinds: BTreeMap<String, BTreeSet<String>>,
    faults: BTreeMap<String, String>,
    wanted: BTreeSet<String>,
}

impl Types {
    fn of<T: Wire>(wanted: BTreeSet<String>, file: &str, kind: impl Fn(&T) -> String) -> Self {
        let mut out = Self {
            wanted,
            ..Self::default()
        };
        for (name, samples) in samples(&format!("{file}.ndjson")) {
            if !out.wanted.contains(&name) {
                continue;
            }
            for sample in samples {
                match kind_of_sample(sample.value.get(), &kind) {
                    Ok(kind) => {
                        out.kinds.entry(name.clone()).or_default().insert(kind);
                    }
                    Err(fault) => {
                        out.faults.insert(name.clone(), fault);
                    }
                }
            }
        }
        out
    }

    /// How many names have kinds that no other name has, and no fault.
    fn own(&self) -> usize {
        self.wanted
            .iter()
            .filter(|name| self.trouble(name).is_none())
            .count()
    }

    fn troubles(&self) -> Vec<String> {
        let wanted = self.wanted.iter();
        let troubles = wanted.filter_map(|name| Some(format!("{name} {}", self.trouble(name)?)));
        troubles.collect()
    }

    fn trouble(&self, name: &str) -> Option<String> {
        if let Some(fault) = self.faults.get(name) {
            return Some(fault.chars().take(600).collect());
        }
        let Some(kinds) = self.kinds.get(name) else {
            return Some("has no sample".to_owned());
        };
        self.kinds
            .iter()
            .find(|(other, others)| other.as_str() != name && !others.is_disjoint(kinds))
            .map(|(other, _)| format!("has the same type as {other}"))
    }
}

/// The kind that a sample decodes to, or why that is none.
fn kind_of_sample<T: Wire>(text: &str, kind: impl Fn(&T) -> String) -> Result<String, String> {
    let value: T = read_all(text).map_err(|_| "does not decode".to_owned())?;
    let kind = kind(&value);
    if kind.contains("Unknown") {
        return Err(format!("decodes to {kind}"));
    }
    match audit::<T>(text.as_bytes()) {
        Ok(audit) if audit.is_clean() => Ok(kind),
        Ok(audit) => Err(format!("is not read whole: {audit:?}")),
        Err(error) => Err(error.to_string()),
    }
}

/// Variant and payload type of a message, such as `System(Status(StatusMessage`.
pub(crate) fn kind_of_message(message: &Message) -> String {
    let kind = kind(message);
    match message {
        Message::User(user) if user.is_replay == Some(true) => format!("{kind}, is_replay"),
        _ => kind,
    }
}

fn kind_of_request(message: &Message) -> String {
    match message {
        Message::ControlRequest { request, .. } => kind(request),
        other => format!("Unknown: no request but {}", kind(other)),
    }
}

/// The names before the first member, as `Debug` prints them.
fn kind(value: &impl fmt::Debug) -> String {
    /// Stops the printing at the first brace: messages can be long.
    struct Head(String);

    impl fmt::Write for Head {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            match text.split_once('{') {
                Some((before, _)) => {
                    self.0.push_str(before);
                    Err(fmt::Error)
                }
                None => {
                    self.0.push_str(text);
                    Ok(())
                }
            }
        }
    }

    let mut head = Head(String::new());
    // The error is the brace.
    let _ = write!(head, "{value:?}");
    head.0.trim_end().to_owned()
}

fn kind_of(line: &str) -> String {
    kind_of_message(&Message::from_json(line).expect("a message"))
}

#[test]
fn kinds_name_variant_and_type() {
    assert_eq!(
        kind_of(r#"{"type":"result","subtype":"success"}"#),
        "Result(Success"
    );
    assert_eq!(
        kind_of(r#"{"type":"user","isReplay":true}"#),
        "User(UserMessage, is_replay"
    );
    assert_eq!(kind_of(r#"{"type":"user"}"#), "User(UserMessage");
    assert!(kind_of(r#"{"type":"news"}"#).contains("Unknown"));
    assert!(kind_of(r#"{"type":"system","subtype":"news"}"#).contains("Unknown"));
}

#[test]
fn names_that_share_a_kind_have_no_type_of_their_own() {
    let kinds = |list: &[&str]| {
        list.iter()
            .map(ToString::to_string)
            .collect::<BTreeSet<_>>()
    };
    let types = Types {
        kinds: [("A", &["x"][..]), ("B", &["x", "y"]), ("C", &["z"])]
            .into_iter()
            .map(|(name, list)| (name.to_owned(), kinds(list)))
            .collect(),
        faults: BTreeMap::new(),
        wanted: kinds(&["A", "B", "C", "D"]),
    };
    assert_eq!(types.own(), 1);
    assert_eq!(types.troubles().len(), 3);
}
