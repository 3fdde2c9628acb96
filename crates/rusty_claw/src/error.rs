//! What can go wrong, split by when it happens.
//!
//! [`StartError`]: before there is a session. [`SessionError`]: while there is one. What becomes
//! of a turn is not an error but an outcome.

use std::error::Error as _;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::store::StoreError;
use crate::transport::Exit;

/// Why a session did not start.
///
/// The `Debug` output is the name of the variant, the `Display` text and the sources, because a
/// `main` that returns an error prints its `Debug` output.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is no CLI in any of the usual places.
    #[error(
        "the Claude Code CLI was not found: install it (npm install -g @anthropic-ai/claude-code) \
         or name it with Options::cli_path or CLAUDE_CLI_PATH; an installation in a project's \
         node_modules is used only with Options::search_node_modules; looked for `claude` in {}",
        list(.searched)
    )]
    CliNotFound {
        /// Where it was looked for.
        searched: Vec<PathBuf>,
    },
    /// The file that was named as the CLI cannot be run.
    #[error("{} cannot be run as the Claude Code CLI: {why}", path.display())]
    CliUnusable {
        /// The file.
        path: PathBuf,
        /// Why not, and what to do.
        why: String,
    },
    /// The CLI is older than this library can work with.
    #[error(
        "{} is Claude Code {found}; this library needs {needed} or newer; update it (claude update)",
        path.display()
    )]
    CliTooOld {
        /// The CLI.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The oldest that works.
        needed: String,
    },
    /// The options ask for a flag that this CLI does not know; it was not started, because it
    /// would have ended at once.
    #[error(
        "Claude Code {version} at {} does not know {flag}; leave out the option that needs it, or update the CLI",
        path.display()
    )]
    UnknownFlag {
        /// The flag.
        flag: String,
        /// The CLI.
        path: PathBuf,
        /// Its version.
        version: String,
    },
    /// The options contradict each other or hold something that cannot be sent.
    #[error("{option}: {why}")]
    BadOption {
        /// The option.
        option: &'static str,
        /// What is wrong with it, and what to do.
        why: String,
    },
    /// The folder to work in is not there.
    #[error(
        "the working folder {} does not exist or is not a folder; create it, or name another with \
         Options::cwd",
        path.display()
    )]
    FolderMissing {
        /// The folder.
        path: PathBuf,
    },
    /// The system did not start the process.
    #[error("{} could not be started", program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A file or a connection that the start needs failed.
    #[error("{what}")]
    Io {
        /// What was being done.
        what: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The store that the session is to be resumed from does not give it.
    #[error("the session cannot be resumed from its store")]
    Store {
        /// Why not.
        #[source]
        source: StoreError,
    },
    /// The CLI ended before it was ready.
    #[error("the CLI ended before it was ready: {}", ended(.exit, .said, .stderr_tail))]
    Ended {
        /// How.
        exit: Exit,
        /// What it said on standard output, where it gave a reason there.
        said: Option<String>,
        /// The last of what it printed on standard error.
        stderr_tail: String,
    },
    /// The CLI refused what the program said first.
    #[error("the CLI refused to initialize: {error}")]
    Refused {
        /// Why.
        error: String,
    },
    /// The CLI did not get ready in time, or did not take the first prompt in time.
    #[error(
        "the CLI was not ready within {}; {}; on a slow machine give it longer with \
         Options::{option}",
        human(.after),
        stderr_hint(.stderr_tail)
    )]
    TimedOut {
        /// How long it had.
        after: Duration,
        /// The option that sets how long: `start_timeout`, or `control_timeout` for the prompt.
        option: &'static str,
        /// The last of what it printed on standard error.
        stderr_tail: String,
    },
    /// A function of [`blocking`](crate::blocking) was called inside an async runtime.
    #[error("{INSIDE_ASYNC}")]
    InsideAsync,
}

/// Why a blocking function does nothing inside an async runtime.
const INSIDE_ASYNC: &str = "a blocking function was called inside an async runtime, which it \
                            would stop; use the function of the same name outside `blocking` \
                            and await it, or call it on a thread of its own (std::thread::spawn)";

impl fmt::Debug for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variant = match self {
            Self::CliNotFound { .. } => "CliNotFound",
            Self::CliUnusable { .. } => "CliUnusable",
            Self::CliTooOld { .. } => "CliTooOld",
            Self::UnknownFlag { .. } => "UnknownFlag",
            Self::BadOption { .. } => "BadOption",
            Self::FolderMissing { .. } => "FolderMissing",
            Self::Spawn { .. } => "Spawn",
            Self::Io { .. } => "Io",
            Self::Store { .. } => "Store",
            Self::Ended { .. } => "Ended",
            Self::Refused { .. } => "Refused",
            Self::TimedOut { .. } => "TimedOut",
            Self::InsideAsync => "InsideAsync",
        };
        write!(f, "{variant}: {self}")?;
        let mut cause = self.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

/// Why something asked of a running session did not happen.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The session is over.
    #[error("the session is over: {}", ending(.reason, .exit, .stderr_tail))]
    Over {
        /// How it ended, in words.
        reason: String,
        /// How the process ended.
        exit: Exit,
        /// The last of what it printed on standard error.
        stderr_tail: String,
    },
    /// The CLI refused a request.
    #[error("the CLI refused {verb}: {error}")]
    Refused {
        /// The request's name on the wire.
        verb: &'static str,
        /// Why, in the CLI's words.
        error: String,
        /// Why, for programs: `unsupported_request`, `invalid_mode`, ….
        code: Option<String>,
    },
    /// The CLI did not answer a request in time.
    #[error("the CLI did not answer {verb} within {}", human(.after))]
    TimedOut {
        /// The request's name on the wire.
        verb: &'static str,
        /// How long it had.
        after: Duration,
    },
    /// The CLI answered with something that is not an answer to the request.
    #[error("the CLI answered {verb} with something that is no answer to it: {answer}")]
    Unreadable {
        /// The request's name on the wire.
        verb: &'static str,
        /// The beginning of what it answered.
        answer: String,
    },
    /// What was to be sent cannot be written as JSON.
    #[error("{what} cannot be sent: {why}")]
    Unsendable {
        /// What was to be sent.
        what: &'static str,
        /// Why not.
        why: String,
    },
    /// The CLI is a child process that ends with this one, so it cannot be handed over.
    #[error(
        "the CLI cannot be released: it was started with die_with_parent, which nothing can undo, \
         and ends with this process; start it with Options::die_with_parent(false)"
    )]
    NotReleased,
    /// A function of [`blocking`](crate::blocking) was called inside an async runtime.
    #[error("{INSIDE_ASYNC}")]
    InsideAsync,
}

/// The name of an enum variant, from its derived `Debug`.
pub(crate) fn variant_name(value: &impl fmt::Debug) -> String {
    struct Name(String);

    impl fmt::Write for Name {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let end = text.find(|c: char| !c.is_alphanumeric());
            self.0.push_str(&text[..end.unwrap_or(text.len())]);
            // Stops before the fields are formatted.
            end.map_or(Ok(()), |_| Err(fmt::Error))
        }
    }

    let mut name = Name(String::new());
    let _ = fmt::write(&mut name, format_args!("{value:?}"));
    name.0
}

fn list(paths: &[PathBuf]) -> String {
    let shown: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    shown.join(", ")
}

/// A duration as people say it.
pub(crate) fn human(duration: &Duration) -> String {
    let seconds = duration.as_secs();
    if seconds == 0 {
        format!("{} ms", duration.as_millis())
    } else if duration.subsec_millis() != 0 {
        format!("{:.1} s", duration.as_secs_f64())
    } else if seconds >= 120 && seconds.is_multiple_of(60) {
        format!("{} min", seconds / 60)
    } else {
        format!("{seconds} s")
    }
}

/// How a process ended, with its last words: they explain most ends.
pub(crate) fn ending(reason: &str, exit: &Exit, stderr_tail: &str) -> String {
    let mut text = format!("{reason}: {exit}");
    // Only the kernel and administrators kill without asking; people should look there first.
    if *exit == Exit::Signal(9) && reason == LOST {
        text.push_str(
            "; this library did not do that: the system may have run out of memory, see its log",
        );
    }
    if let Some(line) = stderr_tail.trim().lines().last() {
        text.push_str("; it printed last: ");
        text.push_str(line);
    }
    text
}

/// Why a session ended that nobody closed.
pub(crate) const LOST: &str = "the CLI ended";

fn ended(exit: &Exit, said: &Option<String>, stderr_tail: &str) -> String {
    match said {
        Some(said) => format!("{said} ({exit}){}", what_to_do(said)),
        None => format!("{exit}; {}", stderr_hint(stderr_tail)),
    }
}

/// What to do about it, where the CLI names only what it misses.
fn what_to_do(said: &str) -> &'static str {
    if said.starts_with("No conversation found") {
        "; it looks among the conversations of its working folder: name the folder of that one \
         with Options::cwd, and its home with CLAUDE_CONFIG_DIR if it has another, or leave out \
         the option that resumes it"
    } else {
        ""
    }
}

fn stderr_hint(stderr_tail: &str) -> String {
    let tail = stderr_tail.trim();
    if tail.is_empty() {
        "it printed nothing on standard error".to_owned()
    } else {
        format!("it printed: {tail}")
    }
}
