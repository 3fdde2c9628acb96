//! What the CLI prints beside the conversation.

use rusty_claw_protocol::control::InitializeRequest;

use super::Options;
use super::argv::Argv;

/// What the CLI prints beside the conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Output {
    partial_messages: bool,
    hook_events: bool,
    replay_user_messages: bool,
    forward_subagent_text: Option<bool>,
    prompt_suggestions: Option<bool>,
    agent_progress_summaries: Option<bool>,
    per_task_stop_affordance: Option<bool>,
}

impl Options {
    /// Whether the CLI prints the model's answer while it is being written. Off unless set. The
    /// whole message still follows.
    pub fn include_partial_messages(mut self, include: bool) -> Self {
        self.output.partial_messages = include;
        self
    }

    /// Whether the CLI tells when a hook starts, prints something and ends, its own hooks
    /// included. Off unless set; a session's first hooks are told either way.
    pub fn include_hook_events(mut self, include: bool) -> Self {
        self.output.hook_events = include;
        self
    }

    /// Whether the CLI prints each prompt again when it takes it up. Off unless set.
    pub fn replay_user_messages(mut self, replay: bool) -> Self {
        self.output.replay_user_messages = replay;
        self
    }

    /// Whether the CLI prints what subagents say and think, not only the tools they use. Off
    /// unless set.
    pub fn forward_subagent_text(mut self, forward: bool) -> Self {
        self.output.forward_subagent_text = Some(forward);
        self
    }

    /// Whether the CLI suggests after a turn what to say next. Off unless set. The suggestion
    /// comes after the turn's result, and not after every turn.
    pub fn prompt_suggestions(mut self, suggest: bool) -> Self {
        self.output.prompt_suggestions = Some(suggest);
        self
    }

    /// Whether the CLI sums up now and then what a running subagent is doing. Off unless set. It
    /// asks the model for that, which costs a little.
    pub fn agent_progress_summaries(mut self, summarise: bool) -> Self {
        self.output.agent_progress_summaries = Some(summarise);
        self
    }

    /// Whether the program lets people stop single background tasks. Off unless set. An interrupt
    /// then stops the turn only and leaves background tasks running; without it they are ended
    /// too.
    pub fn per_task_stop_affordance(mut self, offered: bool) -> Self {
        self.output.per_task_stop_affordance = Some(offered);
        self
    }
}

impl Output {
    pub(super) fn argv(&self, argv: &mut Argv) {
        argv.flag_if("--include-hook-events", self.hook_events);
        argv.flag_if("--include-partial-messages", self.partial_messages);
        argv.flag_if("--replay-user-messages", self.replay_user_messages);
    }

    pub(super) fn initialize(&self, initialize: &mut InitializeRequest) {
        initialize.forward_subagent_text = self.forward_subagent_text;
        initialize.prompt_suggestions = self.prompt_suggestions;
        initialize.agent_progress_summaries = self.agent_progress_summaries;
        initialize.per_task_stop_affordance = self.per_task_stop_affordance;
    }
}
