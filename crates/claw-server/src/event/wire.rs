//! Serialization of events.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rusty_claw_protocol::{Json, RawLine};
use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::decoded::Decoded;
use super::{EVENT_VERSION, Fact, InputId, SessionEvent};

impl Serialize for SessionEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("v", &self.version)?;
        map.serialize_entry("seq", &self.sequence)?;
        map.serialize_entry("epoch", &self.epoch)?;
        map.serialize_entry("at", &self.at_ms)?;
        if let Some(turn) = self.turn {
            map.serialize_entry("turn", &turn)?;
        }
        if let Some(input) = &self.input {
            map.serialize_entry("input", input)?;
        }
        if let Some(offset) = self.offset {
            map.serialize_entry("offset", &offset)?;
        }
        for (name, value) in &self.extra {
            map.serialize_entry(name, value)?;
        }
        write_fact(&self.fact, &mut map)?;
        map.end()
    }
}

fn write_fact<M: SerializeMap>(fact: &Fact, map: &mut M) -> Result<(), M::Error> {
    match fact {
        Fact::Message(raw) => match verbatim(raw) {
            Some(json) => write(map, "message", &json),
            None => write(map, "line", &StrayLine::of(raw)),
        },
        Fact::InputAccepted(input) => write(map, fact.kind(), input),
        Fact::InputDelivered(id) | Fact::InputProcessed(id) => {
            write(map, fact.kind(), &Named { id })
        }
        Fact::InputFailed(failure) => write(map, fact.kind(), failure),
        Fact::InteractionOpened(interaction) => write(map, fact.kind(), interaction),
        Fact::InteractionAnswered(answer) => write(map, fact.kind(), answer),
        Fact::InteractionExpired(id) | Fact::InteractionWithdrawn(id) => {
            write(map, fact.kind(), &Named { id })
        }
        Fact::TurnStarted(inputs) => write(map, fact.kind(), &Started { inputs }),
        Fact::TurnEnded(ended) => write(map, fact.kind(), ended),
        Fact::Opened(opened) => write(map, fact.kind(), opened),
        Fact::CliSession(id) => write(map, fact.kind(), &Named { id }),
        Fact::Granted(grant) | Fact::Revoked(grant) => write(map, fact.kind(), grant),
        Fact::Omitted(omitted) => write(map, fact.kind(), omitted),
        Fact::Gap(gap) => write(map, fact.kind(), gap),
        Fact::Lifecycle(lifecycle) => write(map, fact.kind(), lifecycle),
        Fact::Progress(update) => write(map, fact.kind(), update),
        Fact::Unknown { kind, body } => write(map, kind, body),
    }
}

fn write<M: SerializeMap>(map: &mut M, kind: &str, body: &impl Serialize) -> Result<(), M::Error> {
    map.serialize_entry("kind", kind)?;
    map.serialize_entry("body", body)
}

/// A body that contains only an id. An object, so that members can be added later.
#[derive(Debug, Serialize, Deserialize)]
struct Named<T> {
    id: T,
}

#[derive(Debug, Serialize, Deserialize)]
struct Started<T> {
    inputs: T,
}

/// The line as an embedded JSON value, if it can be written back byte for byte.
fn verbatim(raw: &RawLine) -> Option<Json> {
    let text = std::str::from_utf8(raw.as_bytes()).ok()?;
    let json = Json::from_text(text).ok()?;
    (json.is_object() && json.text() == text).then_some(json)
}

/// A line that cannot be embedded as a JSON object byte for byte.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StrayLine {
    Text(String),
    Hex(String),
}

impl StrayLine {
    fn of(raw: &RawLine) -> Self {
        match std::str::from_utf8(raw.as_bytes()) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Hex(raw.as_bytes().iter().fold(String::new(), |mut hex, byte| {
                // Writing to a string cannot fail.
                let _ = write!(hex, "{byte:02x}");
                hex
            })),
        }
    }

    fn line(self) -> Option<RawLine> {
        let hex = match self {
            Self::Text(text) => return Some(text.into_bytes().into()),
            Self::Hex(hex) => hex,
        };
        let pairs = hex.as_bytes().chunks(2).map(|pair| {
            let pair = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(pair, 16).ok()
        });
        pairs.collect::<Option<Vec<u8>>>().map(RawLine::from)
    }
}

impl<'de> Deserialize<'de> for SessionEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ReadEvent)
    }
}

struct ReadEvent;

impl<'de> Visitor<'de> for ReadEvent {
    type Value = SessionEvent;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an event of a session")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SessionEvent, A::Error> {
        let (mut version, mut sequence, mut epoch, mut at_ms) = (None, None, None, None);
        let (mut turn, mut input, mut kind, mut body) = (None, None, None, None);
        let mut offset = None;
        let mut extra = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "v" => version = Some(map.next_value()?),
                "seq" => sequence = Some(map.next_value()?),
                "epoch" => epoch = Some(map.next_value()?),
                "at" => at_ms = Some(map.next_value()?),
                "turn" => turn = map.next_value()?,
                "input" => input = map.next_value::<Option<InputId>>()?,
                "offset" => offset = map.next_value()?,
                "kind" => kind = Some(map.next_value::<String>()?),
                "body" => body = Some(map.next_value::<Json>()?),
                _ => {
                    extra.insert(name, map.next_value::<Json>()?);
                }
            }
        }
        let kind = kind.ok_or_else(|| A::Error::missing_field("kind"))?;
        Ok(SessionEvent {
            version: version.unwrap_or(EVENT_VERSION),
            sequence: sequence.ok_or_else(|| A::Error::missing_field("seq"))?,
            epoch: epoch.ok_or_else(|| A::Error::missing_field("epoch"))?,
            at_ms: at_ms.ok_or_else(|| A::Error::missing_field("at"))?,
            turn,
            input,
            offset,
            fact: fact(kind, body.unwrap_or(Json::NULL)),
            extra,
            decoded: Decoded::default(),
        })
    }
}

/// Converts a kind and a body to a fact. A known kind with a body of another shape becomes
/// [`Fact::Unknown`]: a log must be readable by the version before the one that wrote it.
fn fact(kind: String, body: Json) -> Fact {
    let known = match kind.as_str() {
        "message" if body.is_object() => Some(Fact::message(body.text())),
        "line" => read::<StrayLine>(&body)
            .and_then(StrayLine::line)
            .map(Fact::Message),
        "input_accepted" => read(&body).map(Fact::InputAccepted),
        "input_delivered" => named(&body).map(Fact::InputDelivered),
        "input_processed" => named(&body).map(Fact::InputProcessed),
        "input_failed" => read(&body).map(Fact::InputFailed),
        "interaction_opened" => read(&body).map(Fact::InteractionOpened),
        "interaction_answered" => read(&body).map(Fact::InteractionAnswered),
        "interaction_expired" => named(&body).map(Fact::InteractionExpired),
        "interaction_withdrawn" => named(&body).map(Fact::InteractionWithdrawn),
        "turn_started" => read::<Started<_>>(&body).map(|turn| Fact::TurnStarted(turn.inputs)),
        "turn_ended" => read(&body).map(Fact::TurnEnded),
        "opened" => read(&body).map(Fact::Opened),
        "cli_session" => named(&body).map(Fact::CliSession),
        "granted" => read(&body).map(Fact::Granted),
        "revoked" => read(&body).map(Fact::Revoked),
        "omitted" => read(&body).map(Fact::Omitted),
        "gap" => read(&body).map(Fact::Gap),
        "lifecycle" => read(&body).map(Fact::Lifecycle),
        "progress" => read(&body).map(Fact::Progress),
        _ => None,
    };
    known.unwrap_or(Fact::Unknown { kind, body })
}

/// Parses a body. Unrecognized members are dropped: an interaction that is only partly understood
/// can still be denied, and relays forward the text of an event.
fn read<T: DeserializeOwned>(body: &Json) -> Option<T> {
    body.parse().ok()
}

fn named<T: DeserializeOwned>(body: &Json) -> Option<T> {
    read::<Named<T>>(body).map(|named| named.id)
}
