//! Errors name the option, before anything is started.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::control::{AgentDefinition, McpServerConfig};
use rusty_claw_protocol::permission::PermissionMode;
use serde_json::json;

use super::super::{Options, PermissionPrompts, PluginDelivery, SettingSource, Thinking};
use crate::dialog::{DialogAnswer, DialogAsk};
use crate::permission::{PermissionAnswer, PermissionAsk};
use crate::store::MemoryStore;

const ID: &str = "0b8a1c1e-6f0d-4c59-8f0e-0d5f3c1b2a39";

fn o() -> Options {
    Options::new()
}

fn wrong() -> Vec<Options> {
    let bypass = PermissionMode::BypassPermissions;
    vec![
        // Contradictions.
        o().resume(ID).continue_latest(true),
        o().fork_session(true),
        o().resume(ID).session_id(ID),
        o().continue_latest(true).session_id(ID),
        o().resume_session_at(ID),
        o().continue_latest(true).resume_session_at(ID),
        o().resume(ID).resume_drops_turn(ID),
        o().permission_mode(bypass),
        o().permission_prompt_tool_name("mcp__a__b")
            .permission_prompts(PermissionPrompts::None),
        o().permission_prompt_tool_name("stdio"),
        o().can_use_tool(denies)
            .permission_prompt_tool_name("mcp__a__b"),
        o().can_use_tool(denies)
            .permission_prompts(PermissionPrompts::None),
        o().on_user_dialog(Vec::<&str>::new(), closes),
        o().model("opus").fallback_model("opus"),
        o().settings(json!({})).settings_file("/etc/settings.json"),
        o().settings_file("/etc/settings.json").sandbox(json!({})),
        o().session_store(Arc::new(MemoryStore::new()))
            .persist_session(false),
        o().session_store(Arc::new(MemoryStore::new()))
            .enable_file_checkpointing(true),
        o().session_store(Arc::new(MemoryStore::new()))
            .continue_latest(true),
        o().mirror_only(true),
        o().store_project_key("-home-user-project"),
        o().tool_alias("Bash", "Bash"),
        o().external_mcp_server("a", McpServerConfig::sdk("a")),
        // Values that cannot be sent.
        o().session_id("seven"),
        o().json_schema(json!([1])),
        o().json_schema(std::collections::HashMap::from([((1, 2), 3)])),
        o().settings("/etc/settings.json"),
        o().sandbox(json!(true)),
        o().managed_settings(json!(null)),
        o().project_config_root("checkout"),
        o().model("a\0b"),
        o().cwd("a\0b"),
        o().env("A=B", "1"),
        o().env("", "1"),
        o().env("A", "a\0b"),
        o().client_app("Käse\n"),
        o().extra_flag("bare", None::<&str>),
        o().extra_flag("--", None::<&str>),
        o().extra_flag("--name=x", None::<&str>),
        o().extra_flag("--verbose", None::<&str>),
        o().extra_flag("--name", Some("a\0b")),
        o().model("opus").extra_flag("--model", Some("sonnet")),
        o().allowed_tools(["Read,Write"]),
        o().allowed_tools(["Bash(git *"]),
        o().tools(["Read,Write"]),
        o().tools(["Read Write"]),
        o().allowed_tools(["Read Write"]),
        o().disallowed_tools(["Bash(rm *) Write"]),
        o().allowed_tools(["Read"])
            .extra_flag("--allowed-tools", Some("Bash")),
        o().disallowed_tools(["Read"])
            .extra_flag("--disallowed-tools", Some("Bash")),
        o().resume(ID).extra_flag("-r", Some("other")),
        o().continue_latest(true).extra_flag("-c", None::<&str>),
        o().extra_flag("-h", None::<&str>),
        o().extra_flag("--outputFormat", Some("text")),
        o().betas(["a,b"]),
        o().skills(["a)b"]),
        o().skills([" a"]),
        o().allowed_tools(vec!["Bash(a very long rule that says little)"; 4000]),
        // Empty or zero values.
        o().model(""),
        o().fallback_model(" "),
        o().agent(""),
        o().agents([("", AgentDefinition::new("a", "b"))]),
        o().agents([("a", AgentDefinition::new("", "b"))]),
        o().agents([("a", AgentDefinition::new("a", ""))]),
        o().resume(""),
        o().tools([""]),
        o().disallowed_tools([""]),
        o().tool_alias("", "Bash"),
        o().plugin(""),
        o().mcp_config(""),
        o().external_mcp_server("", McpServerConfig::http("https://mcp.example.com")),
        o().external_mcp_server("a", McpServerConfig::http("")),
        o().external_mcp_server("a", McpServerConfig::stdio("", Vec::new())),
        o().additional_directories([""]),
        o().cli_path(""),
        o().debug_file(""),
        o().thinking(Thinking::Budget(0)),
        o().max_turns(0),
        o().max_budget_usd(0.0),
        o().max_budget_usd(f64::NAN),
        o().task_budget(0),
        o().start_timeout(Duration::ZERO),
        o().idle_timeout(Duration::ZERO),
        o().max_line(0),
    ]
}

async fn denies(_: PermissionAsk) -> PermissionAnswer {
    PermissionAnswer::deny("no")
}

async fn closes(_: DialogAsk) -> DialogAnswer {
    DialogAnswer::cancelled()
}

#[test]
fn what_is_wrong_is_told_before_the_start() {
    let mut told = String::new();
    for (number, options) in wrong().into_iter().enumerate() {
        match options.launch_where(&|_| false) {
            Ok((launch, _)) => panic!("row {number} was accepted: {:?}", launch.args),
            Err(error) => writeln!(told, "{error}").unwrap(),
        }
    }
    insta::assert_snapshot!(told);
}

#[test]
fn what_only_looks_wrong_is_accepted() {
    let fine = [
        o().continue_latest(true).fork_session(true),
        o().resume(ID).continue_latest(false),
        o().permission_mode(PermissionMode::BypassPermissions)
            .allow_dangerously_skip_permissions(true),
        o().setting_sources([SettingSource::User, SettingSource::User]),
        o().plugin_delivery(PluginDelivery::Initialize),
        o().idle_timeout(None),
        o().system_prompt(""),
        o().env("A", ""),
        o().extra_flag("-d", None::<&str>),
        o().allowed_tools(["Bash(a, b)"]),
    ];
    for options in fine {
        if let Err(error) = options.launch_where(&|_| false) {
            panic!("{error}");
        }
    }
}
