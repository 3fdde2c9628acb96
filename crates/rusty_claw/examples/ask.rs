//! One question, one answer.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::query;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model([demo::says("2 + 2 is 4.")])?;

    let answer = query("What is 2 + 2?", demo.options())
        .await?
        .text()
        .await?;
    println!("{answer}");
    Ok(())
}
