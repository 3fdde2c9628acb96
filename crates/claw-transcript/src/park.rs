//! Parks a tool call: a later resume asks for its permission again.
//!
//! When a `PreToolUse` hook defers a call, the CLI ends and leaves an attachment in the session file.
//! A resume asks for that call again, with the same id and input, and without a request to the
//! model. [`SessionLibrary::park`] appends the same attachment for a call whose process was killed.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;
use std::time::SystemTime;

use rusty_claw_protocol::Json;

use crate::conversation::{Id, Ids, Node, Thread};
use crate::edit::append_line;
use crate::entry::Kind;
use crate::error::TranscriptError;
use crate::facts::{Facts, Member};
use crate::library::SessionLibrary;
use crate::lines::{LineReader, Span, readable};
use crate::members::{self, Members, quoted};
use crate::writers::find_writer;

/// The type of the attachment.
const DEFERRED: &str = "hook_deferred_tool";

/// Members of the call's line that its attachment has as well.
const ENVELOPE: [&str; 6] = [
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
];

/// A tool call of the main conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCall {
    /// The id of the call.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The input, as in the file.
    pub input: Json,
    /// The folder in which the CLI worked, if the line has one.
    pub cwd: Option<String>,
}

/// The tool calls of the last reply in a session file, and which calls have a result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionCalls {
    /// The calls of the last reply, in their order. Empty if a prompt follows the reply.
    pub last_reply: Vec<SessionCall>,
    /// The call that a resume asks for again, if the call has no result.
    pub parked: Option<String>,
    /// Whether a line after the reply cannot be read. It may be a result.
    pub is_damaged: bool,
    /// The ids of all calls that have a result, also of those before the last reply.
    pub answered: HashSet<String>,
}

impl SessionCalls {
    /// Returns whether the file has a result of a call.
    #[must_use]
    pub fn has_result(&self, call: &str) -> bool {
        self.answered.contains(call)
    }
}

/// What [`SessionLibrary::park`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parked {
    /// It appended the attachment.
    Appended,
    /// The file has the attachment of this call already.
    AlreadyThere,
}

impl SessionLibrary {
    /// Reads the tool calls at the end of a session.
    ///
    /// # Errors
    /// The session does not exist, or its file cannot be read.
    pub fn calls(&self, session_id: &str) -> Result<SessionCalls, TranscriptError> {
        Ok(Reading::of(&self.find(session_id)?.path)?.calls)
    }

    /// Returns the reason if another process writes to a session, or may do so.
    ///
    /// # Errors
    /// The session does not exist.
    pub fn writer(&self, session_id: &str) -> Result<Option<String>, TranscriptError> {
        let path = self.find(session_id)?.path;
        Ok(find_writer(self.config_dir(), session_id, &path))
    }

    /// Parks a call of the last reply, so that a resume asks for its permission again. Appends one
    /// line.
    ///
    /// The caller must know that the call did not run: a parked call that was allowed before runs
    /// twice. `permission_mode` is the mode under which the call was asked for.
    ///
    /// # Errors
    /// The session does not exist, another process writes to it, its file cannot be read or
    /// written, the last reply has no such call with this name and input, or the call has or may
    /// have a result.
    pub fn park(
        &self,
        session_id: &str,
        call: &SessionCall,
        permission_mode: &str,
    ) -> Result<Parked, TranscriptError> {
        let path = self.find(session_id)?.path;
        let refused = |why: &str| {
            Err(TranscriptError::NotParked {
                call: call.id.clone(),
                why: why.to_owned(),
            })
        };
        if let Some(writer) = find_writer(self.config_dir(), session_id, &path) {
            return refused(&writer);
        }
        let read = Reading::of(&path)?;
        if read.calls.has_result(&call.id) {
            return refused("it has a result");
        }
        if read.calls.is_damaged {
            return refused("a line after it cannot be read and may be its result");
        }
        let Some(at) = read.calls.last_reply.iter().position(|one| one == call) else {
            return refused("the last reply of the session has no such call");
        };
        if read.calls.parked.as_deref() == Some(&*call.id) {
            return Ok(Parked::AlreadyThere);
        }
        let line = read.attachment(at, permission_mode)?;
        append_line(&path, &line).map_err(TranscriptError::io("append to", &path))?;
        Ok(Parked::Appended)
    }
}

/// A session file, read for its calls.
struct Reading {
    calls: SessionCalls,
    /// The line of each call of the last reply.
    spans: Vec<Span>,
    /// The uuid of the last line of the conversation.
    end: String,
    lines: LineReader,
}

impl Reading {
    fn of(path: &Path) -> Result<Self, TranscriptError> {
        let mut lines = LineReader::open(path)?;
        let (mut ids, mut nodes) = (Ids::default(), Vec::new());
        let (mut parked, mut damaged) = (None, None);
        while let Some((span, line)) = lines.next_line()? {
            let text = readable(line);
            let Some(facts) = Facts::read(&text) else {
                if may_be_result(&text) {
                    damaged = Some(span.offset);
                }
                continue;
            };
            if let Some(call) = deferred_call(&facts) {
                parked = Some((span.offset, call.into_owned()));
            }
            nodes.extend(Node::read(&facts, span, &mut ids));
        }
        let thread = Thread::find(&nodes, &ids);
        let reply = last_reply(&thread.chain);
        let start = reply.first().map_or(u64::MAX, |node| node.span.offset);
        let results = nodes.iter().flat_map(|node| node.answers.iter());
        let mut read = Self {
            calls: SessionCalls {
                last_reply: Vec::new(),
                parked: parked.filter(|(at, _)| *at > start).map(|(_, call)| call),
                is_damaged: damaged.is_some_and(|at| at > start),
                answered: results.map(|call| ids.text(*call)).collect(),
            },
            spans: Vec::new(),
            end: end_of(&thread).map_or_else(String::new, |id| ids.text(id)),
            lines,
        };
        for node in reply {
            read.add_calls(node.span)?;
        }
        Ok(read)
    }

    /// Adds the calls of a line.
    fn add_calls(&mut self, span: Span) -> Result<(), TranscriptError> {
        let line = self.lines.line_at(span)?;
        let text = readable(&line);
        let facts = Facts::read(&text).unwrap_or_default();
        let line = Members::read(&text).unwrap_or_default();
        let cwd = line.get("cwd").and_then(members::string);
        for block in facts.blocks() {
            let string = |value: Option<&'_ str>| Some(members::string(value?)?.into_owned());
            let is_call = string(block.kind).as_deref() == Some("tool_use");
            let (true, Some(id), Some(name), Some(Ok(input))) = (
                is_call,
                string(block.id),
                string(block.name),
                block.input.map(Json::from_text),
            ) else {
                continue;
            };
            self.calls.last_reply.push(SessionCall {
                id,
                name,
                input,
                cwd: cwd.as_deref().map(str::to_owned),
            });
            self.spans.push(span);
        }
        Ok(())
    }

    /// Returns the attachment that parks a call of the last reply.
    ///
    /// It starts with its type, unlike the CLI's lines with results, so that a part of it is not
    /// taken for one of them.
    fn attachment(mut self, at: usize, mode: &str) -> Result<String, TranscriptError> {
        let line = self.lines.line_at(self.spans[at])?;
        let text = readable(&line);
        let line = Members::read(&text).unwrap_or_default();
        let copied = ENVELOPE.iter().filter_map(|name| {
            let value = line.get(name)?;
            Some(format!(",{}:{value}", quoted(name)))
        });
        let call = &self.calls.last_reply[at];
        Ok(format!(
            concat!(
                r#"{{"type":"attachment","parentUuid":{},"isSidechain":false,"#,
                r#""attachment":{{"type":"{}","toolUseID":{},"toolName":{},"toolInput":{},"#,
                r#""hookName":"settings","hookEvent":"PreToolUse","permissionMode":{}}},"#,
                r#""uuid":{},"timestamp":{}{}}}"#
            ),
            quoted(&self.end),
            DEFERRED,
            quoted(&call.id),
            quoted(&call.name),
            call.input.text(),
            quoted(mode),
            quoted(&uuid::Uuid::new_v4().to_string()),
            quoted(&crate::time::to_iso(SystemTime::now())),
            copied.collect::<String>(),
        ))
    }
}

/// Returns the lines of the last reply in the order of the file; none if a prompt follows it.
fn last_reply<'a>(chain: &[&'a Node]) -> Vec<&'a Node> {
    let is_prompt = |node: &&Node| node.kind == Kind::User && !node.meta && node.answers.is_empty();
    let Some(last) = chain.iter().rposition(|node| node.kind == Kind::Assistant) else {
        return Vec::new();
    };
    if chain[last..].iter().any(is_prompt) {
        return Vec::new();
    }
    let is_part = |node: &&&Node| {
        let same = node.message_id.is_some() && node.message_id == chain[last].message_id;
        node.kind == Kind::Assistant && !node.sidechain && (same || node.id == chain[last].id)
    };
    let mut reply: Vec<&Node> = chain.iter().filter(is_part).copied().collect();
    reply.sort_by_key(|node| node.span.offset);
    reply
}

/// The last line of the conversation.
fn end_of(thread: &Thread<'_>) -> Option<Id> {
    Some(thread.terminal.or(thread.leaf)?.id)
}

/// The call that a line parks.
fn deferred_call<'a>(facts: &Facts<'a>) -> Option<Cow<'a, str>> {
    if facts.kind != Kind::Attachment || facts.is_true(Member::Sidechain) {
        return None;
    }
    let attachment = facts.object(Member::Attachment)?;
    let is_deferred = attachment.string("type").as_deref() == Some(DEFERRED);
    attachment.string("toolUseID").filter(|_| is_deferred)
}

/// Whether a line that is not JSON may be the rest of a result. Lines with results start with the
/// uuid of their parent, those of most other kinds with their type.
fn may_be_result(text: &str) -> bool {
    let typed = r#"{"type":""#;
    let is_user = || text[typed.len()..].starts_with("user");
    let is_other = typed.starts_with(text) || (text.starts_with(typed) && !is_user());
    !is_other
}
