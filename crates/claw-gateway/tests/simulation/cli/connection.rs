//! What the CLI receives.

use serde_json::{Value, json};

use super::{Script, Stop};

impl Script {
    pub(super) async fn handle(&mut self, line: &Value) -> Result<(), Stop> {
        match line["type"].as_str() {
            Some("control_request") => self.control(line).await,
            Some("control_response") => {
                let response = &line["response"];
                let id = response["request_id"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned();
                self.received(&id);
                if self.open.contains_key(&id) {
                    self.answers.insert(id, response["response"].clone());
                }
                Ok(())
            }
            Some("user") => {
                let id = line["uuid"].as_str().unwrap_or_default().to_owned();
                self.received(&id);
                self.prompts.push_back(line.clone());
                self.lifecycle(&id, "queued").await
            }
            _ => Ok(()),
        }
    }

    /// Records a line that must be received once.
    fn received(&mut self, id: &str) {
        let life = self.life;
        self.recorder.note(format!("CLI {life} receives {id}"));
        let is_new = self.recorder.life(self.session, |life| {
            let is_new = life.received.iter().all(|one| one != id);
            life.received.push(id.to_owned());
            is_new
        });
        if !is_new {
            self.recorder
                .wrong(format!("CLI {life} received {id} twice"));
        }
    }

    async fn control(&mut self, line: &Value) -> Result<(), Stop> {
        let (id, request) = (&line["request_id"], &line["request"]);
        let mut payload = json!({});
        match request["subtype"].as_str() {
            Some("initialize") => {
                let hook = &request["hooks"]["PreToolUse"][0]["hookCallbackIds"][0];
                self.hook = Some(hook.clone()).filter(Value::is_string);
                self.is_initialized = true;
                payload = json!({"claude_code_version": "2.1.325",
                    "hook_on_failure_supported": true});
            }
            Some("interrupt") => {
                let queued: Vec<&Value> = self.prompts.iter().map(|one| &one["uuid"]).collect();
                payload = json!({"still_queued": queued});
                self.is_interrupted = true;
            }
            Some("end_session") => self.is_ended = true,
            _ => {}
        }
        let is_asked = |one: &&Value| one["request"]["subtype"] == "can_use_tool";
        let pending: Vec<&Value> = self.open.values().filter(is_asked).collect();
        let line = json!({"type": "control_response", "response": {
            "subtype": "success", "request_id": id, "response": payload,
            "pending_permission_requests": pending,
        }});
        self.print(&line).await
    }

    pub(super) async fn lifecycle(&mut self, prompt: &str, state: &str) -> Result<(), Stop> {
        let line = json!({"type": "command_lifecycle", "command_uuid": prompt, "state": state});
        self.print(&line).await
    }
}
