//! How far long work is, on standard error, for people only.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that goes away when the work is done. Nothing is drawn where nobody looks, or when the
/// work takes less than a moment.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// For work of a known number of bytes.
    pub(crate) fn bytes(what: &'static str, total: u64) -> Self {
        let shown = std::io::stderr().is_terminal();
        let target = if shown {
            ProgressDrawTarget::stderr_with_hz(12)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        let look = "{msg} {bar:32.cyan/blue} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(look) {
            bar.set_style(style);
        }
        bar.set_message(what);
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar }
    }

    /// A line on standard error, without the bar in the way.
    pub(crate) fn say(&self, line: impl std::fmt::Display) {
        self.bar.suspend(|| anstream::eprintln!("{line}"));
    }

    /// How many bytes are done in all.
    pub(crate) fn at(&self, done: u64) {
        self.bar.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
