//! What the model is told before the conversation.

use std::fmt;

use rusty_claw_protocol::control::{
    AgentDefinition, InitializeRequest, SystemPrompt as WireSystemPrompt,
};
use rusty_claw_protocol::{Map, Str};

use super::Options;
use super::argv::Argv;
use super::check::{bad, named};
use crate::error::StartError;

/// What the model is told before the conversation.
#[derive(Clone, Default)]
pub(crate) struct Prompt {
    system: Option<SystemPrompt>,
    plan_mode_instructions: Option<String>,
    append_subagent_system_prompt: Option<String>,
    agent: Option<Str>,
    agents: Map<AgentDefinition>,
    pub(crate) verbatim: bool,
}

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
    /// Claude Code's own, which is also the default.
    ClaudeCode(ClaudeCodePrompt),
    /// The program's own.
    Custom(CustomPrompt),
    /// None but the one line by which the CLI says what it is. This is what the official
    /// TypeScript SDK sends when no system prompt is given.
    Empty,
}

/// Claude Code's own system prompt, with changes.
#[derive(Clone, Default, PartialEq)]
pub struct ClaudeCodePrompt {
    append: Option<String>,
    exclude_dynamic_sections: Option<bool>,
    snapshot: Option<bool>,
}

impl ClaudeCodePrompt {
    /// As it is.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text at its end; behind what was added before, in a paragraph of its own.
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

    /// Whether what differs between machines and folders goes into the first message instead, so
    /// that many users share one cached prompt. Off unless set.
    pub fn exclude_dynamic_sections(mut self, exclude: bool) -> Self {
        self.exclude_dynamic_sections = Some(exclude);
        self
    }

    /// Whether the prompt of the first call is kept with the conversation and used for all later
    /// ones, also when the session is resumed with other options. As the CLI has it unless set.
    pub fn snapshot(mut self, snapshot: bool) -> Self {
        self.snapshot = Some(snapshot);
        self
    }
}

/// A system prompt of the program's own.
#[derive(Clone, PartialEq)]
pub struct CustomPrompt {
    blocks: Vec<String>,
    snapshot: Option<bool>,
}

/// Between the blocks that all sessions share and those of this session only.
const BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

impl CustomPrompt {
    /// A prompt of one block.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            blocks: vec![text.into()],
            snapshot: None,
        }
    }

    /// Another block behind those before.
    pub fn block(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(text.into());
        self
    }

    /// A block that changes from session to session. The blocks before the first of these can be
    /// cached for all sessions; this and what follows cannot.
    pub fn changing(mut self, text: impl Into<String>) -> Self {
        if !self.blocks.iter().any(|block| block == BOUNDARY) {
            self.blocks.push(BOUNDARY.to_owned());
        }
        self.block(text)
    }

    /// Whether the prompt is kept with the conversation, see [`ClaudeCodePrompt::snapshot`].
    pub fn snapshot(mut self, snapshot: bool) -> Self {
        self.snapshot = Some(snapshot);
        self
    }
}

// What the model is told may be a secret of the program's, so none of these says it.
impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agents = self.agents.iter().map(|(name, _)| name);
        f.debug_struct("Prompt")
            .field("system", &self.system)
            .field("agent", &self.agent)
            .field("agents", &agents.collect::<Vec<_>>())
            .field("verbatim", &self.verbatim)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ClaudeCodePrompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClaudeCodePrompt")
            .field("appends", &self.append.is_some())
            .field("exclude_dynamic_sections", &self.exclude_dynamic_sections)
            .field("snapshot", &self.snapshot)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for CustomPrompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomPrompt")
            .field("blocks", &self.blocks.len())
            .field("snapshot", &self.snapshot)
            .finish_non_exhaustive()
    }
}

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

impl Options {
    /// The system prompt. Claude Code's own unless set, unlike in the official TypeScript SDK,
    /// where it is empty unless set.
    ///
    /// It travels in `initialize`, so it may be of any size.
    pub fn system_prompt(mut self, prompt: impl Into<SystemPrompt>) -> Self {
        self.prompt.system = Some(prompt.into());
        self
    }

    /// Adds a text to the system prompt: behind Claude Code's own, or as another block of the
    /// program's own.
    pub fn append_system_prompt(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.prompt.system = Some(match self.prompt.system {
            None => ClaudeCodePrompt::new().append(text).into(),
            Some(SystemPrompt::ClaudeCode(prompt)) => prompt.append(text).into(),
            Some(SystemPrompt::Custom(prompt)) => prompt.block(text).into(),
            Some(SystemPrompt::Empty) => CustomPrompt::new(text).into(),
        });
        self
    }

    /// Adds a text to the system prompt of every subagent. Nothing unless set.
    pub fn append_subagent_system_prompt(mut self, text: impl Into<String>) -> Self {
        self.prompt.append_subagent_system_prompt = Some(text.into());
        self
    }

    /// How to go about a plan, in place of the CLI's own words. The CLI keeps what it says about
    /// changing nothing and about how a plan is handed in.
    pub fn plan_mode_instructions(mut self, text: impl Into<String>) -> Self {
        self.prompt.plan_mode_instructions = Some(text.into());
        self
    }

    /// The subagent that leads the conversation, with its prompt, tools and model. None unless
    /// set. Name one of [`Options::agents`] or of the settings; the CLI ignores a name that it
    /// does not know, without a word.
    pub fn agent(mut self, name: impl Into<Str>) -> Self {
        self.prompt.agent = Some(name.into());
        self
    }

    /// Subagents, by name. Adds to those given before; the same name again replaces.
    ///
    /// ```
    /// use rusty_claw::Options;
    /// use rusty_claw::control::messages::AgentDefinition;
    ///
    /// let options = Options::new().agents([(
    ///     "reviewer",
    ///     AgentDefinition::new("Reviews a change", "You look for what is missing."),
    /// )]);
    /// # let _ = options;
    /// ```
    pub fn agents<N: Into<Str>>(
        mut self,
        agents: impl IntoIterator<Item = (N, AgentDefinition)>,
    ) -> Self {
        for (name, agent) in agents {
            self.prompt.agents.insert(name, agent);
        }
        self
    }

    /// Whether every prompt is delivered as written: no `/command` is run, no `@file` is read.
    /// Off unless set. Wanted when a prompt holds text that the user did not type.
    pub fn verbatim_prompts(mut self, verbatim: bool) -> Self {
        self.prompt.verbatim = verbatim;
        self
    }
}

impl Prompt {
    pub(super) fn check(&self) -> Result<(), StartError> {
        if let Some(agent) = &self.agent {
            named("agent", agent)?;
        }
        for (name, agent) in self.agents.iter() {
            named("agents", name)?;
            if agent.description.trim().is_empty() {
                return Err(bad(
                    "agents",
                    format!("{name} has no description, so the model cannot know when to use it"),
                ));
            }
            if agent.prompt.trim().is_empty() {
                return Err(bad("agents", format!("{name} has no prompt")));
            }
        }
        Ok(())
    }

    pub(super) fn argv(&self, argv: &mut Argv) {
        argv.value_if("--agent", self.agent.as_ref());
    }

    pub(super) fn initialize(&self, initialize: &mut InitializeRequest) {
        match &self.system {
            // Without the member the CLI uses its own prompt.
            None => {}
            Some(SystemPrompt::ClaudeCode(prompt)) => {
                initialize.append_system_prompt.clone_from(&prompt.append);
                initialize.exclude_dynamic_sections = prompt.exclude_dynamic_sections;
                initialize.system_prompt_snapshot = prompt.snapshot;
            }
            Some(SystemPrompt::Custom(prompt)) => {
                initialize.system_prompt = Some(WireSystemPrompt::Blocks(prompt.blocks.clone()));
                initialize.system_prompt_snapshot = prompt.snapshot;
            }
            Some(SystemPrompt::Empty) => {
                initialize.system_prompt = Some(WireSystemPrompt::from(""));
            }
        }
        initialize
            .plan_mode_instructions
            .clone_from(&self.plan_mode_instructions);
        initialize
            .append_subagent_system_prompt
            .clone_from(&self.append_subagent_system_prompt);
        if !self.agents.is_empty() {
            initialize.agents = Some(self.agents.clone());
        }
    }
}
