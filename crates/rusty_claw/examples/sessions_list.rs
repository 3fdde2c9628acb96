//! Lists, reads, renames and deletes sessions on disk without starting the CLI.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::query;
use rusty_claw::sessions::{MessageFilter, SessionFilter};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model_with_real_cli([demo::says("Lisbon.")])?;
    query("What is the capital of Portugal?", demo.options())
        .await?
        .text()
        .await?;

    let library = demo.library()?;
    for session in library.list(&SessionFilter::new().programmatic(true))? {
        library.rename(&session.session_id, "Capitals")?;
        for message in library.messages(&session.session_id, &MessageFilter::new())? {
            let said = message.to_message();
            let blocks = said.iter().flat_map(|message| message.content_blocks());
            println!("{}: {} blocks", message.role.as_str(), blocks.count());
        }
        let info = library.info(&session.session_id)?;
        println!(
            "title: {}",
            info.and_then(|info| info.custom_title).unwrap_or_default()
        );
        library.delete(&session.session_id)?;
    }
    println!(
        "left: {}",
        library
            .list(&SessionFilter::new().programmatic(true))?
            .len()
    );
    Ok(())
}
