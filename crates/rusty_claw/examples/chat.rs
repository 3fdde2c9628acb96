//! A conversation of several turns, with what each turn cost.

#[path = "support/demo.rs"]
mod demo;

use std::pin::pin;

use rusty_claw::messages::{ContentBlock, Message};
use rusty_claw::{Received, Session};

fn show(received: &Received) {
    let Message::Assistant(assistant) = &received.message else {
        return;
    };
    for block in &assistant.message.content {
        if let ContentBlock::Text { text, .. } = block {
            println!("Claude: {text}");
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model([demo::says("Hello, Ada."), demo::says("Your name is Ada.")])?;

    let (session, mut messages) = Session::start(demo.options()).await?;
    for prompt in ["My name is Ada.", "What is my name?"] {
        println!("You: {prompt}");
        let mut turn = pin!(session.send(prompt).await?.outcome());
        // Messages first: a turn's outcome is told when its messages are there to be read.
        let outcome = loop {
            tokio::select! {
                biased;
                Some(received) = messages.next_message() => show(&received),
                outcome = &mut turn => break outcome,
            }
        };
        let cost = outcome.report().and_then(|report| report.cost_usd);
        eprintln!("({outcome}, ${:.4})", cost.unwrap_or_default());
    }
    println!("closed by {}", session.close().await.by);
    Ok(())
}
