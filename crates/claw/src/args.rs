//! What the program can be asked.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::printer::ColorChoice;
use crate::sessions::SessionsArgs;

/// Claude Code outside its terminal.
#[derive(Debug, Parser)]
#[command(
    name = "claw",
    version,
    about,
    long_about = "Claude Code outside its terminal.\n\n\
        Looks after the session files that Claude Code keeps: lists, shows, checks, repairs, \
        counts, searches and exports them. Reads only, unless a command says otherwise, and never \
        changes a file of the CLI.",
    after_help = "Start with: claw sessions",
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
    /// Inspect, check, repair, search and export Claude Code session files.
    Sessions(SessionsArgs),
    /// Print completions for a shell.
    ///
    /// For example: claw completions bash > ~/.local/share/bash-completion/completions/claw
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write manual pages into a folder.
    Man {
        /// The folder; made when it is not there.
        folder: PathBuf,
    },
}
