//! The names of tenants, sessions, nodes, interactions and commands.

use std::fmt;
use std::sync::Arc;

/// A name that a store does not accept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {name:?} is not valid: {rule}")]
pub struct InvalidId {
    kind: &'static str,
    name: String,
    rule: &'static str,
}

/// Letters, digits, `-` and `_`: valid in a file name, a URL and a subject of NATS.
const PLAIN: &str = "use 1 to 64 letters, digits, hyphens and underscores";
/// Any text, because the CLI and clients choose it.
const TEXT: &str = "use 1 to 256 bytes";

fn is_plain(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=64).contains(&name.len()) && name.bytes().all(is_allowed)
}

fn is_text(name: &str) -> bool {
    (1..=256).contains(&name.len())
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $is_valid:ident, $rule:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks a name.
            ///
            /// # Errors
            /// The name is empty, too long, or has characters that are not allowed.
            pub fn new(name: &str) -> Result<Self, InvalidId> {
                if $is_valid(name) {
                    return Ok(Self(name.into()));
                }
                let name = name.chars().take(64).collect();
                Err(InvalidId { kind: $kind, name, rule: $rule })
            }

            /// Returns the name.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }
    };
}

id! {
    /// A tenant. Every call that names a session takes it, and sessions of other tenants are not
    /// found.
    TenantId, "tenant", is_plain, PLAIN
}
id! {
    /// A session: 128 random bits unless the caller chose it. It never changes and is never used
    /// again.
    SessionId, "session id", is_plain, PLAIN
}
id! {
    /// A process that owns sessions.
    NodeId, "node id", is_plain, PLAIN
}
id! {
    /// An interaction of a session.
    InteractionId, "interaction id", is_text, TEXT
}
id! {
    /// Identifies a request of a client: sent again with the same key, it takes effect once.
    IdempotencyKey, "idempotency key", is_text, TEXT
}

impl SessionId {
    /// Returns a new id of 128 random bits.
    ///
    /// # Panics
    /// The operating system has no random numbers.
    #[allow(
        clippy::expect_used,
        reason = "an id that may not be unique must not be used"
    )]
    pub fn random() -> Self {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("the operating system has random numbers");
        Self(format!("{:032x}", u128::from_be_bytes(bytes)).into())
    }
}

/// A session of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    /// The tenant.
    pub tenant: TenantId,
    /// The session.
    pub session: SessionId,
}

impl SessionKey {
    /// Names a session of a tenant.
    pub fn new(tenant: TenantId, session: SessionId) -> Self {
        Self { tenant, session }
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.tenant, self.session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_an_engine_cannot_store_are_rejected() {
        for name in ["a", "A-b_9", &"x".repeat(64)] {
            assert!(SessionId::new(name).is_ok(), "{name}");
        }
        for name in ["", "a.b", "a b", "*", ">", "ä", &"x".repeat(65)] {
            assert!(SessionId::new(name).is_err(), "{name}");
        }
        assert!(InteractionId::new("toolu_1#2 ä.*").is_ok());
        assert!(InteractionId::new(&"x".repeat(257)).is_err());
    }

    #[test]
    fn random_ids_differ_and_are_valid() {
        let (one, other) = (SessionId::random(), SessionId::random());
        assert_ne!(one, other);
        assert_eq!(SessionId::new(one.as_str()).unwrap(), one);
        assert_eq!(one.as_str().len(), 32);
    }
}
