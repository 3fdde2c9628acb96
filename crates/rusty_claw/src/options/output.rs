//! Optional output of the CLI.

use rusty_claw_protocol::control::InitializeRequest;

use super::argv::Argv;
use super::fields::{Options, Output};

impl Options {
    /// Whether the CLI prints the model's answer while it is being written. Off by default. The
    /// whole message still follows.
    pub fn include_partial_messages(mut self, include: bool) -> Self {
        self.output.partial_messages = include;
        self
    }

    /// Whether the CLI reports when a hook starts, prints something and ends, including its own
    /// hooks. Off by default; a session's first hooks are always reported.
    pub fn include_hook_events(mut self, include: bool) -> Self {
        self.output.hook_events = include;
        self
    }

    /// Whether the CLI prints each prompt again when it starts it. Off by default.
    pub fn replay_user_messages(mut self, replay: bool) -> Self {
        self.output.replay_user_messages = replay;
        self
    }

    /// Whether the CLI prints the text and thinking of subagents, not only their tool calls. Off by
    /// default.
    pub fn forward_subagent_text(mut self, forward: bool) -> Self {
        self.output.forward_subagent_text = Some(forward);
        self
    }

    /// Whether the CLI suggests a next prompt after a turn. Off by default. The suggestion follows
    /// the turn's result, and does not follow every turn.
    pub fn prompt_suggestions(mut self, suggest: bool) -> Self {
        self.output.prompt_suggestions = Some(suggest);
        self
    }

    /// Whether the CLI sometimes summarizes what a running subagent does. Off by default. It calls
    /// the model for that, at a small cost.
    pub fn agent_progress_summaries(mut self, summarise: bool) -> Self {
        self.output.agent_progress_summaries = Some(summarise);
        self
    }

    /// Whether the program lets people stop single background tasks. Off by default. If set, an
    /// interrupt stops only the turn; otherwise it also stops background tasks.
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
