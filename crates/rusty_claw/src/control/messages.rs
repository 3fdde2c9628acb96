//! The payloads of control frames.
//!
//! [`ControlRequest`] and [`ControlResponse`] are the payloads. The frames are
//! [`Message::ControlRequest`] and [`Message::ControlResponse`], which also hold the id that
//! matches a response to its request.
//!
//! ```
//! use rusty_claw::control::messages::{ControlForm, ControlResponse};
//! use rusty_claw::messages::Message;
//!
//! let line = r#"{"type":"control_response","request_id":"req_001","subtype":"success"}"#;
//! let Message::ControlResponse { request_id, response, form, .. } = Message::from_json(line)? else {
//!     panic!("not an answer");
//! };
//! assert_eq!(request_id, "req_001");
//! assert!(matches!(response, ControlResponse::Success { .. }));
//! // The CLI nests the payload; this line is laid out as one of the documents has it.
//! assert_eq!(form, ControlForm::Flat);
//! # Ok::<(), rusty_claw::DecodeError>(())
//! ```
//!
//! [`Message::ControlRequest`]: crate::messages::Message::ControlRequest
//! [`Message::ControlResponse`]: crate::messages::Message::ControlResponse

pub use rusty_claw_protocol::control::*;
pub use rusty_claw_protocol::messages::ControlForm;
