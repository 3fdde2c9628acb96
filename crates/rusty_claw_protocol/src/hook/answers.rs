//! The common answers of a hook, ready made.

use crate::hook::{
    AdditionalContext, AsyncHookOutput, HookDecision, HookEvent, HookOutput,
    HookPermissionDecision, HookSpecificOutput, PermissionRequestDecision, PermissionRequestOutput,
    PostToolUseOutput, PreToolUseOutput, SessionStartOutput, SyncHookOutput,
    UserPromptExpansionOutput, UserPromptSubmitOutput,
};
use crate::json::Json;

impl HookOutput {
    /// No opinion: everything goes on as if there were no hook.
    ///
    /// There is no `Default` that says this, so that a callback which failed cannot let something
    /// pass by way of `unwrap_or_default`.
    pub fn none() -> Self {
        Self::from(SyncHookOutput::default())
    }

    /// For `PreToolUse`: the tool runs without a question.
    pub fn allow() -> Self {
        Self::decide(HookPermissionDecision::Allow, None, None)
    }

    /// For `PreToolUse`: the tool runs without a question, with another input.
    pub fn allow_with(input: Json) -> Self {
        Self::decide(HookPermissionDecision::Allow, None, Some(input))
    }

    /// For `PreToolUse`: the tool does not run; the model reads why.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::decide(HookPermissionDecision::Deny, Some(reason.into()), None)
    }

    /// For `PreToolUse`: the permission question is asked, even where a rule would have decided.
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

    /// For `PermissionRequest`: answers the question in the place of the user.
    pub fn permission(decision: PermissionRequestDecision) -> Self {
        Self::from(HookSpecificOutput::PermissionRequest(Box::new(
            PermissionRequestOutput {
                decision,
                ..PermissionRequestOutput::default()
            },
        )))
    }

    /// What the hook was asked about does not happen. For `Stop` that means the model goes on,
    /// with the reason as its next prompt; for `UserPromptSubmit`, that the prompt is dropped.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::from(SyncHookOutput {
            decision: Some(HookDecision::Block),
            reason: Some(reason.into()),
            ..SyncHookOutput::default()
        })
    }

    /// The turn ends here; the user reads why.
    pub fn stop(reason: impl Into<String>) -> Self {
        Self::from(SyncHookOutput {
            keep_going: Some(false),
            stop_reason: Some(reason.into()),
            ..SyncHookOutput::default()
        })
    }

    /// Something for the model to know. `None` when the event cannot be answered with it.
    pub fn context(event: &HookEvent, text: impl Into<String>) -> Option<Self> {
        HookSpecificOutput::context(event, text).map(Self::from)
    }

    /// For `PostToolUse`: the model gets to see this in place of what the tool returned.
    ///
    /// It must have the shape of that tool's own output, or the CLI ignores it.
    pub fn replace_output(output: Json) -> Self {
        Self::from(HookSpecificOutput::PostToolUse(Box::new(
            PostToolUseOutput {
                updated_tool_output: Some(output),
                ..PostToolUseOutput::default()
            },
        )))
    }

    /// The hook goes on in the background, for at most so many milliseconds.
    pub fn later(timeout_ms: Option<u64>) -> Self {
        Self::from(AsyncHookOutput {
            async_timeout: timeout_ms,
            ..AsyncHookOutput::default()
        })
    }

    /// The same answer, and a line for the user to read. A hook that goes on in the background
    /// cannot say anything yet.
    #[must_use]
    pub fn with_system_message(mut self, text: impl Into<String>) -> Self {
        if let Self::Sync(output) = &mut self {
            output.system_message = Some(text.into());
        }
        self
    }
}

impl HookSpecificOutput {
    /// Something for the model to know. `None` when the event cannot be answered with it.
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
