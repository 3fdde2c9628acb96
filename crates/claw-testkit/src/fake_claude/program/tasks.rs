//! Work in the background: the frames at its start and its end.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::host::Host;
use super::state::Task;
use crate::fake_claude::step::Background;

/// Starts a task; the frames are printed at once.
pub(super) fn start(host: &Host, spec: &Background, tool_use_id: &str) -> String {
    let unique = host.ids.uuid();
    let (id, run_id) = (
        format!("b{}", &unique[..8]),
        format!("0run-{}", &unique[24..32]),
    );
    let task = Task {
        due: Instant::now() + Duration::from_millis(spec.after_ms),
        run_id: run_id.clone(),
        text: spec.text.clone(),
        id: id.clone(),
        tool_use_id: tool_use_id.to_owned(),
        description: spec.description.clone(),
    };
    host.state().tasks.push(task);
    host.emit(&host.system("background_tasks_changed", json!({"tasks": live(host)})));
    let members = json!({
        "task_id": id, "run_id": run_id, "tool_use_id": tool_use_id,
        "description": spec.description, "is_backgrounded": true, "task_type": "local_bash",
    });
    host.emit(&host.system("task_started", members));
    id
}

/// The frames of a task that ended.
pub(super) fn ended(host: &Host, task: &Task, patch: &str, status: &str) -> Vec<String> {
    let patched = json!({
        "task_id": task.id, "run_id": task.run_id, "patch": {"status": patch, "end_time": 0},
    });
    let notified = json!({
        "task_id": task.id, "run_id": task.run_id, "tool_use_id": task.tool_use_id,
        "status": status, "summary": task.description,
        "output_file": format!("/tmp/fake-claude/{}.output", task.id),
    });
    vec![
        host.system("task_updated", patched),
        host.system("task_notification", notified),
        host.system("background_tasks_changed", json!({"tasks": live(host)})),
    ]
}

/// Stops a task. An unknown one is no error, as in the CLI.
pub(super) fn stop(host: &Host, id: &str) -> Vec<String> {
    let task = {
        let mut state = host.state();
        let at = state.tasks.iter().position(|task| task.id == id);
        at.map(|at| state.tasks.remove(at))
    };
    host.wake();
    task.map(|task| ended(host, &task, "killed", "stopped"))
        .unwrap_or_default()
}

fn live(host: &Host) -> Vec<Value> {
    let state = host.state();
    let entry = |task: &Task| {
        json!({"task_id": task.id, "run_id": task.run_id, "task_type": "local_bash",
            "description": task.description})
    };
    state.tasks.iter().map(entry).collect()
}
