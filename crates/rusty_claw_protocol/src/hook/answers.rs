//! Constructors for common hook outputs.

use crate::hook::{
    AdditionalContext, AsyncHookOutput, HookDecision, HookEvent, HookOutput,
    HookPermissionDecision, HookSpecificOutput, PermissionRequestDecision, PermissionRequestOutput,
    PostToolUseOutput, PreToolUseOutput, SessionStartOutput, SyncHookOutput,
    UserPromptExpansionOutput, UserPromptSubmitOutput,
};
use crate::json::Json;

impl HookOutput {
    /// Returns an output without effect, as if there were no hook.
    ///
    /// There is no `Default` for this, so that a failed callback cannot let an action pass through
    /// `unwrap_or_default`.
    pub fn none() -> Self {
        Self::from(SyncHookOutput::default())
    }

    /// For `PreToolUse`: runs the tool without asking.
    pub fn allow() -> Self {
        Self::decide(HookPermissionDecision::Allow, None, None)
    }

    /// For `PreToolUse`: runs the tool without asking, with another input.
    pub fn allow_with(input: Json) -> Self {
        Self::decide(HookPermissionDecision::Allow, None, Some(input))
    }

    /// For `PreToolUse`: denies the tool call; the model sees the reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::decide(HookPermissionDecision::Deny, Some(reason.into()), None)
    }

    /// For `PreToolUse`: asks for permission, even if a rule would decide.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::decide(HookPermissionDecision::Ask, Some(reason.into()), None)
    }

    fn decide(
        decision: HookPermissionDecision,
        reason: Option<String>,
        updated_input: Option<Json>,
    ) -> Self {
        Self::from(HookSpecificOutput::PreToolUse(Box::new(PreToolUseOutput {
            permission_decision: Some(decision),
            permission_decision_reason: reason,
            updated_input,
            ..PreToolUseOutput::default()
        })))
    }

    /// For `PermissionRequest`: answers the request instead of the user.
    pub fn permission(decision: PermissionRequestDecision) -> Self {
        Self::from(HookSpecificOutput::PermissionRequest(Box::new(
            PermissionRequestOutput {
                decision,
                ..PermissionRequestOutput::default()
            },
        )))
    }

    /// Blocks the action. For `Stop` the model continues, with the reason as its next prompt; for
    /// `UserPromptSubmit` the prompt is dropped.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::from(SyncHookOutput {
            decision: Some(HookDecision::Block),
            reason: Some(reason.into()),
            ..SyncHookOutput::default()
        })
    }

    /// Ends the turn; the user sees the reason.
    pub fn stop(reason: impl Into<String>) -> Self {
        Self::from(SyncHookOutput {
            keep_going: Some(false),
            stop_reason: Some(reason.into()),
            ..SyncHookOutput::default()
        })
    }

    /// Adds context for the model. Returns `None` if the event does not support it.
    pub fn context(event: &HookEvent, text: impl Into<String>) -> Option<Self> {
        HookSpecificOutput::context(event, text).map(Self::from)
    }

    /// For `PostToolUse`: replaces the tool's result for the model.
    ///
    /// It must have the shape of the tool's own output, or the CLI ignores it.
    pub fn replace_output(output: Json) -> Self {
        Self::from(HookSpecificOutput::PostToolUse(Box::new(
            PostToolUseOutput {
                updated_tool_output: Some(output),
                ..PostToolUseOutput::default()
            },
        )))
    }

    /// Continues the hook in the background, with a timeout in milliseconds.
    pub fn later(timeout_ms: Option<u64>) -> Self {
        Self::from(AsyncHookOutput {
            async_timeout: timeout_ms,
            ..AsyncHookOutput::default()
        })
    }

    /// Adds a message to the user. Has no effect on a hook that continues in the background.
    #[must_use]
    pub fn with_system_message(mut self, text: impl Into<String>) -> Self {
        if let Self::Sync(output) = &mut self {
            output.system_message = Some(text.into());
        }
        self
    }
}

impl HookSpecificOutput {
    /// Adds context for the model. Returns `None` if the event does not support it.
    pub fn context(event: &HookEvent, text: impl Into<String>) -> Option<Self> {
        let additional_context = Some(text.into());
        let plain = |additional_context| AdditionalContext {
            additional_context,
            ..AdditionalContext::default()
        };
        Some(match event {
            HookEvent::PreToolUse => Self::PreToolUse(Box::new(PreToolUseOutput {
                additional_context,
                ..PreToolUseOutput::default()
            })),
            HookEvent::PostToolUse => Self::PostToolUse(Box::new(PostToolUseOutput {
                additional_context,
                ..PostToolUseOutput::default()
            })),
            HookEvent::UserPromptSubmit => {
                Self::UserPromptSubmit(Box::new(UserPromptSubmitOutput {
                    additional_context,
                    ..UserPromptSubmitOutput::default()
                }))
            }
            HookEvent::UserPromptExpansion => {
                Self::UserPromptExpansion(Box::new(UserPromptExpansionOutput {
                    additional_context,
                    ..UserPromptExpansionOutput::default()
                }))
            }
            HookEvent::SessionStart => Self::SessionStart(Box::new(SessionStartOutput {
                additional_context,
                ..SessionStartOutput::default()
            })),
            HookEvent::Setup => Self::Setup(plain(additional_context)),
            HookEvent::Notification => Self::Notification(plain(additional_context)),
            HookEvent::PostModelSwitch => Self::PostModelSwitch(plain(additional_context)),
            HookEvent::PostToolBatch => Self::PostToolBatch(plain(additional_context)),
            HookEvent::PostToolUseFailure => Self::PostToolUseFailure(plain(additional_context)),
            HookEvent::Stop => Self::Stop(plain(additional_context)),
            HookEvent::SubagentStart => Self::SubagentStart(plain(additional_context)),
            HookEvent::SubagentStop => Self::SubagentStop(plain(additional_context)),
            _ => return None,
        })
    }
}
