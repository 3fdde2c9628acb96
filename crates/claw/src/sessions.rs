//! `claw sessions`: look after session files.

mod check;
mod export;
mod follow;
mod hide;
mod list;
mod outside;
mod overview;
mod redact;
mod repair;
mod search;
mod show;
mod tree;
mod usage;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use claw_transcript::{FileRole, SessionLibrary, Unreadable};

use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::words;

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
    pub(crate) place: Place,
    #[command(subcommand)]
    command: Option<SessionsCommand>,
}

/// Where to look, and for whom to print.
#[derive(Debug, Clone, Args)]
pub(crate) struct Place {
    /// The folder in which Claude Code keeps its files, instead of ~/.claude.
    // As raw text, because a variable that is set to nothing is none.
    #[arg(long, global = true, env = "CLAUDE_CONFIG_DIR", value_name = "DIR",
          value_parser = clap::builder::OsStringValueParser::new())]
    config_dir: Option<std::ffi::OsString>,
    /// Only sessions of this directory and the other worktrees of its repository.
    #[arg(long, global = true, value_name = "DIR", conflicts_with = "here")]
    dir: Option<PathBuf>,
    /// Only sessions of the directory that you are in.
    #[arg(long, global = true)]
    here: bool,
    /// Print JSON for programs.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

impl Place {
    /// The library to look in.
    pub(crate) fn library(&self) -> anyhow::Result<SessionLibrary> {
        let library = match self.config_dir.as_ref().filter(|dir| !dir.is_empty()) {
            Some(dir) => SessionLibrary::open(PathBuf::from(dir)),
            None => SessionLibrary::from_env()?,
        };
        let dir = match (&self.dir, self.here) {
            (Some(dir), _) => Some(dir.clone()),
            (None, true) => Some(std::env::current_dir()?),
            (None, false) => None,
        };
        Ok(match dir {
            Some(dir) => library.in_dir(dir),
            None => library,
        })
    }
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
    /// Leave messages out of exports, without touching the file.
    Hide(hide::HideArgs),
    /// Put hidden messages back.
    Unhide(hide::UnhideArgs),
    /// Make a copy without secrets and personal data.
    Redact(Box<redact::RedactArgs>),
    /// Print the messages of a session as they are written.
    Follow(follow::FollowArgs),
}

pub(crate) fn run(args: SessionsArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let place = &args.place;
    match args.command {
        None => overview::run(place, printer),
        Some(SessionsCommand::List(args)) => list::run(place, &args, printer),
        Some(SessionsCommand::Show(args)) => show::run(place, &args, printer),
        Some(SessionsCommand::Tree(args)) => tree::run(place, &args, printer),
        Some(SessionsCommand::Check(args)) => check::run(place, &args, printer),
        Some(SessionsCommand::Repair(args)) => repair::run(place, &args, printer),
        Some(SessionsCommand::Search(args)) => search::run(place, &args, printer),
        Some(SessionsCommand::Usage(args)) => usage::run(place, &args, printer),
        Some(SessionsCommand::Export(args)) => export::run(place, &args, printer),
        Some(SessionsCommand::Hide(args)) => hide::hide(place, &args, printer),
        Some(SessionsCommand::Unhide(args)) => hide::unhide(place, &args, printer),
        Some(SessionsCommand::Redact(args)) => redact::run(place, &args, printer),
        Some(SessionsCommand::Follow(args)) => follow::run(place, &args, printer),
    }
}

/// Says what could not be read, so that nobody takes the rest for all.
pub(crate) fn say_unreadable(unreadable: &[Unreadable]) {
    let warn = style::WARN;
    for Unreadable { path, error, .. } in unreadable {
        let path = words::plain(&words::path(path));
        anstream::eprintln!("{warn}not read{warn:#}: {path}: {error}");
    }
}

/// Says which folders of projects cannot be listed, and how many there are: for commands that list
/// sessions in another way than by [`SessionLibrary::survey`].
pub(crate) fn say_unlisted(library: &SessionLibrary) -> usize {
    let mut unlisted = 0;
    let Ok(projects) = std::fs::read_dir(library.projects_dir()) else {
        return 0;
    };
    for project in projects.flatten() {
        let path = project.path();
        if let Err(error) = std::fs::read_dir(&path)
            && error.kind() == std::io::ErrorKind::PermissionDenied
        {
            let (warn, path) = (style::WARN, words::plain(&words::path(&path)));
            anstream::eprintln!("{warn}not read{warn:#}: {path}: {error}");
            unlisted += 1;
        }
    }
    unlisted
}

/// The id of the one session that an id or a prefix of an id names.
///
/// # Errors
/// There is no such session, the prefix is ambiguous, or the session is in several projects.
pub(crate) fn resolve_one(library: &SessionLibrary, name: &str) -> anyhow::Result<String> {
    let id = resolve(library, name)?;
    let mut mains = library.files()?;
    mains.retain(|file| file.role == FileRole::Main && file.session_id.as_ref() == Some(&id));
    if mains.len() > 1 {
        let paths = mains
            .iter()
            .map(|file| words::plain(&words::path(&file.path)));
        anyhow::bail!(
            "session {id} is in {} projects: give one of these files, or the directory of the \
             project with --dir\n  {}",
            mains.len(),
            paths.collect::<Vec<_>>().join("\n  ")
        );
    }
    Ok(id)
}

/// The session that a person means by an id, or by how an id begins.
pub(crate) fn resolve(library: &SessionLibrary, name: &str) -> anyhow::Result<String> {
    let mut ids: Vec<String> = Vec::new();
    for file in library.files()? {
        let Some(id) = file.session_id else { continue };
        if id == name {
            return Ok(id);
        }
        if id.starts_with(name) && !ids.contains(&id) {
            ids.push(id);
        }
    }
    match &ids[..] {
        [only] => Ok(only.clone()),
        [] => {
            say_unlisted(library);
            anyhow::bail!(
                "no session {name:?} under {}: see `claw sessions list`",
                library.projects_dir().display()
            )
        }
        many => anyhow::bail!(
            "{} sessions begin with {name:?}: give more of the id\n  {}",
            many.len(),
            many.join("\n  ")
        ),
    }
}
