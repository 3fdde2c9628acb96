//! Writes a line with its changes.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::entry::Entry;
use crate::lines::readable;
use crate::members::{self, Changes, Members, Rewrite, quoted};

use super::item::{Edit, Item, Node, Source, ToText};
use super::surrogates::whole_characters;
use crate::conversation::{Id, Ids};

/// Precedes a result whose call is lost.
const WITHOUT_CALL: &str =
    "[What follows is the result of a tool call; the session file has lost the call.]";
/// Precedes a second result of a call.
const SECOND_RESULT: &str =
    "[What follows is another result of a tool call that already has a result.]";
/// The content of a placeholder for a lost result.
const WITHOUT_RESULT: &str = "[The session file has lost the result of this call. The tool may \
     have run; look before you call it again.]";
/// The content of a placeholder for a lost message.
const WITHOUT_PROMPT: &str = "[The session file has lost the message that stood here.]";
const WITHOUT_SUMMARY: &str =
    "[The session file has lost the summary of the conversation before this point.]";
/// The content of a message that was empty.
pub(super) const WITHOUT_WORDS: &str = "[This message is empty in the session file.]";

/// A session that gets another id.
#[derive(Debug, Clone, Copy)]
pub(super) struct Renamed<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
}

/// The bytes of a line with its changes, without its line end. `raw` is the content of the file at
/// the item's span.
pub(super) fn render<'r>(item: &Item, raw: &'r [u8], names: &Ids) -> Cow<'r, [u8]> {
    if item.source == Source::File && item.edit.is_none() {
        return Cow::Borrowed(raw);
    }
    let text = Changes(item.edit.fields.clone()).apply(&mended(raw));
    let Some(entry) = Entry::read(text.as_bytes()) else {
        return Cow::Borrowed(raw);
    };
    let line = match (item.source, item.node.as_deref()) {
        (Source::File, _) | (_, None) => edit(&entry, item, names),
        (source, Some(node)) => added(&entry, source, node, names),
    };
    Cow::Owned(line.into_bytes())
}

/// The bytes of a line with the new id of its session.
pub(super) fn rename_session<'r>(raw: &'r [u8], session: Option<Renamed<'_>>) -> Cow<'r, [u8]> {
    let is_named = |session: &Renamed<'_>| memchr::memmem::find(raw, session.old.as_bytes());
    let Some(session) = session.filter(|session| is_named(session).is_some()) else {
        return Cow::Borrowed(raw);
    };
    let text = mended(raw);
    let Some(entry) = Entry::read(text.as_bytes()) else {
        return Cow::Borrowed(raw);
    };
    let mut changes = Changes::default();
    for name in ["sessionId", "session_id"] {
        if entry.string(name).is_some_and(|id| id == session.old) {
            changes.set(entry.text(), entry.text(), name, quoted(session.new));
        }
    }
    Cow::Owned(changes.apply(entry.text()).into_bytes())
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

fn edit(entry: &Entry<'_>, item: &Item, names: &Ids) -> String {
    let edit = &item.edit;
    let mut changes = Changes::default();
    let named = |id: Id| quoted(&names.text(id));
    let members = [
        ("uuid", edit.uuid.map(named)),
        (
            "parentUuid",
            edit.parent.map(|parent| parent.map_or_else(null, named)),
        ),
        ("isSidechain", edit.sidechain.map(|flag| flag.to_string())),
    ];
    for (name, value) in members {
        if let Some(value) = value {
            changes.set(entry.text(), entry.text(), name, value);
        }
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
    changes.apply(entry.text())
}

/// Replaces the ids of some calls in the content.
fn with_ids(content: &str, calls: &[(usize, Id)], names: &Ids) -> String {
    let mut blocks: Vec<String> = members::list(content)
        .into_iter()
        .map(str::to_owned)
        .collect();
    for (at, id) in calls {
        let Some(block) = blocks.get_mut(*at) else {
            continue;
        };
        let mut changes = Changes::default();
        changes.set(block, block, "id", quoted(&names.text(*id)));
        *block = changes.apply(block);
    }
    format!("[{}]", blocks.join(","))
}

/// Turns some results in the content into text.
fn with_text(content: &str, calls: &[ToText], names: &Ids) -> String {
    // If a call is listed twice, the first result is kept only if both entries keep it.
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

/// A line that the repair adds: a result or a message in the position of a lost one.
fn added(like: &Entry<'_>, source: Source, node: &Node, names: &Ids) -> String {
    let (content, more) = match source {
        Source::StandIn { call } => {
            let result = format!(
                r#"[{{"type":"tool_result","content":{},"is_error":true,"tool_use_id":{}}}]"#,
                quoted(WITHOUT_RESULT),
                quoted(&names.text(call))
            );
            let caller = parent_of(node, names);
            (result, format!(r#","sourceToolAssistantUUID":{caller}"#))
        }
        Source::Words { summary: true } => {
            let flags = r#","isCompactSummary":true,"isVisibleInTranscriptOnly":true"#;
            (quoted(WITHOUT_SUMMARY), flags.to_owned())
        }
        _ => (quoted(WITHOUT_PROMPT), String::new()),
    };
    user_line(like, node, &content, &more, names)
}

fn null() -> String {
    "null".to_owned()
}

/// The parent of a line, as JSON.
fn parent_of(node: &Node, names: &Ids) -> String {
    let parent = node.parent.id();
    parent.map_or_else(null, |parent| quoted(&names.text(parent)))
}

/// A user line with all other members copied from another line. Members are in the order in which
/// the CLI writes them.
fn user_line(like: &Entry<'_>, node: &Node, content: &str, more: &str, names: &Ids) -> String {
    let also = |names: &[&str]| {
        let found = names.iter().filter_map(|name| {
            let value = members::compact(like.get(name)?);
            Some(format!(r#","{name}":{value}"#))
        });
        found.collect::<String>()
    };
    format!(
        r#"{{"parentUuid":{},"isSidechain":{}{},"type":"user","message":{{"role":"user","content":{content}}},"uuid":{}{}{more}{}}}"#,
        parent_of(node, names),
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

/// The metadata of a compaction, without lost messages.
fn forgetting(data: &str, kept: &[Id], edit: &Edit, names: &Ids) -> String {
    let lost = &edit.forget;
    let rest: Vec<Id> = kept
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
    let end = |value: &str, instead: Option<&Id>| match instead {
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
    let Some(members) = Members::read(data) else {
        return data.to_owned();
    };
    let mut out = Rewrite::of(&members);
    for name in ["preservedMessages", "preservedSegment"] {
        if rest.is_empty() && !kept.is_empty() {
            out.remove(name);
            continue;
        }
        let Some(part) = members.object(name) else {
            continue;
        };
        let mut part_out = Rewrite::of(&part);
        for (name, value) in part.iter() {
            let value = match name {
                "uuids" | "allUuids" => in_list(value),
                "headUuid" => end(value, first),
                "tailUuid" => end(value, last),
                "anchorUuid" => anchor(value),
                _ => continue,
            };
            part_out.set(name, value);
        }
        out.set(name, part_out.finish());
    }
    out.finish()
}
