//! `claw sessions`: commands for session files.

mod check;
mod export;
mod follow;
mod hide;
mod list;
mod overview;
mod redact;
mod repair;
mod scope;
mod search;
mod show;
mod tree;
mod usage;

use clap::{Args, Subcommand};

use crate::exit::Status;
use crate::printer::Printer;
use scope::Scope;

/// Inspect, check, repair, search and export Claude Code session files.
///
/// Without a command: print a summary of all sessions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  claw sessions                        summary of all sessions
  claw sessions list --here            sessions of this directory
  claw sessions show 4f0c              a conversation, by the start of its id
  claw sessions tree 4f0c              its branches and subagents
  claw sessions check                  report damaged files
  claw sessions repair 4f0c            show damage and the planned repair
  claw sessions search 'no such file'  find text in all sessions
  claw sessions usage --by day,model   tokens and costs
  claw sessions export 4f0c -o it.html a page to read and to share
  claw sessions redact 4f0c -o share   a copy without secrets
  claw sessions follow 4f0c            print new messages
  claw sessions list --json | jq .     for programs")]
pub(crate) struct SessionsArgs {
    #[command(flatten)]
    scope: Scope,
    #[command(subcommand)]
    command: Option<SessionsCommand>,
}

#[derive(Debug, Subcommand)]
enum SessionsCommand {
    /// List sessions, the newest first.
    List(list::ListArgs),
    /// Show a conversation.
    Show(show::ShowArgs),
    /// Draw a conversation with its branches and subagents.
    Tree(tree::TreeArgs),
    /// Check session files for damage.
    Check(check::CheckArgs),
    /// Write a repaired copy of a damaged session.
    Repair(repair::RepairArgs),
    /// Search messages, tool calls and results.
    Search(search::SearchArgs),
    /// Count tokens and costs.
    Usage(usage::UsageArgs),
    /// Write sessions as HTML, Markdown or JSON.
    Export(Box<export::ExportArgs>),
    /// Leave messages out of exports, without changing the file.
    Hide(hide::HideArgs),
    /// Show hidden messages again.
    Unhide(hide::UnhideArgs),
    /// Write a copy without secrets and personal data.
    Redact(Box<redact::RedactArgs>),
    /// Print the messages of a session as they are written.
    Follow(follow::FollowArgs),
}

pub(crate) fn run(args: SessionsArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let scope = &args.scope;
    match args.command {
        None => overview::run(scope, printer),
        Some(SessionsCommand::List(args)) => list::run(scope, &args, printer),
        Some(SessionsCommand::Show(args)) => show::run(scope, &args, printer),
        Some(SessionsCommand::Tree(args)) => tree::run(scope, &args, printer),
        Some(SessionsCommand::Check(args)) => check::run(scope, &args, printer),
        Some(SessionsCommand::Repair(args)) => repair::run(scope, &args, printer),
        Some(SessionsCommand::Search(args)) => search::run(scope, &args, printer),
        Some(SessionsCommand::Usage(args)) => usage::run(scope, &args, printer),
        Some(SessionsCommand::Export(args)) => export::run(scope, &args, printer),
        Some(SessionsCommand::Hide(args)) => hide::hide(scope, &args, printer),
        Some(SessionsCommand::Unhide(args)) => hide::unhide(scope, &args, printer),
        Some(SessionsCommand::Redact(args)) => redact::run(scope, &args, printer),
        Some(SessionsCommand::Follow(args)) => follow::run(scope, &args, printer),
    }
}
