//! Rules and severities.

use std::fmt;

use serde::{Serialize, Serializer};

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// Informational; nothing is wrong.
    Note,
    /// Data is lost or unusual, but the session can be read.
    Warning,
    /// A rule is broken.
    Error,
}

impl Severity {
    /// The name for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// Returns a lower severity if a condition holds.
    pub(super) fn lowered_if(self, condition: bool, lower: Self) -> Self {
        if condition { lower } else { self }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident = $id:literal, $severity:ident;)*) => {
        /// A rule for session files. Its id is stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The id for people and programs.
            pub fn id(self) -> &'static str {
                match self {
                    $(Self::$name => $id,)*
                }
            }

            /// The default severity. Exceptions are less severe.
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$name => Severity::$severity,)*
                }
            }

            /// A description of the rule.
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc),+).trim_ascii(),)*
                }
            }
        }
    };
}

rules! {
    /// The file can be opened and read.
    FileReadable = "file-readable", Error;
    /// The file is a session: at least one line is a JSON object.
    FileSession = "file-session", Error;
    /// Every line is one JSON object.
    LineWhole = "line-whole", Error;
    /// Every line is UTF-8, without NUL bytes around it.
    LineText = "line-text", Warning;
    /// No text contains half of a character, such as one half of an emoji. The API rejects it.
    CharacterWhole = "character-whole", Error;
    /// No member of a line, of its message or of a content block occurs twice.
    KeyUnique = "key-unique", Warning;
    /// Every message has type, uuid, timestamp and sessionId, and the members that its type requires.
    FieldRequired = "field-required", Error;
    /// The structure of a line matches its type.
    Shape = "shape", Error;
    /// Every message has the session id of its file.
    SessionConsistent = "session-consistent", Warning;
    /// Token counts of replies are non-negative numbers.
    UsageCount = "usage-count", Warning;
    /// No two messages of a session have the same uuid.
    UuidUnique = "uuid-unique", Error;
    /// Ids of lines on disk have the form of a UUID.
    UuidForm = "uuid-form", Note;
    /// Timestamps are ISO 8601 with a time zone.
    TimestampIso = "timestamp-iso", Error;
    /// No message is older than its parent.
    TimeOrder = "time-order", Note;
    /// parentUuid is the uuid of an existing message, or null.
    ParentExists = "parent-exists", Error;
    /// No message is its own ancestor.
    ParentAcyclic = "parent-acyclic", Error;
    /// Every tool call has an id, the name of the tool, and arguments.
    CallComplete = "call-complete", Error;
    /// No two different tool calls of a reply have the same id.
    CallUnique = "call-unique", Error;
    /// All messages of a chain have the same sidechain flag and agent.
    SidechainConsistent = "sidechain-consistent", Error;
    /// The tool call in a subagent's sidecar exists in the session.
    SidecarCall = "sidecar-call", Error;
    /// Every tool call has one result, and every result has a call.
    Pairing = "pairing", Error;
    /// Requests and shapes that lines refer to exist.
    RequestKnown = "request-known", Error;
    /// Every request has a reply or an error; otherwise its cost is not recorded.
    RequestAnswered = "request-answered", Warning;
    /// Kinds, subtypes and members are known. New versions of the CLI add new ones.
    Drift = "drift", Note;
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}
