//! The only module that writes to standard output and decides how it looks.

use std::io::{self, BufWriter, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Color, Style};
use serde::Serialize;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Also into pipes and files.
    Always,
    /// Nowhere.
    Never,
}

/// Writes to standard output. Escape codes are removed if colours are off.
pub(crate) struct Printer {
    out: BufWriter<AutoStream<io::Stdout>>,
}

impl Printer {
    pub(crate) fn new(color: ColorChoice) -> Self {
        let choice = match color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        // Standard error uses the same choice.
        choice.write_global();
        Self {
            out: BufWriter::with_capacity(64 * 1024, AutoStream::new(io::stdout(), choice)),
        }
    }

    /// Prints a line.
    pub(crate) fn line(&mut self, line: impl std::fmt::Display) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// Prints text that ends its own lines.
    pub(crate) fn raw_display(&mut self, shown: &impl std::fmt::Display) -> io::Result<()> {
        write!(self.out, "{shown}")
    }

    /// Prints one JSON document on one line.
    pub(crate) fn json(&mut self, data: &impl Serialize) -> anyhow::Result<()> {
        // Serialize first, so that no partial document is printed.
        let mut line = serde_json::to_vec(data)?;
        line.push(b'\n');
        self.out.write_all(&line)?;
        Ok(())
    }

    /// The raw output, for bytes.
    pub(crate) fn raw(&mut self) -> &mut impl Write {
        &mut self.out
    }

    /// Flushes the buffer, for readers that follow the output.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The styles that the program uses.
pub(crate) mod style {
    use super::{AnsiColor, Color, Style};

    const fn colored(color: AnsiColor) -> Style {
        Style::new().fg_color(Some(Color::Ansi(color)))
    }

    pub(crate) const TITLE: Style = Style::new().bold();
    pub(crate) const FAINT: Style = Style::new().dimmed();
    pub(crate) const GOOD: Style = colored(AnsiColor::Green);
    pub(crate) const BAD: Style = colored(AnsiColor::Red);
    pub(crate) const WARN: Style = colored(AnsiColor::Yellow);
    pub(crate) const MATCH: Style = colored(AnsiColor::Red).bold();
    pub(crate) const NAME: Style = colored(AnsiColor::Cyan);
}
