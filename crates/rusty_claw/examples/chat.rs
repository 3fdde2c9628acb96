//! A conversation of several turns, with what each turn cost.

#[path = "support/demo.rs"]
mod demo;

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

    let (session, _) = Session::start(demo.options()).await?;
    for prompt in ["My name is Ada.", "What is my name?"] {
        println!("You: {prompt}");
        let mut turn = session.chat(prompt).await?;
        while let Some(received) = turn.next_message().await {
            show(&received);
        }
        let outcome = turn.outcome().await;
        let cost = outcome.report().and_then(|report| report.cost_usd);
        eprintln!("({outcome}, ${:.4})", cost.unwrap_or_default());
    }
    println!("closed by {}", session.close().await.by);
    Ok(())
}
