//! Small MCP servers for tests: `calc` is spoken over `mcp_message` frames, `lab` over stdio.
//! Their results are in `lab.json`.

use std::io::{BufRead, Write};
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

/// The results by method, and for each tool of `lab`: notifications that it sends before, how long
/// it waits, and its result or what it asks the user.
static RESULTS: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("lab.json")).unwrap_or_default());

/// The answer of the in-process server `calc` to one JSON-RPC message.
pub(crate) fn calc(message: &Value) -> Value {
    let id = message.get("id").cloned().unwrap_or(json!(0));
    let params = &message["params"];
    let method = message["method"].as_str().unwrap_or_default();
    let result = match (method, params["name"].as_str()) {
        ("tools/call", Some("add")) => {
            let number = |key: &str| params["arguments"][key].as_i64().unwrap_or_default();
            let sum = number("a") + number("b");
            json!({"content": text(&sum.to_string()), "structuredContent": {"sum": sum}})
        }
        ("tools/call", _) => {
            let error = json!({"code": -32000, "message": "it went boom"});
            return json!({"jsonrpc": "2.0", "id": id, "error": error});
        }
        _ => RESULTS["calc"].get(method).cloned().unwrap_or(json!({})),
    };
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// Serves the stdio server `lab` until its stdin ends.
pub(crate) fn serve() -> Result<()> {
    let mut lab = Lab {
        out: std::io::stdout(),
        asked: 0,
        waiting: None,
    };
    for line in std::io::stdin().lock().lines() {
        lab.handle(&serde_json::from_str(&line?)?)?;
    }
    Ok(())
}

struct Lab<W> {
    out: W,
    /// Requests sent to the client so far.
    asked: u64,
    /// The tool call that waits for the client's answer, and whether it asked to open a page.
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

    fn handle(&mut self, message: &Value) -> Result<()> {
        let (id, params) = (&message["id"], &message["params"]);
        match message["method"].as_str() {
            Some("tools/call") => self.call(id, params),
            Some(_) if id.is_null() => Ok(()),
            Some(method) => {
                let mut result = RESULTS["lab"].get(method).cloned().unwrap_or(json!({}));
                if method == "initialize" {
                    result["protocolVersion"] = params["protocolVersion"].clone();
                }
                self.result(id, &result)
            }
            None => self.answered(message),
        }
    }

    fn call(&mut self, id: &Value, params: &Value) -> Result<()> {
        let name = params["name"].as_str().unwrap_or_default();
        if name == "echo" {
            let echo = params["arguments"]["text"].as_str().unwrap_or_default();
            return self.result(id, &json!({"content": text(echo)}));
        }
        let tool = &RESULTS["tools"][name];
        for notification in tool["before"].as_array().into_iter().flatten() {
            let mut notification = notification.clone();
            if let Some(token) = notification.pointer_mut("/params/progressToken") {
                *token = params["_meta"]["progressToken"].clone();
            }
            self.send(&notification)?;
        }
        if let Some(time) = tool["wait_ms"].as_u64() {
            std::thread::sleep(Duration::from_millis(time));
        }
        if let Some(params) = tool.get("ask") {
            self.asked += 1;
            self.waiting = Some((id.clone(), params["mode"] == "url"));
            let own_id = format!("lab-{}", self.asked);
            return self.send(&json!({"jsonrpc": "2.0", "id": own_id, "method": "elicitation/create", "params": params}));
        }
        if let Some(result) = tool.get("result") {
            return self.result(id, result);
        }
        let error = json!({"code": -32602, "message": format!("no tool {name}")});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
    }

    /// Ends the tool call that waits for this answer.
    fn answered(&mut self, message: &Value) -> Result<()> {
        let Some((call, is_page)) = self.waiting.take() else {
            return Ok(());
        };
        if is_page {
            self.send(&json!({"jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": {"elicitationId": "el-1"}}))?;
        }
        let answer = message.get("result").or_else(|| message.get("error"));
        let answer = answer.cloned().unwrap_or_default().to_string();
        self.result(&call, &json!({"content": text(&answer)}))
    }
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calc_adds_and_fails_on_demand() {
        let ask = |name: &str| json!({"id": 7, "method": "tools/call", "params": {"name": name, "arguments": {"a": 2, "b": 3}}});
        assert_eq!(calc(&ask("add"))["result"]["structuredContent"]["sum"], 5);
        assert_eq!(calc(&ask("boom"))["error"]["message"], "it went boom");
        let listed = calc(&json!({"id": 1, "method": "tools/list"}));
        assert_eq!(listed["result"]["tools"][1]["name"], "boom");
    }

    fn replies(messages: &[Value]) -> Result<Vec<Value>> {
        let mut lab = Lab {
            out: Vec::new(),
            asked: 0,
            waiting: None,
        };
        for message in messages {
            lab.handle(message)?;
        }
        let lines = lab
            .out
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        Ok(lines
            .map(serde_json::from_slice)
            .collect::<Result<_, _>>()?)
    }

    #[test]
    fn every_listed_tool_answers_or_asks() -> Result<()> {
        let listed = replies(&[json!({"id": 1, "method": "tools/list"})])?;
        let tools = listed[0]["result"]["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 9);
        for tool in tools {
            let params = json!({"name": tool["name"], "_meta": {"progressToken": 5}});
            let replies = replies(&[json!({"id": 3, "method": "tools/call", "params": params})])?;
            let last = replies.last().unwrap();
            assert!(last["result"]["content"].is_array() || last["method"] == "elicitation/create");
        }
        Ok(())
    }

    #[test]
    fn lab_completes_a_url_elicitation() -> Result<()> {
        let lines = replies(&[
            json!({"id": 3, "method": "tools/call", "params": {"name": "ask_url"}}),
            json!({"id": "lab-1", "result": {"action": "accept"}}),
        ])?;
        assert_eq!(lines[0]["method"], "elicitation/create");
        assert_eq!(lines[1]["method"], "notifications/elicitation/complete");
        assert_eq!(lines[2]["id"], 3);
        Ok(())
    }
}
