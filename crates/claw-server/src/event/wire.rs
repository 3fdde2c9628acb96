//! How an event is read and written.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rusty_claw_protocol::{Json, RawLine};
use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap as _;
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
        for (name, value) in &self.extra {
            map.serialize_entry(name, value)?;
        }
        write_fact(&self.fact, &mut map)?;
        map.end()
    }
}

fn write_fact<M: serde::ser::SerializeMap>(fact: &Fact, map: &mut M) -> Result<(), M::Error> {
    let mut write = |kind: &str, body: &dyn erased::Body<M>| {
        map.serialize_entry("kind", kind)?;
        body.write(map)
    };
    match fact {
        Fact::Message(raw) => match verbatim(raw) {
            Some(json) => write("message", &json),
            None => write("line", &StrayLine::of(raw)),
        },
        Fact::InputAccepted(input) => write(fact.kind(), input),
        Fact::InputDelivered(id) | Fact::InputProcessed(id) => write(fact.kind(), &Named { id }),
        Fact::InputFailed(failure) => write(fact.kind(), failure),
        Fact::PromptAsked(prompt) => write(fact.kind(), prompt),
        Fact::PromptAnswered(answer) => write(fact.kind(), answer),
        Fact::PromptExpired(id) | Fact::PromptWithdrawn(id) => write(fact.kind(), &Named { id }),
        Fact::TurnStarted(inputs) => write(fact.kind(), &Started { inputs }),
        Fact::TurnEnded(ended) => write(fact.kind(), ended),
        Fact::Lifecycle(lifecycle) => write(fact.kind(), lifecycle),
        Fact::Progress(update) => write(fact.kind(), update),
        Fact::Unknown { kind, body } => write(kind, body),
    }
}

/// Bodies of several types behind one closure.
mod erased {
    use serde::Serialize;
    use serde::ser::SerializeMap;

    pub(super) trait Body<M: SerializeMap> {
        fn write(&self, map: &mut M) -> Result<(), M::Error>;
    }

    impl<M: SerializeMap, T: Serialize> Body<M> for T {
        fn write(&self, map: &mut M) -> Result<(), M::Error> {
            map.serialize_entry("body", self)
        }
    }
}

/// A body that only names something: an object, so that it may say more one day.
#[derive(Debug, Serialize, Deserialize)]
struct Named<T> {
    id: T,
}

/// The body of a turn that began.
#[derive(Debug, Serialize, Deserialize)]
struct Started<T> {
    inputs: T,
}

/// The line as a value inside another one, when it comes out of there byte for byte.
fn verbatim(raw: &RawLine) -> Option<Json> {
    let text = std::str::from_utf8(raw.as_bytes()).ok()?;
    let json = Json::from_text(text).ok()?;
    (json.is_object() && json.text() == text).then_some(json)
}

/// A line that is no JSON object, or not written as one.
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
        let mut extra = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "v" => version = Some(map.next_value()?),
                "seq" => sequence = Some(map.next_value()?),
                "epoch" => epoch = Some(map.next_value()?),
                "at" => at_ms = Some(map.next_value()?),
                "turn" => turn = map.next_value()?,
                "input" => input = map.next_value::<Option<InputId>>()?,
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
            fact: fact(kind, body.unwrap_or(Json::NULL)),
            extra,
            decoded: Decoded::default(),
        })
    }
}

/// A fact by its name. A known name with a body of another shape is kept as unknown, whole: a log
/// must be readable by the version before the one that wrote it.
fn fact(kind: String, body: Json) -> Fact {
    let known = match kind.as_str() {
        "message" if body.is_object() => Some(Fact::message(body.text())),
        "line" => read::<StrayLine>(&body)
            .and_then(StrayLine::line)
            .map(Fact::Message),
        "input_accepted" => read(&body).map(Fact::InputAccepted),
        "input_delivered" => read::<Named<_>>(&body).map(|named| Fact::InputDelivered(named.id)),
        "input_processed" => read::<Named<_>>(&body).map(|named| Fact::InputProcessed(named.id)),
        "input_failed" => read(&body).map(Fact::InputFailed),
        "prompt_asked" => read(&body).map(Fact::PromptAsked),
        "prompt_answered" => read(&body).map(Fact::PromptAnswered),
        "prompt_expired" => read::<Named<_>>(&body).map(|named| Fact::PromptExpired(named.id)),
        "prompt_withdrawn" => read::<Named<_>>(&body).map(|named| Fact::PromptWithdrawn(named.id)),
        "turn_started" => read::<Started<_>>(&body).map(|turn| Fact::TurnStarted(turn.inputs)),
        "turn_ended" => read(&body).map(Fact::TurnEnded),
        "lifecycle" => read(&body).map(Fact::Lifecycle),
        "progress" => read(&body).map(Fact::Progress),
        _ => None,
    };
    known.unwrap_or(Fact::Unknown { kind, body })
}

/// Reads a body. Members that a newer version added are left aside, for a prompt that is half
/// understood can still be denied; whoever relays events relays their text.
fn read<T: DeserializeOwned>(body: &Json) -> Option<T> {
    body.parse().ok()
}
