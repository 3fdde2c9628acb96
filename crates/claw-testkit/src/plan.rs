//! From a turn to the bytes of its response.

use std::time::Duration;

use bytes::Bytes;

use crate::capture::ApiRequest;
use crate::sse::{self, Identity};
use crate::turn::{Then, Turn};

/// A response, decided before its first byte is sent.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) delay: Duration,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) payload: Payload,
}

#[derive(Debug)]
pub(crate) enum Payload {
    /// The connection is closed without a response.
    Close,
    Whole(Bytes),
    Parts {
        parts: Vec<Bytes>,
        between: Duration,
        then: Then,
    },
}

impl Plan {
    fn new(status: u16, content_type: &str, request_id: &str, payload: Payload) -> Self {
        let plan = Self {
            delay: Duration::ZERO,
            status,
            headers: Vec::new(),
            payload,
        };
        plan.header("content-type", content_type)
            .header("request-id", request_id)
    }

    /// A whole JSON answer.
    pub(crate) fn json(status: u16, request_id: &str, body: String) -> Self {
        let payload = Payload::Whole(body.into());
        Self::new(status, "application/json", request_id, payload)
    }

    /// An HTTP error.
    pub(crate) fn error(status: u16, request_id: &str, kind: &str, message: &str) -> Self {
        let body = sse::error_body(kind, message, request_id);
        Self::json(status, request_id, body)
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// What a turn answers to a request. The label counts turns, so it names ids that repeat from
    /// run to run whatever the order of arrival was.
    pub(crate) fn of_turn(turn: &Turn, label: &str, request: &ApiRequest) -> Self {
        let spec = &turn.spec;
        let counted = || format!("req_{label}");
        let request_id = &spec.request_id.clone().unwrap_or_else(counted);
        let mut plan = if let Some(reply) = &spec.json {
            Self::json(reply.status, request_id, reply.body.to_string())
        } else if let Some(error) = &spec.error {
            Self::error(error.status, request_id, &error.kind, &error.message)
        } else if spec.close_without_response {
            Self::new(0, "", request_id, Payload::Close)
        } else {
            Self::of_message(turn, label, request_id, request)
        };
        plan.delay = spec.delay;
        for (name, value) in &spec.headers {
            plan = plan.header(name, value);
        }
        plan
    }

    fn of_message(turn: &Turn, label: &str, request_id: &str, request: &ApiRequest) -> Self {
        let spec = &turn.spec;
        let model = spec.model.as_deref().or_else(|| request.model());
        let counted = || format!("msg_{label}");
        let identity = Identity {
            message_id: spec.message_id.clone().unwrap_or_else(counted),
            model: model.unwrap_or("scripted").to_owned(),
        };
        let (after, then) = turn.ending();
        let error = spec.sse_error_after.as_ref();
        if request.wants_stream() {
            let events = sse::events(turn, &identity).into_iter().take(after);
            let error = error.map(|error| sse::error_event(&error.kind, &error.message));
            let payload = Payload::Parts {
                parts: events.chain(error).map(Bytes::from).collect(),
                between: spec.delay_between,
                then,
            };
            let content_type = "text/event-stream; charset=utf-8";
            return Self::new(200, content_type, request_id, payload)
                .header("cache-control", "no-cache");
        }
        if let Some(error) = error {
            let status = status_of_error(&error.kind);
            return Self::error(status, request_id, &error.kind, &error.message);
        }
        let body = sse::whole_message(turn, &identity);
        if then == Then::End {
            return Self::json(200, request_id, body);
        }
        let length = body.len();
        let payload = Payload::Parts {
            parts: vec![Bytes::from(body).slice(..length / 2)],
            between: Duration::ZERO,
            then,
        };
        Self::new(200, "application/json", request_id, payload)
            .header("content-length", &length.to_string())
    }
}

/// The HTTP status that the API uses for an error of this type.
fn status_of_error(kind: &str) -> u16 {
    match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "overloaded_error" => 529,
        _ => 500,
    }
}
