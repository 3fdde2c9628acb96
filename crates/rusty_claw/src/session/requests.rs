//! Control requests and their responses.

use std::sync::atomic::Ordering;

use rusty_claw_protocol::control::{
    ControlRequest, ControlResponse, InitializeRequest, InitializeResponse, Verb,
};
use rusty_claw_protocol::{Json, Str};
use tokio::sync::{mpsc, oneshot};

use super::Session;
use crate::error::SessionError;
use crate::pump::command::Command;

impl Session {
    /// Sends a control request and waits for its response.
    ///
    /// Every request of the control protocol has its own method; this is for requests that have
    /// none yet.
    ///
    /// # Errors
    /// The session is over, the CLI refuses, or it does not answer in time.
    ///
    /// Dropping the future sends a cancellation to the CLI.
    pub async fn request<V: Verb>(&self, request: V) -> Result<V::Response, SessionError> {
        let response = self.ask(V::SUBTYPE, request.into()).await?;
        read_answer::<V>(response)
    }

    pub(crate) async fn ask(
        &self,
        verb: &'static str,
        request: ControlRequest,
    ) -> Result<ControlResponse, SessionError> {
        let number = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let id = Str::from(format!("{}-{number}", self.shared.id_prefix));
        let (reply, response) = oneshot::channel();
        let command = Command::Request {
            id: id.clone(),
            request: Box::new(request),
            reply,
        };
        if self.shared.commands.send(command).is_err() {
            return Err(self.over());
        }
        let forget = ForgetOnDrop {
            commands: &self.shared.commands,
            id: Some(id),
        };
        let after = self.shared.control_limit;
        match tokio::time::timeout(after, response).await {
            Ok(Ok(answer)) => {
                forget.answered();
                answer
            }
            Ok(Err(_)) => {
                forget.answered();
                Err(self.ended_soon().await)
            }
            Err(_) => Err(SessionError::TimedOut { verb, after }),
        }
    }

    /// Sends `initialize` again, with everything that is served here: hooks, in-process servers,
    /// dialogs. Handles the interactions that still wait for an answer, and returns the CLI's
    /// current reply.
    ///
    /// Sessions do this by themselves when they start and when they are attached.
    ///
    /// # Errors
    /// The session is over, the CLI refuses or does not support what is needed here, or it does not
    /// answer in time.
    ///
    /// Dropping the future sends a cancellation to the CLI.
    pub async fn reinitialize(&self) -> Result<InitializeResponse, SessionError> {
        let verb = InitializeRequest::SUBTYPE;
        // It was serialized from this type, so it can be read as one.
        let request: InitializeRequest = self.shared.initialize.view().unwrap_or_default();
        let response = self.ask(verb, request.into()).await?;
        if let ControlResponse::Success {
            response: Some(payload),
            ..
        } = &response
            && let Some(host) = self.shared.host.upgrade()
        {
            host.check(payload).map_err(|error| SessionError::Refused {
                verb,
                error,
                code: None,
            })?;
        }
        read_answer::<InitializeRequest>(response)
    }
}

/// Decodes the response to a request.
fn read_answer<V: Verb>(response: ControlResponse) -> Result<V::Response, SessionError> {
    let verb = V::SUBTYPE;
    match response {
        ControlResponse::Success { response, .. } => {
            // A plain acknowledgement has no payload.
            let payload = response.unwrap_or_else(|| Json::from_value(&serde_json::json!({})));
            payload
                .view()
                .ok_or_else(|| unreadable(verb, payload.text()))
        }
        ControlResponse::Error {
            error, error_code, ..
        } => Err(SessionError::Refused {
            verb,
            error,
            code: error_code.map(|code| code.as_str().to_owned()),
        }),
        other => Err(unreadable(verb, &format!("{other:?}"))),
    }
}

fn unreadable(verb: &'static str, answer: &str) -> SessionError {
    SessionError::Unreadable {
        verb,
        answer: answer.chars().take(200).collect(),
    }
}

/// Cancels a request when dropped, unless it was answered.
struct ForgetOnDrop<'a> {
    commands: &'a mpsc::UnboundedSender<Command>,
    id: Option<Str>,
}

impl ForgetOnDrop<'_> {
    fn answered(mut self) {
        self.id = None;
    }
}

impl Drop for ForgetOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            let _ = self.commands.send(Command::Forget { id });
        }
    }
}

#[cfg(test)]
mod tests {
    use rusty_claw_protocol::control::{SeedReadState, SetModel};

    use super::*;

    fn answer<V: Verb>(text: &str) -> Result<V::Response, SessionError> {
        use rusty_claw_protocol::messages::Message;
        let line = format!(r#"{{"type":"control_response","response":{text}}}"#);
        match Message::from_json(&line) {
            Ok(Message::ControlResponse { response, .. }) => read_answer::<V>(response),
            other => panic!("not an answer: {other:?}"),
        }
    }

    #[test]
    fn a_plain_acknowledgement_is_an_answer() {
        let bare = r#"{"subtype":"success","request_id":"1"}"#;
        answer::<SeedReadState>(bare).expect("an acknowledgement");
        assert_eq!(answer::<SetModel>(bare).expect("an answer").model, None);
    }

    #[test]
    fn a_refusal_names_the_verb_and_the_code() {
        let refusal =
            r#"{"subtype":"error","request_id":"1","error":"no","error_code":"invalid_mode"}"#;
        let error = answer::<SetModel>(refusal).expect_err("a refusal");
        assert!(
            matches!(&error, SessionError::Refused { verb: "set_model", code: Some(code), .. } if code == "invalid_mode"),
            "{error:?}"
        );
        let other = answer::<SetModel>(r#"{"subtype":"success","request_id":"1","response":7}"#);
        assert!(
            matches!(other, Err(SessionError::Unreadable { .. })),
            "{other:?}"
        );
    }
}
