//! The message of a line and its content blocks.

use crate::json::Cursor;

/// The start of the note that the CLI writes when a person interrupts.
const INTERRUPT: &str = "\"[Request interrupted by user";

/// The value of `message.content`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Content<'a> {
    #[default]
    Missing,
    Text(&'a str),
    Blocks(Vec<Block<'a>>),
    /// Neither a string nor an array.
    Odd(&'a str),
}

/// A message of the API. Members are JSON text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Message<'a> {
    pub(crate) role: Option<&'a str>,
    pub(crate) id: Option<&'a str>,
    pub(crate) model: Option<&'a str>,
    pub(crate) usage: Option<&'a str>,
    pub(crate) stop_reason: Option<&'a str>,
    pub(crate) content: Content<'a>,
    /// The last value of a duplicate role, id, usage or content.
    pub(crate) doubled: Option<&'a str>,
}

/// A content block. Members are JSON text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Block<'a> {
    /// The whole block.
    pub(crate) json: &'a str,
    pub(crate) kind: Option<&'a str>,
    pub(crate) id: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
    pub(crate) input: Option<&'a str>,
    /// `tool_use_id`
    pub(crate) call: Option<&'a str>,
    pub(crate) text: Option<&'a str>,
    pub(crate) thinking: Option<&'a str>,
    pub(crate) content: Option<&'a str>,
    pub(crate) is_error: Option<&'a str>,
    pub(crate) source: Option<&'a str>,
    /// The last value of a duplicate type, id, name, input, `tool_use_id` or text.
    pub(crate) doubled: Option<&'a str>,
}

impl<'a> Message<'a> {
    /// Consumes the member `message`; the inner `None` if it is not an object.
    pub(super) fn walk(cursor: &mut Cursor<'a>) -> Option<Option<Self>> {
        if cursor.peek()? != b'{' {
            cursor.skip()?;
            return Some(None);
        }
        let mut message = Self::default();
        let mut is_named = true;
        cursor.object(|cursor, name| {
            is_named &= name.is_some();
            let (field, is_unique) = match name.as_deref() {
                Some("role") => (&mut message.role, true),
                Some("id") => (&mut message.id, true),
                Some("usage") => (&mut message.usage, true),
                Some("model") => (&mut message.model, false),
                Some("stop_reason") => (&mut message.stop_reason, false),
                Some("content") => {
                    let (value, content) = cursor.raw_with(Content::walk)?;
                    if message.content != Content::Missing {
                        message.doubled = Some(value);
                    }
                    message.content = content;
                    return Some(());
                }
                _ => return cursor.skip(),
            };
            let value = cursor.raw()?;
            if field.replace(value).is_some() && is_unique {
                message.doubled = Some(value);
            }
            Some(())
        })?;
        Some(is_named.then_some(message))
    }

    pub(crate) fn blocks(&self) -> &[Block<'a>] {
        match &self.content {
            Content::Blocks(blocks) => blocks,
            _ => &[],
        }
    }

    /// Returns whether it is the CLI's note that a person interrupted.
    pub(crate) fn is_interrupt(&self) -> bool {
        match &self.content {
            Content::Text(text) => text.starts_with(INTERRUPT),
            Content::Blocks(blocks) => {
                let mut texts = blocks.iter().filter_map(|block| block.text);
                texts.any(|text| text.starts_with(INTERRUPT))
            }
            _ => false,
        }
    }
}

impl<'a> Content<'a> {
    /// Reads the content of a message or a tool result.
    pub(crate) fn read(json: &'a str) -> Self {
        let mut cursor = Cursor::new(json);
        let content = Self::walk(&mut cursor);
        match content {
            Some(content) if cursor.is_done() => content,
            _ => Self::Odd(json),
        }
    }

    fn walk(cursor: &mut Cursor<'a>) -> Option<Self> {
        Some(match cursor.peek()? {
            b'"' => Self::Text(cursor.raw()?),
            b'[' => {
                let mut blocks = Vec::new();
                cursor.list(|cursor| {
                    blocks.push(Block::walk(cursor)?);
                    Some(())
                })?;
                Self::Blocks(blocks)
            }
            _ => Self::Odd(cursor.raw()?),
        })
    }
}

impl<'a> Block<'a> {
    /// Reads a block. Text that is not an object has no members.
    pub(crate) fn read(json: &'a str) -> Self {
        let mut cursor = Cursor::new(json);
        let block = Self::walk(&mut cursor);
        let block = block.filter(|_| cursor.is_done()).unwrap_or_default();
        Self { json, ..block }
    }

    fn walk(cursor: &mut Cursor<'a>) -> Option<Self> {
        if cursor.peek()? != b'{' {
            let json = cursor.raw()?;
            return Some(Self {
                json,
                ..Self::default()
            });
        }
        let mut block = Self::default();
        let mut is_named = true;
        let (json, ()) = cursor.raw_with(|cursor| {
            cursor.object(|cursor, name| {
                is_named &= name.is_some();
                let (field, is_unique) = match name.as_deref() {
                    Some("type") => (&mut block.kind, true),
                    Some("id") => (&mut block.id, true),
                    Some("name") => (&mut block.name, true),
                    Some("input") => (&mut block.input, true),
                    Some("tool_use_id") => (&mut block.call, true),
                    Some("text") => (&mut block.text, true),
                    Some("thinking") => (&mut block.thinking, false),
                    Some("content") => (&mut block.content, false),
                    Some("is_error") => (&mut block.is_error, false),
                    Some("source") => (&mut block.source, false),
                    _ => return cursor.skip(),
                };
                let value = cursor.raw()?;
                if field.replace(value).is_some() && is_unique {
                    block.doubled = Some(value);
                }
                Some(())
            })
        })?;
        // A block with a lone surrogate in a name has no members.
        let block = if is_named { block } else { Self::default() };
        Some(Self { json, ..block })
    }

    /// Returns whether it calls a tool that the CLI runs.
    pub(crate) fn is_call(&self) -> bool {
        self.kind == Some("\"tool_use\"")
    }

    /// Returns whether it is the result of such a tool.
    pub(crate) fn is_result(&self) -> bool {
        self.kind == Some("\"tool_result\"")
    }
}
