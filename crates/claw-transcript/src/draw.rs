//! Draws a session tree as text for terminals.

mod options;
mod width;

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::tree::{BranchCause, Node, NodeId, NodeKind, SessionTree};

pub use options::{DrawOptions, DrawnRow};
use width::{fit, width};

/// Draws a tree: one row per message, the live branch straight down; abandoned branches and
/// subagents are indented under the message where they begin.
///
/// `preview` returns the text of a message, as [`TreeReader::preview`](crate::TreeReader::preview)
/// does. It is called once per row, from top to bottom.
///
/// ```
/// use claw_transcript::{DrawOptions, SessionTree, TreeReader, draw};
///
/// let session = br#"{"type":"user","uuid":"1","sessionId":"s","message":"hello"}
/// {"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":"hi"}"#;
/// let tree = SessionTree::of_reader(&session[..])?;
/// let mut reader = TreeReader::of_bytes(&tree, session);
/// let preview = |id| reader.preview(id).unwrap_or_default();
/// let drawn = draw(&tree, &DrawOptions::new().ascii(true), preview);
/// assert_eq!(drawn, "|-* user hello\n`-* assistant [live] hi\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn draw(
    tree: &SessionTree,
    options: &DrawOptions,
    preview: impl FnMut(NodeId) -> String,
) -> String {
    let mut out = String::new();
    draw_rows(tree, options, preview, |row| {
        // Writing to a string does not fail.
        let _ = writeln!(out, "{}", row.to_string().trim_end());
    });
    out
}

/// Draws a tree row by row, without keeping it in memory.
pub fn draw_rows(
    tree: &SessionTree,
    options: &DrawOptions,
    mut preview: impl FnMut(NodeId) -> String,
    mut each: impl FnMut(DrawnRow),
) {
    let mut drawing = Drawing::new(tree, options);
    while let Some(row) = drawing.next_row(&mut preview) {
        each(row);
    }
}

/// The characters that a tree is drawn with.
struct Pens {
    pass: &'static str,
    tee: &'static str,
    end: &'static str,
    cut: &'static str,
    deep: &'static str,
    live: &'static str,
    left: &'static str,
    side: &'static str,
    more: &'static str,
}

const UNICODE: Pens = Pens {
    pass: "│ ",
    tee: "├─",
    end: "└─",
    cut: "╞═",
    deep: "⋯ ",
    live: "● ",
    left: "○ ",
    side: "◆ ",
    more: "…",
};

const ASCII: Pens = Pens {
    pass: "| ",
    tee: "|-",
    end: "`-",
    cut: "|=",
    deep: ": ",
    live: "* ",
    left: "o ",
    side: "+ ",
    more: "...",
};

/// More levels than this are not indented further.
const LEVELS: usize = 12;

/// A path that is being drawn.
struct Level {
    path: std::vec::IntoIter<NodeId>,
    /// What starts at the last message drawn.
    inner: std::vec::IntoIter<Inner>,
    /// Whether more of this level follows.
    open: bool,
}

/// An indented part.
#[derive(Clone, Copy)]
enum Inner {
    Branch(NodeId),
    Sidechain(usize),
}

struct Drawing<'t> {
    tree: &'t SessionTree,
    options: &'t DrawOptions,
    pens: &'static Pens,
    levels: Vec<Level>,
    /// Other paths without a parent, last first.
    roots: Vec<Inner>,
    started: HashMap<NodeId, Vec<usize>>,
    /// Whether the live branch begins with a message whose parent is missing.
    lost: bool,
}

impl<'t> Drawing<'t> {
    fn new(tree: &'t SessionTree, options: &'t DrawOptions) -> Self {
        let live = tree.live().next();
        let mut started: HashMap<NodeId, Vec<usize>> = HashMap::new();
        let mut roots = Vec::new();
        for (at, chain) in tree.sidechains().iter().enumerate() {
            match chain.started_by() {
                Some(by) => started.entry(by).or_default().push(at),
                None => roots.push(Inner::Sidechain(at)),
            }
        }
        let others = tree.roots_of(0).iter().copied();
        let others = others.filter(|id| Some(*id) != live).map(Inner::Branch);
        let mut others: Vec<Inner> = others.collect();
        others.append(&mut roots);
        others.reverse();
        let mut drawing = Self {
            tree,
            options,
            pens: if options.ascii { &ASCII } else { &UNICODE },
            levels: Vec::new(),
            roots: others,
            started,
            lost: live.is_some_and(|live| tree.node(live).is_orphan()),
        };
        drawing.levels.extend(live.map(|live| drawing.level(live)));
        drawing
    }

    /// The path down from a message: the live one, else the latest.
    fn level(&self, first: NodeId) -> Level {
        let mut path = vec![first];
        let mut at = first;
        while let Some(next) = self.main_child(at) {
            path.push(next);
            at = next;
        }
        Level {
            path: path.into_iter(),
            inner: Vec::new().into_iter(),
            open: true,
        }
    }

    fn main_child(&self, id: NodeId) -> Option<NodeId> {
        let children = self.tree.children(id);
        let live = children
            .iter()
            .find(|child| self.tree.node(**child).is_live());
        let latest = || {
            let spoken = |id: &&NodeId| self.tree.latest_spoken(**id);
            let spoken_ones = children.iter().filter(|id| spoken(id).is_some());
            spoken_ones.max_by_key(spoken)
        };
        live.or_else(latest).or(children.last()).copied()
    }

    fn next_row(&mut self, preview: &mut impl FnMut(NodeId) -> String) -> Option<DrawnRow> {
        loop {
            let Some(depth) = self.levels.len().checked_sub(1) else {
                let root = self.roots.pop()?;
                return Some(self.open(root));
            };
            if let Some(inner) = self.levels[depth].inner.next() {
                return Some(self.open(inner));
            }
            let Some(id) = self.levels[depth].path.next() else {
                self.levels.pop();
                continue;
            };
            let last = self.levels[depth].path.as_slice().is_empty();
            self.levels[depth].open = !last;
            let next = self.levels[depth].path.as_slice().first().copied();
            self.levels[depth].inner = self.inner(id, next).into_iter();
            return Some(self.row(id, last, preview));
        }
    }

    /// What starts at a message besides the path to `next`.
    fn inner(&self, id: NodeId, next: Option<NodeId>) -> Vec<Inner> {
        let started = self.started.get(&id).into_iter().flatten();
        let mut inner: Vec<Inner> = started.map(|at| Inner::Sidechain(*at)).collect();
        let others = self.tree.children(id).iter();
        let others = others.filter(|child| Some(**child) != next);
        inner.extend(others.map(|child| Inner::Branch(*child)));
        inner
    }

    /// Starts an indented part, and returns its heading.
    fn open(&mut self, inner: Inner) -> DrawnRow {
        let rails = self.rails(None);
        let (label, text) = match inner {
            Inner::Branch(first) => {
                let heading = self.branch_heading(first);
                self.levels.push(self.level(first));
                (heading, String::new())
            }
            Inner::Sidechain(at) => {
                let heading = self.sidechain_heading(at);
                if self.options.sidechains {
                    self.open_sidechain(at);
                }
                heading
            }
        };
        let room = self.room(&rails, &label);
        DrawnRow {
            node: None,
            rails,
            label,
            marks: String::new(),
            text: fit(&text, room, self.pens.more),
        }
    }

    /// Starts all paths of a sidechain; most have one.
    fn open_sidechain(&mut self, at: usize) {
        let Some(first) = self.tree.sidechains()[at].root() else {
            return;
        };
        let mut level = self.level(first);
        let roots = self.tree.roots_of(at + 1).iter();
        let others = roots.filter(|id| **id != first);
        let others: Vec<Inner> = others.map(|id| Inner::Branch(*id)).collect();
        level.open = !level.path.as_slice().is_empty();
        level.inner = others.into_iter();
        self.levels.push(level);
    }

    fn branch_heading(&self, first: NodeId) -> String {
        let node = self.tree.node(first);
        if self.tree.latest_spoken(first).is_none() {
            return "aside".to_owned();
        }
        let original = self.tree.cause(first) == BranchCause::Original;
        let why = match node.kind() {
            _ if node.is_orphan() => "its parent is missing",
            NodeKind::Reply if original => "regenerated later",
            NodeKind::Reply => "regenerated",
            kind if !kind.starts_turn() => "",
            // Its real parent is missing, so it is not an edit.
            _ if node.parent().is_none() && self.lost => "",
            _ if original => "edited later",
            _ => "an edit",
        };
        match why {
            "" => "abandoned branch".to_owned(),
            why => format!("abandoned branch ({why})"),
        }
    }

    fn sidechain_heading(&self, at: usize) -> (String, String) {
        let chain = &self.tree.sidechains()[at];
        let label = if chain.agent_id().is_some() {
            "agent"
        } else {
            "sidechain"
        };
        let known = [chain.agent_id(), chain.agent_type(), chain.description()];
        let text: Vec<&str> = known.into_iter().flatten().collect();
        (label.to_owned(), text.join(" · "))
    }

    fn row(&self, id: NodeId, last: bool, preview: &mut impl FnMut(NodeId) -> String) -> DrawnRow {
        let node = self.tree.node(id);
        let mut rails = self.rails(Some((node, last)));
        rails.push_str(match node {
            _ if node.is_live() => self.pens.live,
            _ if node.is_sidechain() => self.pens.side,
            _ => self.pens.left,
        });
        let label = label(node);
        let marks = self.marks(id, node);
        let gap = usize::from(!marks.is_empty());
        let room = self.room(&rails, label).saturating_sub(width(&marks) + gap);
        let text = fit(&preview(id), room, self.pens.more);
        DrawnRow {
            node: Some(id),
            rails,
            label: label.to_owned(),
            marks,
            text,
        }
    }

    fn marks(&self, id: NodeId, node: &Node) -> String {
        let mut marks = String::new();
        let mut mark = |yes: bool, word: &str| {
            if yes {
                let gap = if marks.is_empty() { "" } else { " " };
                let _ = write!(marks, "{gap}[{word}]");
            }
        };
        mark(node.calls() > 1, &format!("{} calls", node.calls()));
        mark(node.answers() > 1, &format!("{} results", node.answers()));
        mark(node.is_error(), "error");
        mark(node.is_interrupted(), "interrupted");
        mark(node.is_orphan(), "orphan");
        mark(node.is_deleted(), "deleted");
        mark(node.is_doubled(), "doubled");
        let kept = self.tree.kept(id).len();
        mark(kept > 0, &format!("{kept} kept"));
        let folded = self.tree.folded(id).len();
        mark(self.options.folded && folded > 0, &format!("+{folded}"));
        mark(self.tree.live_leaf() == Some(id), "live");
        marks
    }

    /// The lines before a message or a heading.
    fn rails(&self, node: Option<(&Node, bool)>) -> String {
        let pens = self.pens;
        let outer = match node {
            Some(_) => &self.levels[..self.levels.len().saturating_sub(1)],
            None => &self.levels[..],
        };
        let mut rails = String::new();
        let hidden = outer.len().saturating_sub(LEVELS);
        if hidden > 0 {
            rails.push_str(pens.deep);
        }
        for level in &outer[hidden..] {
            rails.push_str(if level.open { pens.pass } else { "  " });
        }
        if let Some((node, last)) = node {
            rails.push_str(match node {
                _ if node.is_cut() => pens.cut,
                _ if last => pens.end,
                _ => pens.tee,
            });
        }
        rails
    }

    fn room(&self, rails: &str, label: &str) -> usize {
        let used = width(rails) + width(label) + 1;
        self.options.width.saturating_sub(used)
    }
}

fn label(node: &Node) -> &'static str {
    match node.kind() {
        NodeKind::Prompt => "user",
        NodeKind::Notification => "task",
        NodeKind::Results => "tool",
        NodeKind::Reply => "assistant",
        NodeKind::Notice => "system",
        kind => kind.as_str(),
    }
}
