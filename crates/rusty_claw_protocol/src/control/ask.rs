//! Requests from the CLI to its host.

use rusty_claw_macros::wire_type;

use crate::content::ToolInput;
use crate::hook::{HookInput, McpServerProvenance};
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::permission::PermissionUpdate;
use crate::text::Str;

/// Requests permission for a tool call. Answered with a
/// [`PermissionResult`](super::PermissionResult).
#[wire_type]
pub struct CanUseTool {
    /// The tool's name.
    pub tool_name: Str,
    /// The display name.
    pub display_name: Option<Str>,
    // Leniency: the message document names it `tool_input`.
    /// Its input.
    #[wire(alias = "tool_input")]
    pub input: ToolInput,
    /// The call's id. One document omits it; the CLI never does.
    pub tool_use_id: Str,
    /// A short description of the call.
    pub description: Option<String>,
    /// A heading.
    pub title: Option<String>,
    /// Permission updates that the user can grant with an approval, to avoid further requests.
    pub permission_suggestions: Option<Vec<PermissionUpdate>>,
    /// The path that triggered the request.
    pub blocked_path: Option<String>,
    /// The reason for the request, as text.
    pub decision_reason: Option<String>,
    /// The kind of reason for the request.
    pub decision_reason_type: Option<DecisionReasonType>,
    /// A more specific reason code.
    pub decision_reason_code: Option<Str>,
    /// The source of the rule that triggered it.
    pub decision_reason_rule_source: Option<Str>,
    /// The event of the hook that triggered it.
    pub decision_reason_hook_event: Option<Str>,
    /// The source of that hook.
    pub decision_reason_hook_source: Option<Str>,
    /// The plugin of that hook.
    pub decision_reason_hook_plugin_id: Option<Str>,
    /// The ask rule that matched.
    pub matched_ask_rule: Option<MatchedAskRule>,
    /// Whether the only ask rule is the MCP server's own policy.
    pub server_policy_ask_only: Option<bool>,
    /// Whether a classifier may approve it.
    pub classifier_approvable: Option<bool>,
    /// Whether to offer no permanent approval.
    pub suppress_always_allow_rule: Option<bool>,
    /// Whether denial is the default choice.
    pub default_to_no: Option<bool>,
    /// Whether the tool itself needs the user, so that the host must not decide alone.
    pub requires_user_interaction: Option<bool>,
    /// The subagent that called the tool.
    pub agent_id: Option<Str>,
    /// The MCP server that the tool belongs to.
    pub mcp_server: Option<McpServerProvenance>,
    /// The plugin that the tool belongs to.
    pub plugin: Option<Str>,
    /// The MCP server's message to the user.
    pub server_prompt: Option<String>,
    /// The affected directory on the user's computer.
    pub computer_folder: Option<ComputerFolder>,
    /// How several such requests are worded.
    pub provenance_prompt_line: Option<Str>,
    /// The kind of tool.
    pub tool_kind: Option<Str>,
}

open_enum! {
    /// Why a tool call needs permission.
    pub enum DecisionReasonType {
        /// A rule.
        Rule = "rule",
        /// The permission mode.
        Mode = "mode",
        /// A part of the command.
        SubcommandResults = "subcommandResults",
        /// A tool that decides on permissions.
        PermissionPromptTool = "permissionPromptTool",
        /// A hook.
        Hook = "hook",
        /// A background subagent called it.
        AsyncAgent = "asyncAgent",
        /// It would bypass the sandbox.
        SandboxOverride = "sandboxOverride",
        /// It accesses paths outside the working directories.
        WorkingDir = "workingDir",
        /// A safety check failed.
        SafetyCheck = "safetyCheck",
        /// A classifier.
        Classifier = "classifier",
        /// Another reason.
        Other = "other",
    }
}

/// The ask rule that matched.
#[wire_type]
pub struct MatchedAskRule {
    /// Its source.
    pub source: Str,
    /// The tool that it applies to.
    pub tool_name: Str,
    /// Which of the tool's calls.
    pub rule_content: Option<Str>,
}

/// A directory on the user's computer.
#[wire_type]
pub struct ComputerFolder {
    /// The directory.
    pub path: String,
    /// The computer's name.
    pub computer_name: Str,
}

/// A hook of the host fired. Answered with the hook's output.
#[wire_type]
pub struct HookCallback {
    /// The host's callback id.
    pub callback_id: Str,
    /// The event; never absent on the wire.
    pub input: Option<Box<HookInput>>,
    /// The tool call's id; an arbitrary id for events without a tool call.
    pub tool_use_id: Option<Str>,
    /// When it was sent, milliseconds since 1970.
    pub issued_at: Option<u64>,
    /// The host's timeout.
    pub deadline_ms: Option<u64>,
}

/// An MCP server's request for user input. Answered with an
/// [`ElicitationAnswer`](super::ElicitationAnswer).
#[wire_type]
pub struct Elicitation {
    /// The server's name.
    pub mcp_server_name: Str,
    /// The text.
    pub message: String,
    /// The kind of elicitation.
    pub mode: Option<ElicitationMode>,
    /// The URL to open.
    pub url: Option<String>,
    /// The id that the server uses to report completion.
    pub elicitation_id: Option<Str>,
    /// JSON Schema of the form, defined by the server.
    pub requested_schema: Option<Json>,
    /// The form's fields in the server's order.
    pub property_order: Option<Vec<Str>>,
    /// A heading.
    pub title: Option<String>,
    /// The server's display name.
    pub display_name: Option<String>,
    /// A description.
    pub description: Option<String>,
}

open_enum! {
    /// The kind of an elicitation.
    pub enum ElicitationMode {
        /// A form.
        Form = "form",
        /// A web page.
        Url = "url",
    }
}

/// Asks the host to show a dialog of a kind that it supports. Answered with a
/// [`DialogAnswer`](super::DialogAnswer).
#[wire_type]
pub struct RequestUserDialog {
    /// The kind of dialog.
    pub dialog_kind: Str,
    /// The dialog's content; its shape depends on the kind, see [`RefusalFallbackPrompt`].
    pub payload: Json,
    /// The related tool call.
    pub tool_use_id: Option<Str>,
}

/// The content of the dialog `refusal_fallback_prompt`: whether another model should answer after a
/// refusal.
#[wire_type(rename_all = "camelCase")]
pub struct RefusalFallbackPrompt {
    /// The model that refused.
    pub original_model: Str,
    /// The model that can answer instead.
    pub fallback_model: Str,
    /// The category of the refusal.
    pub api_refusal_category: Option<Str>,
    /// Messages that were retracted.
    pub retracted_message_uuids: Option<Vec<Str>>,
}

/// Asks the host, which owns the sign-in, to refresh the OAuth token.
#[wire_type]
pub struct OauthTokenRefresh {
    /// The kind of token; the default one if absent.
    pub kind: Option<Str>,
    /// Whether the old token was refused: `refused`, `not_refused`.
    pub token_state: Option<Str>,
    /// The kind of call that was refused: `model`, `connector`, `other`.
    pub refused_call: Option<Str>,
}

/// Asks the host, which owns the provider's credential, to refresh it.
#[wire_type]
pub struct HostAuthTokenRefresh {
    /// The HTTP status that triggered it.
    pub status: Option<u64>,
}
