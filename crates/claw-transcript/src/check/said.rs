//! The message inside a line of the disk.

use super::json::Cursor;

/// How the text begins that the CLI leaves where a person interrupted.
const INTERRUPT: &str = "\"[Request interrupted by user";

/// What `message.content` is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Content<'a> {
    #[default]
    Missing,
    Text(&'a str),
    Blocks(Vec<Block<'a>>),
    /// Neither a string nor a list.
    Odd(&'a str),
}

/// A message of the API, as far as the checks look into it. Members are the text of their values.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said<'a> {
    pub(super) role: Option<&'a str>,
    pub(super) id: Option<&'a str>,
    pub(super) usage: Option<&'a str>,
    pub(super) content: Content<'a>,
    /// The last value of a duplicate member.
    pub(super) doubled: Option<&'a str>,
}

/// A content block.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Block<'a> {
    /// The block itself.
    pub(super) json: &'a str,
    pub(super) kind: Option<&'a str>,
    pub(super) id: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) input: Option<&'a str>,
    pub(super) call: Option<&'a str>,
    pub(super) text: Option<&'a str>,
    /// The last value of a duplicate member.
    pub(super) doubled: Option<&'a str>,
}

impl<'a> Said<'a> {
    /// Reads the text of a member `message`; `None` when it is not an object.
    pub(super) fn read(json: &'a str) -> Option<Self> {
        let mut cursor = Cursor::new(json);
        let said = Self::walk(&mut cursor)?;
        said.filter(|_| cursor.is_done())
    }

    /// Goes over a member `message` and says what is in it, when it is an object.
    pub(super) fn walk(cursor: &mut Cursor<'a>) -> Option<Option<Self>> {
        if cursor.peek()? != b'{' {
            cursor.skip()?;
            return Some(None);
        }
        let mut said = Self::default();
        let mut named = true;
        cursor.object(|cursor, name| {
            named &= name.is_some();
            let place = match name.as_deref() {
                Some("role") => &mut said.role,
                Some("id") => &mut said.id,
                Some("usage") => &mut said.usage,
                Some("content") => {
                    let (value, content) = cursor.raw_with(Content::walk)?;
                    if said.content != Content::Missing {
                        said.doubled = Some(value);
                    }
                    said.content = content;
                    return Some(());
                }
                _ => return cursor.skip(),
            };
            let value = cursor.raw()?;
            if place.replace(value).is_some() {
                said.doubled = Some(value);
            }
            Some(())
        })?;
        Some(named.then_some(said))
    }

    pub(super) fn blocks(&self) -> &[Block<'a>] {
        match &self.content {
            Content::Blocks(blocks) => blocks,
            _ => &[],
        }
    }

    /// Whether it is the CLI's note that a person interrupted.
    pub(super) fn is_interrupt(&self) -> bool {
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

impl Block<'_> {
    /// Whether it calls a tool that the CLI runs.
    pub(super) fn is_call(&self) -> bool {
        self.kind == Some("\"tool_use\"")
    }

    /// Whether it is what such a tool returned.
    pub(super) fn is_result(&self) -> bool {
        self.kind == Some("\"tool_result\"")
    }
}

impl<'a> Content<'a> {
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
    fn walk(cursor: &mut Cursor<'a>) -> Option<Self> {
        if cursor.peek()? != b'{' {
            let json = cursor.raw()?;
            return Some(Self {
                json,
                ..Self::default()
            });
        }
        let mut block = Self::default();
        let mut named = true;
        let (json, ()) = cursor.raw_with(|cursor| {
            cursor.object(|cursor, name| {
                named &= name.is_some();
                let place = match name.as_deref() {
                    Some("type") => &mut block.kind,
                    Some("id") => &mut block.id,
                    Some("name") => &mut block.name,
                    Some("input") => &mut block.input,
                    Some("tool_use_id") => &mut block.call,
                    Some("text") => &mut block.text,
                    _ => return cursor.skip(),
                };
                let value = cursor.raw()?;
                if place.replace(value).is_some() {
                    block.doubled = Some(value);
                }
                Some(())
            })
        })?;
        // A block with a name that is no text is not looked into.
        let block = if named { block } else { Self::default() };
        Some(Self { json, ..block })
    }
}
