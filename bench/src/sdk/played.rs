//! A CLI whose own memory is next to nothing.

use anyhow::Result;
use rusty_claw::transport::InMemoryCli;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// Plays a CLI: one real-sized greeting, one short turn.
///
/// # Errors
/// Returns an error if the host writes something else than JSON, or is gone.
pub async fn play_one_turn(cli: InMemoryCli) -> Result<InMemoryCli> {
    let mut cli = BufReader::with_capacity(1024, cli);
    let mut line = String::new();
    while cli.read_line(&mut line).await? > 0 {
        let asked: Value = serde_json::from_str(&line)?;
        line.clear();
        let prompted = asked["type"] == "user";
        let answers = if prompted {
            answer(&asked["uuid"])
        } else {
            vec![greeting(&asked["request_id"])]
        };
        for answer in answers {
            cli.write_all(format!("{answer}\n").as_bytes()).await?;
        }
        if prompted {
            break;
        }
    }
    Ok(cli.into_inner())
}

/// As long as the real one: about 17 KB, mostly descriptions of commands.
fn greeting(request_id: &Value) -> Value {
    let commands: Vec<Value> = (0..60)
        .map(|number| {
            json!({"name": format!("command-{number}"), "argumentHint": "", "builtin": true,
                "description": "What this command does, in about as many words as the real one has. ".repeat(3)})
        })
        .collect();
    json!({"type": "control_response", "response": {"subtype": "success", "request_id": request_id,
        "response": {"commands": commands, "claude_code_version": "2.1.325", "session_state": "idle"}}})
}

fn answer(uuid: &Value) -> Vec<Value> {
    let text = "A short answer. ".repeat(20);
    vec![
        json!({"type": "command_lifecycle", "command_uuid": uuid, "state": "started"}),
        json!({"type": "assistant", "session_id": "5e5e", "message": {"role": "assistant",
            "content": [{"type": "text", "text": text}]}}),
        json!({"type": "result", "subtype": "success", "is_error": false, "result": text,
            "session_id": "5e5e", "total_cost_usd": 0.1, "user_message_uuids": [uuid]}),
    ]
}
