//! Claude Code outside its terminal.

mod args;
mod connect;
mod data;
mod devices;
mod doctor;
mod exit;
mod printer;
mod progress;
mod serve;
mod sessions;
mod settings;
mod shell;
mod table;
mod words;

use std::process::ExitCode;

use args::Command;
use exit::Status;
use printer::Printer;

fn main() -> ExitCode {
    let args = settings::parse();
    let mut printer = Printer::new(args.color);
    let ran = match args.command {
        Command::Serve(args) => serve::run(*args, &mut printer),
        Command::Devices(args) => devices::run(&args, &mut printer),
        Command::Doctor(args) => doctor::run(&args, &mut printer),
        Command::Sessions(args) => sessions::run(args, &mut printer),
        Command::Completions { shell } => shell::completions(shell, &mut printer),
        Command::Man { folder } => shell::man_pages(&folder),
    };
    exit::code(ran.and_then(|status| {
        printer.finish()?;
        Ok::<Status, anyhow::Error>(status)
    }))
}
