//! Turns messages into pieces of text. Pure: no clock, no I/O.

#[cfg(test)]
mod tests;

use rusty_claw_protocol::messages::{
    AbandonedBlocks, ApiStreamEvent, AssistantMessage, ContentBlock, ContentDelta, Message,
    StreamEvent, SystemMessage,
};
use rusty_claw_protocol::{Received, Str};

use super::surrogate::{Halves, halves, join};

/// A piece of the text of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextPiece {
    /// More text.
    #[non_exhaustive]
    Text {
        /// The number of its block, counted from the first that was seen. Blocks are paragraphs:
        /// insert a line break where the number changes.
        block: u64,
        /// The text, to be appended to the block.
        text: String,
        /// The tool use that started the subagent that wrote it.
        parent_tool_use_id: Option<Str>,
        /// The API's id of the message.
        message_id: Option<Str>,
        /// The index of the block in its message, if it was streamed.
        index: Option<u64>,
        /// The number of bytes of the block's text before this piece.
        offset: usize,
    },
    /// All text of a block so far is invalid: the stream broke, another model was asked, or the
    /// stored text differs. More of the block may follow.
    #[non_exhaustive]
    Retracted {
        /// The block.
        block: u64,
        /// The number of bytes of text that it had.
        bytes: usize,
    },
}

impl TextPiece {
    /// The text, if this is text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            Self::Retracted { .. } => None,
        }
    }
}

/// Turns messages into the text of the answers, for loops that look at other messages too.
///
/// Even if deltas are lost or repeated, the pieces of a block since its last retraction add up to
/// the text of the stored block.
///
/// ```
/// use rusty_claw::{Received, TextAssembler};
///
/// let line = r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hello!"}]}}"#;
/// let received = Received::decode(line)?;
/// let mut assembler = TextAssembler::new();
/// let pieces = assembler.feed(&received);
/// assert_eq!(pieces[0].text(), Some("Hello!"));
/// # Ok::<(), rusty_claw::DecodeError>(())
/// ```
#[derive(Debug, Default)]
pub struct TextAssembler {
    with_subagents: bool,
    is_resumed: bool,
    count: u64,
    /// The blocks of the running turn.
    blocks: Vec<Block>,
}

#[derive(Debug)]
struct Block {
    number: u64,
    /// The API's id of the message, and the index of the block in it, if it was streamed.
    message: Option<Str>,
    index: Option<u64>,
    parent: Option<Str>,
    /// The yielded text. Dropped once the block is stored.
    yielded: String,
    bytes: usize,
    /// The first half of a surrogate pair whose second half is yet to come.
    half: Option<u16>,
    is_open: bool,
    /// The line with the whole block.
    stored: Option<Stored>,
}

#[derive(Debug)]
struct Stored {
    line: Option<Str>,
}

impl TextAssembler {
    /// Creates an assembler that ignores the text of subagents.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also yields the text of subagents.
    #[must_use]
    pub fn with_subagents(mut self) -> Self {
        self.with_subagents = true;
        self
    }

    /// Starts in the middle of a conversation: ignores the rest of a block whose beginning was not
    /// fed, because its position in the text is unknown.
    #[must_use]
    pub fn resumed(mut self) -> Self {
        self.is_resumed = true;
        self
    }

    /// Processes the next message, of any type.
    pub fn feed(&mut self, received: &Received) -> Vec<TextPiece> {
        let mut pieces = Vec::new();
        match &received.message {
            Message::StreamEvent(event) if self.wants(&event.parent_tool_use_id) => {
                self.on_event(event, received.raw.as_bytes(), &mut pieces);
            }
            Message::Assistant(message) if self.wants(&message.parent_tool_use_id) => {
                self.on_stored(message, &mut pieces);
            }
            Message::System(SystemMessage::ModelRefusalFallback(fallback)) => {
                let lines = fallback.retracted_message_uuids.as_deref();
                self.retract_lines(lines.unwrap_or_default(), &mut pieces);
            }
            Message::Result(_) => {
                // Text that was streamed but is not stored by now never will be.
                self.retract(|block| block.stored.is_none(), &mut pieces);
                self.blocks.clear();
            }
            _ => {}
        }
        pieces
    }

    /// Drops blocks whose whole text was seen, so that memory stays bounded in turns that never
    /// end. They can no longer be retracted.
    pub fn forget_stored(&mut self) {
        self.blocks.retain(|block| block.stored.is_none());
    }

    fn wants(&self, parent: &Option<Str>) -> bool {
        self.with_subagents || parent.is_none()
    }

    fn on_event(&mut self, event: &StreamEvent, line: &[u8], pieces: &mut Vec<TextPiece>) {
        match &event.event {
            Some(ApiStreamEvent::ContentBlockStart {
                index,
                content_block,
                ..
            }) => {
                if let ContentBlock::Text { text, .. } = &**content_block {
                    let block = self.streamed(event, *index);
                    if block.stored.is_none() && block.yielded.is_empty() {
                        block.add(text, Halves::default(), pieces);
                    }
                }
            }
            Some(ApiStreamEvent::ContentBlockDelta {
                index,
                delta: ContentDelta::TextDelta { text, .. },
                ..
            }) => {
                if self.is_resumed && self.find(event, *index).is_none() {
                    return;
                }
                let block = self.streamed(event, *index);
                if block.stored.is_none() {
                    block.add(text, halves(line, text), pieces);
                }
            }
            Some(ApiStreamEvent::ContentBlockStop { index, .. }) => {
                if let Some(at) = self.find(event, *index) {
                    self.blocks[at].is_open = false;
                }
            }
            _ => {}
        }
        if let Some(abandoned) = &event.abandoned_blocks {
            self.on_abandoned(event, abandoned, pieces);
        }
    }

    fn on_abandoned(
        &mut self,
        event: &StreamEvent,
        abandoned: &AbandonedBlocks,
        pieces: &mut Vec<TextPiece>,
    ) {
        let message = abandoned.api_message_id.as_ref();
        let message = message.or(event.api_message_id.as_ref());
        let from = abandoned.from_block_index.unwrap_or(0);
        self.retract(
            |block| {
                block.message.as_ref() == message && block.index.is_some_and(|index| index >= from)
            },
            pieces,
        );
    }

    /// Processes a stored message, or one block of it.
    fn on_stored(&mut self, message: &AssistantMessage, pieces: &mut Vec<TextPiece>) {
        self.retract_lines(message.supersedes.as_deref().unwrap_or_default(), pieces);
        for text in message
            .message
            .content
            .iter()
            .filter_map(ContentBlock::as_text)
        {
            let at = self.streamed_as(message).unwrap_or_else(|| {
                let parent = message.parent_tool_use_id.clone();
                self.begin(message.message.id.clone(), None, parent)
            });
            let line = message.uuid.clone();
            self.blocks[at].store(text, line, pieces);
        }
    }

    /// Finds the streamed block of a stored one: its line comes before the block's end.
    fn streamed_as(&self, message: &AssistantMessage) -> Option<usize> {
        let is_candidate = |block: &Block| {
            block.stored.is_none()
                && block.message == message.message.id
                && block.parent == message.parent_tool_use_id
        };
        let open = |block: &Block| is_candidate(block) && block.is_open;
        self.blocks
            .iter()
            .position(open)
            .or_else(|| self.blocks.iter().position(is_candidate))
    }

    fn find(&self, event: &StreamEvent, index: u64) -> Option<usize> {
        self.blocks.iter().position(|block| {
            block.index == Some(index)
                && block.message == event.api_message_id
                && block.parent == event.parent_tool_use_id
        })
    }

    /// Returns the block of an event, new or known.
    fn streamed(&mut self, event: &StreamEvent, index: u64) -> &mut Block {
        let at = self.find(event, index).unwrap_or_else(|| {
            let parent = event.parent_tool_use_id.clone();
            self.begin(event.api_message_id.clone(), Some(index), parent)
        });
        &mut self.blocks[at]
    }

    fn begin(&mut self, message: Option<Str>, index: Option<u64>, parent: Option<Str>) -> usize {
        self.blocks.push(Block {
            number: self.count,
            message,
            index,
            parent,
            yielded: String::new(),
            bytes: 0,
            half: None,
            is_open: index.is_some(),
            stored: None,
        });
        self.count += 1;
        self.blocks.len() - 1
    }

    fn retract_lines(&mut self, lines: &[Str], pieces: &mut Vec<TextPiece>) {
        let is_named = |block: &Block| {
            let line = block
                .stored
                .as_ref()
                .and_then(|stored| stored.line.as_ref());
            line.is_some_and(|line| lines.contains(line))
        };
        if !lines.is_empty() {
            self.retract(is_named, pieces);
        }
    }

    fn retract(&mut self, which: impl Fn(&Block) -> bool, pieces: &mut Vec<TextPiece>) {
        self.blocks.retain_mut(|block| {
            let gone = which(block);
            if gone {
                block.retract(pieces);
            }
            !gone
        });
    }
}

impl Block {
    fn add(&mut self, text: &str, halves: Halves, pieces: &mut Vec<TextPiece>) {
        let cut = char::REPLACEMENT_CHARACTER;
        if text.is_empty() {
            return;
        }
        let mut whole = String::with_capacity(text.len() + 4);
        let mut rest = text;
        if let Some(first) = self.half.take() {
            match halves.at_start {
                Some(second) => {
                    whole.push(join(first, second));
                    rest = rest.strip_prefix(cut).unwrap_or(rest);
                }
                // The other half never arrived.
                None => whole.push(cut),
            }
        }
        if halves.at_end.is_some()
            && let Some(before) = rest.strip_suffix(cut)
        {
            rest = before;
            self.half = halves.at_end;
        }
        whole.push_str(rest);
        self.yielded.push_str(&whole);
        self.say(whole, pieces);
    }

    /// Completes the block with its whole text: yields what is missing, or retracts a wrong text.
    fn store(&mut self, text: &str, line: Option<Str>, pieces: &mut Vec<TextPiece>) {
        let yielded = std::mem::take(&mut self.yielded);
        let missing = text.strip_prefix(yielded.as_str()).unwrap_or_else(|| {
            self.retract(pieces);
            text
        });
        self.say(missing.to_owned(), pieces);
        self.half = None;
        self.stored = Some(Stored { line });
    }

    fn say(&mut self, text: String, pieces: &mut Vec<TextPiece>) {
        if text.is_empty() {
            return;
        }
        let offset = self.bytes;
        self.bytes += text.len();
        pieces.push(TextPiece::Text {
            block: self.number,
            text,
            parent_tool_use_id: self.parent.clone(),
            message_id: self.message.clone(),
            index: self.index,
            offset,
        });
    }

    fn retract(&mut self, pieces: &mut Vec<TextPiece>) {
        let bytes = std::mem::take(&mut self.bytes);
        if bytes > 0 {
            pieces.push(TextPiece::Retracted {
                block: self.number,
                bytes,
            });
        }
    }
}
