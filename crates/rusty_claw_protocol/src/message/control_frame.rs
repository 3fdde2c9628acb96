//! The frames of the control protocol, in both layouts.
//!
//! The CLI nests: `{"type":"control_request","request_id":…,"request":{"subtype":…}}` and
//! `{"type":"control_response","response":{"subtype":…,"request_id":…}}`. One document is flat:
//! `subtype` and its members are next to `type` and `request_id`. Both are read, and each is
//! written back as received; new frames are nested.

use crate::extra::{Extra, MemberKey};
use crate::message::{ControlForm, Message};
use crate::text::Str;
use crate::wire::{Found, Malformed, Reader, SerializeMap, Tags, WireObject};

const ID: &str = "request_id";

/// A nested frame: the envelope's members and the payload.
struct Nested<P> {
    request_id: Str,
    extra: Extra,
    payload: P,
}

/// Reads a nested frame. Returns `None`, with nothing consumed, if the member `key` is not an
/// object with a subtype.
fn read_nested<P: WireObject>(
    reader: &mut Reader<'_>,
    key: &'static str,
    payload_tags: impl Fn(&mut Reader<'_>) -> Result<Tags, Malformed>,
) -> Result<Option<Nested<P>>, Malformed> {
    let start = reader.mark();
    let mut request_id = Str::default();
    let mut extra = Extra::new();
    let mut payload = None;
    let mut has_id = false;
    let mut types = 0;
    let Some(mut members) = reader.object()? else {
        return Ok(None);
    };
    while let Some(name) = members.next(reader)? {
        match &*name {
            "type" => {
                reader.note_tag(&mut types);
                reader.skip()?;
            }
            ID => {
                has_id = true;
                reader.field(&mut request_id, MemberKey::spelled(ID), &mut extra)?;
            }
            // The last duplicate of the payload wins, as in the CLI.
            name if name == key => {
                payload = if reader.tag("subtype")?.is_some() {
                    let tags = payload_tags(reader)?;
                    reader
                        .within(key, |reader| P::read_tagged(reader, tags))?
                        .into_value()
                } else {
                    None
                };
                if payload.is_none() {
                    reader.skip()?;
                }
            }
            name => reader.unknown_member(name, &mut extra)?,
        }
    }
    // No payload: either the last one has no subtype, or it is nested too deep.
    let Some(payload) = payload else {
        reader.rewind(start);
        return Ok(None);
    };
    if !has_id {
        extra.mark_absent(ID);
    }
    Ok(Some(Nested {
        request_id,
        extra,
        payload,
    }))
}

/// Reads a flat frame, in which the payload shares its object with the envelope. Returns `None`,
/// with nothing consumed, if it is nested too deep.
fn read_flat<P: WireObject>(
    reader: &mut Reader<'_>,
    tags: Tags,
) -> Result<Option<Nested<P>>, Malformed> {
    let mut extra = Extra::new();
    let (request_id, tags) = match reader.tag(ID)? {
        Some(id) => (Str::from(&*id), tags.and(ID)),
        // Missing, or of another type: the payload keeps it.
        None => {
            extra.mark_absent(ID);
            (Str::default(), tags)
        }
    };
    let payload = P::read_tagged(reader, tags)?.into_value();
    Ok(payload.map(|payload| Nested {
        request_id,
        extra,
        payload,
    }))
}

/// Writes the id, unless it was missing or is kept in `extra`.
fn write_id<M: SerializeMap>(map: &mut M, id: &Str, extra: &Extra) -> Result<(), M::Error> {
    if extra.holds(ID) {
        Ok(())
    } else {
        map.serialize_entry(ID, id)
    }
}

/// The members that a flat payload must not write.
fn flat_written() -> Tags {
    Tags::NONE.and("type").and(ID)
}

pub(super) mod request {
    use super::*;
    use crate::control::ControlRequest;

    pub(crate) fn read(reader: &mut Reader<'_>, tags: Tags) -> Result<Found<Message>, Malformed> {
        let message = |form| {
            move |Nested {
                      request_id,
                      extra,
                      payload,
                  }: Nested<ControlRequest>| {
                Message::ControlRequest {
                    request_id,
                    request: payload,
                    form,
                    extra,
                }
            }
        };
        if let Some(nested) = read_nested(reader, "request", |_| Ok(Tags::NONE))? {
            return Ok(Found::Exact(message(ControlForm::Nested)(nested)));
        }
        let flat = read_flat(reader, tags)?.map(message(ControlForm::Flat));
        Ok(flat.map_or(Found::Other, Found::Exact))
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
        write_id(map, request_id, extra)?;
        match form {
            ControlForm::Nested => map.serialize_entry("request", request)?,
            ControlForm::Flat => request.write_members(map, flat_written())?,
        }
        extra.write(map)
    }
}

pub(super) mod response {
    use serde::{Serialize, Serializer};

    use super::*;
    use crate::control::ControlResponse;

    /// Marks a nested response without an id, which the CLI sends for a request without one.
    const NO_INNER_ID: MemberKey = MemberKey::new("", 0);

    pub(crate) fn read(reader: &mut Reader<'_>, tags: Tags) -> Result<Found<Message>, Malformed> {
        let inner_id = std::cell::RefCell::new(None);
        let nested = read_nested(reader, "response", |reader| {
            let id = reader.tag(ID)?.map(|id| Str::from(&*id));
            // An id of another type stays in the payload.
            let tags = if id.is_some() {
                Tags::NONE.and(ID)
            } else {
                Tags::NONE
            };
            *inner_id.borrow_mut() = id;
            Ok(tags)
        })?;
        if let Some(Nested {
            mut extra,
            payload,
            request_id: outer,
        }) = nested
        {
            // An id next to the payload is not part of the protocol, but it is kept.
            if !extra.holds(ID) {
                extra.keep(Str::from_static(ID), crate::Json::from_text_value(&outer));
            } else if extra.get(ID).is_none() {
                extra.forget(MemberKey::spelled(ID));
            }
            let inner_id = inner_id.into_inner();
            if inner_id.is_none() {
                extra.mark_null(NO_INNER_ID);
            }
            return Ok(Found::Exact(Message::ControlResponse {
                request_id: inner_id.unwrap_or_default(),
                response: payload,
                form: ControlForm::Nested,
                extra,
            }));
        }
        let flat = read_flat(reader, tags)?;
        Ok(flat.map_or(
            Found::Other,
            |Nested {
                 request_id,
                 extra,
                 payload,
             }| {
                Found::Exact(Message::ControlResponse {
                    request_id,
                    response: payload,
                    form: ControlForm::Flat,
                    extra,
                })
            },
        ))
    }

    /// The nested payload with its id.
    struct Payload<'a>(Option<&'a Str>, &'a ControlResponse);

    impl Serialize for Payload<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            let mut written = Tags::NONE;
            if let Some(request_id) = self.0 {
                map.serialize_entry(ID, request_id)?;
                written = written.and(ID);
            }
            self.1.write_members(&mut map, written)?;
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
            ControlForm::Nested => {
                let id = (!extra.is_null(NO_INNER_ID.number)).then_some(request_id);
                map.serialize_entry("response", &Payload(id, response))?;
            }
            ControlForm::Flat => {
                write_id(map, request_id, extra)?;
                response.write_members(map, flat_written())?;
            }
        }
        extra.write(map)
    }
}
