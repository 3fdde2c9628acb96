//! Inputs that know their event.

use rusty_claw_protocol::hook::*;

use super::{Hook, HookContext, IntoHookOutput};

/// An input that belongs to one event. Implemented for the input of each event.
pub trait TypedHookInput: Sized + Send + 'static {
    /// The event.
    const EVENT: HookEvent;

    /// The input, when it is of that event.
    fn from_input(input: HookInput) -> Option<Self>;
}

/// Declares, for each event, which input it has and the constructor of its hook.
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

        /// A hook for each event, without an opinion.
        #[cfg(test)]
        pub(crate) fn one_of_each() -> Vec<Hook> {
            vec![$(Hook::$constructor(|_, _| async { HookOutput::none() })),+]
        }
    };
}

typed! {
    /// The program was started to set a project up, or to look after one.
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
    /// Somebody must say whether a tool may run.
    permission_request PermissionRequest PermissionRequestInput;
    /// A tool call was refused.
    permission_denied PermissionDenied PermissionDeniedInput;
    /// The CLI tells the user something.
    notification Notification NotificationInput;
    /// A piece of the answer is about to be shown.
    message_display MessageDisplay MessageDisplayInput;
    /// The model is done with its turn.
    stop Stop StopInput;
    /// The turn ended because the API failed.
    stop_failure StopFailure StopFailureInput;
    /// A subagent starts.
    subagent_start SubagentStart SubagentStartInput;
    /// A subagent is done.
    subagent_stop SubagentStop SubagentStopInput;
    /// A teammate is about to have nothing to do.
    teammate_idle TeammateIdle TeammateIdleInput;
    /// A task was put on the list.
    task_created TaskCreated TaskCreatedInput;
    /// A task is about to be marked as done.
    task_completed TaskCompleted TaskCompletedInput;
    /// The conversation is about to be replaced by a summary.
    pre_compact PreCompact PreCompactInput;
    /// The conversation was replaced by a summary.
    post_compact PostCompact PostCompactInput;
    /// The model is about to change.
    pre_model_switch PreModelSwitch PreModelSwitchInput;
    /// The model has changed.
    post_model_switch PostModelSwitch PostModelSwitchInput;
    /// An MCP server asks the user something.
    elicitation Elicitation ElicitationInput;
    /// The user has answered an MCP server.
    elicitation_result ElicitationResult ElicitationResultInput;
    /// Settings were changed.
    config_change ConfigChange ConfigChangeInput;
    /// A file with instructions was read.
    instructions_loaded InstructionsLoaded InstructionsLoadedInput;
    /// A worktree is wanted.
    worktree_create WorktreeCreate WorktreeCreateInput;
    /// A worktree is no longer wanted.
    worktree_remove WorktreeRemove WorktreeRemoveInput;
    /// The working folder changed.
    cwd_changed CwdChanged CwdChangedInput;
    /// A watched file has changed.
    file_changed FileChanged FileChangedInput;
    /// A folder was added to those that tools may work in.
    directory_added DirectoryAdded DirectoryAddedInput;
}
