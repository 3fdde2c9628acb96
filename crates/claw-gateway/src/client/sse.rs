//! Server-sent events.

/// The largest event that the client accepts.
const MAX_EVENT: usize = 64 * 1024 * 1024;

/// An event is larger than the client accepts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// Splits a stream of bytes into the data of its events. Comments and other fields are skipped.
#[derive(Debug)]
pub(super) struct SseParser {
    /// The largest event.
    most: usize,
    /// The bytes of the current line.
    line: Vec<u8>,
    /// The data of the current event, each line with a newline.
    data: Vec<u8>,
    /// Whether the last byte was a carriage return, which may be followed by a newline.
    is_after_return: bool,
    is_started: bool,
}

impl Default for SseParser {
    fn default() -> Self {
        Self {
            most: MAX_EVENT,
            line: Vec::new(),
            data: Vec::new(),
            is_after_return: false,
            is_started: false,
        }
    }
}

impl SseParser {
    /// Reads bytes, and appends the data of each event that they complete.
    pub(super) fn push(&mut self, bytes: &[u8], events: &mut Vec<Vec<u8>>) -> Result<(), TooLarge> {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (start, end) = (&rest[..at], rest[at]);
            rest = &rest[at + 1..];
            // The newline after a carriage return does not end another line.
            let is_second = self.is_after_return && start.is_empty() && end == b'\n';
            self.is_after_return = end == b'\r';
            if is_second {
                continue;
            }
            self.line.extend_from_slice(start);
            self.end_line(events);
        }
        if !rest.is_empty() {
            self.is_after_return = false;
        }
        self.line.extend_from_slice(rest);
        match self.line.len() + self.data.len() > self.most {
            true => Err(TooLarge),
            false => Ok(()),
        }
    }

    fn end_line(&mut self, events: &mut Vec<Vec<u8>>) {
        let mut line = self.line.as_slice();
        if !self.is_started {
            self.is_started = true;
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        if line.is_empty() {
            // An event without data is ignored.
            if self.data.pop().is_some() {
                events.push(std::mem::take(&mut self.data));
            }
        } else if let Some(value) = line.strip_prefix(b"data") {
            // Other fields may begin with the same letters.
            if let Some(value) = value.strip_prefix(b":") {
                let value = value.strip_prefix(b" ").unwrap_or(value);
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            } else if value.is_empty() {
                self.data.push(b'\n');
            }
        }
        self.line.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
        let mut parser = SseParser::default();
        let mut events = Vec::new();
        for chunk in chunks {
            parser.push(chunk, &mut events).unwrap();
        }
        let text = |event| String::from_utf8(event).unwrap();
        events.into_iter().map(text).collect()
    }

    #[test]
    fn only_the_data_of_complete_events_is_returned() {
        let cases: [(&str, &[&str]); 10] = [
            ("id: 1\ndata: {}\n\n", &["{}"]),
            (": heartbeat\n\n: another\n\ndata: a\n\n", &["a"]),
            ("data: a\ndata:b\ndata\n\n", &["a\nb\n"]),
            ("data:  a\n\n", &[" a"]),
            ("data: a\r\n\r\ndata: b\r\r", &["a", "b"]),
            ("database: x\nevent: y\n\n", &[]),
            ("\u{feff}data: a\n\n", &["a"]),
            ("data: cut off", &[]),
            ("data: cut off\n", &[]),
            ("data\n\n\n\n", &[""]),
        ];
        for (text, expected) in cases {
            assert_eq!(parsed([text.as_bytes()]), expected, "{text:?}");
        }
    }

    #[test]
    fn an_endless_event_is_refused() {
        let mut parser = SseParser {
            most: 8,
            ..SseParser::default()
        };
        let mut push = || parser.push(b"data", &mut Vec::new());
        assert_eq!([push(), push(), push()], [Ok(()), Ok(()), Err(TooLarge)]);
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(text in "(data: ?|id: |:|[ab\u{e9}]|\r\n|\n|\r){0,40}", cut in 0_usize..80) {
            let bytes = text.as_bytes();
            let (start, end) = bytes.split_at(cut.min(bytes.len()));
            let whole = parsed([bytes]);
            prop_assert_eq!(&parsed([start, end]), &whole);
            prop_assert_eq!(&parsed(bytes.chunks(1)), &whole);
        }
    }
}
