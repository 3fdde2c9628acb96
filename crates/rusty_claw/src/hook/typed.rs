//! Hook inputs of one event.

use rusty_claw_protocol::hook::*;

use super::one::{Hook, TypedHookInput};
use super::{HookContext, IntoHookOutput};

/// Declares the input of each event and the constructor of its hook.
macro_rules! typed {
    ($($(#[$doc:meta])* $constructor:ident $event:ident $input:ident;)+) => {
        $(
            impl TypedHookInput for $input {
                const EVENT: HookEvent = HookEvent::$event;

                fn from_input(input: HookInput) -> Option<Self> {
                    match input {
                        HookInput::$event(input) => Some(*input),
                        _ => None,
                    }
                }
            }
        )+

        /// One constructor for each event: see [`Hook::typed`].
        impl Hook {
            $(
                $(#[$doc])*
                pub fn $constructor<F, Fut>(handler: F) -> Self
                where
                    F: Fn($input, HookContext) -> Fut + Send + Sync + 'static,
                    Fut: Future + Send + 'static,
                    Fut::Output: IntoHookOutput,
                {
                    Self::typed(handler)
                }
            )+
        }

        /// One hook for each event, all without an opinion.
        #[cfg(test)]
        pub(crate) fn one_of_each() -> Vec<Hook> {
            vec![$(Hook::$constructor(|_, _| async { HookOutput::none() })),+]
        }
    };
}

typed! {
    /// The CLI was started to initialize or maintain a project.
    setup Setup SetupInput;
    /// A session starts, or starts over.
    session_start SessionStart SessionStartInput;
    /// A session ends.
    session_end SessionEnd SessionEndInput;
    /// A prompt was submitted.
    user_prompt_submit UserPromptSubmit UserPromptSubmitInput;
    /// A command in a prompt is replaced by its text.
    user_prompt_expansion UserPromptExpansion UserPromptExpansionInput;
    /// A tool is about to be called.
    pre_tool_use PreToolUse PreToolUseInput;
    /// A tool returned.
    post_tool_use PostToolUse PostToolUseInput;
    /// A tool failed.
    post_tool_use_failure PostToolUseFailure PostToolUseFailureInput;
    /// All tool calls of one model answer are done.
    post_tool_batch PostToolBatch PostToolBatchInput;
    /// A tool call needs permission.
    permission_request PermissionRequest PermissionRequestInput;
    /// A tool call was denied.
    permission_denied PermissionDenied PermissionDeniedInput;
    /// The CLI notifies the user.
    notification Notification NotificationInput;
    /// A piece of the answer is about to be shown.
    message_display MessageDisplay MessageDisplayInput;
    /// The model finished its turn.
    stop Stop StopInput;
    /// The turn ended because the API failed.
    stop_failure StopFailure StopFailureInput;
    /// A subagent starts.
    subagent_start SubagentStart SubagentStartInput;
    /// A subagent finished.
    subagent_stop SubagentStop SubagentStopInput;
    /// A teammate is about to become idle.
    teammate_idle TeammateIdle TeammateIdleInput;
    /// A task was created.
    task_created TaskCreated TaskCreatedInput;
    /// A task is about to be completed.
    task_completed TaskCompleted TaskCompletedInput;
    /// The conversation is about to be compacted to a summary.
    pre_compact PreCompact PreCompactInput;
    /// The conversation was compacted to a summary.
    post_compact PostCompact PostCompactInput;
    /// The model is about to change.
    pre_model_switch PreModelSwitch PreModelSwitchInput;
    /// The model has changed.
    post_model_switch PostModelSwitch PostModelSwitchInput;
    /// An MCP server requests input from the user.
    elicitation Elicitation ElicitationInput;
    /// The user answered an MCP server.
    elicitation_result ElicitationResult ElicitationResultInput;
    /// Settings were changed.
    config_change ConfigChange ConfigChangeInput;
    /// A file with instructions was loaded.
    instructions_loaded InstructionsLoaded InstructionsLoadedInput;
    /// A worktree is to be created.
    worktree_create WorktreeCreate WorktreeCreateInput;
    /// A worktree is to be removed.
    worktree_remove WorktreeRemove WorktreeRemoveInput;
    /// The working directory changed.
    cwd_changed CwdChanged CwdChangedInput;
    /// A watched file has changed.
    file_changed FileChanged FileChangedInput;
    /// A directory was added to those that tools may use.
    directory_added DirectoryAdded DirectoryAddedInput;
}
