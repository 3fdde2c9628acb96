//! Messages in a few bytes each.

use crate::entry::Kind;

/// Identifies a message of one [`SessionTree`](super::SessionTree). Later messages of a file have
/// larger ids, unless a line is before its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Its index in the [nodes](super::SessionTree::nodes) of the tree.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn at(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// No node, in tables of numbers.
pub(super) const NONE: u32 = u32::MAX;

pub(super) fn some(number: u32) -> Option<NodeId> {
    (number != NONE).then_some(NodeId(number))
}

/// The kind of a message, in any dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NodeKind {
    /// A prompt of a person; in a sidechain, of the model.
    Prompt,
    /// A prompt that was sent while a turn was running, and became part of it.
    Queued,
    /// A slash command, or one of the shell.
    Command,
    /// A background task finished.
    Notification,
    /// Results of tools.
    Results,
    /// A person stopped the model.
    Interrupt,
    /// The summary of a compaction.
    Summary,
    /// A reply of the model.
    Reply,
    /// A message of the CLI: an error, the output of a command.
    Notice,
    /// The conversation was compacted here, or restored.
    Compaction,
}

impl NodeKind {
    /// The name for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Queued => "queued",
            Self::Command => "command",
            Self::Notification => "notification",
            Self::Results => "results",
            Self::Interrupt => "interrupt",
            Self::Summary => "summary",
            Self::Reply => "reply",
            Self::Notice => "notice",
            Self::Compaction => "compaction",
        }
    }

    /// Returns whether it starts a turn.
    pub fn starts_turn(self) -> bool {
        matches!(self, Self::Prompt | Self::Command | Self::Notification)
    }

    /// Returns whether it is part of the conversation, so that a path with one is a branch.
    pub(super) fn is_said(self) -> bool {
        !matches!(self, Self::Notice | Self::Compaction | Self::Interrupt)
    }
}

/// The phase of a compaction or a restoration. On disk it is always [`Phase::Completed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// `conversation_compacting`.
    Started,
    /// `conversation_compacted`, or the disk's `compact_boundary`.
    Completed,
    /// `conversation_restoring`.
    Restoring,
    /// `conversation_restored`.
    Restored,
}

/// The position of a line, or of an entry in a broken line, in the file of its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct LineSpan {
    /// The first byte.
    pub offset: u64,
    /// The length in bytes, without the newline.
    pub len: u64,
}

/// A line between two messages that belongs to neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FoldedLine {
    /// The first byte in the file.
    pub offset: u64,
    /// The kind of line.
    pub kind: Kind,
    /// Whether a later line with the same id replaced it.
    pub replaced: bool,
    pub(super) file: u32,
}

impl FoldedLine {
    /// The index of its file in [`SessionTree::files`](super::SessionTree::files).
    pub fn file(&self) -> usize {
        self.file as usize
    }
}

/// A message of a tree.
#[derive(Debug, Clone)]
pub struct Node {
    pub(super) parent: u32,
    pub(super) chain: u32,
    pub(super) file: u32,
    pub(super) time: i64,
    /// Hash of the reply's id, to join its blocks.
    pub(super) message: u64,
    pub(super) kind: NodeKind,
    pub(super) phase: Option<Phase>,
    pub(super) marks: Marks,
    pub(super) calls: u16,
    pub(super) answers: u16,
}

impl Node {
    /// The kind of message.
    pub fn kind(&self) -> NodeKind {
        self.kind
    }

    /// The message before it. Results of parallel calls follow one another, and a compaction follows
    /// what it compacted, whatever their parents in the file are.
    pub fn parent(&self) -> Option<NodeId> {
        some(self.parent)
    }

    /// The time of its first line in milliseconds since 1970, if known.
    pub fn time_ms(&self) -> Option<i64> {
        (self.time != i64::MIN).then_some(self.time)
    }

    /// The index of its file in [`SessionTree::files`](super::SessionTree::files).
    pub fn file(&self) -> usize {
        self.file as usize
    }

    /// The index of its sidechain in [`SessionTree::sidechains`](super::SessionTree::sidechains);
    /// `None` for the main conversation.
    pub fn sidechain(&self) -> Option<usize> {
        (self.chain as usize).checked_sub(1)
    }

    /// The number of tools that it calls.
    pub fn calls(&self) -> usize {
        self.calls.into()
    }

    /// The number of calls that it answers.
    pub fn answers(&self) -> usize {
        self.answers.into()
    }

    /// The phase of a compaction.
    pub fn phase(&self) -> Option<Phase> {
        self.phase
    }

    /// Returns whether the model's context is cut here, before a summary.
    pub fn is_cut(&self) -> bool {
        self.phase == Some(Phase::Completed) && !self.is(Marks::REWOUND)
    }

    /// Returns whether it is on the branch that the CLI would resume.
    pub fn is_live(&self) -> bool {
        self.is(Marks::LIVE)
    }

    /// Returns whether it is part of a subagent's conversation.
    pub fn is_sidechain(&self) -> bool {
        self.chain != 0
    }

    /// Returns whether it reports an error: of the API, or of a tool.
    pub fn is_error(&self) -> bool {
        self.is(Marks::ERROR)
    }

    /// Returns whether it was cut off, or reports an interruption.
    pub fn is_interrupted(&self) -> bool {
        self.is(Marks::ABORTED)
    }

    /// Returns whether it was soft-deleted, which only the document's dialect supports.
    pub fn is_deleted(&self) -> bool {
        self.is(Marks::DELETED)
    }

    /// Returns whether the CLI made it, not a model.
    pub fn is_synthetic(&self) -> bool {
        self.is(Marks::SYNTHETIC)
    }

    /// Returns whether its parent is missing or one of its descendants. It is a root then.
    pub fn is_orphan(&self) -> bool {
        self.is(Marks::ORPHAN)
    }

    /// Returns whether lines of it occur more than once in the file.
    pub fn is_doubled(&self) -> bool {
        self.is(Marks::DOUBLED)
    }

    pub(super) fn is(&self, mark: Marks) -> bool {
        self.marks.has(mark)
    }
}

/// Flags of a line or message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Marks(u16);

impl Marks {
    pub(super) const SIDECHAIN: Self = Self(1);
    pub(super) const ERROR: Self = Self(1 << 1);
    pub(super) const ABORTED: Self = Self(1 << 2);
    pub(super) const DELETED: Self = Self(1 << 3);
    pub(super) const SYNTHETIC: Self = Self(1 << 4);
    pub(super) const ORPHAN: Self = Self(1 << 5);
    pub(super) const DOUBLED: Self = Self(1 << 6);
    pub(super) const LIVE: Self = Self(1 << 7);
    /// In the document's dialect.
    pub(super) const DOCUMENT: Self = Self(1 << 8);
    /// A compaction boundary that rewinding wrote.
    pub(super) const REWOUND: Self = Self(1 << 9);
    /// A user or assistant line.
    pub(super) const SPOKEN: Self = Self(1 << 10);
    /// Never the end of the conversation: team messages, progress, briefings.
    pub(super) const NO_LEAF: Self = Self(1 << 11);
    /// Its parent is not a string.
    pub(super) const ODD_PARENT: Self = Self(1 << 12);
    /// Its line has no `parentUuid`, not even `null`.
    pub(super) const ADRIFT: Self = Self(1 << 14);

    pub(super) fn has(self, mark: Self) -> bool {
        self.0 & mark.0 == mark.0
    }

    pub(super) fn without(self, mark: Self) -> Self {
        Self(self.0 & !mark.0)
    }

    pub(super) fn set(&mut self, mark: Self) {
        self.0 |= mark.0;
    }

    pub(super) fn set_if(&mut self, mark: Self, yes: bool) {
        if yes {
            self.set(mark);
        }
    }
}
