//! Typed views of tool outputs.

use crate::json::Json;
use crate::tool::*;

/// Declares the enum and the table of names from a single list.
macro_rules! views {
    ($($(#[$doc:meta])* $variant:ident($output:ty) by $how:path = $($name:literal)|+;)+) => {
        /// The result of a tool call, in the shape of the tool: the content of `tool_use_result` in
        /// a user message and `tool_response` in a hook.
        ///
        /// It is a view, like [`ToolView`].
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum ToolOutputView {
            $($(#[$doc])* $variant($output),)+
            /// A plain text from any tool: usually an error, after `Error: `.
            Text(String),
            /// The result of an MCP tool, as content blocks.
            McpContent(Vec<Json>),
            /// The result of an MCP tool, with more than content.
            Mcp(Box<McpToolOutput>),
            /// The result of an unrecognized or rarely used tool, or one of an unrecognized shape.
            Other,
        }

        impl ToolOutputView {
            /// Returns the view of the result of a call of the named tool.
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
                // Leniency: `Bash` in the CLI, `bash` in one document.
                $(if [$($name),+].iter().any(|known| known.eq_ignore_ascii_case(name)) {
                    return $how(output).map_or(Self::Other, Self::$variant);
                })+
                Self::Other
            }
        }
    };
}

views! {
    /// The outcome of starting a subagent.
    Agent(AgentOutput) by Json::view = "Agent" | "Task";
    /// The user's answers.
    AskUserQuestion(Box<AskUserQuestionOutput>) by view = "AskUserQuestion";
    /// The output of a command.
    Bash(Box<BashOutput>) by view = "Bash";
    /// A prompt was scheduled.
    CronCreate(CronCreateOutput) by view = "CronCreate";
    /// A scheduled prompt was removed.
    CronDelete(CronDeleteOutput) by view = "CronDelete";
    /// The scheduled prompts.
    CronList(CronListOutput) by view = "CronList";
    /// A part of a file was replaced.
    Edit(Box<EditOutput>) by view = "Edit";
    /// Plan mode was entered.
    EnterPlanMode(EnterPlanModeOutput) by view = "EnterPlanMode";
    /// A worktree was entered.
    EnterWorktree(EnterWorktreeOutput) by view = "EnterWorktree";
    /// The plan was approved.
    ExitPlanMode(ExitPlanModeOutput) by view = "ExitPlanMode";
    /// The worktree was left.
    ExitWorktree(Box<ExitWorktreeOutput>) by view = "ExitWorktree";
    /// Files found by name.
    Glob(GlobOutput) by view = "Glob";
    /// Text found in files.
    Grep(Box<GrepOutput>) by view = "Grep";
    /// The resources of MCP servers.
    ListMcpResources(Vec<McpResource>) by Json::view = "ListMcpResources" | "ListMcpResourcesTool";
    /// A monitor was started.
    Monitor(MonitorOutput) by view = "Monitor";
    /// A cell of a notebook was edited.
    NotebookEdit(Box<NotebookEditOutput>) by view = "NotebookEdit";
    /// The content of a file.
    Read(ReadOutput) by Json::view = "Read";
    /// A resource of an MCP server.
    ReadMcpResource(ReadMcpResourceOutput) by view = "ReadMcpResource" | "ReadMcpResourceTool";
    /// The content of a directory of an MCP server.
    ReadMcpResourceDir(ReadMcpResourceDirOutput) by view = "ReadMcpResourceDir" | "ReadMcpResourceDirTool";
    /// A skill was loaded.
    Skill(SkillOutput) by view = "Skill";
    /// A task was created.
    TaskCreate(TaskCreateOutput) by view = "TaskCreate";
    /// A task.
    TaskGet(Box<TaskGetOutput>) by view = "TaskGet";
    /// All tasks.
    TaskList(TaskListOutput) by view = "TaskList";
    /// A background task was stopped.
    TaskStop(TaskStopOutput) by view = "TaskStop";
    /// A task was updated.
    TaskUpdate(Box<TaskUpdateOutput>) by view = "TaskUpdate";
    /// The todo list was written.
    TodoWrite(TodoWriteOutput) by view = "TodoWrite";
    /// Tools found by a search.
    ToolSearch(ToolSearchOutput) by view = "ToolSearch";
    /// The answer from a web page.
    WebFetch(Box<WebFetchOutput>) by view = "WebFetch";
    /// The results of a web search.
    WebSearch(WebSearchOutput) by view = "WebSearch";
    /// A workflow was started.
    Workflow(Box<WorkflowOutput>) by view = "Workflow";
    /// A file was written.
    Write(Box<WriteOutput>) by view = "Write";
}
