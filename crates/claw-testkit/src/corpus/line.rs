//! One line of a made session, with the facts that a reader must find in it.

use super::price::Tokens;

/// A line, without its end.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) text: String,
    /// When it was written.
    pub(super) at_ms: i64,
    /// Its id; 0 if it is not part of the conversation's chain.
    pub(super) uuid: u128,
    /// The usage that it reports.
    pub(super) spend: Option<Spend>,
}

/// The usage that a line reports for a message of a model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spend {
    pub(super) message: u128,
    pub(super) model: usize,
    pub(super) tokens: Tokens,
}

impl Line {
    /// A line outside of the chain.
    pub(super) fn state(text: String, at_ms: i64) -> Self {
        Self {
            text,
            at_ms,
            uuid: 0,
            spend: None,
        }
    }
}

/// An id of the API: a prefix and 22 characters.
pub(super) fn api_id(prefix: &str, mut number: u128) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789";
    let mut id = prefix.to_owned();
    for _ in 0..22 {
        let at = number % ALPHABET.len() as u128;
        id.push(char::from(ALPHABET[at as usize]));
        number /= ALPHABET.len() as u128;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::{Dice, uuid_text};

    #[test]
    fn ids_look_like_ids() {
        let uuid = uuid_text(Dice::new(1).uuid());
        assert_eq!(uuid.len(), 36);
        assert_eq!(uuid.as_bytes()[14], b'4');
        assert!(b"89ab".contains(&uuid.as_bytes()[19]));
        assert_eq!(api_id("msg_01", u128::MAX).len(), 28);
        assert_ne!(api_id("", u128::MAX), api_id("", u128::MAX - 1));
    }
}
