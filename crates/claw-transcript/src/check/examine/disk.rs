//! Lines as the CLI writes them to disk.

use super::{Examiner, Rule, Severity};
use crate::check::json::Cursor;
use crate::check::member::Member;
use crate::check::said::{Block, Content, Said};
use crate::entry::Kind;

const AS_THE_API_SENT: &str = "a message on disk is an object of the API";

impl<'a> Examiner<'_, 'a> {
    pub(super) fn of_the_disk(&mut self, said: Option<&Said<'a>>) {
        match self.facts.kind {
            Kind::User => self.user(said),
            Kind::Assistant => self.assistant(said),
            Kind::System => self.system(),
            Kind::Attachment => self.attachment(),
            kind => self.state(kind),
        }
    }

    fn user(&mut self, said: Option<&Said<'a>>) {
        let Some((said, at)) = self.message(said) else {
            return;
        };
        self.role(said, at, "user");
        match &said.content {
            Content::Text(text) if *text == "\"\"" => {
                let message = "the message is empty: the API refuses a conversation with it";
                self.push(Rule::Shape, Severity::Warning, text, message.to_owned());
            }
            Content::Text(_) => {}
            Content::Blocks(blocks) => self.blocks(blocks, said),
            Content::Missing => {
                let message = "`message` has no `content`: the prompt or the results are lost";
                self.broken(Rule::Shape, at, message);
            }
            Content::Odd(content) => {
                let message = "`message.content` is neither a string nor a list of blocks";
                self.broken(Rule::Shape, content, message);
            }
        }
    }

    fn assistant(&mut self, said: Option<&Said<'a>>) {
        let Some((said, at)) = self.message(said) else {
            return;
        };
        self.role(said, at, "assistant");
        match said.id {
            Some(id) if id.starts_with('"') && id.len() > 2 => {}
            id => {
                let message = "the reply has no `message.id`, by which its blocks are known to \
                               belong together and its usage is counted once";
                self.broken(Rule::Shape, id.unwrap_or(at), message);
            }
        }
        match said.usage.filter(|usage| usage.starts_with('{')) {
            Some(usage) => self.usage(usage),
            None => {
                let message = "the reply has no `message.usage`: what it cost cannot be counted";
                self.broken(Rule::Shape, said.usage.unwrap_or(at), message);
            }
        }
        match &said.content {
            Content::Blocks(blocks) => self.blocks(blocks, said),
            Content::Missing => {
                let message = "`message` has no `content`: the reply is lost";
                self.broken(Rule::Shape, at, message);
            }
            Content::Text(content) | Content::Odd(content) => {
                let message = "`message.content` of a reply is not a list of blocks";
                self.broken(Rule::Shape, content, message);
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

    /// The member `message`, which must be an object.
    fn message<'s>(&mut self, said: Option<&'s Said<'a>>) -> Option<(&'s Said<'a>, &'a str)> {
        self.need(Rule::Shape, Member::Message, b'{', AS_THE_API_SENT);
        Some((said?, self.get(Member::Message)?))
    }

    fn role(&mut self, said: &Said<'a>, at: &'a str, role: &str) {
        let quoted = said.role.map(|role| role.trim_matches('"'));
        if quoted != Some(role) {
            let message = format!("`message.role` is not \"{role}\", as the type of the line says");
            self.broken(Rule::Shape, said.role.unwrap_or(at), message);
        }
    }

    fn blocks(&mut self, blocks: &[Block<'a>], said: &Said<'a>) {
        for block in blocks {
            let Some(kind) = block.kind.filter(|kind| kind.starts_with('"')) else {
                let message = "a content block has no `type`: name it, or drop the block";
                self.broken(Rule::Shape, block.kind.unwrap_or(block.json), message);
                continue;
            };
            match kind.trim_matches('"') {
                "tool_use" | "server_tool_use" | "mcp_tool_use" => self.call(block, said),
                "tool_result" if !is_name(block.call) => {
                    let message = "a tool result does not name its call in `tool_use_id`";
                    self.broken(Rule::Shape, block.call.unwrap_or(block.json), message);
                }
                _ => {}
            }
        }
    }

    fn call(&mut self, block: &Block<'a>, said: &Said<'a>) {
        if !is_name(block.name) {
            let message = "a tool call does not say in `name` which tool it calls";
            let at = block.name.unwrap_or(block.json);
            self.broken(Rule::CallComplete, at, message);
        }
        if !block.input.is_some_and(|input| input.starts_with('{')) {
            let message = "a tool call has no arguments: `input` must be an object, {} when there \
                           are none";
            let at = block.input.unwrap_or(block.json);
            self.broken(Rule::CallComplete, at, message);
        }
        if !is_name(block.id) {
            // Gateways to other models are known to leave it out; the API does not.
            let of_the_api = said.id.is_some_and(|id| id.starts_with("\"msg_"));
            let severity = if of_the_api {
                Severity::Error
            } else {
                Severity::Warning
            };
            let message = "a tool call has no `id`, so that no result can name it";
            let at = block.id.unwrap_or(block.json);
            self.push(Rule::CallComplete, severity, at, message.to_owned());
        }
    }

    fn system(&mut self) {
        match self.get(Member::Subtype) {
            Some(subtype) if !subtype.starts_with('"') => {
                let message = "`subtype` is not a string";
                self.broken(Rule::Shape, subtype, message);
            }
            Some("\"compact_boundary\"") => {
                let why = "a compaction says what it kept and what it dropped";
                self.need(Rule::FieldRequired, Member::CompactMetadata, b'{', why);
            }
            Some(_) => {}
            None if self.get(Member::Content).is_some() => {}
            None => {
                let message = "a notice has neither `subtype` nor `content`: it says nothing";
                self.broken(Rule::Shape, self.facts.text, message);
            }
        }
    }

    fn attachment(&mut self) {
        let why = "the line is nothing but it";
        if !self.need(Rule::Shape, Member::Attachment, b'{', why) {
            return;
        }
        let Some(at) = self.get(Member::Attachment) else {
            return;
        };
        if attachment_type(at).is_none() {
            let message = "the attachment has no `type`";
            self.broken(Rule::Shape, at, message);
        }
    }

    /// What lines that are not part of the conversation are there for.
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
            let why = "the line is there to say it";
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

fn is_name(value: Option<&str>) -> bool {
    value.is_some_and(|value| value.starts_with('"') && value.len() > 2)
}

/// The type of an attachment. It stands first as a rule, so that what follows need not be read.
pub(in crate::check) fn attachment_type(json: &str) -> Option<&str> {
    if let Some(rest) = json.strip_prefix("{\"type\":\"")
        && let Some((kind, _)) = rest.split_once('"')
        && !kind.contains('\\')
    {
        return Some(kind);
    }
    let read = crate::members::Members::read(json)?;
    let kind = read.get("type")?;
    kind.strip_prefix('"')?.strip_suffix('"')
}
