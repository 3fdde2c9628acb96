//! Mirrors a conversation to a session store, and resumes it without the original files.

#[path = "support/demo.rs"]
mod demo;

use std::sync::Arc;

use rusty_claw::Session;
use rusty_claw::store::DirectoryStore;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo =
        demo::model_with_real_cli([demo::says("I will remember 7."), demo::says("It was 7.")])?;

    // A database works as well: a store is a type with two methods.
    let shelf = tempfile::tempdir()?;
    let store = Arc::new(DirectoryStore::new(shelf.path()));
    let (session, messages) = Session::start(demo.options().session_store(store.clone())).await?;
    drop(messages);
    let outcome = session.send("Remember the number 7.").await?.await;
    println!("{}", outcome.text().unwrap_or("(no answer)"));
    let closed = session.close().await;
    let id = session.session_id().ok_or("the session has no id")?;
    let mirror = closed.mirror.ok_or("there is no store")?;
    println!("everything is in the store: {}", mirror.is_complete());

    // As on another machine: the session's own file is gone.
    demo.library()?.delete(&id)?;
    let (session, messages) =
        Session::start(demo.options().session_store(store).resume(id)).await?;
    drop(messages);
    let outcome = session.send("Which number?").await?.await;
    println!("{}", outcome.text().unwrap_or("(no answer)"));
    session.close().await;
    Ok(())
}
