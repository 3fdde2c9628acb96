//! Prints an answer while it is streaming.

#[path = "support/demo.rs"]
mod demo;

use std::io::Write as _;

use rusty_claw::{TextPiece, query};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model([demo::says(
        "The crab walked sideways, and so the story ended.",
    )])?;

    let options = demo.options().include_partial_messages(true);
    let mut pieces = query("Tell me a very short story.", options)
        .await?
        .text_stream();
    while let Some(piece) = pieces.next().await {
        match piece? {
            TextPiece::Text { text, .. } => print!("{text}"),
            // The stream broke and starts over: a terminal user interface would clear the block.
            TextPiece::Retracted { .. } => print!("\n[again] "),
            _ => {}
        }
        std::io::stdout().flush()?;
    }
    println!();
    Ok(())
}
