//! Kinds of lines.

/// How lines of one kind relate to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KindGroup {
    /// Part of the conversation: has an id and a parent.
    Chain,
    /// State of the session; the last line of its kind counts.
    State,
    /// Adds to earlier lines of its kind.
    Accumulating,
    /// Queued prompts.
    Queue,
    /// Checkpoints of files.
    Checkpoint,
    /// Requests to the API.
    Request,
    /// Printed by the CLI on its standard output; not in session files.
    Stream,
    /// From older CLIs and other programs.
    Foreign,
    /// An unrecognized kind.
    Unknown,
}

macro_rules! kinds {
    ($($group:ident { $($(#[$doc:meta])* $name:ident = $text:literal,)* })*) => {
        /// The kind of a line, from its `type`.
        ///
        /// Includes the kinds of session files, of the document's dialect and of the CLI's stream.
        /// New releases of the CLI add kinds; these are [`Kind::Unknown`], and are kept.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Kind {
            $($($(#[$doc])* $name,)*)*
            /// An unrecognized `type`, or none.
            #[default]
            Unknown,
        }

        impl Kind {
            /// All known kinds.
            pub const ALL: &'static [Self] = &[$($(Self::$name,)*)*];

            /// Returns the kind of a `type`.
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

            /// How lines of this kind relate to each other.
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
        /// A prompt, results of tools, or a message of the CLI in the user's place.
        User = "user",
        /// One content block of a reply.
        Assistant = "assistant",
        /// A notice of the CLI of some `subtype`.
        System = "system",
        /// Context that the CLI adds to a prompt.
        Attachment = "attachment",
        /// The progress of a tool, in older files.
        Progress = "progress",
        /// Compaction, in the document's dialect.
        CompactSystem = "compact_system",
    }
    State {
        /// The mode of the interface.
        Mode = "mode",
        /// The permission mode for tool calls.
        PermissionMode = "permission-mode",
        /// A title given by a person.
        CustomTitle = "custom-title",
        /// A generated title.
        AiTitle = "ai-title",
        /// The name of the agent.
        AgentName = "agent-name",
        /// The color of the agent.
        AgentColor = "agent-color",
        /// The agent that the session runs.
        AgentSetting = "agent-setting",
        /// A tag given by a person.
        Tag = "tag",
        /// A title of the branch that ends in a line, in older files.
        Summary = "summary",
        /// The last prompt.
        LastPrompt = "last-prompt",
        /// The pull request of the session.
        PrLink = "pr-link",
        /// The worktree of the session.
        WorktreeState = "worktree-state",
        /// The session was moved from another folder.
        Relocated = "relocated",
        /// The session is controlled remotely.
        BridgeSession = "bridge-session",
        /// The owner of the session.
        SessionOwner = "session-owner",
        /// The session was isolated from others.
        IsolationLatch = "isolation-latch",
        /// Settings of developers.
        DevMods = "dev-mods",
        /// The input mode of the terminal.
        ReplMode = "repl-mode",
        /// Hidden messages.
        HistorySuppression = "history-suppression",
        /// The model ended the conversation.
        EndedByModel = "ended-by-model",
        /// An internal flag of the CLI.
        AtisLatch = "atis-latch",
        /// The tools used.
        ToolsUsed = "tools-used",
        /// The CLI's own running total of costs.
        CostState = "cost-state",
        /// The authors of changes to files.
        AttributionSnapshot = "attribution-snapshot",
        /// Automatic reactions.
        ArtifactAutoreactLedger = "artifact-autoreact-ledger",
        /// An observer of the session.
        ObserverRef = "observer-ref",
        /// The sessions that this one was derived from.
        DerivedFrom = "derived-from",
    }
    Accumulating {
        /// Replacements of earlier text.
        ContentReplacement = "content-replacement",
        /// The memory mode.
        MemoryMode = "memory-mode",
        /// Records of data flow.
        DataFlowRecords = "data-flow-records",
        /// Marks incomplete records of data flow.
        DataFlowIncomplete = "data-flow-incomplete",
        /// The conversation that a fork continues.
        ForkContextRef = "fork-context-ref",
        /// A link between frames.
        FrameLink = "frame-link",
        /// Watched comments on artifacts.
        ArtifactCommentMonitor = "artifact-comment-monitor",
    }
    Queue {
        /// A prompt was queued or dequeued.
        QueueOperation = "queue-operation",
    }
    Checkpoint {
        /// The files before a prompt.
        FileHistorySnapshot = "file-history-snapshot",
        /// Another file of a snapshot.
        FileHistoryDelta = "file-history-delta",
    }
    Request {
        /// The system prompt and the tools of requests.
        ApiRequestShape = "api-request-shape",
        /// A part of requests, identified by its hash.
        ApiRequestBlob = "api-request-blob",
        /// One request.
        ApiRequest = "api-request",
    }
    Foreign {
        /// The session continues in another one.
        ContinuedIn = "continued-in",
        /// The head that a resume used.
        ResumeHeadVouch = "resume-head-vouch",
        /// The summary of a task.
        TaskSummary = "task-summary",
        /// An accepted speculation of the CLI.
        SpeculationAccept = "speculation-accept",
        /// Written by older CLIs.
        MarbleOrigamiCommit = "marble-origami-commit",
        /// Written by older CLIs.
        MarbleOrigamiSnapshot = "marble-origami-snapshot",
        /// A step of a workflow began.
        Started = "started",
        /// A step of a workflow was launched.
        Launched = "launched",
        /// A step of a workflow failed.
        Failed = "failed",
        /// Written by another program into its copies of sessions.
        CcSessionFork = "cc-session-fork",
    }
    Stream {
        /// The end of a turn; in workflow journals the end of a step.
        Result = "result",
        /// A fragment of a reply.
        StreamEvent = "stream_event",
        /// A request of the control protocol.
        ControlRequest = "control_request",
        /// A response of the control protocol.
        ControlResponse = "control_response",
        /// Cancels a request of the control protocol.
        ControlCancelRequest = "control_cancel_request",
        /// The state of the rate limits.
        RateLimitEvent = "rate_limit_event",
        /// The progress of a running tool.
        ToolProgress = "tool_progress",
        /// A summary of tool calls.
        ToolUseSummary = "tool_use_summary",
        /// A suggestion for the next prompt.
        PromptSuggestion = "prompt_suggestion",
        /// The state of the login.
        AuthStatus = "auth_status",
        /// The state of a prompt.
        CommandLifecycle = "command_lifecycle",
        /// The conversation was reset.
        ConversationReset = "conversation_reset",
        /// The goal of the session.
        ActiveGoal = "active_goal",
        /// Lines of the session file, for a copy elsewhere.
        TranscriptMirror = "transcript_mirror",
        /// A keep-alive message.
        KeepAlive = "keep_alive",
    }
}
