//! What the CLI asks its host.

use rusty_claw_macros::Wire;

use crate::content::ToolInput;
use crate::extra::Extra;
use crate::hook::{HookInput, McpServerProvenance};
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::permission::PermissionUpdate;
use crate::text::Str;

/// May this tool run? Answered with a [`PermissionResult`](super::PermissionResult).
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CanUseTool {
    /// The tool.
    pub tool_name: Str,
    /// Its name for people.
    pub display_name: Option<Str>,
    // Leniency: the message document calls it `tool_input`.
    /// Its input.
    #[wire(alias = "tool_input")]
    pub input: ToolInput,
    /// The call. One document leaves it out; the CLI never does.
    pub tool_use_id: Str,
    /// The call in a few words.
    pub description: Option<String>,
    /// A heading for the question.
    pub title: Option<String>,
    /// What could go with a yes, so that it need not be asked again.
    pub permission_suggestions: Option<Vec<PermissionUpdate>>,
    /// The path that made it a question.
    pub blocked_path: Option<String>,
    /// Why it is a question, in words.
    pub decision_reason: Option<String>,
    /// Why it is a question.
    pub decision_reason_type: Option<DecisionReasonType>,
    /// Why it is a question, more finely.
    pub decision_reason_code: Option<Str>,
    /// Where the rule comes from that made it one.
    pub decision_reason_rule_source: Option<Str>,
    /// The event of the hook that made it one.
    pub decision_reason_hook_event: Option<Str>,
    /// Where that hook comes from.
    pub decision_reason_hook_source: Option<Str>,
    /// The plugin that brought that hook.
    pub decision_reason_hook_plugin_id: Option<Str>,
    /// The rule that says to ask.
    pub matched_ask_rule: Option<MatchedAskRule>,
    /// Whether the rule that says to ask is only the MCP server's own policy.
    pub server_policy_ask_only: Option<bool>,
    /// Whether a classifier may answer in place of a person.
    pub classifier_approvable: Option<bool>,
    /// Whether to offer no lasting yes.
    pub suppress_always_allow_rule: Option<bool>,
    /// Whether no is the answer to offer first.
    pub default_to_no: Option<bool>,
    /// Whether the tool itself is a question to a person, so that nobody else may answer.
    pub requires_user_interaction: Option<bool>,
    /// The subagent that wants it.
    pub agent_id: Option<Str>,
    /// The MCP server that the tool belongs to.
    pub mcp_server: Option<McpServerProvenance>,
    /// The plugin that the tool belongs to.
    pub plugin: Option<Str>,
    /// What the MCP server says to the person.
    pub server_prompt: Option<String>,
    /// The folder on a person's computer that is meant.
    pub computer_folder: Option<ComputerFolder>,
    /// How several such questions are put.
    pub provenance_prompt_line: Option<Str>,
    /// What kind of tool it is.
    pub tool_kind: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Why a tool call is a question.
    pub enum DecisionReasonType {
        /// A rule says so.
        Rule = "rule",
        /// The mode says so.
        Mode = "mode",
        /// A part of the command says so.
        SubcommandResults = "subcommandResults",
        /// A tool that decides says so.
        PermissionPromptTool = "permissionPromptTool",
        /// A hook says so.
        Hook = "hook",
        /// A subagent in the background wants it.
        AsyncAgent = "asyncAgent",
        /// It would leave the sandbox.
        SandboxOverride = "sandboxOverride",
        /// It is outside the working folders.
        WorkingDir = "workingDir",
        /// It looks dangerous.
        SafetyCheck = "safetyCheck",
        /// A classifier says so.
        Classifier = "classifier",
        /// Something else.
        Other = "other",
    }
}

/// The rule that says to ask.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct MatchedAskRule {
    /// Where it comes from.
    pub source: Str,
    /// The tool it is about.
    pub tool_name: Str,
    /// Which of its calls.
    pub rule_content: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// A folder on a person's computer.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ComputerFolder {
    /// The folder.
    pub path: String,
    /// The computer.
    pub computer_name: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A hook fired that the host registered. Answered with the hook's output.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct HookCallback {
    /// The host's name for the callback.
    pub callback_id: Str,
    /// What happened; never absent on the wire.
    pub input: Option<Box<HookInput>>,
    /// The tool call; for events that are not about one, an id that means nothing.
    pub tool_use_id: Option<Str>,
    /// When it was sent, milliseconds since 1970.
    pub issued_at: Option<u64>,
    /// How long the host may take.
    pub deadline_ms: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

/// An MCP server asks the user. Answered with an [`ElicitationAnswer`](super::ElicitationAnswer).
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct Elicitation {
    /// The server.
    pub mcp_server_name: Str,
    /// What it says.
    pub message: String,
    /// How it asks.
    pub mode: Option<ElicitationMode>,
    /// The page to open.
    pub url: Option<String>,
    /// By which the server tells that the page is done.
    pub elicitation_id: Option<Str>,
    /// JSON Schema of the form; the server's own.
    pub requested_schema: Option<Json>,
    /// The fields of the form in the server's order.
    pub property_order: Option<Vec<Str>>,
    /// A heading.
    pub title: Option<String>,
    /// The server's name for people.
    pub display_name: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How an MCP server asks the user.
    pub enum ElicitationMode {
        /// With a form.
        Form = "form",
        /// With a page.
        Url = "url",
    }
}

/// The CLI wants a dialog shown, of a kind that the host said it can show. Answered with a
/// [`DialogAnswer`](super::DialogAnswer).
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct RequestUserDialog {
    /// Which dialog.
    pub dialog_kind: Str,
    /// What it shows; its shape depends on the kind, see [`RefusalFallbackPrompt`].
    pub payload: Json,
    /// The tool call it is about.
    pub tool_use_id: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// What the dialog `refusal_fallback_prompt` shows: the model refused, shall another try?
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct RefusalFallbackPrompt {
    /// The model that refused.
    pub original_model: Str,
    /// The model that could try.
    pub fallback_model: Str,
    /// Why it refused.
    pub api_refusal_category: Option<Str>,
    /// Messages that were taken back.
    pub retracted_message_uuids: Option<Vec<Str>>,
    /// What no field holds.
    pub extra: Extra,
}

/// The host holds the sign-in and must refresh it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct OauthTokenRefresh {
    /// Which token; the usual one when absent.
    pub kind: Option<Str>,
    /// Whether the old one was refused: `refused`, `not_refused`.
    pub token_state: Option<Str>,
    /// What was refused: `model`, `connector`, `other`.
    pub refused_call: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// The host holds the provider's credential and must refresh it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct HostAuthTokenRefresh {
    /// The HTTP status that made it necessary.
    pub status: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}
