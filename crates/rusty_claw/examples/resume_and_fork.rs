//! Resumes a conversation in a new process, and forks it.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::{Options, Session, Str};

/// Sends one prompt in a new session; returns the session id.
async fn one(prompt: &str, options: Options) -> Result<Str, Box<dyn std::error::Error>> {
    let (session, messages) = Session::start(options).await?;
    drop(messages); // only the outcome is wanted
    let outcome = session.send(prompt).await?.await;
    println!("{}", outcome.text().unwrap_or("(no answer)"));
    session.close().await;
    session
        .session_id()
        .ok_or_else(|| "the session has no id".into())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model_with_real_cli([
        demo::says("I will remember 7."),
        demo::says("It was 7."),
        demo::says("Now it is 8."),
    ])?;

    let first = one("Remember the number 7.", demo.options()).await?;
    let again = one("Which number?", demo.options().resume(first.clone())).await?;
    println!("resumed under the same id: {}", first == again);

    let copy = demo.options().resume(first.clone()).fork_session(true);
    let forked = one("Make it 8.", copy).await?;
    println!("forked under the same id: {}", first == forked);
    Ok(())
}
