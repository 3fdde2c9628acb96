//! Background tasks and queued prompts.

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::*;

use super::verbs;

verbs! {
    /// Stops a task. The CLI also acknowledges a task that it does not know.
    stop_task(task_id: &str) -> Acknowledged = StopTask::new(task_id);

    /// Moves running tools to the background: one of them, or all.
    background_running_tools(tool_use_id: Option<&str>) -> BackgroundTasksResponse = {
        let mut request = BackgroundTasks::new();
        request.tool_use_id = tool_use_id.map(Str::from);
        request
    };

    /// Returns the output of a task.
    get_task_output(task_id: &str) -> GetTaskOutputResponse = GetTaskOutput::new(task_id);

    /// Cancels a queued prompt; see [`Turn::id`](crate::Turn::id).
    cancel_async_message(prompt_id: &str) -> CancelAsyncMessageResponse = CancelAsyncMessage::new(prompt_id);
}
