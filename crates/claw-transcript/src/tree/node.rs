//! One message, in a few bytes.

/// Names a message of one [`SessionTree`](super::SessionTree). Later messages of a file have larger
/// ones, unless a line stands before its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Its place among the [nodes](super::SessionTree::nodes) of the tree.
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

/// What a message is to the conversation, in any dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NodeKind {
    /// Somebody asked for something; in a sidechain, the model did.
    Prompt,
    /// Somebody asked while the model was at work, and the running turn took it up.
    Queued,
    /// A slash command, or one of the shell.
    Command,
    /// The CLI says that a task in the background is done.
    Notification,
    /// What tools returned.
    Results,
    /// The note that somebody stopped the model.
    Interrupt,
    /// What a compaction left of everything before it.
    Summary,
    /// The model spoke or called tools.
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

    /// Whether a turn begins with it.
    pub fn starts_turn(self) -> bool {
        matches!(self, Self::Prompt | Self::Command | Self::Notification)
    }

    /// Whether it is part of what was said, so that a way through the tree that has one is a
    /// branch, and one that has none is only something on the side.
    pub(super) fn is_said(self) -> bool {
        !matches!(self, Self::Notice | Self::Compaction | Self::Interrupt)
    }
}

/// How far a compaction or a restoration is. The disk knows only [`Phase::Completed`].
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

/// Where a line, or an entry inside of a broken one, lies in the file of its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct LineSpan {
    /// Of the first byte.
    pub offset: u64,
    /// In bytes, without the newline.
    pub len: u64,
}

/// A line that belongs to no message: it lies on the way from one to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FoldedLine {
    /// Where it begins in the file.
    pub offset: u64,
    /// What it is about.
    pub kind: crate::Kind,
    /// Whether it is an earlier copy of a line with the same id, which the later one replaced.
    pub replaced: bool,
    pub(super) file: u32,
}

impl FoldedLine {
    /// Which of the [files](super::SessionTree::files) it lies in.
    pub fn file(&self) -> usize {
        self.file as usize
    }
}

/// What is known of a message without reading its lines again.
#[derive(Debug, Clone)]
pub struct Node {
    pub(super) parent: u32,
    pub(super) chain: u32,
    pub(super) file: u32,
    pub(super) time: i64,
    /// Of the reply on disk, to bring its blocks together.
    pub(super) message: u64,
    pub(super) kind: NodeKind,
    pub(super) phase: Option<Phase>,
    pub(super) marks: Marks,
    pub(super) calls: u16,
    pub(super) answers: u16,
}

impl Node {
    /// What it is.
    pub fn kind(&self) -> NodeKind {
        self.kind
    }

    /// The message before it. Results of parallel calls come one after the other, whatever they
    /// hang under in the file, and a compaction comes after what it compacted.
    pub fn parent(&self) -> Option<NodeId> {
        some(self.parent)
    }

    /// In milliseconds since 1970; `None` when its first line does not say.
    pub fn time_ms(&self) -> Option<i64> {
        (self.time != i64::MIN).then_some(self.time)
    }

    /// Which of the [files](super::SessionTree::files) its lines lie in.
    pub fn file(&self) -> usize {
        self.file as usize
    }

    /// Which of the [sidechains](super::SessionTree::sidechains) it is in; `None` for the main
    /// conversation.
    pub fn sidechain(&self) -> Option<usize> {
        (self.chain as usize).checked_sub(1)
    }

    /// How many tools it calls.
    pub fn calls(&self) -> usize {
        self.calls.into()
    }

    /// How many calls it answers.
    pub fn answers(&self) -> usize {
        self.answers.into()
    }

    /// For a compaction: how far it is.
    pub fn phase(&self) -> Option<Phase> {
        self.phase
    }

    /// Whether the conversation is cut here: the model knows what comes before only by a summary.
    pub fn is_cut(&self) -> bool {
        self.phase == Some(Phase::Completed) && !self.is(Marks::REWOUND)
    }

    /// Whether it is on the branch that the CLI would resume.
    pub fn is_live(&self) -> bool {
        self.is(Marks::LIVE)
    }

    /// Whether it is part of a subagent's conversation.
    pub fn is_sidechain(&self) -> bool {
        self.chain != 0
    }

    /// Whether something went wrong: an API error, a failed tool.
    pub fn is_error(&self) -> bool {
        self.is(Marks::ERROR)
    }

    /// Whether it was cut off, or says that something was.
    pub fn is_interrupted(&self) -> bool {
        self.is(Marks::ABORTED)
    }

    /// Whether it was deleted softly, which only the document's dialect knows.
    pub fn is_deleted(&self) -> bool {
        self.is(Marks::DELETED)
    }

    /// Whether the CLI made it up, not a model.
    pub fn is_synthetic(&self) -> bool {
        self.is(Marks::SYNTHETIC)
    }

    /// Whether it names a parent that is not there, or that hangs under it in a circle. It is a
    /// root then.
    pub fn is_orphan(&self) -> bool {
        self.is(Marks::ORPHAN)
    }

    /// Whether lines of it stand in the file more than once.
    pub fn is_doubled(&self) -> bool {
        self.is(Marks::DOUBLED)
    }

    pub(super) fn is(&self, mark: Marks) -> bool {
        self.marks.has(mark)
    }
}

/// Facts of a line or message by yes or no, packed.
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
    /// Written as the document says.
    pub(super) const DOCUMENT: Self = Self(1 << 8);
    /// A boundary that rewinding wrote.
    pub(super) const REWOUND: Self = Self(1 << 9);
    /// What the CLI itself takes for something said: any user or assistant line.
    pub(super) const SPOKEN: Self = Self(1 << 10);
    /// Never the end of the conversation: of a team, progress, a briefing.
    pub(super) const NO_LEAF: Self = Self(1 << 11);
    /// Its parent is not a string.
    pub(super) const ODD_PARENT: Self = Self(1 << 12);
    /// Of a command that ran without the model.
    pub(super) const LOCAL: Self = Self(1 << 13);
    /// Its line says nothing about a parent, not even that there is none.
    pub(super) const ADRIFT: Self = Self(1 << 14);

    pub(super) fn has(self, mark: Self) -> bool {
        self.0 & mark.0 == mark.0
    }

    pub(super) fn join(&mut self, other: Self) {
        self.0 |= other.0;
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
