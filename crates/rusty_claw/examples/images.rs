//! An image and a document in a prompt.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::{Prompt, query};

/// One red pixel.
const RED: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\
\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model([demo::says("The picture is red, and the log has one error.")])?;

    let prompt = Prompt::text("Which colour is the picture? How many errors are in the log?")
        .image_bytes(RED)?
        .text_document("access.log", "GET / 200\nGET /shop 500\n");
    println!("{}", query(prompt, demo.options()).await?.text().await?);
    Ok(())
}
