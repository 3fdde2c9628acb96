//! The system prompt.

/// The system prompt.
///
/// ```
/// use rusty_claw::{ClaudeCodePrompt, CustomPrompt, Options, SystemPrompt};
///
/// // Claude Code's own, with something added.
/// let coder = Options::new().system_prompt(ClaudeCodePrompt::new().append("Write tests first."));
/// // Your own. A text will do.
/// let poet = Options::new().system_prompt("You write haiku.");
/// // Your own, the part that is the same for all sessions first.
/// let clerk = Options::new().system_prompt(
///     CustomPrompt::new("You answer letters.").changing("Today is a Sunday."),
/// );
/// // None but the one line by which the CLI says what it is.
/// let plain = Options::new().system_prompt(SystemPrompt::Empty);
/// # let _ = (coder, poet, clerk, plain);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SystemPrompt {
    /// Claude Code's own, which is the default.
    ClaudeCode(ClaudeCodePrompt),
    /// The program's own.
    Custom(CustomPrompt),
    /// Only the one line in which the CLI identifies itself. The official TypeScript SDK sends this
    /// if no system prompt is given.
    Empty,
}

/// Claude Code's own system prompt, with changes.
#[derive(Clone, Default, PartialEq)]
pub struct ClaudeCodePrompt {
    pub(super) append: Option<String>,
    pub(super) exclude_dynamic_sections: Option<bool>,
    pub(super) snapshot: Option<bool>,
}

impl ClaudeCodePrompt {
    /// The unchanged prompt.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a text, in its own paragraph.
    pub fn append(mut self, text: impl AsRef<str>) -> Self {
        let text = text.as_ref();
        match &mut self.append {
            Some(before) => {
                before.push_str("\n\n");
                before.push_str(text);
            }
            None => self.append = Some(text.to_owned()),
        }
        self
    }

    /// Whether sections that differ between machines and folders are moved to the first message, so
    /// that many users share one cached prompt. Off by default.
    pub fn exclude_dynamic_sections(mut self, exclude: bool) -> Self {
        self.exclude_dynamic_sections = Some(exclude);
        self
    }

    /// Whether the prompt of the first call is stored with the conversation and used for all later
    /// calls, even if the session is resumed with other options. The CLI's own default unless set.
    pub fn snapshot(mut self, snapshot: bool) -> Self {
        self.snapshot = Some(snapshot);
        self
    }
}

/// A custom system prompt.
#[derive(Clone, PartialEq)]
pub struct CustomPrompt {
    pub(super) blocks: Vec<String>,
    pub(super) snapshot: Option<bool>,
}

/// Separates the blocks that all sessions share from those of this session.
const BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

impl CustomPrompt {
    /// Creates a prompt of one block.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            blocks: vec![text.into()],
            snapshot: None,
        }
    }

    /// Adds a block.
    pub fn block(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(text.into());
        self
    }

    /// Adds a block that differs between sessions. The blocks before the first of these can be
    /// cached for all sessions; this one and later ones cannot.
    pub fn changing(mut self, text: impl Into<String>) -> Self {
        if !self.blocks.iter().any(|block| block == BOUNDARY) {
            self.blocks.push(BOUNDARY.to_owned());
        }
        self.block(text)
    }

    /// Whether the prompt is stored with the conversation, see [`ClaudeCodePrompt::snapshot`].
    pub fn snapshot(mut self, snapshot: bool) -> Self {
        self.snapshot = Some(snapshot);
        self
    }
}

// Prompts may be secret, so they are not printed.
debug_fields!(ClaudeCodePrompt, |prompt|
    appends: prompt.append.is_some(),
    exclude_dynamic_sections: prompt.exclude_dynamic_sections,
    snapshot: prompt.snapshot
);

debug_fields!(CustomPrompt, |prompt| blocks: prompt.blocks.len(), snapshot: prompt.snapshot);

impl From<ClaudeCodePrompt> for SystemPrompt {
    fn from(prompt: ClaudeCodePrompt) -> Self {
        Self::ClaudeCode(prompt)
    }
}

impl From<CustomPrompt> for SystemPrompt {
    fn from(prompt: CustomPrompt) -> Self {
        Self::Custom(prompt)
    }
}

impl From<&str> for SystemPrompt {
    fn from(text: &str) -> Self {
        Self::Custom(CustomPrompt::new(text))
    }
}

impl From<String> for SystemPrompt {
    fn from(text: String) -> Self {
        Self::Custom(CustomPrompt::new(text))
    }
}
