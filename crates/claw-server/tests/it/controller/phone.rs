//! The screen of a front end.

use claw_server::UiMessage;

use crate::phone::shown_text;
pub(crate) use crate::phone::{Phone, is};

/// The text of the first turn, and the names of the other messages in order.
pub(crate) fn screen<'a>(
    messages: impl Iterator<Item = &'a UiMessage> + Clone,
) -> (String, Vec<&'a str>) {
    let text = shown_text(messages.clone()).unwrap().remove(&1);
    let is_piece = |name: &&str| matches!(*name, "TextChunk" | "TextRetracted");
    let names = messages.map(UiMessage::name);
    let others = names.filter(|name| !is_piece(name)).collect();
    (text.unwrap_or_default(), others)
}

impl Phone {
    pub(crate) fn screen(&self) -> (String, Vec<&str>) {
        screen(self.client.messages())
    }
}
