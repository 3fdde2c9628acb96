//! The frames of a turn that depend on the session.

use serde_json::{Value, json};

use super::answers::{self, VERSION};
use super::frames::{joined, quoted};
use super::host::Host;
use super::ids;

/// `system/init`, which opens every turn.
pub(super) fn init(host: &Host, prompts: &[String]) -> String {
    let (mode, model) = {
        let state = host.state();
        (state.mode.clone(), state.model.clone())
    };
    let mut tools = answers::of("tools");
    if let (true, Some(tools)) = (asks_host(host), tools.as_array_mut()) {
        tools.extend(
            answers::of("asking_tools")
                .as_array()
                .cloned()
                .unwrap_or_default(),
        );
    }
    let session = host.session_id();
    let mut tail = answers::of("system/init");
    tail["claude_code_version"] = json!(VERSION);
    tail["uuid"] = json!(host.ids.uuid());
    tail["memory_paths"]["auto"] = json!(host.file().memory_folder());
    tail["original_cwd"] = json!(host.cwd);
    tail["messaging_socket_path"] = json!(format!("/tmp/cc-socks/{}.sock", std::process::id()));
    if !prompts.is_empty() {
        tail["user_message_uuids"] = json!(prompts);
    }
    let head = format!(
        r#"{{"type":"system","subtype":"init","cwd":{},"session_id":"{session}","tools":{},"mcp_servers":[],"model":{},"permissionMode":{}"#,
        quoted(&host.cwd),
        tools,
        quoted(&model),
        quoted(&mode),
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
