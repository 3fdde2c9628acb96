//! The system prompt, subagents and plan mode instructions.

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{
    AgentDefinition, InitializeRequest, SystemPrompt as WireSystemPrompt,
};

use super::argv::Argv;
use super::check::{bad, named};
use super::fields::{Options, Prompt};
use super::system_prompt::{ClaudeCodePrompt, CustomPrompt, SystemPrompt};
use crate::error::StartError;

impl Options {
    /// The system prompt. Claude Code's own by default, unlike in the official TypeScript SDK,
    /// where it is empty by default.
    ///
    /// It is sent in `initialize`, so it may have any size.
    pub fn system_prompt(mut self, prompt: impl Into<SystemPrompt>) -> Self {
        self.prompt.system = Some(prompt.into());
        self
    }

    /// Adds a text to the system prompt: after Claude Code's own, or as another block of a custom
    /// one.
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

    /// Adds a text to the system prompt of every subagent. None by default.
    pub fn append_subagent_system_prompt(mut self, text: impl Into<String>) -> Self {
        self.prompt.append_subagent_system_prompt = Some(text.into());
        self
    }

    /// Instructions for plan mode, in place of the CLI's own. The CLI keeps its instructions to
    /// change nothing and on how to submit a plan.
    pub fn plan_mode_instructions(mut self, text: impl Into<String>) -> Self {
        self.prompt.plan_mode_instructions = Some(text.into());
        self
    }

    /// The subagent that leads the conversation, with its prompt, tools and model. None by default.
    /// Name one of [`Options::agents`] or of the settings; the CLI silently ignores an unknown
    /// name.
    pub fn agent(mut self, name: impl Into<Str>) -> Self {
        self.prompt.agent = Some(name.into());
        self
    }

    /// Adds subagents, by name. An existing name is replaced.
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

    /// Whether every prompt is sent as written: no `/command` is run, no `@file` is read. Off by
    /// default. Use it if prompts contain text that the user did not type.
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
            // Without this member the CLI uses its own prompt.
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
