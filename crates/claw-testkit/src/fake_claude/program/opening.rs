//! The frames of a turn that depend on the session.

use serde_json::{Value, json};

use super::answers;
use super::frames::{joined, quoted};
use super::host::Host;
use super::ids;

/// `system/init`, which opens every turn.
pub(super) fn init(host: &Host, prompts: &[String]) -> String {
    let mut init = answers::at("/system_init", host, &Value::Null).unwrap_or_default();
    let mut tools = init["tools"].take();
    let asking = init["asking_tools"].take();
    if let (true, Some(tools), Value::Array(asking)) =
        (asks_host(host), tools.as_array_mut(), asking)
    {
        tools.extend(asking);
    }
    let mut tail = init["tail"].take();
    if !prompts.is_empty() {
        tail["user_message_uuids"] = json!(prompts);
    }
    let session = host.session_id();
    let cwd = quoted(&host.cwd);
    let [model, mode] = ["model", "permissionMode"].map(|name| init[name].take());
    let head = format!(
        r#"{{"type":"system","subtype":"init","cwd":{cwd},"session_id":"{session}","tools":{tools},"mcp_servers":[],"model":{model},"permissionMode":{mode}"#
    );
    joined(&head, &tail)
}

/// Whether permission prompts go to the host.
pub(super) fn asks_host(host: &Host) -> bool {
    host.flags.value("--permission-prompt-tool") == Some("stdio")
        && host.flags.value("--permission-prompts") != Some("none")
}

/// A `user` line with these blocks.
pub(super) fn user(host: &Host, content: &Value, uuid: &str, more: Value) -> String {
    let head = format!(
        r#"{{"type":"user","message":{{"role":"user","content":{content}}},"parent_tool_use_id":null,"session_id":"{}","uuid":"{uuid}","timestamp":"{}""#,
        host.session_id(),
        ids::timestamp(),
    );
    joined(&head, &more)
}
