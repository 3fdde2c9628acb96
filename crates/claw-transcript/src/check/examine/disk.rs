//! Rules for lines of session files.

use super::super::rule::{Rule, Severity};
use super::{Examiner, is_name};
use crate::entry::Kind;
use crate::facts::{Block, Content, Member, Message};
use crate::json::Cursor;
use crate::members::{self, Members};

impl<'a> Examiner<'_, 'a> {
    pub(super) fn of_the_disk(&mut self, message: Option<&Message<'a>>) {
        match self.facts.kind {
            Kind::User | Kind::Assistant => self.message(message),
            Kind::System => self.system(),
            Kind::Attachment => self.attachment(),
            kind => self.state(kind),
        }
    }

    fn message(&mut self, message: Option<&Message<'a>>) {
        let why = "a message on disk is an object of the API";
        self.need(Rule::Shape, Member::Message, b'{', why);
        let (Some(message), Some(at)) = (message, self.get(Member::Message)) else {
            return;
        };
        let role = self.facts.kind.as_str();
        if message.role.map(|role| role.trim_matches('"')) != Some(role) {
            let text = format!("`message.role` is not \"{role}\", as the type of the line says");
            self.broken(Rule::Shape, message.role.unwrap_or(at), text);
        }
        let is_reply = self.facts.kind == Kind::Assistant;
        if is_reply {
            self.reply(message, at);
        }
        let (at, text) = match &message.content {
            Content::Blocks(blocks) => return self.blocks(blocks, message),
            Content::Text("\"\"") if !is_reply => {
                let text = "the message is empty: the API refuses a conversation with it";
                return self.warn(Rule::Shape, "\"\"", text);
            }
            Content::Text(_) if !is_reply => return,
            Content::Text(content) | Content::Odd(content) => match is_reply {
                true => (
                    *content,
                    "`message.content` of a reply is not a list of blocks",
                ),
                false => (
                    *content,
                    "`message.content` is neither a string nor a list of blocks",
                ),
            },
            Content::Missing => match is_reply {
                true => (at, "`message` has no `content`: the reply is lost"),
                false => (
                    at,
                    "`message` has no `content`: the prompt or the results are lost",
                ),
            },
        };
        self.broken(Rule::Shape, at, text);
    }

    fn reply(&mut self, message: &Message<'a>, at: &'a str) {
        if !message.id.is_some_and(is_name) {
            let text = "the reply has no `message.id`, by which its blocks are known to belong \
                        together and its usage is counted once";
            self.broken(Rule::Shape, message.id.unwrap_or(at), text);
        }
        match message.usage.filter(|usage| usage.starts_with('{')) {
            Some(usage) => self.usage(usage),
            None => {
                let text = "the reply has no `message.usage`: what it cost cannot be counted";
                self.broken(Rule::Shape, message.usage.unwrap_or(at), text);
            }
        }
    }

    fn usage(&mut self, usage: &'a str) {
        let mut odd = Vec::new();
        let mut cursor = Cursor::new(usage);
        // The value was parsed before, so it is valid JSON.
        let _ = cursor.object(|cursor, name| {
            let counts = name.is_some_and(|name| is_count_name(&name));
            let value = cursor.raw()?;
            odd.extend(Some(value).filter(|value| counts && !is_count(value)));
            Some(())
        });
        for value in odd {
            let message = format!(
                "{value} is not a token count, and is counted as zero: write the number if you \
                 know it"
            );
            self.broken(Rule::UsageCount, value, message);
        }
    }

    fn blocks(&mut self, blocks: &[Block<'a>], message: &Message<'a>) {
        for block in blocks {
            let Some(kind) = block.kind.filter(|kind| kind.starts_with('"')) else {
                let text = "a content block has no `type`: name it, or drop the block";
                self.broken(Rule::Shape, block.kind.unwrap_or(block.json), text);
                continue;
            };
            match kind.trim_matches('"') {
                "tool_use" | "server_tool_use" | "mcp_tool_use" => self.call(block, message),
                "tool_result" if !block.call.is_some_and(is_name) => {
                    let text = "a tool result does not name its call in `tool_use_id`";
                    self.broken(Rule::Shape, block.call.unwrap_or(block.json), text);
                }
                _ => {}
            }
        }
    }

    fn call(&mut self, block: &Block<'a>, message: &Message<'a>) {
        let rule = Rule::CallComplete;
        if !block.name.is_some_and(is_name) {
            let text = "a tool call does not say in `name` which tool it calls";
            self.broken(rule, block.name.unwrap_or(block.json), text);
        }
        if !block.input.is_some_and(|input| input.starts_with('{')) {
            let text = "a tool call has no arguments: `input` must be an object, {} when there are \
                        none";
            self.broken(rule, block.input.unwrap_or(block.json), text);
        }
        if !block.id.is_some_and(is_name) {
            // Some gateways to other models omit it; the API does not.
            let of_the_api = message.id.is_some_and(|id| id.starts_with("\"msg_"));
            let severity = Severity::Error.lowered_if(!of_the_api, Severity::Warning);
            let text = "a tool call has no `id`, so that no result can name it";
            self.push((rule, severity), block.id.unwrap_or(block.json), text);
        }
    }

    fn system(&mut self) {
        match self.get(Member::Subtype) {
            Some(subtype) if !subtype.starts_with('"') => {
                self.broken(Rule::Shape, subtype, "`subtype` is not a string");
            }
            Some("\"compact_boundary\"") => {
                let why = "a compaction lists what it kept and what it dropped";
                self.need(Rule::FieldRequired, Member::CompactMetadata, b'{', why);
            }
            Some(_) => {}
            None if self.get(Member::Content).is_some() => {}
            None => {
                let message = "a notice has neither `subtype` nor `content`: it is empty";
                self.broken(Rule::Shape, self.facts.text, message);
            }
        }
    }

    fn attachment(&mut self) {
        let why = "the line has no other content";
        if self.need(Rule::Shape, Member::Attachment, b'{', why)
            && let Some(at) = self.get(Member::Attachment)
            && attachment_type(at).is_none()
        {
            self.broken(Rule::Shape, at, "the attachment has no `type`");
        }
    }

    /// The required members of lines outside the conversation.
    fn state(&mut self, kind: Kind) {
        let needs: &[(Member, u8)] = match kind {
            Kind::Mode => &[(Member::Mode, b'"')],
            Kind::PermissionMode => &[(Member::PermissionMode, b'"')],
            Kind::CustomTitle => &[(Member::CustomTitle, b'"')],
            Kind::AiTitle => &[(Member::AiTitle, b'"')],
            Kind::AgentName => &[(Member::AgentName, b'"')],
            Kind::Tag => &[(Member::Tag, b'"')],
            Kind::Summary => &[(Member::Summary, b'"')],
            Kind::QueueOperation => &[(Member::Operation, b'"')],
            Kind::FileHistorySnapshot => &[(Member::MessageId, b'"'), (Member::Snapshot, b'{')],
            Kind::FileHistoryDelta => &[(Member::MessageId, b'"')],
            Kind::ApiRequest => &[(Member::Id, b'"'), (Member::ShapeHash, b'"')],
            Kind::ApiRequestShape => &[(Member::ShapeHash, b'"'), (Member::Shape, b'{')],
            Kind::ApiRequestBlob => &[(Member::Hash, b'"'), (Member::Message, b'{')],
            _ => &[],
        };
        for (member, start) in needs {
            let why = "a line of this type requires it";
            self.need(Rule::Shape, *member, *start, why);
        }
    }
}

/// Returns whether a member of `usage` is a token count.
pub(crate) fn is_count_name(name: &str) -> bool {
    matches!(
        name,
        "input_tokens"
            | "output_tokens"
            | "cache_creation_input_tokens"
            | "cache_read_input_tokens"
    )
}

/// Returns whether a value is a valid count or `null`.
pub(crate) fn is_count(value: &str) -> bool {
    value == "null" || (value.starts_with(|c: char| c.is_ascii_digit()))
}

/// The type of an attachment. It is usually first, so that the rest need not be read.
pub(crate) fn attachment_type(json: &str) -> Option<&str> {
    if let Some(rest) = json.strip_prefix("{\"type\":\"")
        && let Some((kind, _)) = rest.split_once('"')
        && !kind.contains('\\')
    {
        return Some(kind);
    }
    members::inner(Members::read(json)?.get("type")?)
}
