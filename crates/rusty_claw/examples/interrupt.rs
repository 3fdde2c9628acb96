//! Interrupts a turn while the answer is streaming.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::{Session, TextStream};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model([demo::says_slowly(
        "One, two, three, four, five, six, seven, eight, nine, ten.",
    )])?;

    let options = demo.options().include_partial_messages(true);
    let (session, _) = Session::start(options).await?;
    let turn = session.send("Count to a thousand, in words.").await?;
    let mut messages = turn.messages();

    // Interrupt after the first piece of text.
    let piece = TextStream::new(&mut messages).next().await;
    println!("heard something: {}", piece.is_some());
    session.interrupt().await?;
    println!("{}", messages.outcome().await);

    session.close().await;
    Ok(())
}
