//! Claude Code outside its terminal.

mod args;
mod exit;
mod printer;
mod progress;
mod sessions;
mod shell;
mod table;
mod words;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Args, Command};
use exit::Status;
use printer::Printer;

fn main() -> ExitCode {
    let args = Args::parse();
    let mut printer = Printer::new(args.color);
    let ran = match args.command {
        Command::Sessions(args) => sessions::run(args, &mut printer),
        Command::Completions { shell } => shell::completions(shell, &mut printer),
        Command::Man { folder } => shell::man_pages(&folder),
    };
    exit::code(ran.and_then(|status| {
        printer.finish()?;
        Ok::<Status, anyhow::Error>(status)
    }))
}
