//! Every option, as the real CLI takes it.
//!
//! The CLI is started once with each option and must answer `initialize`; what it prints on
//! standard error about the option counts as a refusal. Where the answer shows that the option
//! was taken, it is looked at too.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::{ScriptedApi, Turn};
use rusty_claw::control::messages::{
    AgentDefinition, Effort, InitializeResponse, McpServerConfig, McpStdioServer, ThinkingDisplay,
};
use rusty_claw::dialog::{DialogAnswer, DialogAsk};
use rusty_claw::elicitation::{ElicitationAnswer, ElicitationAsk};
use rusty_claw::hook::{Hook, HookContext, HookEvent, HookInput, HookOutput};
use rusty_claw::permission::{PermissionAnswer, PermissionAsk, PermissionMode};
use rusty_claw::{
    ClaudeCodePrompt, CustomPrompt, Options, PermissionPrompts, PluginDelivery, QuestionPreview,
    Session, SettingSource, SystemPrompt, Thinking,
};
use serde_json::{Value, json};

use crate::cli_package;

/// What became of one option.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) option: &'static str,
    pub(crate) verdict: Verdict,
    /// The flags that the CLI was started with.
    pub(crate) flags: Vec<String>,
}

/// Whether the CLI took an option.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It did.
    Taken,
    /// It knows the option and grants it to nobody who is root, which this process is.
    NotForRoot,
    /// It did not, for this reason.
    Refused(String),
}

/// A change of options, and what the answer must show.
struct Case {
    option: &'static str,
    options: Options,
    shows: fn(&InitializeResponse) -> bool,
}

/// A home, a working folder and an earlier conversation of two turns.
struct Setting {
    folder: tempfile::TempDir,
    api: ScriptedApi,
    binary: PathBuf,
    earlier: Earlier,
}

/// An earlier conversation.
#[derive(Default)]
struct Earlier {
    id: String,
    /// The last entry of its first turn.
    kept: String,
    /// The prompt of its second turn.
    dropped: String,
}

/// Starts the CLI once with each option, or with every tenth.
pub(crate) async fn rows(quick: bool) -> Result<Vec<Row>> {
    let mut setting = Setting::new().await?;
    setting.earlier = setting.converse().await?;
    let mut rows = Vec::new();
    let tenth = |cases: Vec<Case>| {
        let step = if quick { 10 } else { 1 };
        cases.into_iter().step_by(step)
    };
    // These share one conversation.
    for case in tenth(conversations(&setting)) {
        rows.push(try_one(case).await);
    }
    // Two at a time: most of it is waiting for the CLI.
    let mut cases = tenth(cases(&setting));
    while let Some(case) = cases.next() {
        match cases.next() {
            Some(other) => {
                let (row, next) = tokio::join!(try_one(case), try_one(other));
                rows.extend([row, next]);
            }
            None => rows.push(try_one(case).await),
        }
    }
    Ok(rows)
}

/// The flags that a process was started with.
fn flags_of(pid: Option<u32>) -> Vec<String> {
    let arguments = pid.and_then(|pid| std::fs::read(format!("/proc/{pid}/cmdline")).ok());
    arguments
        .unwrap_or_default()
        .split(|byte| *byte == 0)
        .filter_map(|argument| std::str::from_utf8(argument).ok())
        .filter(|argument| argument.starts_with("--"))
        .map(|argument| argument.split('=').next().unwrap_or(argument).to_owned())
        .collect()
}

async fn try_one(case: Case) -> Row {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let lines = Arc::clone(&heard);
    let options = case.options.stderr(move |line| {
        lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line.to_owned());
    });
    let mut flags = Vec::new();
    let verdict = match Session::start(options).await {
        Err(error) if error.to_string().contains("root/sudo privileges") => Verdict::NotForRoot,
        Err(error) => Verdict::Refused(error.to_string()),
        Ok((session, messages)) => {
            let answer = session.initialized();
            flags = flags_of(session.pid());
            drop(messages);
            session.close().await;
            let complaint = heard
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .iter()
                .find(|line| {
                    line.starts_with("Warning") || line.to_lowercase().starts_with("error")
                })
                .cloned();
            match complaint {
                Some(complaint) => Verdict::Refused(complaint),
                None if !(case.shows)(&answer) => {
                    Verdict::Refused("the answer does not show it".to_owned())
                }
                None => Verdict::Taken,
            }
        }
    };
    Row {
        option: case.option,
        verdict,
        flags,
    }
}

impl Setting {
    async fn new() -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a folder")?;
        for name in ["home", "config", "work", "more", "plugin/.claude-plugin"] {
            std::fs::create_dir_all(folder.path().join(name))?;
        }
        let manifest = json!({"name": "empty", "version": "1.0.0", "description": "Nothing"});
        std::fs::write(
            folder.path().join("plugin/.claude-plugin/plugin.json"),
            manifest.to_string(),
        )?;
        std::fs::write(folder.path().join("mcp.json"), r#"{"mcpServers":{}}"#)?;
        std::fs::write(folder.path().join("settings.json"), "{}")?;
        let api = ScriptedApi::start()
            .await
            .context("the scripted API did not start")?;
        api.fallback(Turn::text("Very well."));
        Ok(Self {
            folder,
            api,
            binary: cli_package::ensure()?.binary(),
            earlier: Earlier::default(),
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Options that keep this machine's own settings and the network out of it.
    fn options(&self) -> Options {
        let mut options = Options::new()
            .cli_path(&self.binary)
            .cwd(self.path("work"))
            .start_timeout(Duration::from_secs(60))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("CLAUDE_CONFIG_DIR", self.path("config"))
            .env("ANTHROPIC_BASE_URL", self.api.uri())
            .env("ANTHROPIC_API_KEY", "sk-ant-scripted")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_AUTOUPDATER", "1");
        if let Some(path) = std::env::var_os("PATH") {
            options = options.env("PATH", path);
        }
        options
    }

    /// Two turns that later sessions go on with.
    async fn converse(&self) -> Result<Earlier> {
        let id = uuid::Uuid::new_v4().to_string();
        let (session, messages) = Session::start(self.options().session_id(id.as_str())).await?;
        let mut prompts = Vec::new();
        for text in ["First.", "Second."] {
            let turn = session.send(text).await?;
            prompts.push(turn.id().to_string());
            let outcome = turn.outcome().await;
            ensure!(
                matches!(outcome, rusty_claw::TurnOutcome::Succeeded(..)),
                "the earlier conversation failed: {outcome:?}"
            );
        }
        drop(messages);
        session.close().await;
        let dropped = prompts.pop().context("no second prompt")?;
        let kept = parent_of(&self.path("config"), &id, &dropped)?;
        Ok(Earlier { id, kept, dropped })
    }
}

/// The entry before a prompt, as the session file has it.
fn parent_of(config: &Path, session: &str, prompt: &str) -> Result<String> {
    for project in std::fs::read_dir(config.join("projects"))? {
        let file = project?.path().join(format!("{session}.jsonl"));
        if !file.is_file() {
            continue;
        }
        for line in std::fs::read_to_string(&file)?.lines() {
            let entry: Value = serde_json::from_str(line)?;
            if entry["uuid"] == prompt
                && let Some(parent) = entry["parentUuid"].as_str()
            {
                return Ok(parent.to_owned());
            }
        }
    }
    anyhow::bail!("no session file holds the prompt {prompt}")
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

fn any(_: &InitializeResponse) -> bool {
    true
}

fn cases(setting: &Setting) -> Vec<Case> {
    let o = || setting.options();
    let case = |option, options| Case {
        option,
        options,
        shows: any,
    };
    vec![
        case("(none)", o()),
        case(
            "additional_directories",
            o().additional_directories([setting.path("more")]),
        ),
        case("agent", o().agent("Explore")),
        Case {
            shows: |answer| answer.agents.iter().any(|agent| agent.name == "reviewer"),
            ..case(
                "agents",
                o().agents([("reviewer", AgentDefinition::new("Reviews", "You review."))]),
            )
        },
        case(
            "agent_progress_summaries",
            o().agent_progress_summaries(true),
        ),
        case(
            "allow_dangerously_skip_permissions",
            o().allow_dangerously_skip_permissions(true),
        ),
        case("all_skills", o().all_skills()),
        case(
            "allowed_tools",
            o().allowed_tools(["Read", "Bash(git add, git *)"]),
        ),
        case(
            "append_subagent_system_prompt",
            o().append_subagent_system_prompt("Be brief."),
        ),
        case(
            "append_system_prompt",
            o().append_system_prompt("Be brief."),
        ),
        case("betas", o().betas(["context-1m-2025-08-07"])),
        case("can_use_tool", o().can_use_tool(denies)),
        case("client_app", o().client_app("shop/1.0")),
        case("debug", o().debug(true)),
        case("debug_file", o().debug_file(setting.path("debug.log"))),
        case("default_tools", o().default_tools()),
        case("die_with_parent", o().die_with_parent(false)),
        case(
            "disallowed_tools",
            o().disallowed_tools(["Write", "Bash(rm *)"]),
        ),
        case("effort", o().effort(Effort::High)),
        case(
            "enable_file_checkpointing",
            o().enable_file_checkpointing(true),
        ),
        case("extra_flag", o().extra_flag("--autocompact", Some("200k"))),
        case(
            "external_mcp_server",
            o().external_mcp_server("docs", McpServerConfig::http("http://127.0.0.1:9/mcp")),
        ),
        case(
            "external_mcp_server, in a file",
            o().external_mcp_server("files", secret()),
        ),
        case(
            "fallback_model",
            o().fallback_model("sonnet").fallback_model("haiku"),
        ),
        case("forward_subagent_text", o().forward_subagent_text(true)),
        case(
            "hook",
            o().hook(
                Hook::on(HookEvent::Stop)
                    .run(|_: HookInput, _: HookContext| async { HookOutput::none() }),
            ),
        ),
        case("include_hook_events", o().include_hook_events(true)),
        case(
            "include_partial_messages",
            o().include_partial_messages(true),
        ),
        case("json_schema", o().json_schema(json!({"type": "object"}))),
        case(
            "managed_settings",
            o().managed_settings(json!({"permissions": {"deny": ["Bash"]}})),
        ),
        Case {
            shows: |answer| answer.managed_settings_applied == Some(true),
            ..case(
                "managed_settings, long",
                o().managed_settings(
                    json!({"permissions": {"deny": vec!["Bash(rm some/rather/long/path)"; 400]}}),
                ),
            )
        },
        case("max_budget_usd", o().max_budget_usd(0.5)),
        case("max_retries", o().max_retries(2)),
        case("max_turns", o().max_turns(3)),
        case("mcp_config", o().mcp_config(setting.path("mcp.json"))),
        case("model", o().model("sonnet")),
        case("no_tools", o().no_tools()),
        case("on_elicitation", o().on_elicitation(declines)),
        case(
            "on_user_dialog",
            o().on_user_dialog(["refusal_fallback_prompt"], closes),
        ),
        case(
            "per_task_stop_affordance",
            o().per_task_stop_affordance(true),
        ),
        Case {
            shows: |answer| answer.current_permission_mode == Some(PermissionMode::Plan),
            ..case("permission_mode", o().permission_mode(PermissionMode::Plan))
        },
        case(
            "permission_prompts",
            o().permission_prompts(PermissionPrompts::None),
        ),
        case(
            "permission_prompt_tool_name",
            o().permission_prompt_tool_name("mcp__a__b"),
        ),
        case(
            "plan_mode_instructions",
            o().plan_mode_instructions("Write it down."),
        ),
        case("plugin", o().plugin(setting.path("plugin"))),
        case(
            "plugin_without_mcp",
            o().plugin_without_mcp(setting.path("plugin")),
        ),
        Case {
            shows: |answer| answer.plugins_applied == Some(true),
            ..case(
                "plugin_delivery",
                o().plugin(setting.path("plugin"))
                    .plugin_delivery(PluginDelivery::Initialize),
            )
        },
        case(
            "project_config_root",
            o().project_config_root(setting.path("work")),
        ),
        case("prompt_suggestions", o().prompt_suggestions(true)),
        case(
            "question_preview",
            o().question_preview(QuestionPreview::Html),
        ),
        case("replay_user_messages", o().replay_user_messages(true)),
        // Not switched on: this machine may have no means to make one.
        case("sandbox", o().sandbox(json!({"enabled": false}))),
        case("search_node_modules", o().search_node_modules(true)),
        case(
            "setting_sources",
            o().setting_sources([SettingSource::User, SettingSource::Local]),
        ),
        case("setting_sources, none", o().setting_sources([])),
        case(
            "settings",
            o().settings(json!({"permissions": {"deny": ["Bash(rm *)"]}})),
        ),
        case(
            "settings, in a file",
            o().settings(json!({"permissions": {"deny": vec!["Bash(rm some/path)"; 1000]}})),
        ),
        case(
            "settings_file",
            o().settings_file(setting.path("settings.json")),
        ),
        case("skills", o().skills(["pdf"])),
        case("stream_hold", o().stream_hold(Duration::from_millis(250))),
        case("strict_mcp_config", o().strict_mcp_config(true)),
        case("system_prompt", o().system_prompt("You sing.")),
        case(
            "system_prompt, blocks",
            o().system_prompt(CustomPrompt::new("You sing.").changing("It rains.")),
        ),
        case(
            "system_prompt, Claude Code's own",
            o().system_prompt(
                ClaudeCodePrompt::new()
                    .append("Be brief.")
                    .exclude_dynamic_sections(true)
                    .snapshot(true),
            ),
        ),
        case(
            "system_prompt, empty",
            o().system_prompt(SystemPrompt::Empty),
        ),
        case("task_budget", o().task_budget(5000)),
        case("thinking", o().thinking(Thinking::Adaptive)),
        case("thinking, budget", o().thinking(Thinking::Budget(2000))),
        case("thinking, off", o().thinking(Thinking::Disabled)),
        case(
            "thinking_display",
            o().thinking_display(ThinkingDisplay::Summarized),
        ),
        case("title", o().title("Spring cleaning")),
        case("tool_alias", o().tool_alias("Bash", "mcp__far__bash")),
        case("tools", o().tools(["Bash", "Read"])),
    ]
}

/// Options about which conversation it is.
fn conversations(setting: &Setting) -> Vec<Case> {
    let earlier = &setting.earlier;
    let o = || setting.options();
    let resume = || o().resume(earlier.id.as_str());
    let new_id = || uuid::Uuid::new_v4().to_string();
    [
        ("resume", resume()),
        ("continue_latest", o().continue_latest(true)),
        ("fork_session", resume().fork_session(true)),
        (
            "fork_session, with an id",
            resume().fork_session(true).session_id(new_id()),
        ),
        (
            "resume_session_at",
            resume().resume_session_at(earlier.kept.as_str()),
        ),
        (
            "resume_drops_turn",
            resume()
                .resume_session_at(earlier.kept.as_str())
                .resume_drops_turn(earlier.dropped.as_str()),
        ),
        ("session_id", o().session_id(new_id())),
        ("persist_session", o().persist_session(false)),
    ]
    .map(|(option, options)| Case {
        option,
        options,
        shows: any,
    })
    .into()
}

fn secret() -> McpServerConfig {
    let env = [("TOKEN", "secret".to_owned())].into_iter();
    let mut server = McpStdioServer::new("false");
    server.env = Some(env.collect());
    McpServerConfig::Stdio(Box::new(server))
}
