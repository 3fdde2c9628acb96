//! The response type of each request.

use serde::{Serialize, Serializer};

use super::*;
use crate::audit::Audit;
use crate::hook::HookOutput;
use crate::json::Json;
use crate::wire::Wire;

/// A request with its response type.
///
/// ```
/// use rusty_claw_protocol::Json;
/// use rusty_claw_protocol::control::{SetModel, Verb};
///
/// fn answer<V: Verb>(_request: &V, response: &Json) -> Option<V::Response> {
///     response.view()
/// }
/// let response = Json::from_text(r#"{"model":"claude-sonnet-5"}"#)?;
/// let answer = answer(&SetModel::default(), &response);
/// assert_eq!(answer.and_then(|answer| answer.model).as_deref(), Some("claude-sonnet-5"));
/// # Ok::<(), rusty_claw_protocol::DecodeError>(())
/// ```
pub trait Verb: Into<ControlRequest> {
    /// The request's subtype on the wire.
    const SUBTYPE: &'static str;
    /// The payload of a success.
    type Response: Wire;
}

/// The table: variant, request, subtype, response.
macro_rules! verbs {
    ($($variant:ident($request:ident) = $subtype:literal => $response:ident,)+) => {
        $(
            impl Verb for $request {
                const SUBTYPE: &'static str = $subtype;
                type Response = $response;
            }

            impl From<$request> for ControlRequest {
                fn from(request: $request) -> Self {
                    Self::$variant(request.into())
                }
            }
        )+

        /// The payload of a success, typed by its request.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum ControlPayload {
            $(
                #[doc = concat!("What answers `", $subtype, "`.")]
                $variant(Box<$response>),
            )+
            /// The request is unrecognized, or the payload does not match it.
            Unknown(Json),
        }

        impl ControlPayload {
            /// Reads the payload of the response to `request`.
            pub fn read(request: &ControlRequest, response: &Json) -> Self {
                let typed = match request {
                    $(ControlRequest::$variant(_) => {
                        response.view().map(|payload| Self::$variant(Box::new(payload)))
                    })+
                    ControlRequest::Unknown(_) => None,
                };
                typed.unwrap_or_else(|| Self::Unknown(response.clone()))
            }
        }

        impl Serialize for ControlPayload {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(payload) => payload.serialize(serializer),)+
                    Self::Unknown(payload) => payload.serialize(serializer),
                }
            }
        }

        /// Returns the shapes of the responses, for the reference page.
        #[cfg(feature = "shapes")]
        pub(crate) fn answer_shapes() -> Vec<(&'static str, Option<&'static crate::wire::Shape>)> {
            vec![$(($subtype, <$response as Wire>::shape())),+]
        }

        /// Reports the parts of a response that no typed field reads. Returns `None` if the request
        /// is unrecognized or the payload has another JSON type.
        pub fn audit_exchange(request: &ControlRequest, response: &Json) -> Option<Audit> {
            let text = response.text().as_bytes();
            match request {
                $(ControlRequest::$variant(_) => crate::audit::audit::<$response>(text).ok(),)+
                ControlRequest::Unknown(_) => None,
            }
        }

        #[cfg(test)]
        #[test]
        fn names_agree_with_the_enum() {
            $(assert_eq!(
                ControlRequest::from($request::default()).tag(),
                <$request as Verb>::SUBTYPE,
            );)+
        }
    };
}

verbs! {
    Initialize(InitializeRequest) = "initialize" => InitializeResponse,
    Interrupt(Interrupt) = "interrupt" => InterruptResponse,
    SetPermissionMode(SetPermissionMode) = "set_permission_mode" => SetPermissionModeResponse,
    SetModel(SetModel) = "set_model" => SetModelResponse,
    SetMaxThinkingTokens(SetMaxThinkingTokens) = "set_max_thinking_tokens" => Acknowledged,
    RenameSession(RenameSession) = "rename_session" => Acknowledged,
    SetColor(SetColor) = "set_color" => Acknowledged,
    McpStatus(McpStatus) = "mcp_status" => McpStatusResponse,
    GetContextUsage(GetContextUsage) = "get_context_usage" => GetContextUsageResponse,
    GetSessionCost(GetSessionCost) = "get_session_cost" => GetSessionCostResponse,
    ListModels(ListModels) = "list_models" => ListModelsResponse,
    GetUsage(GetUsage) = "get_usage" => GetUsageResponse,
    GetBinaryVersion(GetBinaryVersion) = "get_binary_version" => GetBinaryVersionResponse,
    McpCall(McpCall) = "mcp_call" => McpCallResponse,
    FileSuggestions(FileSuggestions) = "file_suggestions" => FileSuggestionsResponse,
    RewindFiles(RewindFiles) = "rewind_files" => RewindFilesResponse,
    CancelAsyncMessage(CancelAsyncMessage) = "cancel_async_message" => CancelAsyncMessageResponse,
    ReadFile(ReadFile) = "read_file" => ReadFileResponse,
    SeedReadState(SeedReadState) = "seed_read_state" => Acknowledged,
    McpSetServers(McpSetServers) = "mcp_set_servers" => McpSetServersResponse,
    RegisterRepoRoot(RegisterRepoRoot) = "register_repo_root" => RegisterRepoRootResponse,
    ReloadPlugins(ReloadPlugins) = "reload_plugins" => ReloadPluginsResponse,
    ReloadSkills(ReloadSkills) = "reload_skills" => ReloadSkillsResponse,
    ReloadOutputStyles(ReloadOutputStyles) = "reload_output_styles" => ReloadOutputStylesResponse,
    McpReconnect(McpReconnect) = "mcp_reconnect" => Acknowledged,
    McpToggle(McpToggle) = "mcp_toggle" => Acknowledged,
    SetHasSubscribers(SetHasSubscribers) = "set_has_subscribers" => Acknowledged,
    StopTask(StopTask) = "stop_task" => Acknowledged,
    BackgroundTasks(BackgroundTasks) = "background_tasks" => BackgroundTasksResponse,
    GetTaskOutput(GetTaskOutput) = "get_task_output" => GetTaskOutputResponse,
    ApplyFlagSettings(ApplyFlagSettings) = "apply_flag_settings" => Acknowledged,
    GetSettings(GetSettings) = "get_settings" => GetSettingsResponse,
    GetHooksListing(GetHooksListing) = "get_hooks_listing" => GetHooksListingResponse,
    UpdateSettings(UpdateSettings) = "update_settings" => Acknowledged,
    ListPermissionRules(ListPermissionRules) = "list_permission_rules" => ListPermissionRulesResponse,
    McpReadResource(McpReadResource) = "mcp_read_resource" => McpReadResourceResponse,
    CanUseTool(CanUseTool) = "can_use_tool" => PermissionResult,
    HookCallback(HookCallback) = "hook_callback" => HookOutput,
    McpMessage(McpMessage) = "mcp_message" => McpMessageAnswer,
    Elicitation(Elicitation) = "elicitation" => ElicitationAnswer,
    RequestUserDialog(RequestUserDialog) = "request_user_dialog" => DialogAnswer,
    EndSession(EndSession) = "end_session" => Acknowledged,
    ClaimSession(ClaimSession) = "claim_session" => ClaimSessionResponse,
    SetCwd(SetCwd) = "set_cwd" => SetCwdResponse,
    GetStatus(GetStatus) = "get_status" => GetStatusResponse,
    GetPlan(GetPlan) = "get_plan" => GetPlanResponse,
    SideQuestion(SideQuestion) = "side_question" => SideQuestionResponse,
    ExportConversation(ExportConversation) = "export_conversation" => ExportConversationResponse,
    GetWorkspaceDiff(GetWorkspaceDiff) = "get_workspace_diff" => GetWorkspaceDiffResponse,
    GenerateSessionTitle(GenerateSessionTitle) = "generate_session_title" => GenerateSessionTitleResponse,
    SetMcpPermissionModeOverride(SetMcpPermissionModeOverride) = "set_mcp_permission_mode_override" => SetMcpPermissionModeOverrideResponse,
    SetPromptSuggestionsPaused(SetPromptSuggestionsPaused) = "set_prompt_suggestions_paused" => Acknowledged,
    ListDirectory(ListDirectory) = "list_directory" => ListDirectoryResponse,
    StartShellTask(StartShellTask) = "start_shell_task" => StartShellTaskResponse,
    SubmitFeedback(SubmitFeedback) = "submit_feedback" => SubmitFeedbackResponse,
    MessageRated(MessageRated) = "message_rated" => Acknowledged,
    OauthTokenRefresh(OauthTokenRefresh) = "oauth_token_refresh" => OauthTokenAnswer,
    HostAuthTokenRefresh(HostAuthTokenRefresh) = "host_auth_token_refresh" => HostAuthTokenAnswer,
}
