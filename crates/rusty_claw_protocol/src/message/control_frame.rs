//! The envelopes of the control protocol, in both layouts.
//!
//! The CLI nests: `{"type":"control_request","request_id":…,"request":{"subtype":…}}` and
//! `{"type":"control_response","response":{"subtype":…,"request_id":…}}`. One document is flat:
//! `subtype` and its members stand beside `type` and `request_id`. Both are read; each is written
//! the way it came, and what we make ourselves is nested.

use crate::extra::Extra;
use crate::message::Message;
use crate::text::Str;
use crate::wire::{Found, Malformed, Reader, SerializeMap, Tags, WireObject};

/// How a control frame was laid out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ControlForm {
    /// The payload is an object of its own, as the CLI has it.
    #[default]
    Nested,
    /// The payload stands at the top level, as one document has it. Accepted, never sent.
    Flat,
}

/// What is read beside the payload.
#[derive(Default)]
struct Envelope {
    request_id: Str,
    extra: Extra,
}

/// Reads the top level of a frame; the payload under `key` goes to `payload`.
fn read_envelope(
    reader: &mut Reader<'_>,
    key: &'static str,
    mut payload: impl FnMut(&mut Reader<'_>, &mut Envelope) -> Result<bool, Malformed>,
) -> Result<Envelope, Malformed> {
    let mut envelope = Envelope::default();
    let mut has_id = false;
    let Some(mut members) = reader.object()? else {
        return Ok(envelope);
    };
    while let Some(name) = members.next(reader)? {
        match &*name {
            "type" => reader.skip()?,
            "request_id" => {
                has_id = true;
                reader.field(&mut envelope.request_id, "request_id", &mut envelope.extra)?;
            }
            name if name == key => {
                if !payload(reader, &mut envelope)? {
                    reader.unknown_member(name, &mut envelope.extra)?;
                }
            }
            name => reader.unknown_member(name, &mut envelope.extra)?,
        }
    }
    if !has_id {
        envelope.extra.mark_absent("request_id");
    }
    Ok(envelope)
}

/// Reads the members of a flat frame's envelope; the payload read the others.
fn flat_request_id(reader: &mut Reader<'_>) -> Result<Str, Malformed> {
    Ok(reader
        .tag("request_id")?
        .map(|id| Str::from(&*id))
        .unwrap_or_default())
}

/// The tags of a flat frame: members that belong to the envelope.
fn flat_tags(tags: Tags) -> Tags {
    tags.and("request_id")
}

pub(super) mod request {
    use super::*;
    use crate::control::ControlRequest;

    pub(crate) fn read(reader: &mut Reader<'_>, tags: Tags) -> Result<Found<Message>, Malformed> {
        if reader.has_tagged("request", "subtype")? {
            let mut request = None;
            let envelope = read_envelope(reader, "request", |reader, _| {
                reader.within("request", |reader| {
                    let found = ControlRequest::read_tagged(reader, Tags::NONE)?;
                    Ok(found.keep_in(&mut request))
                })
            })?;
            if let Some(request) = request {
                let Envelope { request_id, extra } = envelope;
                return Ok(Found::Exact(Message::ControlRequest {
                    request_id,
                    request,
                    form: ControlForm::Nested,
                    extra,
                }));
            }
        }
        let request_id = flat_request_id(reader)?;
        Ok(
            ControlRequest::read_tagged(reader, flat_tags(tags))?.map(|request| {
                Message::ControlRequest {
                    request_id,
                    request,
                    form: ControlForm::Flat,
                    extra: Extra::new(),
                }
            }),
        )
    }

    pub(crate) fn write<M: SerializeMap>(message: &Message, map: &mut M) -> Result<(), M::Error> {
        let Message::ControlRequest {
            request_id,
            request,
            form,
            extra,
        } = message
        else {
            return Ok(());
        };
        if !extra.holds("request_id") {
            map.serialize_entry("request_id", request_id)?;
        }
        match form {
            ControlForm::Nested => map.serialize_entry("request", request)?,
            ControlForm::Flat => request.write_members(map, flat_tags(Tags::NONE.and("type")))?,
        }
        extra.write(map)
    }
}

pub(super) mod response {
    use serde::{Serialize, Serializer};

    use super::*;
    use crate::control::ControlResponse;

    pub(crate) fn read(reader: &mut Reader<'_>, tags: Tags) -> Result<Found<Message>, Malformed> {
        if reader.has_tagged("response", "subtype")? {
            let mut response = None;
            let mut inner_id = None;
            let envelope = read_envelope(reader, "response", |reader, _| {
                reader.within("response", |reader| {
                    inner_id = reader.tag("request_id")?.map(|id| Str::from(&*id));
                    let found = ControlResponse::read_tagged(reader, flat_tags(Tags::NONE))?;
                    Ok(found.keep_in(&mut response))
                })
            })?;
            if let Some(response) = response {
                let mut extra = envelope.extra;
                // The id is inside; a frame without one is the answer to a request without one.
                extra.forget("request_id");
                if inner_id.is_none() {
                    extra.mark_absent("request_id");
                }
                return Ok(Found::Exact(Message::ControlResponse {
                    request_id: inner_id.unwrap_or_default(),
                    response,
                    form: ControlForm::Nested,
                    extra,
                }));
            }
        }
        let request_id = flat_request_id(reader)?;
        Ok(
            ControlResponse::read_tagged(reader, flat_tags(tags))?.map(|response| {
                Message::ControlResponse {
                    request_id,
                    response,
                    form: ControlForm::Flat,
                    extra: Extra::new(),
                }
            }),
        )
    }

    /// The nested payload, with the id that stands inside it.
    struct Payload<'a>(Option<&'a Str>, &'a ControlResponse);

    impl Serialize for Payload<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            if let Some(request_id) = self.0 {
                map.serialize_entry("request_id", request_id)?;
            }
            self.1.write_members(&mut map, flat_tags(Tags::NONE))?;
            map.end()
        }
    }

    pub(crate) fn write<M: SerializeMap>(message: &Message, map: &mut M) -> Result<(), M::Error> {
        let Message::ControlResponse {
            request_id,
            response,
            form,
            extra,
        } = message
        else {
            return Ok(());
        };
        match form {
            ControlForm::Nested => map.serialize_entry(
                "response",
                &Payload((!extra.holds("request_id")).then_some(request_id), response),
            )?,
            ControlForm::Flat => {
                map.serialize_entry("request_id", request_id)?;
                response.write_members(map, flat_tags(Tags::NONE.and("type")))?;
            }
        }
        extra.write(map)
    }
}
