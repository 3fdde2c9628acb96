//! Functions of this program as tools: a plain function, and a method with state.

#[path = "support/demo.rs"]
mod demo;

use std::sync::{Arc, Mutex, PoisonError};

use rusty_claw::mcp::{McpServer, ToolError, tool, tools};
use rusty_claw::query;
use serde_json::json;

/// Divides one number by another.
#[tool(read_only)]
async fn divide(
    /// What is divided.
    dividend: f64,
    /// By what; not zero.
    divisor: f64,
) -> Result<f64, ToolError> {
    println!("divide({dividend}, {divisor})");
    if divisor == 0.0 {
        return Err(ToolError::new("The divisor is 0; give another."));
    }
    Ok(dividend / divisor)
}

/// The notes that the model has written.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

#[tools]
impl Notes {
    /// Writes a note; returns how many there are.
    #[tool]
    async fn note(&self, text: String) -> usize {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push(text);
        notes.len()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model([
        demo::calls(
            "mcp__calc__divide",
            json!({"dividend": 84.0, "divisor": 2.0}),
        ),
        demo::calls("mcp__calc__note", json!({"text": "84 / 2 = 42"})),
        demo::says("84 / 2 is 42."),
    ])?;

    let notes = Arc::new(Notes::default());
    let calc = McpServer::new("calc")
        .tool(divide)
        .tool_set(Arc::clone(&notes));
    let options = demo
        .options()
        .allowed_tools(calc.tool_names())
        .mcp_server(calc);
    let prompt = "What is 84 / 2? Use the divide tool, and note the result.";
    println!("{}", query(prompt, options).await?.text().await?);
    println!(
        "notes: {:?}",
        notes.0.lock().map_err(|_| "a tool panicked")?
    );
    Ok(())
}
