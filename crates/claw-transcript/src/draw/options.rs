//! Options and rows of a drawn tree.

use crate::tree::NodeId;

/// Options for drawing a tree.
#[derive(Debug, Clone)]
pub struct DrawOptions {
    pub(super) width: usize,
    pub(super) ascii: bool,
    pub(super) sidechains: bool,
    pub(super) folded: bool,
}

impl Default for DrawOptions {
    fn default() -> Self {
        Self {
            width: 100,
            ascii: false,
            sidechains: true,
            folded: false,
        }
    }
}

impl DrawOptions {
    /// 100 columns, Unicode lines, with sidechains.
    pub fn new() -> Self {
        Self::default()
    }

    /// Maximum width of a row in columns; at least 40.
    pub fn width(mut self, columns: usize) -> Self {
        self.width = columns.max(40);
        self
    }

    /// Draws with ASCII characters only. The text of messages is not changed.
    pub fn ascii(mut self, ascii: bool) -> Self {
        self.ascii = ascii;
        self
    }

    /// Whether to show the messages of subagents.
    pub fn sidechains(mut self, show: bool) -> Self {
        self.sidechains = show;
        self
    }

    /// Whether to show the number of lines folded after each message.
    pub fn folded(mut self, show: bool) -> Self {
        self.folded = show;
        self
    }
}

/// One row of a drawn tree, in parts that can be colored.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DrawnRow {
    /// The message; `None` for the headings of branches and sidechains.
    pub node: Option<NodeId>,
    /// The lines of the tree before the label.
    pub rails: String,
    /// The speaker, or the heading.
    pub label: String,
    /// Flags, each in brackets.
    pub marks: String,
    /// The preview.
    pub text: String,
}

impl std::fmt::Display for DrawnRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [&self.label, &self.marks, &self.text];
        f.write_str(&self.rails)?;
        let mut gap = "";
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            f.write_str(gap)?;
            f.write_str(part)?;
            gap = " ";
        }
        Ok(())
    }
}
