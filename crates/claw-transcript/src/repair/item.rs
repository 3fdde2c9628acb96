//! The state of each line during a repair.

use std::hash::{DefaultHasher, Hasher as _};
use std::ops::Range;

use crate::check::common::{self, row_of};
use crate::check::table::{Marks, Row};
use crate::entry::{Dialect, Entry, Kind, ParentRef, Part};
use crate::facts::{Facts, Member};
use crate::lines::{Line, LineEnd, Span};
use crate::members;

use crate::conversation::{Id, Ids};

/// One line of the repaired file.
#[derive(Debug)]
pub(super) struct Item {
    /// The position among the lines: added lines are next to the line that they belong to.
    pub(super) rank: u64,
    /// The step that records its new parent.
    pub(super) relink_step: Option<usize>,
    /// The original line number, counted from one.
    pub(super) line: u64,
    /// The position of its bytes.
    pub(super) span: Span,
    pub(super) end: LineEnd,
    pub(super) source: Source,
    pub(super) edit: Edit,
    /// Whether it is removed.
    pub(super) gone: bool,
    /// Set for a line of the conversation.
    pub(super) node: Option<Box<Node>>,
}

impl Item {
    /// A line of the file, or a part of it.
    pub(super) fn of(line: &Line<'_>, place: Range<usize>) -> Self {
        Self {
            rank: 0,
            relink_step: None,
            line: line.ordinal + 1,
            span: Span {
                offset: line.offset + place.start as u64,
                length: place.len(),
            },
            end: match line.end {
                LineEnd::CrLf => LineEnd::CrLf,
                _ => LineEnd::Lf,
            },
            source: Source::File,
            edit: Edit::default(),
            gone: false,
            node: None,
        }
    }

    /// A line that the repair adds, with this one as a template.
    pub(super) fn added(&self, source: Source, node: Node) -> Self {
        let length = self.span.length;
        let like = Line::of(&[], self.line - 1, self.span.offset);
        Self {
            source,
            node: Some(Box::new(node)),
            ..Self::of(&like, 0..length)
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The bytes of the file.
    File,
    /// A placeholder for a lost result, with the line of the call as a template.
    StandIn { call: Id },
    /// A placeholder for a lost message, with its child as a template.
    Words { summary: bool },
}

/// A result that becomes text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ToText {
    pub(super) call: Id,
    /// Whether the first result of the call in the line is kept as a result.
    pub(super) first_stays: bool,
    /// Whether the call is missing.
    pub(super) lost: bool,
}

/// The changes to a line.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Edit {
    /// Whether the text is rewritten: surrounding bytes are removed, broken characters are
    /// replaced.
    pub(super) text: bool,
    /// Changes inside the line, which are applied before all others.
    pub(super) fields: Vec<(Range<usize>, String)>,
    /// Calls that get an id: the index of the block, and the id.
    pub(super) calls: Vec<(usize, Id)>,
    pub(super) uuid: Option<Id>,
    pub(super) parent: Option<Option<Id>>,
    pub(super) sidechain: Option<bool>,
    /// The results that become text.
    pub(super) to_text: Vec<ToText>,
    pub(super) fill: bool,
    /// The kept messages that are removed from a compaction's list.
    pub(super) forget: Vec<Id>,
    /// The old and the new parent of the kept messages of a compaction.
    pub(super) anchor: Option<(Id, Id)>,
}

impl Edit {
    pub(super) fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The parent of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Parent {
    /// `null`.
    #[default]
    Root,
    /// Missing.
    Absent,
    Id(Id),
    /// Neither a string nor `null`.
    Odd,
}

impl Parent {
    pub(super) fn id(self) -> Option<Id> {
        match self {
            Self::Id(name) => Some(name),
            _ => None,
        }
    }
}

/// A line of the conversation.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The id. A line that has no uuid and needs none has an unused one.
    pub(super) id: Id,
    pub(super) nameless: bool,
    /// The facts that checks use.
    pub(super) row: Row,
    pub(super) parent: Parent,
    pub(super) kind: Kind,
    pub(super) side: Side,
    /// Whether the line has the sidechain flag.
    pub(super) has_flag: bool,
    /// The reply of an assistant line.
    pub(super) reply: Option<Id>,
    pub(super) answers: Box<[Id]>,
    /// The tool calls: the index of the block, the id, and a hash of the call.
    pub(super) call_blocks: Box<[(usize, Option<Id>, u64)]>,
    /// A hash to find copies that have another uuid, for a line with results only.
    pub(super) result: u64,
    /// Whether its content consists of results only.
    pub(super) only_answers: bool,
    pub(super) summary: bool,
    pub(super) boundary: bool,
    /// Whether the message is empty.
    pub(super) empty: bool,
    /// The messages that a compaction kept. `anchor` is their parent.
    pub(super) kept: Box<[Id]>,
    pub(super) anchor: Option<Id>,
    /// Other messages in a compaction's list, which may be missing.
    pub(super) named: Box<[Id]>,
    /// Hashes to find copies: of the whole text, and of what copies have in common.
    pub(super) hash: u64,
    pub(super) said: u64,
    /// The parent of a torn entry right before this line.
    pub(super) torn_before: Option<Id>,
}

/// The chain that a line is part of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Side {
    pub(super) sidechain: bool,
    pub(super) agent: Option<Id>,
}

impl Node {
    /// Reads a line; `None` if it is not part of the conversation. A line without a uuid gets a
    /// fresh one. Also returns whether the file needs it, because the line is in a chain.
    pub(super) fn read(
        entry: &Entry<'_>,
        names: &mut Ids,
        fresh: impl FnOnce(&mut Ids) -> Id,
    ) -> Option<(Self, bool)> {
        let facts = entry.facts();
        let row = row_of(&facts)?;
        let kind = facts.kind;
        // Old progress lines are in no chain and are not read.
        let is_progress = kind == Kind::Progress;
        let parent = match facts.parent() {
            ParentRef::Absent => Parent::Absent,
            ParentRef::Root => Parent::Root,
            ParentRef::Id(parent) => Parent::Id(names.of(&parent)),
            ParentRef::Odd if is_progress => Parent::Absent,
            ParentRef::Odd => Parent::Odd,
        };
        let known = facts.id(Member::Uuid).map(|uuid| names.of(&uuid));
        let is_new = known.is_none() && !is_progress && parent != Parent::Absent;
        let flags = facts.flags();
        let mut node = Self {
            id: known.unwrap_or_else(|| fresh(names)),
            row,
            parent,
            kind,
            side: Side {
                sidechain: flags.sidechain,
                agent: facts.id(Member::Agent).map(|agent| names.of(&agent)),
            },
            nameless: known.is_none() && !is_new,
            has_flag: facts.get(Member::Sidechain).is_some(),
            summary: flags.compact_summary,
            boundary: row.marks.has(Marks::BOUNDARY),
            hash: hash(entry.text()),
            said: common::said(entry.members()),
            ..Self::default()
        };
        if facts.dialect == Dialect::Disk && !node.nameless {
            node.read_blocks(&facts, names);
        }
        if node.only_answers {
            let members = entry.members().filter(|(name, _)| *name != "uuid");
            node.result = common::said(members);
        }
        if node.boundary {
            node.read_kept(&facts, names);
        }
        Some((node, is_new))
    }

    fn read_blocks(&mut self, facts: &Facts<'_>, names: &mut Ids) {
        let mut id = |id: &str| members::string(id).map(|id| names.of(&id));
        match self.kind {
            Kind::Assistant => {
                let reply = facts.message.as_ref().and_then(|message| message.id);
                self.reply = reply.filter(|id| id.len() > 2).and_then(&mut id);
                let mut found = Vec::new();
                for (at, block) in facts.blocks().iter().enumerate() {
                    if block.is_call() {
                        let call = block.id.filter(|id| id.len() > 2);
                        found.push((at, call.and_then(&mut id), hash(block.json)));
                    }
                }
                self.call_blocks = found.into();
            }
            Kind::User => {
                let parts = facts.parts();
                let answers = parts.iter().filter_map(|part| match part {
                    Part::Answer { call, .. } => call.as_ref(),
                    _ => None,
                });
                self.answers = answers.map(|call| names.of(call)).collect();
                let is_answered = !self.answers.is_empty();
                self.only_answers = is_answered && self.answers.len() == parts.len();
                let message = facts.object(Member::Message).unwrap_or_default();
                let content = message.get("content");
                self.empty = content == Some("\"\"");
            }
            _ => {}
        }
    }

    /// Reads the messages that a compaction kept, and their new parent.
    fn read_kept(&mut self, facts: &Facts<'_>, names: &mut Ids) {
        let data = facts.object(Member::CompactMetadata).unwrap_or_default();
        let messages = data.object("preservedMessages").unwrap_or_default();
        let mut list = |name: &str| -> Vec<Id> {
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

    /// A user message that the repair adds.
    pub(super) fn added(id: Id, parent: Parent, side: Side, row: Row) -> Self {
        Self {
            id,
            row,
            parent,
            kind: Kind::User,
            side,
            has_flag: true,
            ..Self::default()
        }
    }

    /// The ids of its tool calls.
    pub(super) fn calls(&self) -> impl Iterator<Item = Id> {
        self.call_blocks.iter().filter_map(|(_, id, _)| *id)
    }

    /// Returns whether it is in the document's dialect.
    pub(super) fn of_document(&self) -> bool {
        self.row.marks.has(Marks::DOCUMENT)
    }

    /// Returns whether it is a user or assistant message.
    pub(super) fn is_said(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::Assistant)
    }

    /// Returns whether it can be the parent of other lines.
    pub(super) fn may_have_children(&self) -> bool {
        may_have_children(self.kind) && !self.nameless
    }
}

/// Returns whether lines of a kind can be parents.
pub(super) fn may_have_children(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::User | Kind::Assistant | Kind::System | Kind::Attachment | Kind::CompactSystem
    )
}

fn hash(value: &(impl std::hash::Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
