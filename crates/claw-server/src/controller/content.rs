//! Converts the content of an input for the SDK.

use rusty_claw::Prompt;
use rusty_claw::messages::ContentBlock;
use rusty_claw_protocol::Json;

use super::ControllerError;

/// The largest input. The API accepts 32 MB, and a store accepts events of 64 MiB.
const MAX_INPUT: usize = 32 * 1024 * 1024;

/// Converts a text or a list of content blocks to a prompt.
pub(super) fn prompt(content: &Json) -> Result<Prompt, ControllerError> {
    if content.text().len() > MAX_INPUT {
        let why = "it has more than 32 MiB";
        return Err(ControllerError::Unsendable { why });
    }
    if let Some(text) = content.view::<String>() {
        if text.is_empty() {
            return Err(ControllerError::Unsendable { why: "it is empty" });
        }
        return Ok(Prompt::text(text));
    }
    match content.view::<Vec<ContentBlock>>() {
        Some(blocks) if !blocks.is_empty() => Ok(Prompt::blocks(blocks)),
        _ => Err(ControllerError::Unsendable {
            why: "it is neither a text nor a list of content blocks",
        }),
    }
}
