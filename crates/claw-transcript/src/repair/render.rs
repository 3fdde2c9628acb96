//! A line as it is written.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::entry::Entry;
use crate::lines::readable;
use crate::members::{self, Members};

use super::item::{Edit, Item, Node, Source, ToText};
use super::names::{Name, Names};
use super::surrogates::whole_characters;

/// What stands before a result whose call is lost.
const WITHOUT_CALL: &str =
    "[What follows is the result of a tool call; the session file has lost the call.]";
/// Precedes a second result of a call.
const SECOND_RESULT: &str =
    "[What follows is another result of a tool call that already has a result.]";
/// What a result says that stands in for a lost one.
const WITHOUT_RESULT: &str = "[The session file has lost the result of this call. The tool may \
     have run; look before you call it again.]";
/// What a message says that stands in for a lost one.
const WITHOUT_PROMPT: &str = "[The session file has lost the message that stood here.]";
const WITHOUT_SUMMARY: &str =
    "[The session file has lost the summary of the conversation before this point.]";
/// What an empty message becomes.
pub(super) const WITHOUT_WORDS: &str = "[This message is empty in the session file.]";

/// A session that gets another id.
#[derive(Debug, Clone, Copy)]
pub(super) struct Renamed<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
}

/// The bytes of a line without its end. `raw` is what stands in the file at the item's span.
pub(super) fn render<'r>(
    item: &Item,
    raw: &'r [u8],
    names: &Names,
    session: Option<Renamed<'_>>,
) -> Cow<'r, [u8]> {
    let names_session =
        session.filter(|session| memchr::memmem::find(raw, session.old.as_bytes()).is_some());
    if item.source == Source::File && item.edit.is_none() && names_session.is_none() {
        return Cow::Borrowed(raw);
    }
    let text = with_fields(&mended(raw), &item.edit.fields);
    let Some(entry) = Entry::read(text.as_bytes()) else {
        return Cow::Borrowed(raw);
    };
    let mut changes = Changes::default();
    if let Some(session) = session {
        for name in ["sessionId", "session_id"] {
            if entry.string(name).is_some_and(|id| id == session.old) {
                changes.set(&entry, name, quoted(session.new));
            }
        }
    }
    let line = match item.source {
        Source::StandIn { call } => {
            let caller = changes.apply(entry.text());
            let caller = Entry::read(caller.as_bytes());
            let node = item.node.as_deref();
            caller
                .zip(node)
                .map(|(caller, node)| stand_in(&caller, node, call, names))
                .unwrap_or_default()
        }
        Source::Words { summary } => {
            let child = changes.apply(entry.text());
            let child = Entry::read(child.as_bytes());
            let node = item.node.as_deref();
            child
                .zip(node)
                .map(|(child, node)| words(&child, node, summary, names))
                .unwrap_or_default()
        }
        Source::File => {
            edit(&entry, item, names, &mut changes);
            changes.apply(entry.text())
        }
    };
    Cow::Owned(line.into_bytes())
}

/// The text of a line without the bytes and characters that readers reject.
pub(super) fn mended(raw: &[u8]) -> String {
    let text = readable(raw);
    let text = whole_characters(&text);
    // JSON escapes NUL, so a raw NUL byte is damage. A crash leaves one run of them; alternating
    // NUL bytes mean another encoding.
    match (text.find('\0'), text.rfind('\0')) {
        (Some(from), Some(to)) if text[from..=to].bytes().all(|byte| byte == 0) => {
            text.replace('\0', "")
        }
        _ => text.into_owned(),
    }
}

/// Replaces parts of a text.
pub(super) fn with_fields(text: &str, fields: &[(Range<usize>, String)]) -> String {
    Changes(fields.to_vec()).apply(text)
}

fn edit(entry: &Entry<'_>, item: &Item, names: &Names, changes: &mut Changes) {
    let edit = &item.edit;
    if let Some(uuid) = edit.uuid {
        changes.set(entry, "uuid", quoted(&names.text(uuid)));
    }
    if let Some(parent) = edit.parent {
        let parent = parent.map(|parent| quoted(&names.text(parent)));
        changes.set(entry, "parentUuid", parent.unwrap_or("null".to_owned()));
    }
    if let Some(sidechain) = edit.sidechain {
        changes.set(entry, "isSidechain", sidechain.to_string());
    }
    let message = entry.get("message").and_then(Members::read);
    let content = message.and_then(|message| message.get("content"));
    if let Some(content) = content {
        if edit.fill {
            changes.replace(entry.text(), content, quoted(WITHOUT_WORDS));
        } else if !edit.to_text.is_empty() {
            let new = with_text(content, &edit.to_text, names);
            changes.replace(entry.text(), content, new);
        } else if !edit.calls.is_empty() {
            let new = with_ids(content, &edit.calls, names);
            changes.replace(entry.text(), content, new);
        }
    }
    let forgets = !edit.forget.is_empty() || edit.anchor.is_some();
    if let (true, Some(data)) = (forgets, entry.get("compactMetadata")) {
        let kept = item.node.as_deref().map(|node| &node.kept[..]);
        let new = forgetting(data, kept.unwrap_or_default(), edit, names);
        changes.replace(entry.text(), data, new);
    }
}

/// Replaces the ids of some calls in the content.
fn with_ids(content: &str, calls: &[(usize, Name)], names: &Names) -> String {
    let mut blocks: Vec<String> = members::list(content)
        .into_iter()
        .map(str::to_owned)
        .collect();
    for (at, id) in calls {
        let Some(block) = blocks.get_mut(*at) else {
            continue;
        };
        let mut changes = Changes::default();
        if let Some(call) = Entry::read(block.as_bytes()) {
            changes.set(&call, "id", quoted(&names.text(*id)));
        }
        *block = changes.apply(block);
    }
    format!("[{}]", blocks.join(","))
}

/// Content in which some results are text.
fn with_text(content: &str, calls: &[ToText], names: &Names) -> String {
    // Of a call that is named twice, the stricter wish counts.
    let mut first_stays: HashMap<String, bool> = HashMap::new();
    let mut lost: HashSet<String> = HashSet::new();
    for wish in calls {
        let call = names.text(wish.call);
        lost.extend(wish.lost.then(|| call.clone()));
        *first_stays.entry(call).or_insert(true) &= wish.first_stays;
    }
    let mut blocks = Vec::new();
    for block in members::list(content) {
        let read = Members::read(block).unwrap_or_default();
        let call = read.string("tool_use_id");
        let is_lost = call.as_deref().is_some_and(|call| lost.contains(call));
        let stays = call.and_then(|call| first_stays.get_mut(&*call));
        if stays.is_none_or(std::mem::take) {
            blocks.push(block.to_owned());
            continue;
        }
        let note = if is_lost { WITHOUT_CALL } else { SECOND_RESULT };
        blocks.push(text_block(&quoted(note)));
        let result = read.get("content").unwrap_or("\"\"");
        if result.starts_with('"') {
            let says_something = members::string(result).is_none_or(|text| !text.trim().is_empty());
            blocks.extend(says_something.then(|| text_block(result)));
            continue;
        }
        for part in members::list(result) {
            let kind = Members::read(part).and_then(|part| part.string("type"));
            blocks.push(match kind.as_deref() {
                Some("text" | "image" | "document") => part.to_owned(),
                _ => text_block(&quoted(part)),
            });
        }
    }
    format!("[{}]", blocks.join(","))
}

pub(super) fn text_block(json: &str) -> String {
    format!(r#"{{"type":"text","text":{json}}}"#)
}

/// A result that says that the real one is lost.
fn stand_in(caller: &Entry<'_>, node: &Node, call: Name, names: &Names) -> String {
    let content = format!(
        r#"[{{"type":"tool_result","content":{},"is_error":true,"tool_use_id":{}}}]"#,
        quoted(WITHOUT_RESULT),
        quoted(&names.text(call))
    );
    let parent = node.parent.id().map(|parent| quoted(&names.text(parent)));
    let also = format!(
        r#","sourceToolAssistantUUID":{}"#,
        parent.as_deref().unwrap_or("null")
    );
    user_line(caller, node, &content, &also, names)
}

/// A message that says that the real one is lost.
fn words(child: &Entry<'_>, node: &Node, summary: bool, names: &Names) -> String {
    let (text, also) = if summary {
        let flags = r#","isCompactSummary":true,"isVisibleInTranscriptOnly":true"#;
        (WITHOUT_SUMMARY, flags)
    } else {
        (WITHOUT_PROMPT, "")
    };
    user_line(child, node, &quoted(text), also, names)
}

/// A line of the user, with everything that is not its own as in another line. Members stand in
/// the order in which the CLI writes them.
fn user_line(like: &Entry<'_>, node: &Node, content: &str, more: &str, names: &Names) -> String {
    let parent = node.parent.id().map(|parent| quoted(&names.text(parent)));
    let also = |names: &[&str]| {
        let found = names.iter().filter_map(|name| {
            let value = members::compact(like.get(name)?);
            Some(format!(r#","{name}":{value}"#))
        });
        found.collect::<String>()
    };
    format!(
        r#"{{"parentUuid":{},"isSidechain":{}{},"type":"user","message":{{"role":"user","content":{content}}},"uuid":{}{}{more}{}}}"#,
        parent.as_deref().unwrap_or("null"),
        node.side.sidechain,
        also(&["promptId", "agentId"]),
        quoted(&names.text(node.id)),
        also(&["timestamp"]),
        also(&[
            "userType",
            "entrypoint",
            "cwd",
            "sessionId",
            "version",
            "gitBranch",
            "slug"
        ]),
    )
}

/// What a compaction says of itself, without messages that are lost.
fn forgetting(data: &str, kept: &[Name], edit: &Edit, names: &Names) -> String {
    let lost = &edit.forget;
    let rest: Vec<Name> = kept
        .iter()
        .copied()
        .filter(|id| !lost.contains(id))
        .collect();
    let lost: Vec<String> = lost.iter().map(|id| names.text(*id)).collect();
    let is_lost = |value: &str| members::string(value).is_some_and(|id| lost.contains(&id.into()));
    let (first, last) = (rest.first(), rest.last());
    let in_list = |value: &str| {
        let ids = members::list(value).into_iter();
        let ids: Vec<&str> = ids.filter(|id| !is_lost(id)).collect();
        format!("[{}]", ids.join(","))
    };
    let end = |value: &str, instead: Option<&Name>| match instead {
        Some(instead) if is_lost(value) => quoted(&names.text(*instead)),
        _ => value.to_owned(),
    };
    let anchor = |value: &str| {
        let moved = edit.anchor.filter(|(old, _)| {
            let old = names.text(*old);
            members::string(value).is_some_and(|id| id == old)
        });
        moved.map_or_else(|| value.to_owned(), |(_, new)| quoted(&names.text(new)))
    };
    rebuilt(data, |name, value| match name {
        "preservedMessages" | "preservedSegment" if rest.is_empty() && !kept.is_empty() => None,
        "preservedMessages" => Some(rebuilt(value, |name, value| match name {
            "uuids" | "allUuids" => Some(in_list(value)),
            "anchorUuid" => Some(anchor(value)),
            _ => Some(value.to_owned()),
        })),
        "preservedSegment" => Some(rebuilt(value, |name, value| match name {
            "headUuid" => Some(end(value, first)),
            "tailUuid" => Some(end(value, last)),
            "anchorUuid" => Some(anchor(value)),
            _ => Some(value.to_owned()),
        })),
        _ => Some(value.to_owned()),
    })
}

/// An object whose members are kept, changed or left out.
fn rebuilt(object: &str, change: impl Fn(&str, &str) -> Option<String>) -> String {
    let Some(members) = Members::read(object) else {
        return object.to_owned();
    };
    let members: Vec<String> = members
        .iter()
        .filter_map(|(name, value)| Some(format!("{}:{}", quoted(name), change(name, value)?)))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// A text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Parts of a text that are replaced; everything else stays as it is.
#[derive(Default)]
struct Changes(Vec<(Range<usize>, String)>);

impl Changes {
    /// Sets a member; one that is not there becomes the first.
    fn set(&mut self, entry: &Entry<'_>, name: &str, value: String) {
        match entry.range(name) {
            Some(range) => self.0.push((range, value)),
            None => self.0.push((1..1, format!("{}:{value},", quoted(name)))),
        }
    }

    /// Replaces a part that was borrowed from the text.
    fn replace(&mut self, text: &str, part: &str, value: String) {
        let start = (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
        if start.saturating_add(part.len()) <= text.len() {
            self.0.push((start..start + part.len(), value));
        }
    }

    fn apply(&mut self, text: &str) -> String {
        // What is put in before a part comes before what happens to the part.
        self.0.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::with_capacity(text.len() + 64);
        let mut done = 0;
        for (range, value) in self.0.drain(..) {
            debug_assert!(range.start >= done, "two changes overlap in {text}");
            if range.start < done {
                continue;
            }
            out.push_str(&text[done..range.start]);
            out.push_str(&value);
            done = range.end;
        }
        out.push_str(&text[done..]);
        out
    }
}
