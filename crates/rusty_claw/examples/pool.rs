//! Sessions that are started before they are needed.

#[path = "support/demo.rs"]
mod demo;

use std::time::Duration;

use rusty_claw::Pool;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model([demo::says("At your service.")])?;

    let pool = Pool::new(demo.options(), 1);
    while pool.ready() == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    println!("ready before anybody asks");
    let (session, messages) = pool.take().await?;
    drop(messages);
    let outcome = session.send("Are you there?").await?.await;
    println!("{}", outcome.text().unwrap_or("(no answer)"));
    session.close().await;
    pool.close().await;
    Ok(())
}
