//! What can be asked.

use rusty_claw_macros::Wire;

use super::{
    ApplyFlagSettings, BackgroundTasks, CanUseTool, CancelAsyncMessage, ClaimSession, Elicitation,
    EndSession, ExportConversation, FileSuggestions, GenerateSessionTitle, GetBinaryVersion,
    GetContextUsage, GetHooksListing, GetPlan, GetSessionCost, GetSettings, GetStatus,
    GetTaskOutput, GetUsage, GetWorkspaceDiff, HookCallback, HostAuthTokenRefresh,
    InitializeRequest, Interrupt, ListDirectory, ListModels, ListPermissionRules, McpCall,
    McpMessage, McpReadResource, McpReconnect, McpSetServers, McpStatus, McpToggle, MessageRated,
    OauthTokenRefresh, ReadFile, RegisterRepoRoot, ReloadOutputStyles, ReloadPlugins, ReloadSkills,
    RenameSession, RequestUserDialog, RewindFiles, SeedReadState, SetColor, SetCwd,
    SetHasSubscribers, SetMaxThinkingTokens, SetMcpPermissionModeOverride, SetModel,
    SetPermissionMode, SetPromptSuggestionsPaused, SideQuestion, StartShellTask, StopTask,
    SubmitFeedback, UpdateSettings,
};
use crate::unknown::Unknown;

/// What a control request asks. Told apart by `subtype`.
///
/// Each request is a type of its own, which also knows what answers it: see
/// [`Verb`](super::Verb).
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "subtype")]
#[non_exhaustive]
pub enum ControlRequest {
    // From host to CLI, declared.
    /// What a host says first.
    Initialize(Box<InitializeRequest>),
    /// Stop the running turn.
    Interrupt(Interrupt),
    /// Change how tool calls are decided.
    SetPermissionMode(SetPermissionMode),
    /// Change the model.
    SetModel(SetModel),
    /// Change how much the model may think.
    SetMaxThinkingTokens(SetMaxThinkingTokens),
    /// Give the session a title.
    RenameSession(RenameSession),
    /// Give the session a colour.
    SetColor(SetColor),
    /// How are the MCP servers doing?
    McpStatus(McpStatus),
    /// What fills the context window?
    GetContextUsage(GetContextUsage),
    /// What has the session cost, as text?
    GetSessionCost(GetSessionCost),
    /// Which models are there?
    ListModels(ListModels),
    /// What has the session cost, and what is left?
    GetUsage(GetUsage),
    /// Which version is this?
    GetBinaryVersion(GetBinaryVersion),
    /// Call a tool of an MCP server, without the model.
    McpCall(Box<McpCall>),
    /// Which files fit what somebody types?
    FileSuggestions(FileSuggestions),
    /// Put files back to what they were.
    RewindFiles(RewindFiles),
    /// Drop one prompt that waits.
    CancelAsyncMessage(CancelAsyncMessage),
    /// Read a file where the session runs.
    ReadFile(ReadFile),
    /// The model knows this file.
    SeedReadState(SeedReadState),
    /// Replace MCP servers.
    McpSetServers(McpSetServers),
    /// Add a repository.
    RegisterRepoRoot(RegisterRepoRoot),
    /// Read plugins again.
    ReloadPlugins(ReloadPlugins),
    /// Read skills again.
    ReloadSkills(ReloadSkills),
    /// Read output styles again.
    ReloadOutputStyles(ReloadOutputStyles),
    /// Connect an MCP server again.
    McpReconnect(McpReconnect),
    /// Switch an MCP server on or off.
    McpToggle(McpToggle),
    /// Does anybody watch?
    SetHasSubscribers(SetHasSubscribers),
    /// Stop a task.
    StopTask(StopTask),
    /// Move running tools to the background.
    BackgroundTasks(BackgroundTasks),
    /// What has a task printed?
    GetTaskOutput(GetTaskOutput),
    /// Change settings for this process.
    ApplyFlagSettings(ApplyFlagSettings),
    /// Which settings hold?
    GetSettings(GetSettings),
    /// Which hooks are configured?
    GetHooksListing(GetHooksListing),
    /// Change a settings file.
    UpdateSettings(UpdateSettings),
    /// Which permission rules hold?
    ListPermissionRules(ListPermissionRules),
    /// Read a resource of an MCP server.
    McpReadResource(McpReadResource),

    // From CLI to host, declared.
    /// May this tool run?
    CanUseTool(Box<CanUseTool>),
    /// A hook fired.
    HookCallback(HookCallback),
    /// A message for an MCP server. The only request that both sides send.
    McpMessage(Box<McpMessage>),
    /// An MCP server asks the user.
    Elicitation(Box<Elicitation>),
    /// Show a dialog.
    RequestUserDialog(RequestUserDialog),

    // Undeclared, and served or sent all the same.
    /// End the process in good order.
    EndSession(EndSession),
    /// Turn a waiting process into a session.
    ClaimSession(Box<ClaimSession>),
    /// Move to another folder.
    SetCwd(SetCwd),
    /// What does the status page say?
    GetStatus(GetStatus),
    /// What is the plan?
    GetPlan(GetPlan),
    /// Ask the model beside the conversation.
    SideQuestion(SideQuestion),
    /// The conversation as text, please.
    ExportConversation(ExportConversation),
    /// What changed in the working folder?
    GetWorkspaceDiff(GetWorkspaceDiff),
    /// Have the model write a title.
    GenerateSessionTitle(GenerateSessionTitle),
    /// Give one MCP server a mode of its own.
    SetMcpPermissionModeOverride(SetMcpPermissionModeOverride),
    /// Pause the suggestions.
    SetPromptSuggestionsPaused(SetPromptSuggestionsPaused),
    /// What is in a folder?
    ListDirectory(ListDirectory),
    /// Start a command as a task.
    StartShellTask(Box<StartShellTask>),
    /// Send feedback to the vendor.
    SubmitFeedback(Box<SubmitFeedback>),
    /// How a message was liked.
    MessageRated(MessageRated),
    /// The sign-in must be refreshed.
    OauthTokenRefresh(OauthTokenRefresh),
    /// The provider's credential must be refreshed.
    HostAuthTokenRefresh(HostAuthTokenRefresh),
    /// A request that is new to this library.
    Unknown(Unknown),
}
