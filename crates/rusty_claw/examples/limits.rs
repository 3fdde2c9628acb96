//! A turn that exceeds its timeout is stopped and reports it.

#[path = "support/demo.rs"]
mod demo;

use std::time::Duration;

use rusty_claw::{TurnOutcome, query};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let long = "word ".repeat(400);
    let demo = demo::model([demo::says_slowly(&long)])?;

    let options = demo
        .options()
        .turn_timeout(Duration::from_secs(1))
        .max_budget_usd(0.50);
    let outcome = query("Write a very long poem.", options)
        .await?
        .outcome()
        .await;
    match &outcome {
        TurnOutcome::TimedOut { .. } => println!("{outcome}"),
        other => println!("not stopped: {other}"),
    }
    Ok(())
}
