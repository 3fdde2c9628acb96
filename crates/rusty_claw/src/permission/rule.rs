//! What a rule of a policy is about.

use std::fmt;
use std::sync::Arc;

use rusty_claw_protocol::tool::ToolView;

use super::PermissionAsk;
use super::glob::{PathGlob, PlainPath};
use super::shell::{CommandPattern, Script};

/// Which tool calls a rule is about.
///
/// A rule looks at typed inputs, never at their text. What it cannot read it does not guess: such
/// a call matches no rule that allows, and every rule that denies or asks and could be meant.
///
/// ```
/// use rusty_claw::permission::{Policy, Rule};
///
/// let policy = Policy::new()
///     .working_in("/home/me/project")
///     .deny(Rule::path("**/.env"))
///     .allow(Rule::tool("Edit").at("src/**"))
///     .allow(Rule::mcp_server("issues"))
///     .allow(Rule::command("git log").or_command("git diff"));
/// # let _ = policy;
/// ```
#[derive(Clone)]
pub struct Rule {
    calls: Calls,
    paths: Vec<PathGlob>,
    commands: Vec<CommandPattern>,
}

#[derive(Clone)]
enum Calls {
    Any,
    Tools(Vec<String>),
    Server(String),
    ReadOnly,
    When(Arc<Predicate>),
}

type Predicate = dyn Fn(&PermissionAsk) -> bool + Send + Sync;

/// How well something fits a rule; in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    Perhaps,
    Yes,
}

impl From<bool> for Fit {
    fn from(fits: bool) -> Self {
        if fits { Self::Yes } else { Self::No }
    }
}

/// Tools that look at what is on this machine and change nothing. Those that reach the network are
/// not among them: a request can carry away what was read.
const READ_ONLY: &[&str] = &[
    "BashOutput",
    "CronList",
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "Read",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "ToolSearch",
];

impl Rule {
    fn of(calls: Calls) -> Self {
        Self {
            calls,
            paths: Vec::new(),
            commands: Vec::new(),
        }
    }

    /// Every call.
    pub fn any() -> Self {
        Self::of(Calls::Any)
    }

    /// Every call of one tool. `mcp__server` means every tool of that server, as it does for the
    /// CLI.
    pub fn tool(name: impl Into<String>) -> Self {
        Self::tools([name])
    }

    /// Every call of some tools.
    pub fn tools<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::of(Calls::Tools(names.into_iter().map(Into::into).collect()))
    }

    /// Every tool of one MCP server.
    pub fn mcp_server(name: impl Into<String>) -> Self {
        Self::of(Calls::Server(name.into()))
    }

    /// The built-in tools that look at files, folders and tasks of this machine and change
    /// nothing. No shell command is among them, nor anything that reaches the network.
    pub fn read_only() -> Self {
        Self::of(Calls::ReadOnly)
    }

    /// File tools on paths that match a pattern: `*` and `?` within a name, `**` across folders.
    ///
    /// A pattern begins with `/` or `**/`, or else at [`Policy::working_in`]. Paths are compared
    /// by their text after `.` and `..` are resolved; links are not followed. Shell commands are
    /// not looked at.
    ///
    /// [`Policy::working_in`]: super::Policy::working_in
    pub fn path(pattern: &str) -> Self {
        Self::any().at(pattern)
    }

    /// Shell commands that begin with these words: `git log` means `git log --oneline` too.
    ///
    /// A rule that allows matches a command line only when every command in it is meant, each
    /// spelled as here, without variables, nested commands, variables set in front, or files read
    /// and written by redirection. A rule that denies matches when one of them is, or could be:
    /// behind a folder (`/bin/rm`), with options in between (`git -C x push`), in the hands of
    /// another program (`sudo`, `xargs`, `sh -c`), or in something that cannot be read.
    ///
    /// The words after these are free. So allow programs whose options you trust, and deny
    /// programs rather than options: `rm -rf` can be spelled in many ways.
    pub fn command(words: &str) -> Self {
        Self::any().or_command(words)
    }

    /// Shell commands of exactly these words.
    pub fn command_exactly(words: &str) -> Self {
        Self {
            commands: vec![CommandPattern::exactly(words)],
            ..Self::any()
        }
    }

    /// Whatever a function says. It must be quick: it runs before every answer.
    pub fn when(predicate: impl Fn(&PermissionAsk) -> bool + Send + Sync + 'static) -> Self {
        Self::of(Calls::When(Arc::new(predicate)))
    }

    /// The same rule, for calls on paths that match this pattern (or one given before): see
    /// [`Rule::path`].
    #[must_use]
    pub fn at(mut self, pattern: &str) -> Self {
        self.paths.push(PathGlob::new(pattern));
        self
    }

    /// The same rule, for these commands too: see [`Rule::command`].
    #[must_use]
    pub fn or_command(mut self, words: &str) -> Self {
        self.commands.push(CommandPattern::starting(words));
        self
    }

    /// How well a call fits.
    pub(super) fn fit(&self, ask: &PermissionAsk, folder: Option<&PlainPath>) -> Fit {
        let mut fit = self.calls.fit(ask);
        if fit != Fit::No && !self.paths.is_empty() {
            fit = fit.min(self.fit_paths(ask, folder));
        }
        if fit != Fit::No && !self.commands.is_empty() {
            fit = fit.min(self.fit_command(ask));
        }
        fit
    }

    fn fit_paths(&self, ask: &PermissionAsk, folder: Option<&PlainPath>) -> Fit {
        let target = match Target::of(ask) {
            Target::None => return Fit::No,
            Target::Unclear => return Fit::Perhaps,
            target => target,
        };
        let fit = |glob: &PathGlob| target.fit(glob, folder);
        self.paths.iter().map(fit).max().unwrap_or(Fit::No)
    }

    fn fit_command(&self, ask: &PermissionAsk) -> Fit {
        match ask.tool() {
            ToolView::Bash(bash) => {
                let fit = Script::read(&bash.command).fit(&self.commands);
                // No rule speaks of leaving the sandbox.
                if bash.dangerously_disable_sandbox == Some(true) {
                    fit.min(Fit::Perhaps)
                } else {
                    fit
                }
            }
            ToolView::Monitor(monitor) => match &monitor.command {
                Some(command) => Script::read(command).fit(&self.commands),
                None => Fit::No,
            },
            ToolView::Other => match ask.input().get("command").and_then(|c| c.to_text()) {
                // A shell that this library does not know.
                Some(command) => Script::read(&command).fit(&self.commands).min(Fit::Perhaps),
                None if ask.tool_name() == "Bash" => Fit::Perhaps,
                None => Fit::No,
            },
            _ => Fit::No,
        }
    }
}

impl Calls {
    fn fit(&self, ask: &PermissionAsk) -> Fit {
        match self {
            Self::Any => Fit::Yes,
            Self::Tools(names) => names.iter().any(|name| is_tool(ask, name)).into(),
            Self::Server(server) => (ask.mcp_server() == Some(server)).into(),
            Self::ReadOnly if !READ_ONLY.contains(&ask.tool_name()) => Fit::No,
            Self::ReadOnly if ask.tool() == ToolView::Other => Fit::Perhaps,
            Self::ReadOnly => Fit::Yes,
            Self::When(predicate) => predicate(ask).into(),
        }
    }
}

/// Whether a rule's name means the tool of a call.
fn is_tool(ask: &PermissionAsk, name: &str) -> bool {
    let server = |name: &str| {
        let server = name.strip_prefix("mcp__")?;
        Some(server.strip_suffix("__*").unwrap_or(server).to_owned())
    };
    today(name) == today(ask.tool_name())
        || server(name).is_some_and(|server| ask.mcp_server() == Some(&server))
}

/// The name that a tool has today. The CLI still says some of the old ones.
fn today(name: &str) -> &str {
    match name {
        "Task" => "Agent",
        "KillBash" => "KillShell",
        "ListMcpResourcesTool" => "ListMcpResources",
        "ReadMcpResourceTool" => "ReadMcpResource",
        "ReadMcpResourceDirTool" => "ReadMcpResourceDir",
        name => name,
    }
}

/// Where on the disk a call works.
enum Target {
    /// Nowhere.
    None,
    /// Somewhere; where cannot be told.
    Unclear,
    File(String),
    /// In a folder and all below it; the working folder when absent.
    Folder(Option<String>),
}

impl Target {
    fn of(ask: &PermissionAsk) -> Self {
        let folder = |path: Option<&str>| Self::Folder(path.map(str::to_owned));
        match ask.tool() {
            ToolView::Read(input) => Self::File(input.file_path.into()),
            ToolView::Write(input) => Self::File(input.file_path.into()),
            ToolView::Edit(input) => Self::File(input.file_path.into()),
            ToolView::MultiEdit(input) => Self::File(input.file_path.into()),
            ToolView::NotebookEdit(input) => Self::File(input.notebook_path.into()),
            ToolView::NotebookRead(input) => Self::File(input.notebook_path.into()),
            ToolView::Ls(input) => folder(Some(&input.path)),
            ToolView::Grep(input) => folder(input.path.as_deref()),
            // A pattern can lead out of its folder.
            ToolView::Glob(input)
                if input.pattern.contains("..") || input.pattern.starts_with(['/', '~']) =>
            {
                Self::Unclear
            }
            ToolView::Glob(input) => folder(input.path.as_deref()),
            ToolView::Other
                if matches!(
                    ask.tool_name(),
                    "Read"
                        | "Write"
                        | "Edit"
                        | "MultiEdit"
                        | "NotebookEdit"
                        | "NotebookRead"
                        | "LS"
                        | "Grep"
                        | "Glob"
                ) =>
            {
                Self::Unclear
            }
            _ => Self::None,
        }
    }

    fn fit(&self, glob: &PathGlob, folder: Option<&PlainPath>) -> Fit {
        let (path, whole_folder) = match self {
            Self::None => return Fit::No,
            Self::Unclear => return Fit::Perhaps,
            Self::File(path) => (PlainPath::new(path, folder), false),
            Self::Folder(Some(path)) => (PlainPath::new(path, folder), true),
            Self::Folder(None) => (folder.cloned(), true),
        };
        let resolved = match folder {
            Some(folder) if !glob.is_absolute() => Some(glob.below(folder)),
            _ if glob.is_absolute() => Some(glob.clone()),
            _ => None,
        };
        match (path, resolved) {
            (Some(path), Some(glob)) if !glob.is_unreadable() => {
                if glob.matches(&path) && (!whole_folder || glob.covers_below()) {
                    Fit::Yes
                } else if glob.matches(&path) || whole_folder && glob.reaches_below(&path) {
                    Fit::Perhaps
                } else {
                    Fit::No
                }
            }
            _ => Fit::Perhaps,
        }
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rule = f.debug_struct("Rule");
        match &self.calls {
            Calls::Any => {}
            Calls::Tools(names) => {
                rule.field("tools", names);
            }
            Calls::Server(server) => {
                rule.field("mcp_server", server);
            }
            Calls::ReadOnly => {
                rule.field("read_only", &true);
            }
            Calls::When(_) => {
                rule.field("when", &"a function");
            }
        }
        if !self.paths.is_empty() {
            rule.field("paths", &self.paths);
        }
        if !self.commands.is_empty() {
            rule.field("commands", &self.commands);
        }
        rule.finish()
    }
}
