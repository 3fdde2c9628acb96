//! Tasks behind the conversation, and prompts that wait.

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::*;

use super::verbs;

verbs! {
    /// Stops a task. The CLI says yes also to a task that it does not know.
    stop_task(task_id: &str) -> Acknowledged = StopTask {
        task_id: Str::from(task_id),
        ..StopTask::default()
    };

    /// Moves running tools to the background: one of them, or all.
    background_running_tools(tool_use_id: Option<&str>) -> BackgroundTasksResponse = BackgroundTasks {
        tool_use_id: tool_use_id.map(Str::from),
        ..BackgroundTasks::default()
    };

    /// What a task has printed.
    get_task_output(task_id: &str) -> GetTaskOutputResponse = GetTaskOutput {
        task_id: Str::from(task_id),
        ..GetTaskOutput::default()
    };

    /// Takes back a prompt that waits; see [`Turn::id`](crate::Turn::id).
    cancel_async_message(prompt_id: &str) -> CancelAsyncMessageResponse = CancelAsyncMessage {
        message_uuid: Str::from(prompt_id),
        ..CancelAsyncMessage::default()
    };
}
