//! Repairs members of a line that are missing, duplicate or invalid.
//!
//! Each repair changes one line. It needs only that line, the time of the line before it and the
//! session of the file.

use std::borrow::Cow;
use std::ops::Range;

use crate::check::common::OneSession;
use crate::check::examine::disk::{is_count, is_count_name};
use crate::check::examine::is_examined;
use crate::entry::{Dialect, Entry, Kind};
use crate::members::{self, Changes, Members, quoted, range_in};
use crate::time;

use super::item::may_have_children;
use super::render::{WITHOUT_WORDS, text_block};
use super::step::{RepairAction, excerpt};

/// Replaces a lost tool name. The API rejects a call without a name.
const NAMELESS_TOOL: &str = "unknown_tool";

/// The members of a message, and of a block, that are checked.
const IN_MESSAGE: [&str; 4] = ["role", "id", "usage", "content"];
const IN_BLOCK: [&str; 6] = ["type", "id", "name", "input", "tool_use_id", "text"];

/// A change in the text of a line.
#[derive(Debug)]
pub(super) struct Fix {
    pub(super) range: Range<usize>,
    pub(super) text: String,
    pub(super) rule: &'static str,
    pub(super) action: RepairAction,
    pub(super) why: &'static str,
}

/// State from the lines before the current one.
#[derive(Debug)]
pub(super) struct Before {
    /// The last valid time.
    time: Option<String>,
    session: OneSession,
}

impl Before {
    pub(super) fn new(session: OneSession) -> Self {
        let time = None;
        Self { time, session }
    }

    /// The changes to the next line of the file.
    pub(super) fn fixes(&mut self, entry: &Entry<'_>) -> Vec<Fix> {
        let mut fixes = Fixes {
            text: entry.text(),
            all: Vec::new(),
        };
        if !is_examined(entry.dialect(), entry.kind()) {
            return fixes.all;
        }
        fixes.doubled(entry.text(), None);
        let kind = fixes.kind(entry);
        // A line with neither an id nor a parent is in no conversation, and no reader treats it as
        // a message: do not invent what it lacks.
        let is_linked = entry.get("uuid").is_some() || entry.get("parentUuid").is_some();
        let in_chain = is_linked && may_have_children(kind);
        self.time(entry, in_chain, &mut fixes);
        if !in_chain {
            return fixes.all;
        }
        self.session(entry, &mut fixes);
        fixes.flag(entry);
        match entry.dialect() {
            Dialect::Document if kind == Kind::Assistant => fixes.document_call(entry),
            Dialect::Document => {}
            _ if matches!(kind, Kind::User | Kind::Assistant) => fixes.message(entry, kind),
            _ => {}
        }
        fixes.all
    }

    fn time(&mut self, entry: &Entry<'_>, in_chain: bool, fixes: &mut Fixes<'_>) {
        let written = entry.string("timestamp");
        if written.as_deref().and_then(time::strict_seconds).is_some() {
            self.time = written.map(Cow::into_owned);
            return;
        }
        let missing = entry.get("timestamp").is_none();
        if let Some(time) = self.time.as_deref().filter(|_| in_chain || !missing) {
            let rule = ["timestamp-iso", "field-required"][usize::from(missing)];
            let why = "the time is missing or invalid; it gets that of the line before";
            fixes.set(entry.text(), "timestamp", quoted(time), (rule, why));
        }
    }

    fn session(&mut self, entry: &Entry<'_>, fixes: &mut Fixes<'_>) {
        let id = entry.string("sessionId").filter(|id| !id.is_empty());
        let of_lines = "the lines before it belong to this session";
        let broken = match id {
            Some(id) if !self.session.is_foreign(&id) => return,
            Some(_) => ("session-consistent", of_lines),
            None => ("field-required", "the line has no session id"),
        };
        if let Some(own) = self.session.own() {
            fixes.set(entry.text(), "sessionId", quoted(own), broken);
        }
    }
}

/// The rule that a change is for, and why the change is made.
type Broken = (&'static str, &'static str);

/// Collects the changes to a line.
struct Fixes<'t> {
    text: &'t str,
    all: Vec<Fix>,
}

impl Fixes<'_> {
    fn range(&self, part: &str) -> Range<usize> {
        range_in(self.text, part)
    }

    fn add(&mut self, range: Range<usize>, text: String, (rule, why): Broken) {
        self.all.push(Fix {
            range,
            text,
            rule,
            action: RepairAction::Field,
            why,
        });
    }

    /// Sets a member of an object in the line. A missing member is inserted first.
    fn set(&mut self, object: &str, name: &str, value: String, broken: Broken) {
        let mut changes = Changes::default();
        changes.set(self.text, object, name, value);
        for (range, text) in changes.0 {
            self.add(range, text, broken);
        }
    }

    /// Removes all but the last of duplicate members that are checked: in the line, in its message
    /// and in the blocks of the message.
    fn doubled(&mut self, object: &str, looked_at: Option<&[&str]>) {
        let members = Members::read(object).unwrap_or_default();
        let all = members.all().map(|(name, value)| (&**name, value));
        let all: Vec<(&str, &str)> = all.collect();
        for (at, (name, value)) in all.iter().enumerate() {
            if all[at + 1..].iter().all(|(later, _)| later != name) {
                match (looked_at, *name, value.as_bytes().first()) {
                    (None, "message", Some(b'{')) => self.doubled(value, Some(&IN_MESSAGE)),
                    (Some(_), "content", Some(b'[')) if looked_at == Some(&IN_MESSAGE) => {
                        for block in members::list(value) {
                            self.doubled(block, Some(&IN_BLOCK));
                        }
                    }
                    _ => {}
                }
                continue;
            }
            if looked_at.is_some_and(|names| !names.contains(name)) {
                continue;
            }
            // Remove the comma after the member too: it has one, since it is not the last.
            let behind = |value: &str| {
                let end = self.range(value).end;
                end + self.text[end..].find(',').map_or(0, |comma| comma + 1)
            };
            let start = match at.checked_sub(1) {
                Some(before) => behind(all[before].1),
                None => self.range(object).start + 1,
            };
            let why = "the member is a duplicate; the CLI reads the last one";
            self.add(start..behind(value), String::new(), ("key-unique", why));
        }
    }

    /// The kind of a line, from the role of its message if the line has no type.
    fn kind(&mut self, entry: &Entry<'_>) -> Kind {
        if entry.get("type").is_some_and(|kind| kind.starts_with('"')) || entry.uuid().is_none() {
            return entry.kind();
        }
        let message = entry.object("message").unwrap_or_default();
        let role = message.string("role");
        let kind = role.as_deref().map_or(Kind::Unknown, Kind::of);
        if matches!(kind, Kind::User | Kind::Assistant) {
            let why = "the line has no type; it follows from the role of its message";
            let value = quoted(kind.as_str());
            self.set(entry.text(), "type", value, ("field-required", why));
            return kind;
        }
        entry.kind()
    }

    fn flag(&mut self, entry: &Entry<'_>) {
        if let Some(flag) = entry.get("isSidechain")
            && !matches!(flag, "true" | "false")
        {
            let value = matches!(flag, "\"true\"" | "1").to_string();
            let why = "the flag is neither true nor false";
            let broken = ("sidechain-consistent", why);
            self.set(entry.text(), "isSidechain", value, broken);
        }
    }

    /// Repairs the message to the shape that the API requires.
    fn message(&mut self, entry: &Entry<'_>, kind: Kind) {
        let Some(message) = entry.get("message") else {
            if kind == Kind::User {
                let value = format!(r#"{{"role":"user","content":{}}}"#, quoted(WITHOUT_WORDS));
                let why = "the line has no message; it gets a placeholder";
                self.set(entry.text(), "message", value, ("shape", why));
                self.filled();
            }
            return;
        };
        let members = Members::read(message).unwrap_or_default();
        let Some(content) = members.get("content") else {
            // The original content is unknown.
            return;
        };
        if members.string("role").as_deref() != Some(kind.as_str()) {
            let why = "the role does not match the type of the line";
            self.set(message, "role", quoted(kind.as_str()), ("shape", why));
        }
        match (content.as_bytes().first(), kind) {
            (Some(b'['), _) => {
                for block in members::list(content) {
                    self.call(block);
                }
            }
            (Some(b'"'), Kind::User) => {}
            (Some(b'"'), _) => {
                let value = format!("[{}]", text_block(content));
                let why = "the content of a reply must be a list of blocks";
                self.add(self.range(content), value, ("shape", why));
            }
            (_, kind) => {
                let note = quoted(WITHOUT_WORDS);
                let value = match kind {
                    Kind::User => note,
                    _ => format!("[{}]", text_block(&note)),
                };
                let why = "the content is neither text nor a list; it gets a placeholder";
                self.add(self.range(content), value, ("shape", why));
                self.filled();
            }
        }
        if let Some(usage) = members.object("usage").filter(|_| kind == Kind::Assistant) {
            self.usage(&usage);
        }
    }

    /// Marks the last change as a placeholder for missing text.
    fn filled(&mut self) {
        if let Some(last) = self.all.last_mut() {
            last.action = RepairAction::Fill;
        }
    }

    /// Repairs counts that are text. The original value of a negative count is unknown.
    fn usage(&mut self, usage: &Members<'_>) {
        let counts = usage.iter().filter(|(name, _)| is_count_name(name));
        for (_, value) in counts.filter(|(_, value)| !is_count(value)) {
            if let Ok(count) = value.trim_matches('"').parse::<u64>() {
                let why = "the count is text, and would be counted as zero";
                self.add(self.range(value), count.to_string(), ("usage-count", why));
            }
        }
    }

    /// Repairs the tool name and the arguments of a call. The id is repaired later.
    fn call(&mut self, block: &str) {
        let kind = Members::read(block).and_then(|members| members.string("type"));
        let calls = ["tool_use", "server_tool_use", "mcp_tool_use"];
        if kind.is_some_and(|kind| calls.contains(&&*kind)) {
            self.complete(block, "name", "input");
        }
    }

    fn document_call(&mut self, entry: &Entry<'_>) {
        let subtype = entry.string("subtype");
        let calls = ["toolName", "toolArguments"].map(|name| entry.get(name).is_some());
        if subtype.as_deref() == Some("tool_use") || (subtype.is_none() && calls.contains(&true)) {
            self.complete(entry.text(), "toolName", "toolArguments");
        }
    }

    fn complete(&mut self, call: &str, name: &str, input: &str) {
        let members = Members::read(call).unwrap_or_default();
        if members.string(name).is_none_or(|name| name.is_empty()) {
            let why = "the call has no tool name";
            self.set(call, name, quoted(NAMELESS_TOOL), ("call-complete", why));
        }
        let arguments = members.get(input);
        if !arguments.is_some_and(|arguments| arguments.starts_with('{')) {
            let value = match arguments {
                None | Some("null") => "{}".to_owned(),
                Some(other) => format!(r#"{{"input":{other}}}"#),
            };
            let why = "the arguments of the call are not an object";
            self.set(call, input, value, ("call-complete", why));
        }
    }
}

impl Fix {
    /// Excerpts of the text before and after the change.
    pub(super) fn shown(&self, text: &str) -> (Option<String>, Option<String>) {
        let some = |text: &str| (!text.is_empty()).then(|| excerpt(text.as_bytes()));
        (some(&text[self.range.clone()]), some(&self.text))
    }
}
