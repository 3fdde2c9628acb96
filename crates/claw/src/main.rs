//! Claude Code outside its terminal.

mod args;
mod connect;
mod data;
mod devices;
mod doctor;
mod exit;
mod printer;
mod progress;
mod remote;
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
use remote::RemoteCommand;

fn main() -> ExitCode {
    let args = settings::parse();
    let mut printer = Printer::new(args.color);
    let ran = match args.command {
        Command::Serve(args) => serve::run(*args, &mut printer),
        Command::Devices(args) => devices::run(&args, &mut printer),
        Command::Doctor(args) => doctor::run(&args, &mut printer),
        Command::Run(args) => remote::run(RemoteCommand::Run(args), &mut printer),
        Command::Attach(args) => remote::run(RemoteCommand::Attach(args), &mut printer),
        Command::Inbox(args) => remote::run(RemoteCommand::Inbox(args), &mut printer),
        Command::Approve(args) => remote::run(RemoteCommand::Approve(args), &mut printer),
        Command::Stop(args) => remote::run(RemoteCommand::Stop(args), &mut printer),
        Command::Sessions(args) => sessions::run(args, &mut printer),
        Command::Hold => claw_gateway::hold()
            .map(|()| Status::Fine)
            .map_err(anyhow::Error::from),
        Command::Completions { shell } => shell::completions(shell, &mut printer),
        Command::Man { folder } => shell::man_pages(&folder),
    };
    exit::code(ran.and_then(|status| {
        printer.finish()?;
        Ok::<Status, anyhow::Error>(status)
    }))
}
