//! The control requests.

use rusty_claw_macros::wire_type;

use super::*;
use crate::unknown::Unknown;

/// A control request. Tagged by `subtype`.
///
/// Each request is a type of its own that names its response type; see [`Verb`](super::Verb).
#[wire_type(tag = "subtype")]
pub enum ControlRequest {
    // From host to CLI, declared.
    /// Initializes the session; the host's first request.
    Initialize(Box<InitializeRequest>),
    /// Interrupts the running turn.
    Interrupt(Interrupt),
    /// Changes the permission mode.
    SetPermissionMode(SetPermissionMode),
    /// Changes the model.
    SetModel(SetModel),
    /// Changes the thinking budget.
    SetMaxThinkingTokens(SetMaxThinkingTokens),
    /// Sets the session's title.
    RenameSession(RenameSession),
    /// Sets the session's colour.
    SetColor(SetColor),
    /// Requests the status of the MCP servers.
    McpStatus(McpStatus),
    /// Requests the contents of the context window.
    GetContextUsage(GetContextUsage),
    /// Requests the session's costs as text.
    GetSessionCost(GetSessionCost),
    /// Requests the available models.
    ListModels(ListModels),
    /// Requests the session's costs and the plan's remaining limits.
    GetUsage(GetUsage),
    /// Requests the CLI's version.
    GetBinaryVersion(GetBinaryVersion),
    /// Calls a tool of an MCP server, without the model.
    McpCall(Box<McpCall>),
    /// Requests files that match a partial input.
    FileSuggestions(FileSuggestions),
    /// Restores files to an earlier state.
    RewindFiles(RewindFiles),
    /// Cancels a queued prompt.
    CancelAsyncMessage(CancelAsyncMessage),
    /// Reads a file on the session's machine.
    ReadFile(ReadFile),
    /// Marks a file as read by the model.
    SeedReadState(SeedReadState),
    /// Replaces MCP servers.
    McpSetServers(McpSetServers),
    /// Adds a repository.
    RegisterRepoRoot(RegisterRepoRoot),
    /// Reloads plugins.
    ReloadPlugins(ReloadPlugins),
    /// Reloads skills.
    ReloadSkills(ReloadSkills),
    /// Reloads output styles.
    ReloadOutputStyles(ReloadOutputStyles),
    /// Reconnects an MCP server.
    McpReconnect(McpReconnect),
    /// Enables or disables an MCP server.
    McpToggle(McpToggle),
    /// Reports whether there are subscribers.
    SetHasSubscribers(SetHasSubscribers),
    /// Stops a task.
    StopTask(StopTask),
    /// Moves running tools to the background.
    BackgroundTasks(BackgroundTasks),
    /// Requests the output of a task.
    GetTaskOutput(GetTaskOutput),
    /// Changes settings for this process.
    ApplyFlagSettings(ApplyFlagSettings),
    /// Requests the effective settings.
    GetSettings(GetSettings),
    /// Requests the configured hooks.
    GetHooksListing(GetHooksListing),
    /// Changes a settings file.
    UpdateSettings(UpdateSettings),
    /// Requests the effective permission rules.
    ListPermissionRules(ListPermissionRules),
    /// Reads a resource of an MCP server.
    McpReadResource(McpReadResource),

    // From CLI to host, declared.
    /// Requests permission for a tool call.
    CanUseTool(Box<CanUseTool>),
    /// A hook fired.
    HookCallback(HookCallback),
    /// A message for an MCP server. The only request that both sides send.
    McpMessage(Box<McpMessage>),
    /// An MCP server's request for user input.
    Elicitation(Box<Elicitation>),
    /// Shows a dialog.
    RequestUserDialog(RequestUserDialog),

    // Not declared, but served or sent nevertheless.
    /// Ends the process cleanly.
    EndSession(EndSession),
    /// Turns a prestarted process into a session.
    ClaimSession(Box<ClaimSession>),
    /// Moves the session to another directory.
    SetCwd(SetCwd),
    /// Requests the status page.
    GetStatus(GetStatus),
    /// Requests the model's plan.
    GetPlan(GetPlan),
    /// Asks the model a question beside the conversation.
    SideQuestion(SideQuestion),
    /// Requests the conversation as plain text.
    ExportConversation(ExportConversation),
    /// Requests the changes in the working directory.
    GetWorkspaceDiff(GetWorkspaceDiff),
    /// Asks the model for a title.
    GenerateSessionTitle(GenerateSessionTitle),
    /// Sets the permission mode of one MCP server.
    SetMcpPermissionModeOverride(SetMcpPermissionModeOverride),
    /// Pauses or resumes prompt suggestions.
    SetPromptSuggestionsPaused(SetPromptSuggestionsPaused),
    /// Lists a directory.
    ListDirectory(ListDirectory),
    /// Starts a shell command as a task.
    StartShellTask(Box<StartShellTask>),
    /// Sends feedback to the vendor.
    SubmitFeedback(Box<SubmitFeedback>),
    /// Rates a message.
    MessageRated(MessageRated),
    /// Asks for a new OAuth token.
    OauthTokenRefresh(OauthTokenRefresh),
    /// Asks for a new credential for the provider.
    HostAuthTokenRefresh(HostAuthTokenRefresh),
    /// An unrecognized request.
    Unknown(Unknown),
}
