//! How the program ends.

use std::io::ErrorKind;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};

/// What a command found out, for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// All is well.
    Fine,
    /// It ran, and what was looked for is not there or not in order.
    Found(u8),
}

/// The code of a run; what went wrong is said on standard error.
pub(crate) fn code(ran: anyhow::Result<Status>) -> ExitCode {
    match ran {
        Ok(Status::Fine) => ExitCode::SUCCESS,
        Ok(Status::Found(code)) => ExitCode::from(code),
        // Whoever read our output has seen enough, as `head` does.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let red = Style::new().fg_color(Some(AnsiColor::Red.into())).bold();
            anstream::eprintln!("{red}error{red:#}: {error:#}");
            ExitCode::from(3)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == ErrorKind::BrokenPipe)
    })
}
