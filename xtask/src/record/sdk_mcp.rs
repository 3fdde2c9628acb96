//! A small MCP server: spoken over `mcp_message` frames, and over stdio for `--mcp-server`.

use std::io::{BufRead, Write};

use anyhow::Result;
use serde_json::{Value, json};

/// The answer of the in-process server `calc` to one JSON-RPC message.
pub(super) fn respond(message: &Value) -> Value {
    let id = message.get("id").cloned().unwrap_or(json!(0));
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {"listChanged": true}},
            "serverInfo": {"name": "calc", "version": "1.0"},
        }),
        "tools/list" => json!({"tools": calc_tools()}),
        "tools/call" => match message["params"]["name"].as_str() {
            Some("add") => {
                let number = |key: &str| {
                    message["params"]["arguments"][key]
                        .as_i64()
                        .unwrap_or_default()
                };
                let sum = number("a") + number("b");
                json!({"content": [{"type": "text", "text": sum.to_string()}], "structuredContent": {"sum": sum}})
            }
            _ => {
                return json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32000, "message": "it went boom"}});
            }
        },
        _ => json!({}),
    };
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The tools of `calc`, also sent as a manifest.
pub(super) fn calc_tools() -> Value {
    let numbers = json!({"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]});
    json!([
        {"name": "add", "description": "add two numbers", "inputSchema": numbers, "annotations": {"readOnlyHint": true}},
        {"name": "boom", "description": "always fails", "inputSchema": {"type": "object", "properties": {}}},
    ])
}

/// Serves the stdio server `lab` until its stdin ends.
pub(super) fn serve_stdio() -> Result<()> {
    let mut lab = Lab {
        out: std::io::stdout(),
        asked: 0,
        waiting: None,
    };
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        lab.handle(&message)?;
    }
    Ok(())
}

struct Lab<W> {
    out: W,
    /// Requests sent to the client so far.
    asked: u64,
    /// The tool call that waits for the client's answer to an elicitation.
    waiting: Option<(Value, bool)>,
}

impl<W: Write> Lab<W> {
    fn send(&mut self, message: &Value) -> Result<()> {
        writeln!(self.out, "{message}")?;
        Ok(self.out.flush()?)
    }

    fn result(&mut self, id: &Value, result: &Value) -> Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }

    fn text(&mut self, id: &Value, text: &str) -> Result<()> {
        self.result(id, &json!({"content": [{"type": "text", "text": text}]}))
    }

    fn handle(&mut self, message: &Value) -> Result<()> {
        let id = &message["id"];
        match message["method"].as_str() {
            Some("initialize") => self.result(id, &json!({
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {"listChanged": true}, "prompts": {}, "resources": {}, "logging": {}},
                "serverInfo": {"name": "lab", "version": "0.1"},
                "instructions": "A laboratory.",
            })),
            Some("tools/list") => self.result(id, &json!({"tools": lab_tools()})),
            Some("prompts/list") => self.result(id, &json!({"prompts": [{"name": "greet", "description": "greets", "arguments": [{"name": "who", "required": true}]}]})),
            Some("prompts/get") => self.result(id, &json!({"messages": [{"role": "user", "content": {"type": "text", "text": "Greet them."}}]})),
            Some("resources/list") => self.result(id, &json!({"resources": [{"uri": "lab://notes", "name": "notes", "mimeType": "text/plain"}]})),
            Some("resources/templates/list") => self.result(id, &json!({"resourceTemplates": []})),
            Some("resources/read") => self.result(id, &json!({"contents": [{"uri": message["params"]["uri"], "mimeType": "text/plain", "text": "a note"}]})),
            Some("tools/call") => self.call(id, &message["params"]),
            Some(_) if id.is_null() => Ok(()),
            Some(_) => self.result(id, &json!({})),
            None => self.answered(message),
        }
    }

    fn call(&mut self, id: &Value, params: &Value) -> Result<()> {
        match params["name"].as_str().unwrap_or_default() {
            "echo" => self.text(id, params["arguments"]["text"].as_str().unwrap_or_default()),
            "image" => self.result(id, &json!({"content": [{"type": "image", "data": PIXEL, "mimeType": "image/png"}, {"type": "text", "text": "a pixel"}]})),
            "link" => self.result(id, &json!({"content": [
                {"type": "resource_link", "uri": "lab://notes", "name": "notes"},
                {"type": "resource", "resource": {"uri": "lab://notes", "text": "a note", "mimeType": "text/plain"}},
            ]})),
            "fail" => self.result(id, &json!({"content": [{"type": "text", "text": "it failed"}], "isError": true})),
            "structured" => self.result(id, &json!({"content": [{"type": "text", "text": "{\"n\":1}"}], "structuredContent": {"n": 1}, "_meta": {"source": "lab"}})),
            "progress" => {
                let token = &params["_meta"]["progressToken"];
                self.send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": 1, "total": 2, "message": "half"}}))?;
                self.send(&json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "log line"}}))?;
                self.text(id, "done")
            }
            "ask_form" => self.elicit(id, false, &json!({
                "mode": "form",
                "message": "Please give your name",
                "requestedSchema": {"type": "object", "properties": {"name": {"type": "string", "title": "Name"}, "age": {"type": "integer"}}, "required": ["name"]},
            })),
            "ask_url" => self.elicit(id, true, &json!({"mode": "url", "message": "Please sign in", "url": "https://example.com/login", "elicitationId": "el-1"})),
            "hang" => {
                self.send(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))?;
                std::thread::sleep(std::time::Duration::from_millis(1500));
                self.text(id, "woke up")
            }
            other => self.send(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": format!("no tool {other}")}})),
        }
    }

    fn elicit(&mut self, call: &Value, url: bool, params: &Value) -> Result<()> {
        self.asked += 1;
        self.waiting = Some((call.clone(), url));
        self.send(&json!({"jsonrpc": "2.0", "id": format!("lab-{}", self.asked), "method": "elicitation/create", "params": params}))
    }

    fn answered(&mut self, message: &Value) -> Result<()> {
        let Some((call, url)) = self.waiting.take() else {
            return Ok(());
        };
        if url {
            self.send(&json!({"jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": {"elicitationId": "el-1"}}))?;
        }
        let answer = message
            .get("result")
            .or_else(|| message.get("error"))
            .cloned()
            .unwrap_or_default();
        self.text(&call, &answer.to_string())
    }
}

fn lab_tools() -> Value {
    let open = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let names = [
        "echo",
        "image",
        "link",
        "fail",
        "structured",
        "progress",
        "ask_form",
        "ask_url",
        "hang",
    ];
    names.map(|name| json!({"name": name, "description": format!("{name} for tests"), "inputSchema": open})).to_vec().into()
}

/// A PNG of one pixel.
pub(super) const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calc_adds_and_fails_on_demand() {
        let call = |name: &str| json!({"id": 7, "method": "tools/call", "params": {"name": name, "arguments": {"a": 2, "b": 3}}});
        assert_eq!(
            respond(&call("add"))["result"]["structuredContent"]["sum"],
            5
        );
        assert_eq!(respond(&call("boom"))["error"]["message"], "it went boom");
    }

    #[test]
    fn lab_completes_a_url_elicitation() -> Result<()> {
        let mut lab = Lab {
            out: Vec::new(),
            asked: 0,
            waiting: None,
        };
        lab.handle(&json!({"id": 3, "method": "tools/call", "params": {"name": "ask_url"}}))?;
        lab.handle(&json!({"id": "lab-1", "result": {"action": "accept"}}))?;
        let out = String::from_utf8(lab.out)?;
        let lines: Vec<Value> = out
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()?;
        assert_eq!(lines[0]["method"], "elicitation/create");
        assert_eq!(lines[1]["method"], "notifications/elicitation/complete");
        assert_eq!(lines[2]["id"], 3);
        Ok(())
    }
}
