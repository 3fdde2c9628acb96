//! From a turn to the bytes of its response.

use std::time::Duration;

use bytes::Bytes;

use crate::capture::ApiRequest;
use crate::sse::{self, Identity};
use crate::turn::{Ending, Reply, Turn};

/// A response, decided before its first byte is sent.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) delay: Duration,
    pub(crate) response: Response,
}

#[derive(Debug)]
pub(crate) enum Response {
    Close,
    Send {
        status: u16,
        headers: Vec<(String, String)>,
        payload: Payload,
    },
}

#[derive(Debug)]
pub(crate) enum Payload {
    Whole(Bytes),
    Parts {
        parts: Vec<Bytes>,
        between: Duration,
        then: Then,
    },
}

/// What happens after the last part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    End,
    Cut,
    Hang,
}

impl Plan {
    /// An answer of the server itself.
    pub(crate) fn json(status: u16, request_id: &str, body: String) -> Self {
        let headers = vec![
            content_type("application/json"),
            request_id_header(request_id),
        ];
        Self {
            delay: Duration::ZERO,
            response: Response::Send {
                status,
                headers,
                payload: Payload::Whole(body.into()),
            },
        }
    }

    /// An HTTP error of the server itself.
    pub(crate) fn error(status: u16, request_id: &str, kind: &str, message: &str) -> Self {
        Self::json(
            status,
            request_id,
            sse::error_body(kind, message, request_id),
        )
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        if let Response::Send { headers, .. } = &mut self.response {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// What a turn answers to a request. The label counts turns, so it names ids that repeat from
    /// run to run whatever the order of arrival was.
    pub(crate) fn of_turn(turn: &Turn, label: &str, request: &ApiRequest) -> Self {
        let request_id = turn
            .request_id
            .clone()
            .unwrap_or_else(|| format!("req_{label}"));
        let mut plan = match &turn.reply {
            Reply::Close => Self {
                delay: Duration::ZERO,
                response: Response::Close,
            },
            Reply::Json { status, body } => Self::json(*status, &request_id, body.to_string()),
            Reply::Error {
                status,
                kind,
                message,
            } => Self::error(*status, &request_id, kind, message),
            Reply::Message => Self::of_message(turn, label, &request_id, request),
        };
        plan.delay = turn.delay;
        for (name, value) in &turn.headers {
            plan = plan.header(name, value);
        }
        plan
    }

    fn of_message(turn: &Turn, label: &str, request_id: &str, request: &ApiRequest) -> Self {
        let model = turn.model.as_deref().or_else(|| request.model());
        let identity = Identity {
            message_id: turn
                .message_id
                .clone()
                .unwrap_or_else(|| format!("msg_{label}")),
            model: model.unwrap_or("scripted").to_owned(),
        };
        if request.wants_stream() {
            return Self::of_stream(turn, &identity, request_id);
        }
        let body = sse::whole_message(turn, &identity);
        let then = match &turn.ending {
            Ending::Complete => return Self::json(200, request_id, body),
            Ending::Error { kind, message, .. } => {
                return Self::error(status_of_error(kind), request_id, kind, message);
            }
            Ending::Cut { .. } => Then::Cut,
            Ending::Hang { .. } => Then::Hang,
        };
        let length = body.len();
        let half = Bytes::from(body).slice(..length / 2);
        let payload = Payload::Parts {
            parts: vec![half],
            between: Duration::ZERO,
            then,
        };
        let headers = vec![
            content_type("application/json"),
            request_id_header(request_id),
            ("content-length".to_owned(), length.to_string()),
        ];
        Self {
            delay: Duration::ZERO,
            response: Response::Send {
                status: 200,
                headers,
                payload,
            },
        }
    }

    fn of_stream(turn: &Turn, identity: &Identity, request_id: &str) -> Self {
        let mut parts: Vec<Bytes> = sse::events(turn, identity)
            .into_iter()
            .map(Bytes::from)
            .collect();
        let then = match &turn.ending {
            Ending::Complete => Then::End,
            Ending::Cut { after } => {
                parts.truncate(*after);
                Then::Cut
            }
            Ending::Hang { after } => {
                parts.truncate(*after);
                Then::Hang
            }
            Ending::Error {
                after,
                kind,
                message,
            } => {
                parts.truncate(*after);
                parts.push(sse::error_event(kind, message).into());
                Then::End
            }
        };
        let headers = vec![
            content_type("text/event-stream; charset=utf-8"),
            ("cache-control".to_owned(), "no-cache".to_owned()),
            request_id_header(request_id),
        ];
        let payload = Payload::Parts {
            parts,
            between: turn.delay_between,
            then,
        };
        Self {
            delay: Duration::ZERO,
            response: Response::Send {
                status: 200,
                headers,
                payload,
            },
        }
    }
}

fn content_type(value: &str) -> (String, String) {
    ("content-type".to_owned(), value.to_owned())
}

fn request_id_header(id: &str) -> (String, String) {
    ("request-id".to_owned(), id.to_owned())
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
