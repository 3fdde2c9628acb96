//! A tool result, by what its tool returns.

use crate::json::Json;
use crate::tool::*;

/// Declares the enum and the table of names from one list.
macro_rules! views {
    ($($(#[$doc:meta])* $variant:ident($output:ty) by $how:path = $($name:literal)|+;)+) => {
        /// The result of a tool call, in the shape of that tool: what `tool_use_result` of a user
        /// message and `tool_response` of a hook hold.
        ///
        /// It is a view, as [`ToolView`] is.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum ToolOutputView {
            $($(#[$doc])* $variant($output),)+
            /// A plain text, whatever the tool: as a rule what went wrong, after `Error: `.
            Text(String),
            /// What a tool of an MCP server returned, as content blocks.
            McpContent(Vec<Json>),
            /// What a tool of an MCP server returned, with more than content.
            Mcp(Box<McpToolOutput>),
            /// The result of a tool that is new to this library or seldom met, or of a new shape.
            Other,
        }

        impl ToolOutputView {
            /// Looks at the result of a call of the named tool.
            pub fn of(name: &str, output: &Json) -> Self {
                if let Some(text) = output.to_text() {
                    return Self::Text(text);
                }
                if mcp_tool(name).is_some() {
                    return match output.view() {
                        Some(content) => Self::McpContent(content),
                        None => view(output).map_or(Self::Other, Self::Mcp),
                    };
                }
                // Leniency: the CLI writes `Bash`, one document `bash`.
                $(if [$($name),+].iter().any(|known| known.eq_ignore_ascii_case(name)) {
                    return $how(output).map_or(Self::Other, Self::$variant);
                })+
                Self::Other
            }
        }
    };
}

views! {
    /// What came of starting a subagent.
    Agent(AgentOutput) by Json::view = "Agent" | "Task";
    /// What the user answered.
    AskUserQuestion(Box<AskUserQuestionOutput>) by view = "AskUserQuestion";
    /// What a command printed.
    Bash(Box<BashOutput>) by view = "Bash";
    /// A prompt was scheduled.
    CronCreate(CronCreateOutput) by view = "CronCreate";
    /// A scheduled prompt was removed.
    CronDelete(CronDeleteOutput) by view = "CronDelete";
    /// The scheduled prompts.
    CronList(CronListOutput) by view = "CronList";
    /// A piece of a file was replaced.
    Edit(Box<EditOutput>) by view = "Edit";
    /// Planning has begun.
    EnterPlanMode(EnterPlanModeOutput) by view = "EnterPlanMode";
    /// Work goes on in a worktree.
    EnterWorktree(EnterWorktreeOutput) by view = "EnterWorktree";
    /// The plan was agreed to.
    ExitPlanMode(ExitPlanModeOutput) by view = "ExitPlanMode";
    /// Work goes on outside the worktree.
    ExitWorktree(Box<ExitWorktreeOutput>) by view = "ExitWorktree";
    /// Files that were found by name.
    Glob(GlobOutput) by view = "Glob";
    /// Text that was found in files.
    Grep(Box<GrepOutput>) by view = "Grep";
    /// What MCP servers have to read.
    ListMcpResources(Vec<McpResource>) by Json::view = "ListMcpResources" | "ListMcpResourcesTool";
    /// Something is being watched.
    Monitor(MonitorOutput) by view = "Monitor";
    /// A cell of a notebook was changed.
    NotebookEdit(Box<NotebookEditOutput>) by view = "NotebookEdit";
    /// What a file held.
    Read(ReadOutput) by Json::view = "Read";
    /// What an MCP server gave to read.
    ReadMcpResource(ReadMcpResourceOutput) by view = "ReadMcpResource" | "ReadMcpResourceTool";
    /// What a folder of an MCP server holds.
    ReadMcpResourceDir(ReadMcpResourceDirOutput) by view = "ReadMcpResourceDir" | "ReadMcpResourceDirTool";
    /// A skill was loaded.
    Skill(SkillOutput) by view = "Skill";
    /// A task was put on the list.
    TaskCreate(TaskCreateOutput) by view = "TaskCreate";
    /// A task.
    TaskGet(Box<TaskGetOutput>) by view = "TaskGet";
    /// The tasks on the list.
    TaskList(TaskListOutput) by view = "TaskList";
    /// What ran in the background was stopped.
    TaskStop(TaskStopOutput) by view = "TaskStop";
    /// A task was changed.
    TaskUpdate(Box<TaskUpdateOutput>) by view = "TaskUpdate";
    /// The list of things to do was written.
    TodoWrite(TodoWriteOutput) by view = "TodoWrite";
    /// Tools that were looked for.
    ToolSearch(ToolSearchOutput) by view = "ToolSearch";
    /// What was found out from a web page.
    WebFetch(Box<WebFetchOutput>) by view = "WebFetch";
    /// What was found on the web.
    WebSearch(WebSearchOutput) by view = "WebSearch";
    /// A workflow was started.
    Workflow(Box<WorkflowOutput>) by view = "Workflow";
    /// A file was written.
    Write(Box<WriteOutput>) by view = "Write";
}
