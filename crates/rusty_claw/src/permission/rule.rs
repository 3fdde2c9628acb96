//! What a rule of a policy is about.

use std::fmt;
use std::sync::Arc;

use rusty_claw_protocol::tool::ToolView;

use super::PermissionAsk;
use super::glob::PathGlob;
use super::path::Surroundings;
use super::shell::{Budget, CommandRule, Script};
use super::target::Target;

/// Which tool calls a rule is about.
///
/// A rule looks at typed inputs, never at their text. What it cannot read it does not guess: such
/// a call matches no rule that allows, and a rule that denies or asks when it could be meant.
///
/// Trust what you allow, not what you deny: an allow needs certainty, so what a rule does not
/// understand stays forbidden or asked about. A deny can only match what it can see. Names are
/// compared exactly where a rule allows, and without regard to case where it denies or asks.
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
    commands: Vec<CommandRule>,
}

#[derive(Clone)]
enum Calls {
    Any,
    /// None but the shell commands of the rule.
    Commands,
    Tools(Vec<String>),
    Server(String),
    ReadOnly {
        anywhere: bool,
    },
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
    ///
    /// Where the CLI does not say which server a tool belongs to, its name must: a rule allows
    /// `mcp__calc__add` then, and not `mcp__calc__add__all`, which a server named `calc__add` could
    /// have too. A rule that denies takes both.
    pub fn mcp_server(name: impl Into<String>) -> Self {
        Self::of(Calls::Server(name.into()))
    }

    /// The built-in tools that look at files, folders and tasks of this machine and change
    /// nothing, on paths in [`Policy::working_in`] (or where [`Rule::at`] says). No shell command
    /// is among them, nor anything that reaches the network.
    ///
    /// The CLI does not ask about most reads in its own folder; what it asks about is mostly
    /// elsewhere, and so for somebody to decide. Without [`Policy::working_in`] no file is allowed
    /// by this rule.
    ///
    /// [`Policy::working_in`]: super::Policy::working_in
    pub fn read_only() -> Self {
        Self::of(Calls::ReadOnly { anywhere: false })
    }

    /// The tools of [`Rule::read_only`] on the whole machine: keys, passwords and other people's
    /// files too, as far as the process may read them. What was read goes to the model.
    pub fn read_only_anywhere() -> Self {
        Self::of(Calls::ReadOnly { anywhere: true })
    }

    /// File tools on paths that match a pattern: `*` and `?` within a name, `**` across folders.
    ///
    /// A pattern begins with `/`, `**/` or `~/` ([`Policy::home`]), or else at
    /// [`Policy::working_in`]. Paths are compared by their text after `.` and `..` are resolved.
    /// Brackets and braces are letters in a pattern without stars (`app/[id]/page.tsx`); with stars
    /// they allow nothing. To deny, either may mean anything.
    ///
    /// To allow a call, three more must match: the path that the CLI says it is about, if it says
    /// one; the file that the path leads to, with links followed and `..` taken from there, as far
    /// as it exists on this machine; and a folder that is searched must match with all below it. A pattern outside of the working folder
    /// must be written without links. Between the answer and the call a link can be changed by
    /// whoever may write there.
    ///
    /// Wildcards do not allow writes to paths that can make other programs run code or change their
    /// settings: `.git`, `.claude`, `.vscode`, `.idea`, `.mcp.json`, `.envrc`, shell startup files
    /// and others, in any folder and letter case. A pattern that names such a path before its first
    /// wildcard or after its last one allows it: `.claude/**`, `**/.envrc`.
    ///
    /// To deny it is enough that one of them matches, or could. That includes other tools that are
    /// given a path: those of the CLI by their inputs, and those of MCP servers by the names of
    /// their inputs (`path`, `file…`, `dir…`), whatever path it is. Shell commands are not looked
    /// at, except for the path that the CLI says they are about.
    ///
    /// [`Policy::working_in`]: super::Policy::working_in
    /// [`Policy::home`]: super::Policy::home
    pub fn path(pattern: &str) -> Self {
        Self::any().at(pattern)
    }

    /// Shell commands that begin with these words: `git log` means `git log --oneline` too.
    ///
    /// A rule that allows matches a command line only if it consists of simple commands with plain
    /// words, joined by `&&`, `||`, `;`, `|` and line ends, and the rule covers each command.
    /// Variables, nested commands, here-documents, assignments before a command, redirections to
    /// files, background jobs and control words are not covered. The exceptions have a known
    /// result: `"$(cat <<'E' … E )"`, `"$?"`, `< file`, and harmless variables such as
    /// `RUST_LOG=x`.
    ///
    /// For modelled programs, further arguments are allowed if they select what the program reads,
    /// or name files of the project for a program that writes, such as `cp`. Arguments that run
    /// other programs, write other files, choose other code or destroy work are not allowed
    /// (`git log --output=x`, `find -exec`, `npm test /tmp/x.js`, `git checkout .`).
    /// For other programs only the words of the rule are allowed. A rule for a program that runs
    /// others must name the other program: `timeout 60 cargo test`, not `timeout`; `python3 -m
    /// pytest`, not `python3`. The words of the rule itself are always allowed. `cargo test` still
    /// runs the code of the project. [`rules`](super::rules) are matched in the same way.
    ///
    /// Commands whose effect depends on files, such as `git add x`, `git checkout x` and all that
    /// write (`cp a b`), need [`Policy::working_in`](super::Policy::working_in). `cd` is allowed to
    /// that folder only, because the CLI keeps the working directory for the next command line.
    ///
    /// A rule that denies matches when one of them is meant, or could be: behind a folder
    /// (`/bin/rm`), with options in between (`git -C x push`), as an argument of any program that
    /// is not known to run nothing, in a script for a shell, in something that cannot be read, and
    /// whenever a shell or an interpreter takes its code from an argument that cannot be read, from
    /// a file for shells, or from its input.
    ///
    /// # What it cannot see
    /// A deny is a net, not a wall. It does not see what a program, a build tool or a script in a
    /// file runs (`make`, `npm test`, `./x`, `python x.py`), a name that is put together inside
    /// of an argument, a program under another name, or another program that does the same
    /// (`find -delete` for `rm`). Allow what you know and leave the rest to a person; for what
    /// must never happen, use a sandbox. Deny programs rather than options: `rm -rf` can be
    /// spelled in many ways.
    pub fn command(words: &str) -> Self {
        Self::of(Calls::Commands).or_command(words)
    }

    /// Shell commands of exactly these words.
    pub fn command_exactly(words: &str) -> Self {
        Self::of(Calls::Commands).or_command_exactly(words)
    }

    /// Whatever a function says. It must be quick: it runs before every answer.
    pub fn when(predicate: impl Fn(&PermissionAsk) -> bool + Send + Sync + 'static) -> Self {
        Self::of(Calls::When(Arc::new(predicate)))
    }

    /// The same rule, for calls on paths that match this pattern (or one given before): see
    /// [`Rule::path`]. To a rule about commands it adds [`Rule::path`]: it says nothing about
    /// where the commands work.
    #[must_use]
    pub fn at(mut self, pattern: &str) -> Self {
        if matches!(self.calls, Calls::Commands) {
            self.calls = Calls::Any;
        }
        // What begins with `**` means any folder, and not only those where work is done.
        self.paths.push(match pattern.starts_with("**") {
            true => PathGlob::new(&format!("/{pattern}")),
            false => PathGlob::new(pattern),
        });
        self
    }

    /// The same rule, and these commands too: see [`Rule::command`].
    ///
    /// A rule that has commands allows no others: `Rule::tool("Bash").or_command("ls")` allows
    /// `ls`, and denies every command.
    #[must_use]
    pub fn or_command(mut self, words: &str) -> Self {
        self.commands.push(CommandRule::starting(words));
        self
    }

    /// The same rule, and commands of exactly these words too: see [`Rule::command_exactly`].
    #[must_use]
    pub fn or_command_exactly(mut self, words: &str) -> Self {
        self.commands.push(CommandRule::exactly(words));
        self
    }

    /// How well a call matches. Results below `least` are not distinguished.
    pub(super) fn fit(
        &self,
        ask: &PermissionAsk,
        surroundings: &Surroundings,
        least: Fit,
        budget: &Budget,
    ) -> Fit {
        let mut fit = self.calls.fit(ask);
        if fit != Fit::No && !self.paths.is_empty() {
            fit = fit.min(fit_paths(&self.paths, ask, surroundings));
        } else if let Calls::ReadOnly { anywhere: false } = self.calls {
            fit = fit.min(fit_within(ask, surroundings));
        }
        if self.commands.is_empty() {
            return fit;
        }
        match self.fit_command(ask, surroundings, least, budget) {
            Some(command) => command.max(fit.min(Fit::Perhaps)),
            None => fit,
        }
    }

    /// How well the commands fit; `None` for what is no shell command.
    fn fit_command(
        &self,
        ask: &PermissionAsk,
        surroundings: &Surroundings,
        least: Fit,
        budget: &Budget,
    ) -> Option<Fit> {
        let fit = |command: &str| match budget.spend(command.len()) {
            true => Script::read(command).fit(&self.commands, surroundings, least, budget),
            // If the budget is exhausted, the command could be anything.
            false => Fit::Perhaps,
        };
        match ask.tool() {
            ToolView::Bash(bash) => {
                let fit = fit(&bash.command);
                // No rule speaks of leaving the sandbox.
                if bash.dangerously_disable_sandbox == Some(true) {
                    Some(fit.min(Fit::Perhaps))
                } else {
                    Some(fit)
                }
            }
            ToolView::Monitor(monitor) => {
                let command = monitor.command.as_deref()?;
                Some(fit(command))
            }
            ToolView::Other => match ask.input().get("command").and_then(|c| c.to_text()) {
                // A shell that this library does not know.
                Some(command) => Some(fit(&command).min(Fit::Perhaps)),
                None if ask.tool_name().eq_ignore_ascii_case("Bash") => Some(Fit::Perhaps),
                None => None,
            },
            _ => None,
        }
    }
}

/// How well the paths of a call fit one of these patterns.
fn fit_paths(globs: &[PathGlob], ask: &PermissionAsk, surroundings: &Surroundings) -> Fit {
    let writes = !only_reads(ask.tool_name());
    let fit = |target: &Target| target.fit(globs, surroundings, writes);
    let targets: Vec<Fit> = Target::of(ask).iter().map(fit).collect();
    // What the CLI says the call is about counts against a call, and never alone for it.
    let named = ask
        .blocked_path()
        .map(|path| fit(&Target::File(path.to_owned())));
    let all = targets.iter().chain(&named);
    match (all.clone().min(), all.max()) {
        (Some(Fit::Yes), _) if !targets.is_empty() => Fit::Yes,
        (_, Some(Fit::Yes | Fit::Perhaps)) => Fit::Perhaps,
        _ => Fit::No,
    }
}

/// Whether a call stays in the working folder. One that says nothing about paths does.
fn fit_within(ask: &PermissionAsk, surroundings: &Surroundings) -> Fit {
    if Target::of(ask).is_empty() && ask.blocked_path().is_none() {
        return Fit::Yes;
    }
    fit_paths(&[PathGlob::all_in_folder()], ask, surroundings).max(Fit::Perhaps)
}

impl Calls {
    fn fit(&self, ask: &PermissionAsk) -> Fit {
        match self {
            Self::Any => Fit::Yes,
            Self::Commands => Fit::No,
            Self::Tools(names) => {
                let fits = names.iter().map(|name| fit_tool(ask, name));
                fits.max().unwrap_or(Fit::No)
            }
            Self::Server(server) => fit_server(ask, server),
            Self::ReadOnly { .. } => {
                let name = ask.tool_name();
                if READ_ONLY.contains(&name) && ask.tool() != ToolView::Other {
                    Fit::Yes
                } else if READ_ONLY.iter().any(|known| same_name(known, name)) {
                    Fit::Perhaps
                } else {
                    Fit::No
                }
            }
            Self::When(predicate) => predicate(ask).into(),
        }
    }
}

/// Returns whether a tool is known not to change files.
pub(super) fn only_reads(tool: &str) -> bool {
    READ_ONLY.contains(&tool)
}

fn same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// How well a rule's name means the tool of a call.
fn fit_tool(ask: &PermissionAsk, name: &str) -> Fit {
    let tool = ask.tool_name();
    let whole = if today(name) == today(tool) {
        Fit::Yes
    } else if same_name(today(name), today(tool)) || same_name(name, tool) {
        Fit::Perhaps
    } else {
        Fit::No
    };
    let server = name.strip_prefix("mcp__").map_or(Fit::No, |server| {
        fit_server(ask, server.strip_suffix("__*").unwrap_or(server))
    });
    whole.max(server)
}

/// How well the name of an MCP server means that of a call's tool.
fn fit_server(ask: &PermissionAsk, server: &str) -> Fit {
    let tool = ask.tool_name();
    let said = ask.request().mcp_server.as_ref();
    // In `mcp__a__b__c` nobody can tell where the server ends.
    let clear = || {
        let rest = tool.strip_prefix("mcp__").unwrap_or_default();
        rest.as_bytes()
            .windows(2)
            .filter(|two| two == b"__")
            .count()
            == 1
    };
    if ask.mcp_server() == Some(server) && (said.is_some() || clear()) {
        return Fit::Yes;
    }
    let begin = format!("mcp__{}__", normalized(server));
    let said = said.is_some_and(|said| normalized(&said.name) == normalized(server));
    if said || tool.to_lowercase().starts_with(&begin) {
        Fit::Perhaps
    } else {
        Fit::No
    }
}

/// The name of a server as it stands in the names of its tools, in small letters.
fn normalized(server: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let fitted = server.chars().map(|c| if plain(c) { c } else { '_' });
    fitted.collect::<String>().to_lowercase()
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

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rule = f.debug_struct("Rule");
        match &self.calls {
            Calls::Any | Calls::Commands => {}
            Calls::Tools(names) => {
                rule.field("tools", names);
            }
            Calls::Server(server) => {
                rule.field("mcp_server", server);
            }
            Calls::ReadOnly { anywhere } => {
                rule.field("read_only", &true).field("anywhere", anywhere);
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
