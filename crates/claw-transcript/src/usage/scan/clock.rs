//! Times of lines.

use crate::time;

/// Reads times that mostly follow each other closely.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// The minute of the time that was read last, as text and in seconds.
    minute: ([u8; 16], i64),
}

impl Clock {
    /// Seconds since 1970; zero when the text is no time. Most times are of the same minute as the
    /// one before.
    pub(super) fn seconds(&mut self, text: &[u8]) -> i64 {
        if let Some((minute, rest)) = text.split_first_chunk::<16>()
            && *minute == self.minute.0
            && let [b':', tens @ b'0'..=b'5', ones @ b'0'..=b'9', .., b'Z'] = rest
        {
            return self.minute.1 + i64::from(tens - b'0') * 10 + i64::from(ones - b'0');
        }
        let ms = std::str::from_utf8(text).ok().and_then(time::parse_ms);
        let seconds = ms.map_or(0, |ms| ms.div_euclid(1000));
        if let Some((minute, [b':', _, _, .., b'Z'])) = text.split_first_chunk::<16>()
            && ms.is_some()
        {
            self.minute = (*minute, seconds - seconds.rem_euclid(60));
        }
        seconds
    }
}
