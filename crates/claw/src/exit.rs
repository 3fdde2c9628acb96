//! Exit codes.

use std::io::ErrorKind;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};

/// The outcome of a command, for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Success.
    Fine,
    /// It ran, and nothing was found or something is not in order.
    Found(u8),
}

/// The exit code of a run. Errors are printed to standard error.
pub(crate) fn code(ran: anyhow::Result<Status>) -> ExitCode {
    match ran {
        Ok(Status::Fine) => ExitCode::SUCCESS,
        Ok(Status::Found(code)) => ExitCode::from(code),
        // The reader closed the pipe, as `head` does.
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
        let io = cause
            .downcast_ref::<std::io::Error>()
            .map(std::io::Error::kind);
        // serde_json does not return the I/O error as its source.
        let json = cause.downcast_ref::<serde_json::Error>();
        let kind = io.or_else(|| json.and_then(serde_json::Error::io_error_kind));
        kind == Some(ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Error, Write};

    use super::*;

    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(Error::from(ErrorKind::BrokenPipe))
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_has_seen_enough_is_no_error() {
        let text = Closed.write_all(b"text").unwrap_err();
        assert!(is_broken_pipe(&text.into()));
        let json = serde_json::to_writer(Closed, &1).unwrap_err();
        assert!(is_broken_pipe(&json.into()));
        assert!(!is_broken_pipe(&Error::other("full").into()));
    }
}
