//! One case for each option.

use std::time::Duration;

use anyhow::Result;
use claw_testkit::real_cli::World;
use rusty_claw::control::messages::{
    AgentDefinition, Effort, InitializeResponse, McpServerConfig, McpStdioServer, ThinkingDisplay,
};
use rusty_claw::dialog::{DialogAnswer, DialogAsk};
use rusty_claw::elicitation::{ElicitationAnswer, ElicitationAsk};
use rusty_claw::hook::{Hook, HookContext, HookEvent, HookInput, HookOutput};
use rusty_claw::permission::{PermissionAnswer, PermissionAsk, PermissionMode};
use rusty_claw::{
    ClaudeCodePrompt, CustomPrompt, Options, PermissionPrompts, PluginDelivery, QuestionPreview,
    SettingSource, SystemPrompt, Thinking,
};
use serde_json::{Value, json};

use crate::stage::options;

/// Options, and what the answer to `initialize` must show.
pub(super) struct Case {
    pub(super) option: &'static str,
    pub(super) options: Options,
    pub(super) shows: fn(&InitializeResponse) -> bool,
}

/// An earlier conversation of two turns.
pub(super) struct Earlier {
    pub(super) id: String,
    /// The last entry of its first turn.
    pub(super) kept: String,
    /// The prompt of its second turn.
    pub(super) dropped: String,
}

/// The files that options name.
pub(super) fn prepare(world: &World) -> Result<()> {
    let path = |name: &str| world.folder().join(name);
    std::fs::create_dir_all(path("plugin/.claude-plugin"))?;
    std::fs::create_dir(path("more"))?;
    let manifest = json!({"name": "empty", "version": "1.0.0", "description": "Nothing"});
    std::fs::write(
        path("plugin/.claude-plugin/plugin.json"),
        manifest.to_string(),
    )?;
    std::fs::write(path("mcp.json"), r#"{"mcpServers":{}}"#)?;
    Ok(std::fs::write(path("settings.json"), "{}")?)
}

async fn deny(_: PermissionAsk) -> PermissionAnswer {
    PermissionAnswer::deny("no")
}

async fn decline(_: ElicitationAsk) -> ElicitationAnswer {
    ElicitationAnswer::decline()
}

async fn close(_: DialogAsk) -> DialogAnswer {
    DialogAnswer::cancelled()
}

fn agents(answer: &InitializeResponse) -> bool {
    answer.agents.iter().any(|agent| agent.name == "reviewer")
}

fn deny_many(rule: &str, count: usize) -> Value {
    json!({"permissions": {"deny": vec![rule; count]}})
}

#[rustfmt::skip] // One line per option.
pub(super) fn cases(world: &World) -> Vec<Case> {
    let o = || options(world).start_timeout(Duration::from_secs(60));
    let path = |name: &str| world.folder().join(name);
    let stop = || Hook::on(HookEvent::Stop).run(|_: HookInput, _: HookContext| async { HookOutput::none() });
    let http = || McpServerConfig::http("http://127.0.0.1:9/mcp");
    let own_prompt = || ClaudeCodePrompt::new().append("Be brief.").exclude_dynamic_sections(true).snapshot(true);
    let delivery = PluginDelivery::Initialize;
    let mut cases: Vec<Case> = [
        ("(none)", o()),
        ("additional_directories", o().additional_directories([path("more")])),
        ("agent", o().agent("Explore")),
        ("agents", o().agents([("reviewer", AgentDefinition::new("Reviews", "You review."))])),
        ("agent_progress_summaries", o().agent_progress_summaries(true)),
        ("allow_dangerously_skip_permissions", o().allow_dangerously_skip_permissions(true)),
        ("all_skills", o().all_skills()),
        ("allowed_tools", o().allowed_tools(["Read", "Bash(git add, git *)"])),
        ("append_subagent_system_prompt", o().append_subagent_system_prompt("Be brief.")),
        ("append_system_prompt", o().append_system_prompt("Be brief.")),
        ("betas", o().betas(["context-1m-2025-08-07"])),
        ("can_use_tool", o().can_use_tool(deny)),
        ("client_app", o().client_app("shop/1.0")),
        ("debug", o().debug(true)),
        ("debug_file", o().debug_file(path("debug.log"))),
        ("default_tools", o().default_tools()),
        ("die_with_parent", o().die_with_parent(false)),
        ("disallowed_tools", o().disallowed_tools(["Write", "Bash(rm *)"])),
        ("effort", o().effort(Effort::High)),
        ("enable_file_checkpointing", o().enable_file_checkpointing(true)),
        ("extra_flag", o().extra_flag("--autocompact", Some("200k"))),
        ("external_mcp_server", o().external_mcp_server("docs", http())),
        ("external_mcp_server, in a file", o().external_mcp_server("files", secret())),
        ("fallback_model", o().fallback_model("sonnet").fallback_model("haiku")),
        ("forward_subagent_text", o().forward_subagent_text(true)),
        ("hook", o().hook(stop())),
        ("include_hook_events", o().include_hook_events(true)),
        ("include_partial_messages", o().include_partial_messages(true)),
        ("json_schema", o().json_schema(json!({"type": "object"}))),
        ("managed_settings", o().managed_settings(deny_many("Bash", 1))),
        ("managed_settings, long", o().managed_settings(deny_many("Bash(rm some/rather/long/path)", 400))),
        ("max_budget_usd", o().max_budget_usd(0.5)),
        ("max_retries", o().max_retries(2)),
        ("max_turns", o().max_turns(3)),
        ("mcp_config", o().mcp_config(path("mcp.json"))),
        ("model", o().model("sonnet")),
        ("no_tools", o().no_tools()),
        ("on_elicitation", o().on_elicitation(decline)),
        ("on_user_dialog", o().on_user_dialog(["refusal_fallback_prompt"], close)),
        ("per_task_stop_affordance", o().per_task_stop_affordance(true)),
        ("permission_mode", o().permission_mode(PermissionMode::Plan)),
        ("permission_prompts", o().permission_prompts(PermissionPrompts::None)),
        ("permission_prompt_tool_name", o().permission_prompt_tool_name("mcp__a__b")),
        ("plan_mode_instructions", o().plan_mode_instructions("Write it down.")),
        ("plugin", o().plugin(path("plugin"))),
        ("plugin_without_mcp", o().plugin_without_mcp(path("plugin"))),
        ("plugin_delivery", o().plugin(path("plugin")).plugin_delivery(delivery)),
        ("project_config_root", o().project_config_root(path("project"))),
        ("prompt_suggestions", o().prompt_suggestions(true)),
        ("question_preview", o().question_preview(QuestionPreview::Html)),
        ("replay_user_messages", o().replay_user_messages(true)),
        // Off: this machine may not be able to create one.
        ("sandbox", o().sandbox(json!({"enabled": false}))),
        ("search_node_modules", o().search_node_modules(true)),
        ("setting_sources", o().setting_sources([SettingSource::User, SettingSource::Local])),
        ("setting_sources, none", o().setting_sources([])),
        ("settings", o().settings(deny_many("Bash(rm *)", 1))),
        ("settings, in a file", o().settings(deny_many("Bash(rm some/path)", 1000))),
        ("settings_file", o().settings_file(path("settings.json"))),
        ("skills", o().skills(["pdf"])),
        ("stream_hold", o().stream_hold(Duration::from_millis(250))),
        ("strict_mcp_config", o().strict_mcp_config(true)),
        ("system_prompt", o().system_prompt("You sing.")),
        ("system_prompt, blocks", o().system_prompt(CustomPrompt::new("You sing.").changing("It rains."))),
        ("system_prompt, Claude Code's own", o().system_prompt(own_prompt())),
        ("system_prompt, empty", o().system_prompt(SystemPrompt::Empty)),
        ("task_budget", o().task_budget(5000)),
        ("thinking", o().thinking(Thinking::Adaptive)),
        ("thinking, budget", o().thinking(Thinking::Budget(2000))),
        ("thinking, off", o().thinking(Thinking::Disabled)),
        ("thinking_display", o().thinking_display(ThinkingDisplay::Summarized)),
        ("title", o().title("Spring cleaning")),
        ("tool_alias", o().tool_alias("Bash", "mcp__far__bash")),
        ("tools", o().tools(["Bash", "Read"])),
    ]
    .map(case)
    .into();
    for case in &mut cases {
        case.shows = match case.option {
            "agents" => agents,
            "managed_settings, long" => |answer| answer.managed_settings_applied == Some(true),
            "permission_mode" => |answer| answer.current_permission_mode == Some(PermissionMode::Plan),
            "plugin_delivery" => |answer| answer.plugins_applied == Some(true),
            _ => |_| true,
        };
    }
    cases
}

/// Options that select a conversation.
#[rustfmt::skip] // One line per option.
pub(super) fn conversations(world: &World, earlier: &Earlier) -> Vec<Case> {
    let o = || options(world);
    let resume = || o().resume(earlier.id.as_str());
    let resume_at = || resume().resume_session_at(earlier.kept.as_str());
    let new_id = || uuid::Uuid::new_v4().to_string();
    [
        ("resume", resume()),
        ("continue_latest", o().continue_latest(true)),
        ("fork_session", resume().fork_session(true)),
        ("fork_session, with an id", resume().fork_session(true).session_id(new_id())),
        ("resume_session_at", resume_at()),
        ("resume_drops_turn", resume_at().resume_drops_turn(earlier.dropped.as_str())),
        ("session_id", o().session_id(new_id())),
        ("persist_session", o().persist_session(false)),
    ]
    .map(case)
    .into()
}

fn case((option, options): (&'static str, Options)) -> Case {
    let shows = |_: &InitializeResponse| true;
    Case {
        option,
        options,
        shows,
    }
}

fn secret() -> McpServerConfig {
    let env = [("TOKEN", "secret".to_owned())].into_iter();
    let mut server = McpStdioServer::new("false");
    server.env = Some(env.collect());
    McpServerConfig::Stdio(Box::new(server))
}
