//! One line of a made session, with the facts that a reader must find in it.

use super::price::Tokens;
use crate::dice::Dice;

/// A line, without its end.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) text: String,
    /// Its type.
    pub(super) kind: &'static str,
    /// When it was written.
    pub(super) at_ms: i64,
    /// Its id; 0 when it has none.
    pub(super) uuid: u128,
    /// The id of the line that it is a copy of, else its own.
    pub(super) origin: u128,
    pub(super) copied: bool,
    /// The usage that it reports.
    pub(super) spend: Option<Spend>,
    /// The tool call that it answers.
    pub(super) result: Option<u128>,
    pub(super) mark: Mark,
}

/// The usage that a line reports for a message of a model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spend {
    pub(super) message: u128,
    pub(super) model: usize,
    pub(super) tokens: Tokens,
    /// The tool call in the line.
    pub(super) call: Option<u128>,
}

/// Lines of which there are few.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    None,
    /// The boundary of a compaction.
    Compaction,
    /// The note that the user stopped an answer.
    Interrupt,
    /// A prompt, written instead of another.
    Prompt {
        instead_of: Option<u128>,
    },
}

impl Line {
    /// A line outside of the chain.
    pub(super) fn state(kind: &'static str, text: String, at_ms: i64) -> Self {
        Self {
            text,
            kind,
            at_ms,
            uuid: 0,
            origin: 0,
            copied: false,
            spend: None,
            result: None,
            mark: Mark::None,
        }
    }

    /// Whether the line is part of the conversation's chain.
    pub(super) fn is_chained(&self) -> bool {
        self.uuid != 0
    }
}

/// A random UUID.
pub(super) fn new_uuid(dice: &mut Dice) -> u128 {
    dice.wide() & !(0xf << 76) & !(0x3 << 62) | (0x4 << 76) | (0x2 << 62)
}

/// A UUID as text.
pub(super) fn uuid_text(uuid: u128) -> String {
    let hex = format!("{uuid:032x}");
    [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ]
    .join("-")
}

/// An id of the API: a prefix and 22 characters.
pub(super) fn api_id(prefix: &str, number: u128) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789";
    let mut id = String::with_capacity(prefix.len() + 22);
    id.push_str(prefix);
    let mut rest = number;
    for _ in 0..22 {
        id.push(char::from(
            ALPHABET[(rest % ALPHABET.len() as u128) as usize],
        ));
        rest /= ALPHABET.len() as u128;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_look_like_ids() {
        let uuid = uuid_text(new_uuid(&mut Dice::new(1)));
        assert_eq!(uuid.len(), 36);
        assert_eq!(uuid.as_bytes()[14], b'4');
        assert!(b"89ab".contains(&uuid.as_bytes()[19]));
        assert_eq!(api_id("msg_01", u128::MAX).len(), 28);
        assert_ne!(api_id("", u128::MAX), api_id("", u128::MAX - 1));
    }
}
