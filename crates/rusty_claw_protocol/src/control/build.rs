//! Constructors for the frames that a host sends.

use serde::Serialize;

use super::{ControlRequest, ControlResponse, PendingPrompts};
use crate::extra::Extra;
use crate::json::Json;
use crate::message::{ControlForm, Message};
use crate::text::Str;

impl Message {
    /// Returns a request in the layout that the CLI reads.
    ///
    /// ```
    /// use rusty_claw_protocol::control::Interrupt;
    /// use rusty_claw_protocol::messages::Message;
    ///
    /// let frame = Message::control_request("r1", Interrupt::default());
    /// assert_eq!(
    ///     serde_json::to_string(&frame)?,
    ///     r#"{"type":"control_request","request_id":"r1","request":{"subtype":"interrupt"}}"#,
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn control_request(request_id: impl Into<Str>, request: impl Into<ControlRequest>) -> Self {
        Self::ControlRequest {
            request_id: request_id.into(),
            request: request.into(),
            form: ControlForm::Nested,
            extra: Extra::new(),
        }
    }

    /// Returns the response to a request in the layout that the CLI reads.
    pub fn control_response(request_id: impl Into<Str>, response: ControlResponse) -> Self {
        Self::ControlResponse {
            request_id: request_id.into(),
            response,
            form: ControlForm::Nested,
            extra: Extra::new(),
        }
    }
}

impl ControlResponse {
    /// Returns a success with a payload.
    ///
    /// # Errors
    /// Returns an error if the payload cannot be serialized.
    ///
    /// ```
    /// use rusty_claw_protocol::control::{ControlResponse, PermissionResult};
    /// use rusty_claw_protocol::messages::Message;
    ///
    /// let answer = ControlResponse::success(&PermissionResult::deny("Not here"))?;
    /// assert_eq!(
    ///     serde_json::to_string(&Message::control_response("r2", answer))?,
    ///     concat!(
    ///         r#"{"type":"control_response","response":{"request_id":"r2","subtype":"success","#,
    ///         r#""response":{"behavior":"deny","message":"Not here"}}}"#,
    ///     ),
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn success(payload: &impl Serialize) -> serde_json::Result<Self> {
        Ok(Self::Success {
            response: Some(Json::from_serialize(payload)?),
            allowed: None,
            reason: None,
            pending: Box::default(),
            extra: Extra::new(),
        })
    }

    /// Returns a success without a payload.
    pub fn done() -> Self {
        Self::Success {
            response: None,
            allowed: None,
            reason: None,
            pending: Box::default(),
            extra: Extra::new(),
        }
    }

    /// Returns a failure.
    pub fn error(error: impl Into<String>) -> Self {
        Self::Error {
            error: error.into(),
            error_code: None,
            pending: Box::default(),
            extra: Extra::new(),
        }
    }

    /// Returns the payload of a success, if it has one.
    pub fn payload(&self) -> Option<&Json> {
        match self {
            Self::Success { response, .. } => response.as_ref(),
            Self::Error { .. } | Self::Unknown(_) => None,
        }
    }

    /// Returns the pending interactions; `None` for an unrecognized outcome.
    pub fn pending(&self) -> Option<&PendingPrompts> {
        match self {
            Self::Success { pending, .. } | Self::Error { pending, .. } => Some(pending),
            Self::Unknown(_) => None,
        }
    }
}
