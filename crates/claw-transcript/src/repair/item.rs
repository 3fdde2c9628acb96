//! What is known of each line while a file is repaired.

use std::hash::{DefaultHasher, Hasher as _};

use crate::check::alike::{self, row_of};
use crate::check::table::{Marks, Row};
use crate::entry::{Dialect, Entry, Kind, ParentRef, Part};
use crate::lines::{LineEnd, Span};
use crate::members::{self, Members};

use super::names::{Name, Names};

/// One line of the repaired file.
#[derive(Debug)]
pub(super) struct Item {
    /// Where it stands among the lines: added ones beside the line that they belong to.
    pub(super) rank: u64,
    /// The step that says where it was hung.
    pub(super) told: Option<usize>,
    /// The line it was, counted from one.
    pub(super) line: u64,
    /// Where its bytes lie.
    pub(super) span: Span,
    pub(super) end: LineEnd,
    pub(super) source: Source,
    pub(super) edit: Edit,
    /// Taken out.
    pub(super) gone: bool,
    /// For a line of the conversation.
    pub(super) node: Option<Box<Node>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The bytes of the file.
    File,
    /// A result that stands in for a lost one, written like the line of the call.
    StandIn { call: Name },
    /// A message that stands in for a lost one, written like the line that hung under it.
    Words { summary: bool },
}

/// A result that becomes text.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToText {
    pub(super) call: Name,
    /// Whether the first result of the call in the line is kept as a result.
    pub(super) first_stays: bool,
    /// Whether the call is missing.
    pub(super) lost: bool,
}

/// What changes in a line.
#[derive(Debug, Default)]
pub(super) struct Edit {
    /// Its text is written anew: bytes around it go, broken characters are replaced.
    pub(super) text: bool,
    /// Changes inside the line; they are applied before all others.
    pub(super) fields: Vec<(std::ops::Range<usize>, String)>,
    /// Calls that get an id: the index of the block, and the id.
    pub(super) calls: Vec<(usize, Name)>,
    pub(super) uuid: Option<Name>,
    pub(super) parent: Option<Option<Name>>,
    pub(super) sidechain: Option<bool>,
    /// The results that become text.
    pub(super) to_text: Vec<ToText>,
    pub(super) fill: bool,
    /// The kept messages that a compaction no longer names.
    pub(super) forget: Vec<Name>,
    /// What the kept messages of a compaction hung under, and what they hang under now.
    pub(super) anchor: Option<(Name, Name)>,
}

impl Edit {
    pub(super) fn is_none(&self) -> bool {
        !self.text
            && self.fields.is_empty()
            && self.calls.is_empty()
            && self.uuid.is_none()
            && self.parent.is_none()
            && self.sidechain.is_none()
            && self.to_text.is_empty()
            && !self.fill
            && self.forget.is_empty()
            && self.anchor.is_none()
    }
}

/// What a line hangs under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parent {
    /// Nothing, and it says so.
    Root,
    /// It does not say.
    Absent,
    Id(Name),
    /// Neither a string nor `null`.
    Odd,
}

impl Parent {
    pub(super) fn id(self) -> Option<Name> {
        match self {
            Self::Id(name) => Some(name),
            _ => None,
        }
    }
}

/// A line of the conversation.
#[derive(Debug)]
pub(super) struct Node {
    /// Of a line that has no uuid and needs none: a name that nothing has.
    pub(super) id: Name,
    pub(super) nameless: bool,
    /// What checks see in it.
    pub(super) row: Row,
    pub(super) parent: Parent,
    pub(super) kind: Kind,
    pub(super) side: Side,
    /// Whether the line has the flag at all.
    pub(super) has_flag: bool,
    /// The reply that an assistant line is a block of.
    pub(super) reply: Option<Name>,
    pub(super) calls: Box<[Name]>,
    pub(super) answers: Box<[Name]>,
    /// The tool call blocks: index, id, and a hash of the call.
    pub(super) call_blocks: Box<[(usize, Option<Name>, u64)]>,
    /// A hash of the content, for a line with results.
    pub(super) content: u64,
    /// Its content is results and nothing else.
    pub(super) only_answers: bool,
    pub(super) summary: bool,
    pub(super) boundary: bool,
    /// A message without anything in it.
    pub(super) empty: bool,
    /// What a compaction kept, and what that hangs under.
    pub(super) kept: Box<[Name]>,
    pub(super) anchor: Option<Name>,
    /// More messages that a compaction names, which need not be there.
    pub(super) named: Box<[Name]>,
    /// By which copies are known: of the whole text, and of all that copies have in common.
    pub(super) hash: u64,
    pub(super) said: u64,
    /// What a torn entry right before this line hung under.
    pub(super) torn_before: Option<Name>,
}

/// The chain that a line is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Side {
    pub(super) sidechain: bool,
    pub(super) agent: Option<Name>,
}

impl Node {
    /// `None` for lines that are not part of the conversation. A line without a uuid gets the one
    /// given: in the file too, when it hangs in a chain; that is said.
    pub(super) fn read(
        entry: &Entry<'_>,
        names: &mut Names,
        fresh: impl FnOnce(&mut Names) -> Name,
    ) -> Option<(Self, bool)> {
        let row = row_of(entry.text())?;
        let kind = entry.kind();
        // Old progress lines are in no chain, and nothing reads them.
        let is_progress = kind == Kind::Progress;
        let parent = match entry.parent() {
            ParentRef::Absent => Parent::Absent,
            ParentRef::Root => Parent::Root,
            ParentRef::Id(parent) => Parent::Id(names.of(&parent)),
            ParentRef::Odd if is_progress => Parent::Absent,
            ParentRef::Odd => Parent::Odd,
        };
        let known = entry.uuid().map(|uuid| names.of(&uuid));
        let (id, is_new) = match known {
            Some(id) => (id, false),
            None => (fresh(names), !is_progress && parent != Parent::Absent),
        };
        let flags = entry.flags();
        let mut node = Self {
            id,
            nameless: known.is_none() && !is_new,
            row,
            parent,
            kind,
            side: Side {
                sidechain: flags.sidechain,
                agent: entry.agent().map(|agent| names.of(&agent)),
            },
            has_flag: entry.get("isSidechain").is_some(),
            reply: None,
            calls: Box::default(),
            answers: Box::default(),
            call_blocks: Box::default(),
            content: 0,
            only_answers: false,
            summary: flags.compact_summary,
            boundary: kind == Kind::System
                && entry.subtype().as_deref() == Some("compact_boundary"),
            empty: false,
            kept: Box::default(),
            anchor: None,
            named: Box::default(),
            hash: hash(entry.text()),
            said: alike::said(entry.members()),
            torn_before: None,
        };
        if entry.dialect() == Dialect::Disk && !node.nameless {
            node.read_blocks(entry, names);
        }
        if node.boundary {
            node.read_kept(entry, names);
        }
        Some((node, is_new))
    }

    fn read_blocks(&mut self, entry: &Entry<'_>, names: &mut Names) {
        match self.kind {
            Kind::Assistant => {
                self.reply = entry.message_id().map(|id| names.of(&id));
                let message = entry.object("message").unwrap_or_default();
                let blocks = members::list(message.get("content").unwrap_or_default());
                let mut calls: Vec<Name> = Vec::new();
                let mut found = Vec::new();
                for (at, json) in blocks.into_iter().enumerate() {
                    let block = Members::read(json).unwrap_or_default();
                    if block.get("type") != Some("\"tool_use\"") {
                        continue;
                    }
                    let id = block.string("id").filter(|id| !id.is_empty());
                    let call = id.map(|id| names.of(&id));
                    found.push((at, call, hash(json)));
                    calls.extend(call.filter(|call| !calls.contains(call)));
                }
                self.calls = calls.into();
                self.call_blocks = found.into();
            }
            Kind::User => {
                let parts = entry.parts();
                let mut others = 0;
                let answers = parts.iter().filter_map(|part| match part {
                    Part::Answer {
                        call: Some(call), ..
                    } => Some(names.of(call)),
                    _ => {
                        others += 1;
                        None
                    }
                });
                self.answers = answers.collect();
                self.only_answers = others == 0 && !self.answers.is_empty();
                let message = entry.object("message");
                let content = message.and_then(|message| message.get("content"));
                self.empty = content == Some("\"\"");
                self.content = content.map_or(0, hash);
            }
            _ => {}
        }
    }

    /// The messages that a compaction kept, and what they hang under now.
    fn read_kept(&mut self, entry: &Entry<'_>, names: &mut Names) {
        let data = entry.get("compactMetadata").and_then(Members::read);
        let data = data.unwrap_or_default();
        let messages = data.object("preservedMessages").unwrap_or_default();
        let mut list = |name: &str| -> Vec<Name> {
            let uuids = members::list(messages.get(name).unwrap_or_default()).into_iter();
            let uuids = uuids.filter_map(members::string);
            uuids.map(|uuid| names.of(&uuid)).collect()
        };
        self.kept = list("uuids").into();
        let mut named = list("allUuids");
        if let Some(segment) = data.object("preservedSegment") {
            let ends = ["headUuid", "tailUuid"].into_iter();
            named.extend(ends.filter_map(|end| Some(names.of(&segment.string(end)?))));
        }
        self.named = named.into();
        self.anchor = messages.string("anchorUuid").map(|uuid| names.of(&uuid));
    }

    /// A line that is added: a message of the user.
    pub(super) fn added(id: Name, parent: Parent, side: Side, row: Row) -> Self {
        Self {
            id,
            nameless: false,
            row,
            parent,
            kind: Kind::User,
            side,
            has_flag: true,
            reply: None,
            calls: Box::default(),
            answers: Box::default(),
            call_blocks: Box::default(),
            content: 0,
            only_answers: false,
            summary: false,
            boundary: false,
            empty: false,
            kept: Box::default(),
            anchor: None,
            named: Box::default(),
            hash: 0,
            said: 0,
            torn_before: None,
        }
    }

    /// Whether it is written as the document draws lines.
    pub(super) fn of_document(&self) -> bool {
        self.row.marks.has(Marks::DOCUMENT)
    }

    /// Whether somebody says something in it.
    pub(super) fn is_said(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::Assistant)
    }

    /// Whether other lines may be hung under it.
    pub(super) fn may_have_children(&self) -> bool {
        let kind = matches!(
            self.kind,
            Kind::User | Kind::Assistant | Kind::System | Kind::Attachment | Kind::CompactSystem
        );
        kind && !self.nameless
    }
}

fn hash(value: &(impl std::hash::Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
