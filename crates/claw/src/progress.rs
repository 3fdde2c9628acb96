//! A progress bar on standard error.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar that is removed when the work is done. It is not drawn if standard error is not a
/// terminal, or if the work is short.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Creates a bar for work of a known number of bytes.
    pub(crate) fn bytes(what: &'static str, total: u64) -> Self {
        let shown = std::io::stderr().is_terminal();
        let target = if shown {
            ProgressDrawTarget::stderr_with_hz(12)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        let look = "{msg} {bar:32.cyan/blue} {decimal_bytes} of {decimal_total_bytes}, {decimal_bytes_per_sec}, \
                    {eta} left";
        if let Ok(style) = ProgressStyle::with_template(look) {
            bar.set_style(style);
        }
        bar.set_message(what);
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar }
    }

    /// Prints a line on standard error without disturbing the bar.
    pub(crate) fn say(&self, line: impl std::fmt::Display) {
        self.bar.suspend(|| anstream::eprintln!("{line}"));
    }

    /// Sets the number of bytes done.
    pub(crate) fn at(&self, done: u64) {
        self.bar.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
