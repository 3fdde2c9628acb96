//! The same without async, for scripts.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::blocking;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model([demo::says("Hello, Ada."), demo::says("Your name is Ada.")])?;

    let session = blocking::Session::start(demo.options())?;
    for prompt in ["My name is Ada.", "What is my name?"] {
        println!("{}", session.ask(prompt)?.into_text()?);
    }
    session.close()?;
    Ok(())
}
