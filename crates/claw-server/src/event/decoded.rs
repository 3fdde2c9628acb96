//! A cached decoded line.

use std::sync::{Arc, Weak};

use rusty_claw_protocol::{Line, RawLine};

/// A weak reference to the decoded form of an event's line. Events may stay in a log or queue for
/// long and do not keep it alive. It is a cache: neither serialized nor compared.
#[derive(Clone, Default)]
pub(super) struct Decoded(Weak<Line>);

impl Decoded {
    /// The decoded form, if it belongs to this line and is still alive.
    pub(super) fn of(&self, raw: &RawLine) -> Option<Arc<Line>> {
        let line = self.0.upgrade()?;
        // The fact is public and may have been replaced. Both sides keep their bytes alive, so the
        // same address means the same line.
        std::ptr::eq(line.raw().as_bytes(), raw.as_bytes()).then_some(line)
    }
}

impl From<&Arc<Line>> for Decoded {
    fn from(line: &Arc<Line>) -> Self {
        Self(Arc::downgrade(line))
    }
}

impl PartialEq for Decoded {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl std::fmt::Debug for Decoded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Fact, SessionEvent};
    use super::*;

    fn event(line: &Arc<Line>) -> SessionEvent {
        SessionEvent::new(1, 1, 0, Fact::Message(line.raw().clone())).decoded(line)
    }

    #[test]
    fn a_line_is_at_hand_as_long_as_somebody_keeps_it() {
        let line = Arc::new(Line::decode(r#"{"type":"keep_alive"}"#));
        let event = event(&line);
        assert!(Arc::ptr_eq(&event.line().unwrap(), &line));
        drop(line);
        let again = event.line().unwrap();
        assert_eq!(again.raw().as_bytes(), br#"{"type":"keep_alive"}"#);
    }

    #[test]
    fn a_fact_that_was_replaced_is_what_counts() {
        let line = Arc::new(Line::decode(r#"{"type":"keep_alive","a":1}"#));
        let mut event = event(&line);
        event.fact = Fact::message(r#"{"type":"keep_alive","a":2}"#);
        let now = event.line().unwrap();
        assert_eq!(now.raw().as_bytes(), br#"{"type":"keep_alive","a":2}"#);
        event.fact = Fact::TurnStarted(Vec::new());
        assert!(event.line().is_none());
    }
}
