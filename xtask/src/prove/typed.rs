//! Whether every declared message, request and hook has a type of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use anyhow::Result;
use rusty_claw_protocol::audit::audit;
use rusty_claw_protocol::hook::HookInput;
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::wire::{Wire, read_all};

use super::figure::Figure;
use crate::type_file::model::{Direction, TypeModel};
use crate::type_file::samples::{Sample, SampleFile};

/// The message union.
pub(crate) fn messages(model: &TypeModel, files: &[SampleFile]) -> Result<Figure> {
    let names: BTreeSet<&str> = model
        .messages
        .iter()
        .map(|frame| frame.name.as_str())
        .collect();
    let types = Types::of::<Message>(&names, samples(files, "messages"), kind_of_message)?;
    let accepted = types.kinds.len();
    let own = types.own();
    let all = model.messages.len();
    Ok(Figure::new("message union alternatives of the type file: accepted / given their own type", "41 / 41 of 41")
        .measured(format!("{accepted} / {own} of {all}"), all == 41 && accepted == all && own == all)
        .note("own type: every sample decodes to a variant (and payload type) that no other alternative decodes to, and nothing inside it is unknown, unread or of a new shape")
        .note("`SDKUserMessage` and `SDKUserMessageReplay` are one type on the wire but for `isReplay`; they are distinguished by `UserMessage::is_replay`")
        .list("not given their own type", types.troubles()))
}

/// Control requests in both directions.
pub(crate) fn control_requests(model: &TypeModel, files: &[SampleFile]) -> Result<Figure> {
    let count = |direction: Direction| -> Result<(usize, usize, Vec<String>)> {
        let names: BTreeSet<&str> = model
            .control_requests
            .iter()
            .filter(|request| request.direction == direction)
            .map(|request| request.name.as_str())
            .collect();
        let types =
            Types::of::<Message>(&names, samples(files, "control_requests"), kind_of_request)?;
        Ok((types.own(), names.len(), types.troubles()))
    };
    let (to_cli, to_cli_all, troubles) = count(Direction::SdkToCli)?;
    let (to_sdk, to_sdk_all, more) = count(Direction::CliToSdk)?;
    let passed = (to_cli, to_cli_all, to_sdk, to_sdk_all) == (36, 36, 5, 5);
    Ok(Figure::new(
        "control requests typed: SDK→CLI, CLI→SDK declared",
        "36 of 36, 5 of 5",
    )
    .measured(
        format!("{to_cli} of {to_cli_all}, {to_sdk} of {to_sdk_all}"),
        passed,
    )
    .list("not typed", troubles.into_iter().chain(more)))
}

/// Hook events.
pub(crate) fn hooks(model: &TypeModel, files: &[SampleFile]) -> Result<Figure> {
    let names: BTreeSet<&str> = model
        .hooks
        .inputs
        .iter()
        .map(|hook| hook.event.as_str())
        .collect();
    let types = Types::of::<HookInput>(&names, samples(files, "hooks"), kind)?;
    let (own, all) = (types.own(), names.len());
    Ok(Figure::new("hook events typed", "33 of 33")
        .measured(format!("{own} of {all}"), own == 33 && all == 33)
        .list("not typed", types.troubles()))
}

/// Which alternative of the union a message is, by the kinds that the samples decode to.
pub(crate) fn union_by_kind(
    model: &TypeModel,
    files: &[SampleFile],
) -> Result<BTreeMap<String, String>> {
    let names: BTreeSet<&str> = model
        .messages
        .iter()
        .map(|frame| frame.name.as_str())
        .collect();
    let types = Types::of::<Message>(&names, samples(files, "messages"), kind_of_message)?;
    Ok(types
        .kinds
        .into_iter()
        .flat_map(|(name, kinds)| kinds.into_iter().map(move |kind| (kind, name.clone())))
        .collect())
}

fn samples<'a>(files: &'a [SampleFile], stem: &str) -> impl Iterator<Item = &'a Sample> {
    files
        .iter()
        .filter(move |file| file.stem == stem)
        .flat_map(|file| &file.samples)
}

/// The kinds that the samples of each name decode to.
#[derive(Debug, Default)]
struct Types {
    kinds: BTreeMap<String, BTreeSet<String>>,
    faults: BTreeMap<String, String>,
    wanted: BTreeSet<String>,
}

impl Types {
    fn of<'a, T: Wire>(
        names: &BTreeSet<&str>,
        samples: impl Iterator<Item = &'a Sample>,
        kind: impl Fn(&T) -> String,
    ) -> Result<Self> {
        let mut out = Self {
            wanted: names.iter().map(ToString::to_string).collect(),
            ..Self::default()
        };
        for sample in samples.filter(|sample| names.contains(sample.name.as_str())) {
            let text = serde_json::to_string(&sample.value)?;
            let name = sample.name.clone();
            let Ok(value) = read_all::<T>(&text) else {
                out.faults.insert(name, "does not decode".to_owned());
                continue;
            };
            let kind = kind(&value);
            if kind.contains("Unknown") {
                out.faults.insert(name, format!("decodes to {kind}"));
                continue;
            }
            match audit::<T>(text.as_bytes()) {
                Ok(audit) if !audit.is_clean() => {
                    out.faults
                        .insert(name.clone(), format!("is not read whole: {audit:?}"));
                }
                Ok(_) => {}
                Err(error) => {
                    out.faults.insert(name.clone(), error.to_string());
                }
            }
            out.kinds.entry(name).or_default().insert(kind);
        }
        Ok(out)
    }

    /// How many names have kinds that no other name has, and no fault.
    fn own(&self) -> usize {
        self.wanted
            .iter()
            .filter(|name| self.trouble(name).is_none())
            .count()
    }

    fn troubles(&self) -> Vec<String> {
        self.wanted
            .iter()
            .filter_map(|name| Some(format!("{name} {}", self.trouble(name)?)))
            .collect()
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
