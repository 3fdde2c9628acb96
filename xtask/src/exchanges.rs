//! Which answer of a recording belongs to which request.

use std::collections::HashMap;

use rusty_claw_protocol::control::ControlRequest;
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::{Json, Str};

/// The payloads of successful answers, each with the request on the other side that it answers.
pub(crate) fn pairs<'a>(
    asked: &'a [Message],
    answered: &'a [Message],
) -> impl Iterator<Item = (&'a ControlRequest, &'a Json)> {
    let requests: HashMap<&Str, &ControlRequest> = asked
        .iter()
        .filter_map(|message| match message {
            Message::ControlRequest {
                request_id,
                request,
                ..
            } => Some((request_id, request)),
            _ => None,
        })
        .collect();
    answered.iter().filter_map(move |message| match message {
        Message::ControlResponse {
            request_id,
            response,
            ..
        } => Some((*requests.get(request_id)?, response.payload()?)),
        _ => None,
    })
}
