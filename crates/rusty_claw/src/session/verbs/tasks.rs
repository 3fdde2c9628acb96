//! Tasks behind the conversation, and prompts that wait.

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::*;

use super::verbs;

verbs! {
    /// Stops a task. The CLI says yes also to a task that it does not know.
    stop_task(task_id: &str) -> Acknowledged = StopTask::new(task_id);

    /// Moves running tools to the background: one of them, or all.
    background_running_tools(tool_use_id: Option<&str>) -> BackgroundTasksResponse = {
        let mut request = BackgroundTasks::new();
        request.tool_use_id = tool_use_id.map(Str::from);
        request
    };

    /// What a task has printed.
    get_task_output(task_id: &str) -> GetTaskOutputResponse = GetTaskOutput::new(task_id);

    /// Takes back a prompt that waits; see [`Turn::id`](crate::Turn::id).
    cancel_async_message(prompt_id: &str) -> CancelAsyncMessageResponse = CancelAsyncMessage::new(prompt_id);
}
