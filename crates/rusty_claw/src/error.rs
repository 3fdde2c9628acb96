//! Errors, split by when they happen.
//!
//! [`StartError`]: before there is a session. [`SessionError`]: while there is one. A failed turn
//! is not an error but an outcome.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::causes::chain;
use crate::duration::human;
use crate::store::error::StoreError;
use crate::transport::exit::Exit;

/// Why a session did not start.
///
/// The `Debug` output is the name of the variant, the `Display` text and the sources, because a
/// `main` that returns an error prints its `Debug` output.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// No CLI was found in the usual places.
    #[error(
        "the Claude Code CLI was not found: install it (npm install -g @anthropic-ai/claude-code) \
         or name it with Options::cli_path or CLAUDE_CLI_PATH; an installation in a project's \
         node_modules is used only with Options::search_node_modules; looked for `claude` in {}",
        list(.searched)
    )]
    CliNotFound {
        /// The paths that were searched.
        searched: Vec<PathBuf>,
    },
    /// The file named as the CLI cannot be run.
    #[error("{} cannot be run as the Claude Code CLI: {why}", path.display())]
    CliUnusable {
        /// The file.
        path: PathBuf,
        /// The reason, and what to do.
        why: String,
    },
    /// The CLI is too old for this library.
    #[error(
        "{} is Claude Code {found}; this library needs {needed} or newer; update it (claude update)",
        path.display()
    )]
    CliTooOld {
        /// The CLI.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The oldest version that works.
        needed: String,
    },
    /// The options need a flag that this CLI does not accept. The CLI was not started, because it
    /// would have exited at once.
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
    /// The working folder does not exist, or is not a folder.
    #[error(
        "the working folder {} does not exist or is not a folder; create it, or name another with \
         Options::cwd",
        path.display()
    )]
    FolderMissing {
        /// The folder.
        path: PathBuf,
    },
    /// The system could not start the process.
    #[error("{} could not be started", program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// A file or connection that is needed for the start failed.
    #[error("{what}")]
    Io {
        /// What failed.
        what: String,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The session could not be loaded from its store.
    #[error("the session cannot be resumed from its store")]
    Store {
        /// The error of the store.
        #[source]
        source: StoreError,
    },
    /// The CLI ended before it was ready.
    #[error("the CLI ended before it was ready: {}", ended(.exit, .said, .stderr_tail))]
    Ended {
        /// How it ended.
        exit: Exit,
        /// The reason that it printed on standard output, if any.
        said: Option<String>,
        /// The end of its standard error.
        stderr_tail: String,
    },
    /// The CLI refused to initialize, or does not support what the options need.
    #[error("the CLI refused to initialize: {error}")]
    Refused {
        /// The reason.
        error: String,
    },
    /// The CLI was not ready in time, or did not read the first prompt in time.
    #[error(
        "the CLI was not ready within {}; {}; on a slow machine give it longer with \
         Options::{option}",
        human(.after),
        stderr_hint(.stderr_tail)
    )]
    TimedOut {
        /// The time limit.
        after: Duration,
        /// The option that sets the limit: `start_timeout`, or `control_timeout` for the prompt.
        option: &'static str,
        /// The end of its standard error.
        stderr_tail: String,
    },
    /// A function of [`blocking`](crate::blocking) was called inside an async runtime.
    #[error("{INSIDE_ASYNC}")]
    InsideAsync,
}

/// The error of a blocking function inside an async runtime.
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
        write!(f, "{variant}: {}", chain(self))
    }
}

/// Why a request to a running session failed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The session is over.
    #[error("the session is over: {}", ending(.reason, .exit, .stderr_tail))]
    Over {
        /// How it ended, as text.
        reason: String,
        /// How the process ended.
        exit: Exit,
        /// The end of its standard error.
        stderr_tail: String,
    },
    /// The CLI refused a request.
    #[error("the CLI refused {verb}: {error}")]
    Refused {
        /// The request's name on the wire.
        verb: &'static str,
        /// The reason, as the CLI gave it.
        error: String,
        /// The error code: `unsupported_request`, `invalid_mode`, ….
        code: Option<String>,
    },
    /// The CLI did not answer a request in time.
    #[error("the CLI did not answer {verb} within {}", human(.after))]
    TimedOut {
        /// The request's name on the wire.
        verb: &'static str,
        /// The time limit.
        after: Duration,
    },
    /// The CLI's response does not match the request.
    #[error("the CLI answered {verb} with an unexpected value: {answer}")]
    Unreadable {
        /// The request's name on the wire.
        verb: &'static str,
        /// The beginning of the response.
        answer: String,
    },
    /// A value cannot be sent: it is unreadable, invalid or too large.
    #[error("{what} cannot be sent: {why}")]
    Unsendable {
        /// The kind of value.
        what: &'static str,
        /// The reason.
        why: String,
    },
    /// The CLI is a child process that ends with this one, so it cannot be released.
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

/// How a process ended, with the last line that it printed, which usually explains it.
pub(crate) fn ending(reason: &str, exit: &Exit, stderr_tail: &str) -> String {
    let mut text = format!("{reason}: {exit}");
    // SIGKILL comes from the kernel or an administrator: point the user to the system's log.
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

/// The reason for an end that the program did not request.
pub(crate) const LOST: &str = "the CLI ended";

fn ended(exit: &Exit, said: &Option<String>, stderr_tail: &str) -> String {
    match said {
        Some(said) => format!("{said} ({exit}){}", what_to_do(said)),
        None => format!("{exit}; {}", stderr_hint(stderr_tail)),
    }
}

/// Advice for errors in which the CLI only names what is missing.
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
