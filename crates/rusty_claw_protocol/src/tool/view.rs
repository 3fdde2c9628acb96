//! Typed views of tool inputs.

use crate::json::Json;
use crate::text::Str;
use crate::tool::*;

/// Declares the enum and the table of names from a single list.
macro_rules! views {
    ($($(#[$doc:meta])* $variant:ident($input:ty) = $($name:literal)|+;)+) => {
        /// The input of a tool call, in the shape of the tool.
        ///
        /// It is a view: the input itself is authoritative. There is a view only if the tool is
        /// known and the input has every required member, so that a check on a view never sees a
        /// made-up value.
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
                /// The server's name.
                server: Str,
                /// The tool's name on the server.
                tool: Str,
                /// The input, in the shape that the server defines.
                input: Json,
            },
            /// An unrecognized tool, or an input that the tool would reject.
            Other,
        }

        /// Returns the shapes of all inputs, for the reference page.
        #[cfg(feature = "shapes")]
        pub(crate) fn input_shapes() -> Vec<&'static crate::wire::Shape> {
            [$(<$input as crate::wire::Wire>::shape()),+].into_iter().flatten().collect()
        }

        impl ToolView {
            /// Returns the typed fields as JSON, or `None` if there is no view.
            pub fn to_json(&self) -> Option<Json> {
                match self {
                    $(Self::$variant(input) => Json::from_serialize(input).ok(),)+
                    Self::Mcp { input, .. } => Some(input.clone()),
                    Self::Other => None,
                }
            }

            /// Returns the view of the input of a call of the named tool.
            pub fn of(name: &str, input: &Json) -> Self {
                if let Some((server, tool)) = mcp_tool(name) {
                    return Self::Mcp {
                        server: Str::from(server),
                        tool: Str::from(tool),
                        input: input.clone(),
                    };
                }
                // Leniency: `Bash` in the CLI, `bash` in one document.
                $(if [$($name),+].iter().any(|known| known.eq_ignore_ascii_case(name)) {
                    return view(input).map_or(Self::Other, Self::$variant);
                })+
                Self::Other
            }
        }
    };
}

views! {
    /// Starts a subagent. `Task` in older versions, and still in the list of tools.
    Agent(Box<AgentInput>) = "Agent" | "Task";
    /// Publishes pages.
    Artifact(Box<ArtifactInput>) = "Artifact";
    /// Asks the user questions.
    AskUserQuestion(Box<AskUserQuestionInput>) = "AskUserQuestion";
    /// Runs a shell command.
    Bash(BashInput) = "Bash";
    /// Reads the output of a background command.
    BashOutput(BashOutputInput) = "BashOutput";
    /// Uses a design tool.
    ClaudeDesign(ClaudeDesignInput) = "ClaudeDesign";
    /// Schedules a prompt.
    CronCreate(CronCreateInput) = "CronCreate";
    /// Removes a scheduled prompt.
    CronDelete(CronDeleteInput) = "CronDelete";
    /// Lists the scheduled prompts.
    CronList(NoInput) = "CronList";
    /// Replaces a part of a file.
    Edit(EditInput) = "Edit";
    /// Enters plan mode.
    EnterPlanMode(NoInput) = "EnterPlanMode";
    /// Enters a worktree.
    EnterWorktree(EnterWorktreeInput) = "EnterWorktree";
    /// Presents the plan.
    ExitPlanMode(ExitPlanModeInput) = "ExitPlanMode";
    /// Leaves a worktree.
    ExitWorktree(ExitWorktreeInput) = "ExitWorktree";
    /// Finds files by name.
    Glob(GlobInput) = "Glob";
    /// Finds text in files.
    Grep(Box<GrepInput>) = "Grep";
    /// Stops a background command.
    KillShell(KillShellInput) = "KillShell" | "KillBash";
    /// Lists the resources of MCP servers.
    ListMcpResources(ListMcpResourcesInput) = "ListMcpResources" | "ListMcpResourcesTool";
    /// Lists a directory.
    Ls(LsInput) = "LS";
    /// Monitors something.
    Monitor(Box<MonitorInput>) = "Monitor";
    /// Replaces several parts of a file.
    MultiEdit(MultiEditInput) = "MultiEdit";
    /// Edits a cell of a notebook.
    NotebookEdit(Box<NotebookEditInput>) = "NotebookEdit";
    /// Reads a notebook.
    NotebookRead(NotebookReadInput) = "NotebookRead";
    /// Offers to set up the browser.
    OfferChromeSetup(OfferChromeSetupInput) = "OfferChromeSetup";
    /// Manages the documents of a remote project.
    Projects(Box<ProjectsInput>) = "Projects";
    /// Proposes a goal.
    ProposeGoal(ProposeGoalInput) = "ProposeGoal";
    /// Proposes skills.
    ProposeSkills(ProposeSkillsInput) = "ProposeSkills";
    /// Sends the user a notification.
    PushNotification(PushNotificationInput) = "PushNotification";
    /// Reads a file.
    Read(ReadInput) = "Read";
    /// Reads a resource of an MCP server.
    ReadMcpResource(ReadMcpResourceInput) = "ReadMcpResource" | "ReadMcpResourceTool";
    /// Lists a directory of an MCP server.
    ReadMcpResourceDir(ReadMcpResourceInput) = "ReadMcpResourceDir" | "ReadMcpResourceDirTool";
    /// Reads pending notifications.
    ReadNotifications(NoInput) = "ReadNotifications";
    /// Refreshes the tools of MCP servers.
    RefreshMcpTools(RefreshMcpToolsInput) = "RefreshMcpTools";
    /// Manages remote agents.
    RemoteTrigger(Box<RemoteTriggerInput>) = "RemoteTrigger";
    /// Reports the findings of a review.
    ReportFindings(ReportFindingsInput) = "ReportFindings";
    /// Schedules a wakeup of the model.
    ScheduleWakeup(ScheduleWakeupInput) = "ScheduleWakeup";
    /// Sends feedback to the vendor.
    SendFeedback(Box<SendFeedbackInput>) = "SendFeedback";
    /// Asks the user for their role.
    ShowOnboardingRolePicker(NoInput) = "ShowOnboardingRolePicker";
    /// Loads a skill.
    Skill(SkillInput) = "Skill";
    /// Runs a slash command.
    SlashCommand(SlashCommandInput) = "SlashCommand";
    /// Creates a task.
    TaskCreate(TaskCreateInput) = "TaskCreate";
    /// Reads a task.
    TaskGet(TaskGetInput) = "TaskGet";
    /// Lists the tasks.
    TaskList(NoInput) = "TaskList";
    /// Reads the output of a background task.
    TaskOutput(TaskOutputInput) = "TaskOutput";
    /// Stops a background task.
    TaskStop(TaskStopInput) = "TaskStop";
    /// Updates a task.
    TaskUpdate(Box<TaskUpdateInput>) = "TaskUpdate";
    /// Writes the todo list.
    TodoWrite(TodoWriteInput) = "TodoWrite";
    /// Searches for tools that are not loaded.
    ToolSearch(ToolSearchInput) = "ToolSearch";
    /// Fetches a web page.
    WebFetch(WebFetchInput) = "WebFetch";
    /// Searches the web.
    WebSearch(WebSearchInput) = "WebSearch";
    /// Runs a script that controls several agents.
    Workflow(Box<WorkflowInput>) = "Workflow";
    /// Writes a whole file.
    Write(WriteInput) = "Write";
}
