//! Pieces of a block.

use rusty_claw_macros::Wire;

use crate::content::Citation;
use crate::extra::Extra;
use crate::unknown::Unknown;

/// A piece of a block that is being written. Told apart by `type`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ContentDelta {
    /// More text.
    TextDelta {
        /// The piece.
        text: String,
        /// What no field holds.
        extra: Extra,
    },
    /// More reasoning.
    ThinkingDelta {
        /// The piece.
        thinking: String,
        /// How many tokens the reasoning has so far, about.
        estimated_tokens: Option<u64>,
        /// What no field holds.
        extra: Extra,
    },
    /// The proof that the reasoning is the API's.
    SignatureDelta {
        /// The proof.
        signature: String,
        /// What no field holds.
        extra: Extra,
    },
    /// More of a tool's input.
    InputJsonDelta {
        /// A piece of JSON text, which may end anywhere.
        partial_json: String,
        /// What no field holds.
        extra: Extra,
    },
    /// One more citation for the text.
    CitationsDelta {
        /// The citation.
        citation: Option<Box<Citation>>,
        /// What no field holds.
        extra: Extra,
    },
    /// A summary of the history, whole.
    CompactionDelta {
        /// The summary.
        content: Option<String>,
        /// The summary, readable by the API only.
        encrypted_content: Option<String>,
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}

/// No text: what a required field holds when the member was missing.
impl Default for ContentDelta {
    fn default() -> Self {
        Self::TextDelta {
            text: String::new(),
            extra: Extra::new(),
        }
    }
}
