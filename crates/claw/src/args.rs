//! Command-line arguments.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::devices::DevicesArgs;
use crate::doctor::DoctorArgs;
use crate::printer::ColorChoice;
use crate::remote::{ApproveArgs, AttachArgs, InboxArgs, RunArgs, StopArgs};
use crate::serve::ServeArgs;
use crate::sessions::SessionsArgs;
use crate::settings::Settings;

/// Claude Code outside its terminal.
#[derive(Debug, Parser)]
#[command(
    name = "claw",
    version,
    about,
    long_about = "Claude Code outside its terminal.\n\n\
        Serves sessions to other programs and devices. Lists, shows, checks, repairs, searches and \
        exports the session files of Claude Code, and counts their tokens and costs. Never changes \
        a file of Claude Code.",
    after_help = "Start with: claw sessions, or claw serve",
    propagate_version = true
)]
pub(crate) struct Args {
    /// When to use colours.
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        value_name = "WHEN"
    )]
    pub(crate) color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run sessions, and let other programs and devices use them.
    Serve(Box<ServeArgs>),
    /// List the devices that may use the gateway, add and revoke them.
    Devices(DevicesArgs),
    /// Check what `claw serve` needs.
    Doctor(DoctorArgs),
    /// Send a prompt to a new session, and print the answer as it is written.
    Run(RunArgs),
    /// Follow a session in the terminal, answer its requests and send it prompts.
    Attach(AttachArgs),
    /// List what waits for an answer, in all sessions.
    Inbox(InboxArgs),
    /// Allow or deny requests that wait for an answer.
    Approve(ApproveArgs),
    /// Interrupt the running turn of a session, or end the session.
    Stop(StopArgs),
    /// Inspect, check, repair, search and export Claude Code session files.
    Sessions(SessionsArgs),
    /// Hold a CLI. `claw serve` starts this by itself.
    #[command(hide = true)]
    Hold,
    /// Print completions for a shell.
    ///
    /// For example: claw completions bash > ~/.local/share/bash-completion/completions/claw
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write manual pages into a folder.
    Man {
        /// The folder; created if it does not exist.
        folder: PathBuf,
    },
}

impl Command {
    /// Returns the settings, if the command has any.
    pub(crate) fn settings_mut(&mut self) -> Option<&mut Settings> {
        match self {
            Self::Serve(args) => Some(&mut args.settings),
            Self::Doctor(args) => Some(&mut args.settings),
            _ => None,
        }
    }
}
