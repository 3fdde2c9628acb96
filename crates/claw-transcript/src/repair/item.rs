//! What is known of each line while a file is repaired.

use std::hash::{DefaultHasher, Hasher as _};

use crate::entry::{Dialect, Entry, Kind, KindGroup, ParentRef, Part};
use crate::lines::{LineEnd, Span};
use crate::members::{self, Members};

use super::names::{Name, Names};

/// One line of the repaired file.
#[derive(Debug)]
pub(super) struct Item {
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

/// What changes in a line.
#[derive(Debug, Default)]
pub(super) struct Edit {
    /// Its text is written anew: bytes around it go, broken characters are replaced.
    pub(super) text: bool,
    pub(super) uuid: Option<Name>,
    pub(super) parent: Option<Option<Name>>,
    pub(super) sidechain: Option<bool>,
    /// The results that become text, and whether the first one of the call stays.
    pub(super) to_text: Vec<(Name, bool)>,
    pub(super) fill: bool,
    /// The kept messages that a compaction no longer names.
    pub(super) forget: Vec<Name>,
}

impl Edit {
    pub(super) fn is_none(&self) -> bool {
        !self.text
            && self.uuid.is_none()
            && self.parent.is_none()
            && self.sidechain.is_none()
            && self.to_text.is_empty()
            && !self.fill
            && self.forget.is_empty()
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
    pub(super) id: Name,
    pub(super) parent: Parent,
    pub(super) kind: Kind,
    pub(super) side: Side,
    /// Whether the line has the flag at all.
    pub(super) has_flag: bool,
    /// The reply that an assistant line is a block of.
    pub(super) reply: Option<Name>,
    pub(super) calls: Box<[Name]>,
    pub(super) answers: Box<[Name]>,
    /// Its content is results and nothing else.
    pub(super) only_answers: bool,
    pub(super) summary: bool,
    pub(super) boundary: bool,
    pub(super) aborted: bool,
    /// A message without anything in it.
    pub(super) empty: bool,
    /// What a compaction kept, and what that hangs under.
    pub(super) kept: Box<[Name]>,
    pub(super) anchor: Option<Name>,
    /// By which copies are known: of the whole text, and of what the model sees.
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
    /// `None` for lines that are not part of the conversation. A line whose uuid is lost gets the
    /// one given.
    pub(super) fn read(
        entry: &Entry<'_>,
        names: &mut Names,
        fresh: impl FnOnce(&mut Names) -> Name,
    ) -> Option<(Self, bool)> {
        let kind = entry.kind();
        let in_chain = kind.group() == KindGroup::Chain;
        let has_parent = entry.get("parentUuid").is_some();
        let known = entry.uuid().map(|uuid| names.of(&uuid));
        let (id, is_new) = match known {
            Some(id) if in_chain || has_parent => (id, false),
            // Only what would be read by the CLI.
            None if in_chain && has_parent && entry.dialect() == Dialect::Disk => {
                (fresh(names), true)
            }
            _ => return None,
        };
        let parent = match entry.parent() {
            ParentRef::Absent => Parent::Absent,
            ParentRef::Root => Parent::Root,
            ParentRef::Id(parent) => Parent::Id(names.of(&parent)),
            ParentRef::Odd => Parent::Odd,
        };
        let flags = entry.flags();
        let mut node = Self {
            id,
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
            only_answers: false,
            summary: flags.compact_summary,
            boundary: kind == Kind::System
                && entry.subtype().as_deref() == Some("compact_boundary"),
            aborted: flags.aborted,
            empty: false,
            kept: Box::default(),
            anchor: None,
            hash: hash(entry.text()),
            said: hash(&(
                &*entry.kind_text(),
                entry.get("message"),
                entry.get("attachment"),
                entry.get("content"),
                entry.get("compactMetadata"),
            )),
            torn_before: None,
        };
        if entry.dialect() == Dialect::Disk {
            node.read_blocks(entry, names);
        }
        if node.boundary {
            let (kept, anchor) = kept(entry, names);
            node.kept = kept.into();
            node.anchor = anchor;
        }
        Some((node, is_new))
    }

    fn read_blocks(&mut self, entry: &Entry<'_>, names: &mut Names) {
        match self.kind {
            Kind::Assistant => {
                self.reply = entry.message_id().map(|id| names.of(&id));
                let mut calls: Vec<Name> = Vec::new();
                for part in entry.parts() {
                    if let Part::Call {
                        id: Some(id),
                        by_server: false,
                        ..
                    } = part
                    {
                        let call = names.of(&id);
                        if !calls.contains(&call) {
                            calls.push(call);
                        }
                    }
                }
                self.calls = calls.into();
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
            }
            _ => {}
        }
    }

    /// A line that is added: a message of the user.
    pub(super) fn added(id: Name, parent: Parent, side: Side) -> Self {
        Self {
            id,
            parent,
            kind: Kind::User,
            side,
            has_flag: true,
            reply: None,
            calls: Box::default(),
            answers: Box::default(),
            only_answers: false,
            summary: false,
            boundary: false,
            aborted: false,
            empty: false,
            kept: Box::default(),
            anchor: None,
            hash: 0,
            said: 0,
            torn_before: None,
        }
    }

    /// Whether somebody says something in it.
    pub(super) fn is_said(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::Assistant)
    }

    /// Whether other lines may be hung under it.
    pub(super) fn may_have_children(&self) -> bool {
        matches!(
            self.kind,
            Kind::User | Kind::Assistant | Kind::System | Kind::Attachment | Kind::CompactSystem
        )
    }
}

fn hash(value: &(impl std::hash::Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The messages that a compaction kept, and what they hang under now.
fn kept(entry: &Entry<'_>, names: &mut Names) -> (Vec<Name>, Option<Name>) {
    let data = entry.get("compactMetadata").and_then(Members::read);
    let messages = data.and_then(|data| data.object("preservedMessages"));
    let messages = messages.unwrap_or_default();
    let uuids = members::list(messages.get("uuids").unwrap_or_default()).into_iter();
    let uuids = uuids.filter_map(members::string);
    let kept = uuids.map(|uuid| names.of(&uuid)).collect();
    let anchor = messages.string("anchorUuid").map(|uuid| names.of(&uuid));
    (kept, anchor)
}
