//! What is said to the model.

mod attach;
mod base64;

#[cfg(test)]
mod tests;

use std::fmt;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::messages::{
    Content, ContentBlock, MessageOrigin, PromptPriority, UserMessage,
};

#[cfg(test)]
pub(crate) use self::attach::LONGEST;

/// A prompt: text, and with it images and documents.
///
/// A plain text needs no builder: everything that takes a prompt takes a `&str` too.
///
/// ```
/// use rusty_claw::Prompt;
///
/// # fn example(screenshot: &[u8]) -> Result<(), rusty_claw::SessionError> {
/// let prompt = Prompt::text("What is wrong with this page?")
///     .image_bytes(screenshot)?
///     .text_document("access.log", "GET / 500\n");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq)]
pub struct Prompt {
    message: UserMessage,
}

impl Prompt {
    /// A prompt that is a plain text.
    ///
    /// `@file` in it pulls a file in, and `/name` at its start runs a command; for text that
    /// somebody else wrote see [`Prompt::verbatim`].
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            message: UserMessage::text(text),
        }
    }

    /// A prompt of several blocks, as the API has them.
    ///
    /// ```
    /// use rusty_claw::Prompt;
    /// use rusty_claw::messages::ContentBlock;
    ///
    /// let prompt = Prompt::blocks([
    ///     ContentBlock::image_url("https://example.com/cat.png"),
    ///     ContentBlock::text("Which animal is this?"),
    /// ]);
    /// ```
    pub fn blocks(blocks: impl IntoIterator<Item = ContentBlock>) -> Self {
        Self {
            message: UserMessage::new(blocks.into_iter().collect::<Vec<_>>()),
        }
    }

    /// Adds a block.
    #[must_use]
    pub fn block(mut self, block: ContentBlock) -> Self {
        let mut blocks = std::mem::take(&mut self.message.message.content).into_blocks();
        blocks.push(block);
        self.message.message.content = Content::from(blocks);
        self
    }

    /// Adds a text block.
    #[must_use]
    pub fn and_text(self, text: impl Into<String>) -> Self {
        self.block(ContentBlock::text(text))
    }

    /// Gives the prompt an id, a UUID of your own. It is the key by which the CLI speaks of the
    /// prompt, its line in the session file, and the place to rewind files to. Without this, one
    /// is made.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<Str>) -> Self {
        self.message.uuid = Some(id.into());
        self
    }

    /// Says when the prompt is to be run while another turn runs. [`PromptPriority::Now`] cuts
    /// that turn off.
    #[must_use]
    pub fn priority(mut self, priority: PromptPriority) -> Self {
        self.message.priority = Some(priority);
        self
    }

    /// Says who wrote the prompt, where it was not the user.
    #[must_use]
    pub fn origin(mut self, origin: MessageOrigin) -> Self {
        self.message.origin = Some(Box::new(origin));
        self
    }

    /// Stores the prompt for the next one instead of asking the model. Its turn ends at once.
    #[must_use]
    pub fn without_query(mut self) -> Self {
        self.message.should_query = Some(false);
        self
    }

    /// Takes the text as it is: `@file` pulls no file in and `/name` runs no command. For text
    /// that somebody else wrote.
    #[must_use]
    pub fn verbatim(mut self) -> Self {
        self.message.client_composed = Some(true);
        self
    }

    /// The message as it is sent, and its id: one is made when it has none, because without an id
    /// the CLI does not say what becomes of a prompt.
    pub(crate) fn into_message(self) -> (Str, UserMessage) {
        let mut message = self.message;
        let id = match &message.uuid {
            Some(id) => id.clone(),
            None => {
                let id = Str::from(uuid::Uuid::new_v4().to_string());
                message.uuid = Some(id.clone());
                id
            }
        };
        (id, message)
    }
}

// What is said to the model is nobody else's.
impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = self.message.message.content.len();
        f.debug_struct("Prompt")
            .field("id", &self.message.uuid)
            .field("blocks", &blocks)
            .finish_non_exhaustive()
    }
}

/// An empty prompt, to begin with an image or a document.
impl Default for Prompt {
    fn default() -> Self {
        Self::blocks([])
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<UserMessage> for Prompt {
    fn from(message: UserMessage) -> Self {
        Self { message }
    }
}
