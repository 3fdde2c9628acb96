//! Formats durations.

use std::time::Duration;

/// Formats a duration for people: `1.5 s`, `15 min`.
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
