//! Functions of this program as tools of the model.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::mcp::{McpServer, ToolError, tool};
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

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model([
        demo::calls(
            "mcp__calc__divide",
            json!({"dividend": 84.0, "divisor": 2.0}),
        ),
        demo::says("84 / 2 is 42."),
    ])?;

    let calc = McpServer::new("calc").tool(divide);
    let options = demo
        .options()
        .allowed_tools(calc.tool_names())
        .mcp_server(calc);
    let prompt = "What is 84 / 2? Use the divide tool.";
    println!("{}", query(prompt, options).await?.text().await?);
    Ok(())
}
