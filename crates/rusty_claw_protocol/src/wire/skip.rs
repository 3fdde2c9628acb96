//! Skipping values: validated if they are kept, unvalidated for lookahead.

use std::borrow::Cow;

use crate::wire::{Cursor, Malformed, Reader};

/// Returns the nearest number. serde_json alone may be off by one unit in the last place.
fn number_value(text: &str) -> serde_json::Value {
    if let Ok(value) = text.parse::<u64>() {
        return value.into();
    }
    if let Ok(value) = text.parse::<i64>() {
        return value.into();
    }
    text.parse::<f64>()
        .map_or(serde_json::Value::Null, Into::into)
}

impl Reader<'_> {
    /// Skips a value and validates it, without recursion.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    pub fn skip(&mut self) -> Result<(), Malformed> {
        match self.peek()? {
            b'"' => self.skip_string(),
            b'{' | b'[' => self.skip_container(),
            _ => self.skip_scalar(),
        }
    }

    #[inline]
    fn skip_scalar(&mut self) -> Result<(), Malformed> {
        match self.peek()? {
            b'"' => self.skip_string(),
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            _ => self.skip_number(),
        }
    }

    #[inline]
    pub(super) fn literal(&mut self, word: &str) -> Result<(), Malformed> {
        if self.bytes().get(self.pos..self.pos + word.len()) == Some(word.as_bytes()) {
            self.pos += word.len();
            Ok(())
        } else {
            Err(Malformed)
        }
    }

    /// Open brackets are kept on a heap stack: ten thousand levels take ten thousand bytes, not the
    /// thread's stack.
    fn skip_container(&mut self) -> Result<(), Malformed> {
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        let outcome = self.skip_nested(&mut open);
        self.open = open;
        outcome
    }

    fn skip_nested(&mut self, open: &mut Vec<u8>) -> Result<(), Malformed> {
        loop {
            // At the start of a value.
            let bracket = self.peek()?;
            let mut done = true;
            if bracket == b'{' || bracket == b'[' {
                self.pos += 1;
                let close = bracket + 2;
                if self.peek()? == close {
                    self.pos += 1;
                } else {
                    open.push(close);
                    if close == b'}' {
                        self.skip_key()?;
                    }
                    done = false;
                }
            } else {
                self.skip_scalar()?;
            }
            // After a value: close the containers that end here, then continue with the next value.
            while done {
                let Some(&close) = open.last() else {
                    return Ok(());
                };
                let byte = self.peek()?;
                self.pos += 1;
                if byte == close {
                    open.pop();
                } else if byte == b',' {
                    if close == b'}' {
                        self.skip_key()?;
                    }
                    done = false;
                } else {
                    self.pos -= 1;
                    return Err(Malformed);
                }
            }
        }
    }

    #[inline]
    fn skip_key(&mut self) -> Result<(), Malformed> {
        if self.peek()? != b'"' {
            return Err(Malformed);
        }
        self.skip_string()?;
        if self.peek()? != b':' {
            return Err(Malformed);
        }
        self.pos += 1;
        Ok(())
    }

    /// Skips a value by its brackets and quotes alone: for lookahead in a text that is validated
    /// elsewhere.
    ///
    /// # Errors
    /// Returns an error if a bracket or a quote is not closed.
    pub(crate) fn leap(&mut self) -> Result<(), Malformed> {
        let mut cursor = Cursor {
            bytes: self.bytes(),
            at: self.pos,
        };
        cursor.leap().ok_or(Malformed)?;
        self.pos = cursor.at;
        Ok(())
    }

    /// Builds a tree, at most `depth` levels deep.
    pub(crate) fn value(&mut self, depth: usize) -> Result<serde_json::Value, Malformed> {
        use serde_json::Value;

        if let Some(mut members) = self.object()? {
            let mut map = serde_json::Map::new();
            while let Some(key) = members.next(self)? {
                let value = self.value_below(depth)?;
                map.insert(key.into_owned(), value);
            }
            return Ok(Value::Object(map));
        }
        if self.enter(b'[')? {
            let mut items = Vec::new();
            let mut first = true;
            while self.more(&mut first, b']')? {
                items.push(self.value_below(depth)?);
            }
            return Ok(Value::Array(items));
        }
        if let Some(text) = self.string()? {
            return Ok(Value::String(Cow::into_owned(text)));
        }
        if let Some(text) = self.number()? {
            return Ok(number_value(text));
        }
        let value = match self.peek()? {
            b't' => Value::Bool(true),
            b'f' => Value::Bool(false),
            _ => Value::Null,
        };
        self.skip_scalar()?;
        Ok(value)
    }

    fn value_below(&mut self, depth: usize) -> Result<serde_json::Value, Malformed> {
        match depth.checked_sub(1) {
            Some(depth) => self.value(depth),
            None => self.skip().map(|()| serde_json::Value::Null),
        }
    }
}
