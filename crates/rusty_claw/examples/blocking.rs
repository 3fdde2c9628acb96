//! The same without async, for scripts.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::blocking;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model([demo::says("Hello, Ada."), demo::says("Your name is Ada.")])?;

    let session = blocking::Session::start(demo.options())?;
    println!("{}", session.ask("My name is Ada.")?.into_text()?);

    let mut turn = session.chat("What is my name?")?;
    let mut messages = 0;
    while turn.next_message()?.is_some() {
        messages += 1;
    }
    println!("{}", turn.outcome()?.into_text()?);
    eprintln!("({messages} messages)");
    session.close()?;
    Ok(())
}
