//! An answer as a typed value.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::query_as;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// The requested answer. The doc comments describe the fields to the model.
#[derive(Debug, Deserialize, JsonSchema)]
struct Review {
    /// One sentence.
    summary: String,
    /// From 0 to 10.
    severity: u8,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let answer = json!({"summary": "An index may be out of bounds.", "severity": 7});
    let demo = demo::model([
        demo::calls("StructuredOutput", answer),
        demo::says("That is my review."),
    ])?;

    let prompt = "Review this code: fn last(v: &[u8]) -> u8 { v[v.len() - 1] }";
    let review: Review = query_as(prompt, demo.options()).await?;
    println!("{} ({} of 10)", review.summary, review.severity);
    Ok(())
}
