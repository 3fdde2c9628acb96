//! One row for each option: what it adds to the command line, the environment and `initialize`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::control::{
    AgentDefinition, Effort, McpServerConfig, McpStdioServer, ThinkingDisplay,
};
use rusty_claw_protocol::permission::PermissionMode;
use rusty_claw_protocol::{Json, Map};
use serde_json::json;

use super::super::{
    ClaudeCodePrompt, CustomPrompt, Options, PermissionPrompts, PluginDelivery, QuestionPreview,
    SettingSource, SystemPrompt, Thinking,
};
use super::launch;
use crate::dialog::{DialogAnswer, DialogAsk};
use crate::elicitation::{ElicitationAnswer, ElicitationAsk};
use crate::hook::{Hook, HookContext, HookEvent, HookInput, HookOutput};
use crate::mcp::{McpServer, Tool};
use crate::permission::{PermissionAnswer, PermissionAsk, Policy};
use crate::store::{FlushMode, MemoryStore};

const ID: &str = "0b8a1c1e-6f0d-4c59-8f0e-0d5f3c1b2a39";

fn o() -> Options {
    Options::new()
}

/// A row that is named after its only option.
macro_rules! row {
    ($option:ident($($value:tt)*)) => {
        (stringify!($option), o().$option($($value)*))
    };
}

/// Every option that changes what the CLI gets, with a value.
pub(super) fn rows() -> Vec<(&'static str, Options)> {
    vec![
        row!(additional_directories(["/a", "/b c"])),
        row!(agent("reviewer")),
        row!(agents([(
            "reviewer",
            AgentDefinition::new("Reviews", "You review.")
        )])),
        row!(agent_progress_summaries(true)),
        row!(allow_dangerously_skip_permissions(true)),
        row!(all_skills()),
        (
            "allowed_tools",
            o().allowed_tools(["Read"])
                .allowed_tools(["Bash(git add, git *)"]),
        ),
        row!(append_system_prompt("Be brief.")),
        (
            "append_system_prompt, twice",
            o().append_system_prompt("Be brief.")
                .append_system_prompt("Be kind."),
        ),
        (
            "append_system_prompt, to one's own",
            o().system_prompt("You sing.")
                .append_system_prompt("Be brief."),
        ),
        row!(append_subagent_system_prompt("Be brief.")),
        row!(betas(["one", "two"])),
        row!(can_use_tool(denies)),
        row!(permission_handler(Policy::new())),
        row!(elicitation_handler(declines)),
        row!(dialog_handler(["refusal_fallback_prompt"], closes)),
        row!(cli_path("/opt/claude")),
        row!(client_app("shop/1.0")),
        row!(continue_latest(true)),
        row!(cwd("/srv")),
        row!(debug(true)),
        (
            "debug_file",
            o().debug(true).debug_file("/var/log/claude.log"),
        ),
        row!(default_tools()),
        row!(die_with_parent(false)),
        row!(disallowed_tools(["Write", "Bash(rm *)"])),
        row!(effort(Effort::High)),
        row!(enable_file_checkpointing(true)),
        ("env", o().env("A", "1").env("B", "2").env("A", "3")),
        ("env, over ours", o().env("CLAUDE_CODE_ENTRYPOINT", "mine")),
        ("env_clear", o().env("A", "1").env_clear()),
        (
            "env_remove",
            o().env("A", "1").env_remove("A").env_remove("NODE_OPTIONS"),
        ),
        (
            "extra_flag",
            o().extra_flag("--bare", None::<&str>)
                .extra_flag("--autocompact", Some("200k")),
        ),
        row!(mcp_server(McpServer::new("clock").tool(Tool::with_schema(
            "now",
            "The time of day",
            serde_json::json!({"type": "object"}),
            |_arguments: Json| async { "noon" },
        )))),
        row!(external_mcp_server(
            "docs",
            McpServerConfig::http("https://mcp.example.com")
        )),
        (
            "external_mcp_server, stdio",
            o().external_mcp_server("files", McpServerConfig::stdio("serve", vec!["-v".into()])),
        ),
        (
            "external_mcp_server, with a secret",
            o().external_mcp_server("files", secret()),
        ),
        (
            "fallback_model",
            o().fallback_model("sonnet").fallback_model("haiku"),
        ),
        ("fork_session", o().resume(ID).fork_session(true)),
        (
            "fork_session, with an id",
            o().resume(ID).fork_session(true).session_id(ID),
        ),
        row!(forward_subagent_text(true)),
        row!(hook(stop_hook())),
        row!(include_hook_events(true)),
        row!(include_partial_messages(true)),
        row!(json_schema(json!({"type": "object"}))),
        row!(managed_settings(json!({"permissions": {"deny": ["Bash"]}}))),
        (
            "managed_settings, long",
            o().managed_settings(json!({"long": "x".repeat(9000)})),
        ),
        row!(max_budget_usd(0.5)),
        row!(max_retries(2)),
        row!(max_turns(3)),
        row!(mcp_config("/etc/mcp.json")),
        row!(model("sonnet")),
        row!(on_elicitation(declines)),
        row!(on_user_dialog(["refusal_fallback_prompt"], closes)),
        row!(no_tools()),
        row!(per_task_stop_affordance(true)),
        row!(permission_mode(PermissionMode::AcceptEdits)),
        row!(permission_prompt_tool_name("mcp__a__b")),
        row!(permission_prompts(PermissionPrompts::None)),
        row!(persist_session(false)),
        row!(plan_mode_instructions("Write it down.")),
        row!(plugin("/p")),
        (
            "plugin_delivery",
            o().plugin("/p")
                .plugin_without_mcp("/q")
                .plugin_delivery(PluginDelivery::Initialize),
        ),
        row!(plugin_without_mcp("/p")),
        row!(project_config_root("/checkout")),
        row!(prompt_suggestions(true)),
        row!(question_preview(QuestionPreview::Html)),
        row!(replay_user_messages(true)),
        row!(resume(ID)),
        (
            "resume_drops_turn",
            o().resume(ID).resume_session_at(ID).resume_drops_turn(ID),
        ),
        ("resume_session_at", o().resume(ID).resume_session_at(ID)),
        row!(sandbox(json!({"enabled": true}))),
        (
            "sandbox, with settings",
            o().settings(json!({"model": "opus", "sandbox": {"failIfUnavailable": false}}))
                .sandbox(json!({"enabled": true})),
        ),
        row!(search_node_modules(true)),
        row!(session_id(ID)),
        row!(session_store(Arc::new(MemoryStore::new()))),
        row!(session_store_flush(FlushMode::default())),
        (
            "mirror_only",
            o().session_store(Arc::new(MemoryStore::new()))
                .mirror_only(true),
        ),
        row!(setting_sources([
            SettingSource::User,
            SettingSource::Project,
            SettingSource::Local,
        ])),
        ("setting_sources, none", o().setting_sources([])),
        row!(settings(json!({"model": "opus"}))),
        (
            "settings, long",
            o().settings(json!({"long": "x".repeat(9000)})),
        ),
        row!(settings_file("/etc/settings.json")),
        (
            "skills",
            o().allowed_tools(["Skill(pdf)"]).skills(["pdf", "docx"]),
        ),
        row!(stream_hold(Duration::from_millis(250))),
        row!(strict_mcp_config(true)),
        row!(system_prompt("You sing.")),
        (
            "system_prompt, Claude Code's own",
            o().system_prompt(
                ClaudeCodePrompt::new()
                    .append("Be brief.")
                    .exclude_dynamic_sections(true)
                    .snapshot(true),
            ),
        ),
        (
            "system_prompt, blocks",
            o().system_prompt(
                CustomPrompt::new("You sing.")
                    .changing("It rains.")
                    .changing("It is late.")
                    .snapshot(false),
            ),
        ),
        (
            "system_prompt, empty",
            o().system_prompt(SystemPrompt::Empty),
        ),
        row!(task_budget(5000)),
        row!(thinking(Thinking::Adaptive)),
        ("thinking, budget", o().thinking(Thinking::Budget(2000))),
        ("thinking, off", o().thinking(Thinking::Disabled)),
        row!(thinking_display(ThinkingDisplay::Summarized)),
        row!(title("Spring cleaning")),
        row!(tool_alias("Bash", "mcp__far__bash")),
        row!(tools(["Bash", "Read"])),
    ]
}

fn secret() -> McpServerConfig {
    let env = [("TOKEN", "secret".to_owned())].into_iter();
    let mut server = McpStdioServer::new("serve");
    server.env = Some(env.collect::<Map<_>>());
    McpServerConfig::Stdio(Box::new(server))
}

async fn denies(_: PermissionAsk) -> PermissionAnswer {
    PermissionAnswer::deny("no")
}

async fn declines(_: ElicitationAsk) -> ElicitationAnswer {
    ElicitationAnswer::decline()
}

async fn closes(_: DialogAsk) -> DialogAnswer {
    DialogAnswer::cancelled()
}

fn stop_hook() -> Hook {
    Hook::on(HookEvent::Stop).run(|_: HookInput, _: HookContext| async { HookOutput::none() })
}

#[test]
fn each_option_says_this() {
    let (plain, _) = launch(&o());
    let plain_initialize = serde_json::to_value(o().initialize()).unwrap();
    let mut table = String::new();
    writeln!(table, "(none)").unwrap();
    for argument in &plain.args {
        writeln!(table, "  argv  {}", argument.display()).unwrap();
    }
    for (name, value) in &plain.env {
        writeln!(table, "  env   {}", variable(name, value)).unwrap();
    }
    writeln!(table, "  init  {plain_initialize}").unwrap();

    for (name, options) in rows() {
        let (launch, files) = launch(&options);
        writeln!(table, "{name}").unwrap();
        assert_eq!(launch.args[..plain.args.len()], plain.args, "{name}");
        for argument in &launch.args[plain.args.len()..] {
            let mut argument = argument.display().to_string();
            for path in files.paths() {
                argument = argument.replace(&path.display().to_string(), "(a private file)");
            }
            writeln!(table, "  argv  {argument}").unwrap();
        }
        for path in files.paths() {
            let content = std::fs::read_to_string(path).unwrap();
            writeln!(table, "  file  {}", shortened(&content)).unwrap();
        }
        for (name, value) in &launch.env {
            if !plain.env.contains(&(name.clone(), value.clone())) {
                writeln!(table, "  env   {}", variable(name, value)).unwrap();
            }
        }
        for (name, _) in &plain.env {
            if !launch.env.iter().any(|(other, _)| other == name) {
                writeln!(table, "  env   without our {}", name.display()).unwrap();
            }
        }
        if let Some(program) = &launch.program {
            writeln!(table, "  run   {}", program.display()).unwrap();
        }
        if let Some(cwd) = &launch.cwd {
            writeln!(table, "  cwd   {}", cwd.display()).unwrap();
        }
        if launch.env_clear {
            writeln!(table, "  env   (inherits nothing)").unwrap();
        }
        if launch.search_node_modules {
            writeln!(table, "  run   also from node_modules").unwrap();
        }
        if !launch.die_with_parent {
            writeln!(table, "  outlives its parent").unwrap();
        }
        let initialize = serde_json::to_value(options.initialize()).unwrap();
        if initialize != plain_initialize {
            writeln!(table, "  init  {}", shortened(&initialize.to_string())).unwrap();
        }
    }
    insta::assert_snapshot!(table);
}

fn variable(name: &std::ffi::OsStr, value: &Option<std::ffi::OsString>) -> String {
    match value {
        Some(value) => format!("{}={}", name.display(), value.display()),
        None => format!("{} (removed)", name.display()),
    }
}

fn shortened(text: &str) -> String {
    text.replace(&"x".repeat(9000), "xxx…")
}

/// A method without a row would not be tested.
#[test]
fn every_builder_method_has_a_row() {
    // They do not change what the CLI gets.
    let ours_alone: BTreeSet<&str> = "\
        close_ladder control_timeout dialog_timeout elicitation_timeout idle_timeout \
        launcher load_timeout max_line new permission_timeout start_limiter start_timeout stderr \
        store_project_key sweep_orphans turn_timeout unread_in_file unread_in_memory \
        verbatim_prompts"
        .split_whitespace()
        .collect();
    let named: BTreeSet<&str> = rows()
        .iter()
        .map(|(name, _)| name.split(',').next().unwrap_or(name))
        .collect();
    let methods = methods();
    let missing: Vec<&String> = methods
        .iter()
        .filter(|method| !named.contains(method.as_str()) && !ours_alone.contains(method.as_str()))
        .collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
    for name in named.union(&ours_alone) {
        assert!(methods.contains(*name), "{name} is no method");
    }
}

/// The public builder methods in the sources.
pub(super) fn methods() -> BTreeSet<String> {
    let mut methods = BTreeSet::new();
    for source in sources() {
        for block in source.split("\nimpl Options {").skip(1) {
            let block = block.split("\n}\n").next().unwrap_or(block);
            for method in block.split("\n    pub fn ").skip(1) {
                let end = method.find(['(', '<']).unwrap();
                // Getters set nothing.
                if method[end..].starts_with("(&self)") {
                    continue;
                }
                methods.insert(method[..end].to_owned());
            }
        }
    }
    assert!(methods.len() > 70, "found only {methods:?}");
    methods
}

fn sources() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = vec![std::fs::read_to_string(folder.join("options.rs")).unwrap()];
    for entry in std::fs::read_dir(folder.join("options")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            sources.push(std::fs::read_to_string(path).unwrap());
        }
    }
    sources
}

#[test]
fn an_entrypoint_of_ones_own_is_kept() {
    let says = |options: &Options, inherited: bool| {
        let (launch, _) = options
            .launch_where(&|name| inherited && name == "CLAUDE_CODE_ENTRYPOINT")
            .unwrap();
        launch
            .env
            .iter()
            .any(|(name, _)| name == "CLAUDE_CODE_ENTRYPOINT")
    };
    assert!(says(&o(), false));
    assert!(!says(&o(), true));
    assert!(says(&o().env_clear(), true));
}

#[test]
fn private_files_are_private_shared_and_deleted() {
    let options = o().external_mcp_server("files", secret());
    let (_, first) = launch(&options);
    let (_, second) = launch(&options.clone().model("opus"));
    assert_eq!(first.paths(), second.paths());
    let path = first.paths()[0].to_owned();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // If a cleaner of temporary folders removes it, the next start writes it again.
    std::fs::remove_file(&path).unwrap();
    let (_, third) = launch(&options);
    assert_ne!(third.paths(), first.paths());
    assert!(third.paths()[0].exists());
    // Other content is another file.
    let (_, other) = launch(&options.clone().external_mcp_server("more", secret()));
    assert_ne!(other.paths(), third.paths());
    let rest: Vec<_> = [&third, &other]
        .iter()
        .map(|files| files.paths()[0].to_owned())
        .collect();
    drop(options);
    assert!(
        rest.iter().all(|path| path.exists()),
        "a session still needs them"
    );
    drop((first, second, third, other));
    assert!(!rest.iter().any(|path| path.exists()));
}
