//! What a line is about.

/// How the lines of one kind work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KindGroup {
    /// Part of the conversation: has an id and hangs under another line.
    Chain,
    /// Says how the session is; the last line of its kind counts.
    State,
    /// Adds to what earlier lines of its kind said.
    Accumulating,
    /// Prompts that wait.
    Queue,
    /// Copies of files, to go back to.
    Checkpoint,
    /// What was sent to the API.
    Request,
    /// Printed by the CLI on its pipe; not kept in session files.
    Stream,
    /// Of older CLIs and other programs.
    Foreign,
    /// Not known here.
    Unknown,
}

macro_rules! kinds {
    ($($group:ident { $($(#[$doc:meta])* $name:ident = $text:literal,)* })*) => {
        /// What a line is about, by its `type`.
        ///
        /// The kinds of session files, of the document's dialect and of the CLI's stream. New ones
        /// come with every release of the CLI; they are [`Kind::Unknown`], and are kept.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Kind {
            $($($(#[$doc])* $name,)*)*
            /// A `type` that is not known here, or none.
            Unknown,
        }

        impl Kind {
            /// All kinds that are known.
            pub const ALL: &'static [Self] = &[$($(Self::$name,)*)*];

            /// The kind that a `type` names.
            pub fn of(text: &str) -> Self {
                match text {
                    $($($text => Self::$name,)*)*
                    _ => Self::Unknown,
                }
            }

            /// The `type`; empty for [`Kind::Unknown`].
            pub fn as_str(self) -> &'static str {
                match self {
                    $($(Self::$name => $text,)*)*
                    Self::Unknown => "",
                }
            }

            /// How lines of this kind work together.
            pub fn group(self) -> KindGroup {
                match self {
                    $($(Self::$name => KindGroup::$group,)*)*
                    Self::Unknown => KindGroup::Unknown,
                }
            }
        }
    };
}

kinds! {
    Chain {
        /// A prompt, the results of tools, or what the CLI says in the user's place.
        User = "user",
        /// One content block of a reply.
        Assistant = "assistant",
        /// A notice of the CLI; `subtype` says which.
        System = "system",
        /// What the CLI gives the model beside the prompt.
        Attachment = "attachment",
        /// How far a tool is, in older files.
        Progress = "progress",
        /// Compaction, in the document's dialect.
        CompactSystem = "compact_system",
    }
    State {
        /// The mode of the interface.
        Mode = "mode",
        /// How tool calls are decided.
        PermissionMode = "permission-mode",
        /// The title that a person gave.
        CustomTitle = "custom-title",
        /// The title that the CLI made up.
        AiTitle = "ai-title",
        /// The name of the agent that speaks.
        AgentName = "agent-name",
        /// Its colour.
        AgentColor = "agent-color",
        /// Which agent the session runs.
        AgentSetting = "agent-setting",
        /// A person's tag.
        Tag = "tag",
        /// A title for the branch that ends in a line, in older files.
        Summary = "summary",
        /// The prompt that was sent last.
        LastPrompt = "last-prompt",
        /// The pull request that the session is about.
        PrLink = "pr-link",
        /// The worktree that it works in.
        WorktreeState = "worktree-state",
        /// It was moved from another folder.
        Relocated = "relocated",
        /// It is driven from elsewhere.
        BridgeSession = "bridge-session",
        /// Who drives it.
        SessionOwner = "session-owner",
        /// It was shut off from others.
        IsolationLatch = "isolation-latch",
        /// Switches of developers.
        DevMods = "dev-mods",
        /// How the terminal took input.
        ReplMode = "repl-mode",
        /// Messages that are hidden.
        HistorySuppression = "history-suppression",
        /// The model ended the conversation.
        EndedByModel = "ended-by-model",
        /// A switch of the CLI's own.
        AtisLatch = "atis-latch",
        /// The tools that were used.
        ToolsUsed = "tools-used",
        /// The CLI's own running total of costs.
        CostState = "cost-state",
        /// Who wrote how much of which file.
        AttributionSnapshot = "attribution-snapshot",
        /// What was answered by itself.
        ArtifactAutoreactLedger = "artifact-autoreact-ledger",
        /// Who looks on.
        ObserverRef = "observer-ref",
        /// The session that this one was made from.
        DerivedFrom = "derived-from",
    }
    Accumulating {
        /// Text that was replaced later.
        ContentReplacement = "content-replacement",
        /// How memory is used.
        MemoryMode = "memory-mode",
        /// Where data went.
        DataFlowRecords = "data-flow-records",
        /// Where that is not known.
        DataFlowIncomplete = "data-flow-incomplete",
        /// The conversation that a fork continues.
        ForkContextRef = "fork-context-ref",
        /// A link between frames.
        FrameLink = "frame-link",
        /// Comments on artifacts that are watched.
        ArtifactCommentMonitor = "artifact-comment-monitor",
    }
    Queue {
        /// A prompt came to wait, or waits no longer.
        QueueOperation = "queue-operation",
    }
    Checkpoint {
        /// The files before a prompt.
        FileHistorySnapshot = "file-history-snapshot",
        /// A file more.
        FileHistoryDelta = "file-history-delta",
    }
    Request {
        /// The system prompt and the tools of requests.
        ApiRequestShape = "api-request-shape",
        /// A part of requests, by its hash.
        ApiRequestBlob = "api-request-blob",
        /// One request.
        ApiRequest = "api-request",
    }
    Foreign {
        /// The session goes on in another one.
        ContinuedIn = "continued-in",
        /// The head that a resume took.
        ResumeHeadVouch = "resume-head-vouch",
        /// What a task did.
        TaskSummary = "task-summary",
        /// A guess of the CLI that was taken.
        SpeculationAccept = "speculation-accept",
        /// Of an older CLI.
        MarbleOrigamiCommit = "marble-origami-commit",
        /// Of an older CLI.
        MarbleOrigamiSnapshot = "marble-origami-snapshot",
        /// A step of a workflow began.
        Started = "started",
        /// A step of a workflow was launched.
        Launched = "launched",
        /// A step of a workflow failed.
        Failed = "failed",
        /// Written by another program into its copies.
        CcSessionFork = "cc-session-fork",
    }
    Stream {
        /// The end of a turn; in workflow journals the end of a step.
        Result = "result",
        /// A piece of a reply.
        StreamEvent = "stream_event",
        /// A question of the control protocol.
        ControlRequest = "control_request",
        /// An answer of the control protocol.
        ControlResponse = "control_response",
        /// A question is taken back.
        ControlCancelRequest = "control_cancel_request",
        /// How much may still be used.
        RateLimitEvent = "rate_limit_event",
        /// A tool is still at work.
        ToolProgress = "tool_progress",
        /// What some tool calls did.
        ToolUseSummary = "tool_use_summary",
        /// What the user may want to ask next.
        PromptSuggestion = "prompt_suggestion",
        /// How the login goes.
        AuthStatus = "auth_status",
        /// What became of a prompt.
        CommandLifecycle = "command_lifecycle",
        /// The conversation began anew.
        ConversationReset = "conversation_reset",
        /// What the session is to reach.
        ActiveGoal = "active_goal",
        /// Lines of the session file, for a copy elsewhere.
        TranscriptMirror = "transcript_mirror",
        /// Nothing; the pipe is alive.
        KeepAlive = "keep_alive",
    }
}
