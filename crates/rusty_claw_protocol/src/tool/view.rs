//! A tool call, by what its tool takes.

use crate::json::Json;
use crate::text::Str;
use crate::tool::*;
use crate::wire::{Shape, Wire};

/// Declares the enum and the table of names from one list.
macro_rules! views {
    ($($(#[$doc:meta])* $variant:ident($input:ty) = $($name:literal)|+;)+) => {
        /// The input of a tool call, in the shape of that tool.
        ///
        /// It is a view: the input itself stays the truth. There is a view only when the tool is
        /// known and the input has every member that the tool requires, so that a check which
        /// looks at a view never looks at a value that was made up.
        ///
        /// ```
        /// use rusty_claw_protocol::Json;
        /// use rusty_claw_protocol::tool::ToolView;
        ///
        /// let input = Json::from_text(r#"{"command":"ls","timeout":5000}"#)?;
        /// let ToolView::Bash(bash) = ToolView::of("Bash", &input) else { panic!() };
        /// assert_eq!((bash.command.as_str(), bash.timeout), ("ls", Some(5000)));
        /// assert_eq!(ToolView::of("Bash", &Json::NULL), ToolView::Other);
        /// # Ok::<(), rusty_claw_protocol::DecodeError>(())
        /// ```
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum ToolView {
            $($(#[$doc])* $variant($input),)+
            /// A tool of an MCP server.
            Mcp {
                /// The server.
                server: Str,
                /// The tool, as the server calls it.
                tool: Str,
                /// The input, in the shape that the server asks for.
                input: Json,
            },
            /// A tool that is new to this library, or an input that its tool would refuse.
            Other,
        }

        /// What each input looks like, for the reference page.
        pub(crate) fn input_shapes() -> Vec<&'static Shape> {
            [$(<$input as Wire>::shape()),+].into_iter().flatten().collect()
        }

        impl ToolView {
            /// The view as JSON: what the typed fields hold. `None` when there is no view.
            pub fn to_json(&self) -> Option<Json> {
                match self {
                    $(Self::$variant(input) => Json::from_serialize(input).ok(),)+
                    Self::Mcp { input, .. } => Some(input.clone()),
                    Self::Other => None,
                }
            }

            /// Looks at the input of a call of the named tool.
            pub fn of(name: &str, input: &Json) -> Self {
                if let Some((server, tool)) = mcp_tool(name) {
                    return Self::Mcp {
                        server: Str::from(server),
                        tool: Str::from(tool),
                        input: input.clone(),
                    };
                }
                // Leniency: the CLI writes `Bash`, one document `bash`.
                $(if [$($name),+].iter().any(|known| known.eq_ignore_ascii_case(name)) {
                    return view(input).map_or(Self::Other, Self::$variant);
                })+
                Self::Other
            }
        }
    };
}

views! {
    /// Starts a subagent. `Task` in older versions, and in the list of tools still.
    Agent(Box<AgentInput>) = "Agent" | "Task";
    /// Publishes pages.
    Artifact(Box<ArtifactInput>) = "Artifact";
    /// Asks the user.
    AskUserQuestion(Box<AskUserQuestionInput>) = "AskUserQuestion";
    /// Runs a shell command.
    Bash(BashInput) = "Bash";
    /// Reads what a background command has printed.
    BashOutput(BashOutputInput) = "BashOutput";
    /// Works with a design tool.
    ClaudeDesign(ClaudeDesignInput) = "ClaudeDesign";
    /// Schedules a prompt.
    CronCreate(CronCreateInput) = "CronCreate";
    /// Removes a scheduled prompt.
    CronDelete(CronDeleteInput) = "CronDelete";
    /// Lists the scheduled prompts.
    CronList(NoInput) = "CronList";
    /// Replaces a piece of a file.
    Edit(EditInput) = "Edit";
    /// Begins to plan.
    EnterPlanMode(NoInput) = "EnterPlanMode";
    /// Goes to work in a worktree.
    EnterWorktree(EnterWorktreeInput) = "EnterWorktree";
    /// Shows the plan.
    ExitPlanMode(ExitPlanModeInput) = "ExitPlanMode";
    /// Comes back from a worktree.
    ExitWorktree(ExitWorktreeInput) = "ExitWorktree";
    /// Finds files by name.
    Glob(GlobInput) = "Glob";
    /// Finds text in files.
    Grep(Box<GrepInput>) = "Grep";
    /// Stops a background command.
    KillShell(KillShellInput) = "KillShell" | "KillBash";
    /// Lists what MCP servers have to read.
    ListMcpResources(ListMcpResourcesInput) = "ListMcpResources" | "ListMcpResourcesTool";
    /// Lists a folder.
    Ls(LsInput) = "LS";
    /// Watches something.
    Monitor(Box<MonitorInput>) = "Monitor";
    /// Replaces several pieces of a file.
    MultiEdit(MultiEditInput) = "MultiEdit";
    /// Changes a cell of a notebook.
    NotebookEdit(Box<NotebookEditInput>) = "NotebookEdit";
    /// Reads a notebook.
    NotebookRead(NotebookReadInput) = "NotebookRead";
    /// Offers to set up the browser.
    OfferChromeSetup(OfferChromeSetupInput) = "OfferChromeSetup";
    /// Works with the documents of a project kept elsewhere.
    Projects(Box<ProjectsInput>) = "Projects";
    /// Proposes a goal.
    ProposeGoal(ProposeGoalInput) = "ProposeGoal";
    /// Proposes skills.
    ProposeSkills(ProposeSkillsInput) = "ProposeSkills";
    /// Sends the user a notice.
    PushNotification(PushNotificationInput) = "PushNotification";
    /// Reads a file.
    Read(ReadInput) = "Read";
    /// Reads something that an MCP server has.
    ReadMcpResource(ReadMcpResourceInput) = "ReadMcpResource" | "ReadMcpResourceTool";
    /// Lists a folder that an MCP server has.
    ReadMcpResourceDir(ReadMcpResourceInput) = "ReadMcpResourceDir" | "ReadMcpResourceDirTool";
    /// Reads the notices that wait.
    ReadNotifications(NoInput) = "ReadNotifications";
    /// Asks MCP servers again which tools they have.
    RefreshMcpTools(RefreshMcpToolsInput) = "RefreshMcpTools";
    /// Manages agents that run elsewhere.
    RemoteTrigger(Box<RemoteTriggerInput>) = "RemoteTrigger";
    /// Reports what a review found.
    ReportFindings(ReportFindingsInput) = "ReportFindings";
    /// Wakes the model up later.
    ScheduleWakeup(ScheduleWakeupInput) = "ScheduleWakeup";
    /// Sends feedback to the vendor.
    SendFeedback(Box<SendFeedbackInput>) = "SendFeedback";
    /// Asks the user what they do.
    ShowOnboardingRolePicker(NoInput) = "ShowOnboardingRolePicker";
    /// Loads a skill.
    Skill(SkillInput) = "Skill";
    /// Runs a slash command.
    SlashCommand(SlashCommandInput) = "SlashCommand";
    /// Puts a task on the list.
    TaskCreate(TaskCreateInput) = "TaskCreate";
    /// Reads a task.
    TaskGet(TaskGetInput) = "TaskGet";
    /// Lists the tasks.
    TaskList(NoInput) = "TaskList";
    /// Reads what a background task has to say.
    TaskOutput(TaskOutputInput) = "TaskOutput";
    /// Stops what runs in the background.
    TaskStop(TaskStopInput) = "TaskStop";
    /// Changes a task.
    TaskUpdate(Box<TaskUpdateInput>) = "TaskUpdate";
    /// Writes the list of things to do.
    TodoWrite(TodoWriteInput) = "TodoWrite";
    /// Looks for tools that are not loaded yet.
    ToolSearch(ToolSearchInput) = "ToolSearch";
    /// Reads a web page.
    WebFetch(WebFetchInput) = "WebFetch";
    /// Searches the web.
    WebSearch(WebSearchInput) = "WebSearch";
    /// Runs a script that drives several agents.
    Workflow(Box<WorkflowInput>) = "Workflow";
    /// Writes a whole file.
    Write(WriteInput) = "Write";
}
