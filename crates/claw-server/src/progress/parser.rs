//! Progress from text, where nothing better exists.

use super::{ProseProgress, TextOrigin};

/// Reads how far the work is from what an agent says or a tool prints.
///
/// This is a fallback: text is a poor source, so it refuses whatever it is not sure of. It keeps
/// nothing from one text to the next.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProgressParser {}

impl ProgressParser {
    /// A reader.
    pub fn new() -> Self {
        Self {}
    }

    /// The last update that the text reports, or `None` when it reports none.
    pub fn parse(&self, _text: &str, _origin: TextOrigin) -> Option<ProseProgress> {
        None
    }
}
