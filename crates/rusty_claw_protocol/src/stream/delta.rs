//! Deltas of a block.

use rusty_claw_macros::wire_type;

use crate::content::Citation;
use crate::extra::Extra;
use crate::unknown::Unknown;

/// A delta of a block in progress. Tagged by `type`.
#[wire_type(tag = "type")]
pub enum ContentDelta {
    /// Text.
    TextDelta {
        /// The delta.
        text: String,
    },
    /// Reasoning.
    ThinkingDelta {
        /// The delta.
        thinking: String,
        /// Estimated number of reasoning tokens so far.
        estimated_tokens: Option<u64>,
    },
    /// The signature of the reasoning.
    SignatureDelta {
        /// The signature.
        signature: String,
    },
    /// A part of a tool's input.
    InputJsonDelta {
        /// A part of JSON text, which may end anywhere.
        partial_json: String,
    },
    /// A citation for the text.
    CitationsDelta {
        /// The citation.
        citation: Option<Box<Citation>>,
    },
    /// A complete summary of the history.
    CompactionDelta {
        /// The summary.
        content: Option<String>,
        /// The summary, which only the API can read.
        encrypted_content: Option<String>,
    },
    /// An unrecognized kind.
    Unknown(Unknown),
}

/// Empty text: the value of a required field whose member is missing.
impl Default for ContentDelta {
    fn default() -> Self {
        Self::TextDelta {
            text: String::new(),
            extra: Extra::new(),
        }
    }
}
