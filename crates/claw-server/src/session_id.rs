//! The id of a session.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Identifies a session: 128 random bits, written as 32 hexadecimal digits. It never changes and is
/// never used for another session.
///
/// ```
/// use claw_server::SessionId;
///
/// let id = SessionId::random();
/// assert_eq!(id.to_string().len(), 32);
/// assert_eq!(id.to_string().parse(), Ok(id));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(u128);

/// A text that is not the id of a session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the id of a session has 32 hexadecimal digits, in lower case")]
#[non_exhaustive]
pub struct InvalidSessionId;

impl SessionId {
    /// Returns a new id.
    ///
    /// # Panics
    /// The operating system has no random numbers.
    #[allow(clippy::expect_used, reason = "an id must be unique")]
    pub fn random() -> Self {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("the operating system has random numbers");
        Self(u128::from_be_bytes(bytes))
    }
}

impl From<u128> for SessionId {
    fn from(bits: u128) -> Self {
        Self(bits)
    }
}

impl FromStr for SessionId {
    type Err = InvalidSessionId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 32 || !text.bytes().all(is_digit) {
            return Err(InvalidSessionId);
        }
        let bits = u128::from_str_radix(text, 16).map_err(|_| InvalidSessionId)?;
        Ok(Self(bits))
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for SessionId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SessionId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_written_form_is_read() {
        let id = SessionId::from(0xab);
        assert_eq!(id.to_string(), "000000000000000000000000000000ab");
        assert_eq!(id.to_string().parse(), Ok(id));
        for other in [
            "",
            "ab",
            "000000000000000000000000000000AB",
            "+00000000000000000000000000000ab",
        ] {
            assert_eq!(other.parse::<SessionId>(), Err(InvalidSessionId), "{other}");
        }
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(serde_json::from_str::<SessionId>(&json).unwrap(), id);
    }
}
