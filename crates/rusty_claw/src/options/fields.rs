//! The fields of the options, by topic.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::control::{AgentDefinition, Effort, McpServerConfig, ThinkingDisplay};
use rusty_claw_protocol::permission::PermissionMode;
use rusty_claw_protocol::{Map, Str};

use super::files::FileCache;
use super::json_value::JsonValue;
use super::limits::Limits;
use super::system_prompt::SystemPrompt;
use crate::host::Host;
use crate::store::{FlushMode, SessionStore};
use crate::transport::launcher::Prefix;

/// The options of a session: how the CLI is started, what is served to it, and limits.
///
/// Everything has a default, which is the CLI's own unless the method documents another. Nothing is
/// checked until a session starts. Contradictions are then returned as
/// [`StartError::BadOption`](crate::StartError::BadOption), before any process is started.
///
/// To start several sessions with the same options, clone them: clones are cheap.
///
/// ```
/// use rusty_claw::Options;
/// use rusty_claw::permission::PermissionMode;
///
/// let options = Options::new()
///     .cwd("/srv/shop")
///     .model("sonnet")
///     .permission_mode(PermissionMode::Plan)
///     .append_system_prompt("Answer in Portuguese.")
///     .include_partial_messages(true);
/// # let _ = options;
/// ```
#[derive(Clone, Default)]
pub struct Options {
    pub(crate) host: Host,
    pub(crate) limits: Limits,
    pub(crate) process: Process,
    pub(crate) environment: Environment,
    pub(crate) conversation: Conversation,
    pub(crate) model: Model,
    pub(crate) prompt: Prompt,
    pub(crate) tools: Tools,
    pub(crate) permission: Permission,
    pub(crate) settings: Settings,
    pub(crate) output: Output,
    pub(super) files: FileCache,
}

// Variables, settings, headers and prompts may contain secrets, so they are not printed.
debug_fields!(Options, |options|
    cli_path: options.process.cli_path,
    cwd: options.process.cwd,
    host: options.host,
    limits: options.limits
);

impl Options {
    /// The defaults: the CLI's own, with nothing served and every permission request denied.
    pub fn new() -> Self {
        Self::default()
    }
}

/// The process: its program, working folder and additional flags.
#[derive(Clone)]
pub(crate) struct Process {
    pub(crate) cli_path: Option<PathBuf>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) search_node_modules: bool,
    pub(crate) die_with_parent: bool,
    pub(crate) sweep_orphans: bool,
    pub(crate) stderr: Option<Arc<OnLine>>,
    pub(crate) launcher: Option<Arc<Prefix>>,
    pub(super) extra_flags: Vec<(String, Option<OsString>)>,
    pub(super) debug: bool,
    pub(super) debug_file: Option<PathBuf>,
}

/// Called with each line of standard error.
type OnLine = dyn Fn(&str) + Send + Sync;

impl Default for Process {
    fn default() -> Self {
        Self {
            cli_path: None,
            cwd: None,
            search_node_modules: false,
            die_with_parent: true,
            sweep_orphans: true,
            stderr: None,
            launcher: None,
            extra_flags: Vec::new(),
            debug: false,
            debug_file: None,
        }
    }
}

/// The CLI's environment.
#[derive(Clone, Default)]
pub(crate) struct Environment {
    pub(super) clear: bool,
    /// The variables that the program set or removed, in order; the last one wins.
    pub(super) said: Vec<(OsString, Option<OsString>)>,
    pub(super) client_app: Option<String>,
    pub(super) max_retries: Option<u32>,
    pub(super) stream_hold: Option<Duration>,
    pub(super) question_preview: Option<QuestionPreview>,
}

/// The format of the previews that the model adds to the choices of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuestionPreview {
    /// Markdown, for a fixed-width box.
    Markdown,
    /// A self-contained piece of HTML, for hosts that show web pages.
    Html,
}

/// The conversation, and how it is stored.
#[derive(Clone, Default)]
pub(crate) struct Conversation {
    pub(crate) resume: Option<Str>,
    pub(super) continue_latest: bool,
    pub(super) fork_session: bool,
    pub(super) resume_session_at: Option<Str>,
    pub(super) resume_drops_turn: Option<Str>,
    pub(super) session_id: Option<Str>,
    pub(super) do_not_persist: bool,
    pub(super) title: Option<String>,
    pub(super) file_checkpointing: bool,
    pub(crate) store: Option<Arc<dyn SessionStore>>,
    pub(crate) store_only_receives: bool,
    pub(crate) store_flush: FlushMode,
    pub(crate) store_load: Option<Duration>,
    pub(crate) store_project: Option<Str>,
}

/// The model and its budgets.
#[derive(Clone, Default)]
pub(crate) struct Model {
    pub(super) name: Option<Str>,
    pub(super) fallbacks: Vec<Str>,
    pub(super) thinking: Option<Thinking>,
    pub(super) thinking_display: Option<ThinkingDisplay>,
    pub(super) effort: Option<Effort>,
    pub(super) betas: Vec<Str>,
    pub(super) max_turns: Option<u32>,
    pub(super) max_budget_usd: Option<f64>,
    pub(super) task_budget: Option<u64>,
    pub(super) json_schema: Option<JsonValue>,
}

/// Whether the model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Thinking {
    /// The model decides how much, as newer models do by default.
    Adaptive,
    /// At most this many tokens; for older models.
    Budget(u32),
    /// No thinking.
    Disabled,
}

/// The system prompt, subagents and plan mode instructions.
#[derive(Clone, Default)]
pub(crate) struct Prompt {
    pub(super) system: Option<SystemPrompt>,
    pub(super) plan_mode_instructions: Option<String>,
    pub(super) append_subagent_system_prompt: Option<String>,
    pub(super) agent: Option<Str>,
    pub(super) agents: Map<AgentDefinition>,
    pub(crate) verbatim: bool,
}

/// What the model can use: tools, skills, plugins, MCP servers.
#[derive(Clone, Default)]
pub(crate) struct Tools {
    pub(super) built_in: Option<BuiltIn>,
    pub(super) allowed: Vec<Str>,
    pub(super) disallowed: Vec<Str>,
    pub(super) aliases: Map<Str>,
    pub(super) skills: Option<Skills>,
    pub(super) plugins: Vec<Plugin>,
    pub(super) plugin_delivery: PluginDelivery,
    pub(super) servers: Map<McpServerConfig>,
    pub(super) server_files: Vec<PathBuf>,
    pub(super) strict_mcp_config: bool,
}

#[derive(Clone)]
pub(super) enum BuiltIn {
    Default,
    Only(Vec<Str>),
}

#[derive(Clone)]
pub(super) enum Skills {
    All,
    Only(Vec<Str>),
}

#[derive(Clone)]
pub(super) struct Plugin {
    pub(super) path: PathBuf,
    pub(super) skip_mcp_discovery: bool,
}

/// How plugins are passed to the CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum PluginDelivery {
    /// One flag per plugin, which every CLI supports.
    #[default]
    Argv,
    /// In `initialize`, which keeps the command line short. The CLI waits for it before it loads
    /// anything. Needs Claude Code 2.1.261.
    Initialize,
}

/// What the CLI may do without asking, and who answers.
#[derive(Clone, Default)]
pub(crate) struct Permission {
    pub(super) mode: Option<PermissionMode>,
    pub(super) allow_bypass: bool,
    pub(super) prompt_tool: Option<Str>,
    pub(super) prompts: Option<PermissionPrompts>,
}

/// Who answers permission requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PermissionPrompts {
    /// The program, through its permission handler or the tool that it named.
    Host,
    /// No one: the mode, rules and hooks decide, and anything else is denied at once. The model is
    /// informed that it cannot ask anyone.
    None,
}

/// Settings and their sources.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    pub(super) inline: Option<JsonValue>,
    pub(super) file: Option<PathBuf>,
    pub(super) sandbox: Option<JsonValue>,
    pub(super) managed: Option<JsonValue>,
    pub(super) sources: Option<Vec<SettingSource>>,
    pub(super) additional_directories: Vec<PathBuf>,
    pub(super) project_config_root: Option<PathBuf>,
}

/// A source of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingSource {
    /// The user's own, in the configuration folder.
    User,
    /// The project's, shared by everyone who works on it, with its instruction files.
    Project,
    /// The project's, for this machine only.
    Local,
}

/// Optional output of the CLI.
#[derive(Clone, Default)]
pub(crate) struct Output {
    pub(super) partial_messages: bool,
    pub(super) hook_events: bool,
    pub(super) replay_user_messages: bool,
    pub(super) forward_subagent_text: Option<bool>,
    pub(super) prompt_suggestions: Option<bool>,
    pub(super) agent_progress_summaries: Option<bool>,
    pub(super) per_task_stop_affordance: Option<bool>,
}
