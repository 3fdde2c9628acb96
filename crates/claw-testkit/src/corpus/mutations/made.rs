//! Clean sessions in the document's dialect, one for each flow that it draws.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// A session that was made by hand.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MadeSession {
    /// The flow that it shows.
    pub name: &'static str,
    /// Its lines.
    pub text: String,
}

/// One clean session for each flow of the document.
pub fn document_sessions() -> Vec<MadeSession> {
    vec![
        made("linear", |s| {
            s.user("Please help me write a script");
            s.reply("I'll help you.");
            s.user("Make it short");
            s.reply("Done.");
        }),
        made("tool use", |s| {
            s.user("Write a file");
            s.reply("I write it.");
            s.call("Write");
            s.result("File created");
            s.reply("It is there.");
            s.call("Read");
            s.result("#!/usr/bin/env python3");
            s.reply("And it is right.");
        }),
        made("parallel", |s| {
            s.user("Look at three files");
            let calls = [s.call("Read"), s.call("Grep"), s.call("Glob")];
            for call in calls {
                s.under(&call);
                s.result("found");
            }
            s.reply("All three are there.");
        }),
        made("sidechain", |s| {
            s.user("Have the code reviewed");
            s.reply("I ask for a review.");
            s.side = true;
            s.user("Analyze this code for potential improvements");
            s.reply("I look at it.");
            s.call("Read");
            s.result("fn main() {}");
            s.reply("It is fine.");
            s.side = false;
            s.reply("The review says that it is fine.");
        }),
        made("task", |s| {
            s.user("Have the code reviewed");
            s.call("Task");
            s.side = true;
            s.user("Analyze this code for potential improvements");
            s.call("Read");
            s.result("fn main() {}");
            s.reply("It is fine.");
            s.side = false;
            s.result("It is fine.");
            s.reply("The review says that it is fine.");
        }),
        made("error recovery", |s| {
            s.user("Write to a protected path");
            s.reply("I try.");
            s.call("Write");
            s.add(json!({
                "type": "system", "subtype": "error", "isError": true,
                "message": "Error: Permission denied",
            }));
            s.reply("I take another way.");
            s.call("Bash");
            s.result("written");
        }),
        made("compaction", |s| {
            s.user("/compact");
            s.add(json!({ "type": "compact_system", "message": "conversation_compacting" }));
            s.add(json!({
                "type": "compact_system", "message": "conversation_compacted",
                "metadata": {
                    "preservedMessages": 15, "totalMessages": 150, "compressionRatio": 0.1,
                },
            }));
            s.reply("The conversation is shorter now.");
        }),
        made("edit branch", |s| {
            s.user("one");
            let fork = s.reply("two");
            s.user("three");
            s.reply("four");
            s.under(&fork);
            s.user("three again");
            s.reply("four again");
        }),
        made("restoration", |s| {
            s.user("Go back to before the compaction");
            s.add(json!({ "type": "compact_system", "message": "conversation_restoring" }));
            s.add(json!({
                "type": "compact_system", "message": "conversation_restored",
                "metadata": { "totalMessages": 150 },
            }));
            s.reply("All of it is here again.");
        }),
        made("all flags", |s| {
            s.add(json!({
                "type": "user", "message": "Never mind", "isDeleted": true, "isMeta": false,
            }));
            s.add(json!({
                "type": "assistant", "subtype": "response", "message": "As you", "isAborted": true,
            }));
            s.side = true;
            s.add(json!({ "type": "user", "message": "Look", "userType": "external" }));
            s.reply("I looked.");
            s.side = false;
            s.reply("It was looked at.");
        }),
        made("all subtypes", |s| {
            s.user("Think");
            s.add(json!({
                "type": "assistant", "subtype": "thinking", "message": "Let me see",
            }));
            s.add(json!({ "type": "assistant", "subtype": "command", "command": "/status" }));
            s.add(json!({ "type": "system", "subtype": "meta", "isMeta": true }));
            s.add(json!({ "type": "system", "message": "Status: all is well" }));
            s.add(json!({ "type": "assistant", "subtype": "error", "message": "It failed" }));
        }),
    ]
}

/// Writes a session line by line.
struct Writer {
    text: String,
    count: u32,
    parent: Option<String>,
    side: bool,
}

fn made(name: &'static str, write: impl FnOnce(&mut Writer)) -> MadeSession {
    let mut writer = Writer {
        text: String::new(),
        count: 0,
        parent: None,
        side: false,
    };
    write(&mut writer);
    MadeSession {
        name,
        text: writer.text,
    }
}

impl Writer {
    fn add(&mut self, mut line: Value) -> String {
        self.count += 1;
        let uuid = format!("msg-{:03}", self.count);
        line["uuid"] = json!(uuid);
        line["timestamp"] = json!(format!("2025-01-27T10:00:{:02}Z", self.count));
        line["sessionId"] = json!("session-123");
        if let Some(parent) = &self.parent {
            line["parentUuid"] = json!(parent);
        }
        if self.side {
            line["isSidechain"] = json!(true);
        }
        let _ = writeln!(self.text, "{line}");
        self.parent = Some(uuid.clone());
        uuid
    }

    /// The next line hangs under this one.
    fn under(&mut self, uuid: &str) {
        self.parent = Some(uuid.to_owned());
    }

    fn user(&mut self, text: &str) {
        self.add(json!({ "type": "user", "message": text }));
    }

    fn reply(&mut self, text: &str) -> String {
        self.add(json!({ "type": "assistant", "subtype": "response", "message": text }))
    }

    fn call(&mut self, tool: &str) -> String {
        self.add(json!({
            "type": "assistant", "subtype": "tool_use",
            "toolName": tool, "toolArguments": { "path": "src/main.rs" },
        }))
    }

    fn result(&mut self, text: &str) {
        self.add(json!({ "type": "system", "subtype": "tool_result", "message": text }));
    }
}
