//! What is checked.

use std::fmt;

use serde::{Serialize, Serializer};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Something is lost or odd, but the session can be read.
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
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Severity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident = $id:literal, $severity:ident;)*) => {
        /// A rule that session files are held against. Its id never changes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Rule {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The id for people and programs.
            pub fn id(self) -> &'static str {
                match self {
                    $(Self::$name => $id,)*
                }
            }

            /// How bad it is to break it, as a rule; exceptions are milder.
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$name => Severity::$severity,)*
                }
            }

            /// What it asks for, in words.
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
    /// The file holds a session: at least one line is a JSON object.
    FileSession = "file-session", Error;
    /// Every line is one JSON object.
    LineWhole = "line-whole", Error;
    /// Every line is UTF-8, without NUL bytes around it.
    LineText = "line-text", Warning;
    /// No text has half of a character in it, such as one half of an emoji, which the API refuses.
    CharacterWhole = "character-whole", Error;
    /// No member of a line, of its message or of a content block occurs twice.
    KeyUnique = "key-unique", Warning;
    /// Every message has type, uuid, timestamp and sessionId, and what its kind asks for.
    FieldRequired = "field-required", Error;
    /// The structure of a line matches its type.
    Shape = "shape", Error;
    /// Messages name the session of the file.
    SessionConsistent = "session-consistent", Warning;
    /// Token counts of replies are non-negative numbers.
    UsageCount = "usage-count", Warning;
    /// No uuid stands for two messages of one session.
    UuidUnique = "uuid-unique", Error;
    /// Ids of lines on disk have the form of a UUID.
    UuidForm = "uuid-form", Note;
    /// Timestamps are ISO 8601 with a zone.
    TimestampIso = "timestamp-iso", Error;
    /// Messages are not older than what they answer.
    TimeOrder = "time-order", Note;
    /// parentUuid names a message that is there, or is null.
    ParentExists = "parent-exists", Error;
    /// No message is its own ancestor.
    ParentAcyclic = "parent-acyclic", Error;
    /// Tool calls say which tool, with which arguments, under which id.
    CallComplete = "call-complete", Error;
    /// No id belongs to two different tool calls of one reply.
    CallUnique = "call-unique", Error;
    /// A chain is a sidechain as a whole, of one agent.
    SidechainConsistent = "sidechain-consistent", Error;
    /// The call that a subagent's sidecar names is there.
    SidecarCall = "sidecar-call", Error;
    /// Each tool call has one result, and each result a call.
    Pairing = "pairing", Error;
    /// The requests that lines name are there.
    RequestKnown = "request-known", Error;
    /// Each request led to a reply or an error; otherwise what it cost is not seen.
    RequestAnswered = "request-answered", Warning;
    /// Kinds, subtypes and members are known here; new ones come with new versions of the CLI.
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
