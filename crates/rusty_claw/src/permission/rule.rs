//! The rules of a policy.

mod tool_name;

use std::fmt;
use std::sync::Arc;

use rusty_claw_protocol::tool::ToolView;

use self::tool_name::{fit_server, fit_tool};
use super::PermissionAsk;
use super::fit::{Fit, same_name};
use super::glob::PathGlob;
use super::path_context::PathContext;
use super::shell::{Budget, CommandRule, Script};
use super::target::Target;

/// A rule about tool calls.
///
/// A rule looks at typed inputs, never at their text. It does not guess: a call that it cannot
/// interpret matches no allow, and matches a deny or an ask if it could be meant.
///
/// Rely on what you allow, not on what you deny: an allow needs certainty, so what a rule does not
/// understand is denied or asked about. A deny can only match what it can see. Names are compared
/// exactly for an allow, and without regard to case for a deny or an ask.
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
    /// Only the shell commands of the rule.
    Commands,
    Tools(Vec<String>),
    Server(String),
    ReadOnly {
        anywhere: bool,
    },
    When(Arc<Predicate>),
}

type Predicate = dyn Fn(&PermissionAsk) -> bool + Send + Sync;

/// Tools that inspect this machine and change nothing. Tools that use the network are not among
/// them: a request can leak what was read.
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

    /// Every call of one tool. `mcp__server` matches every tool of that server, as in the CLI.
    pub fn tool(name: impl Into<String>) -> Self {
        Self::tools([name])
    }

    /// Every call of some tools.
    pub fn tools<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::of(Calls::Tools(names.into_iter().map(Into::into).collect()))
    }

    /// Every tool of one MCP server.
    ///
    /// If the CLI does not report the server of a tool, it is taken from the tool's name: an allow
    /// then matches `mcp__calc__add`, but not `mcp__calc__add__all`, which could also belong to a
    /// server named `calc__add`. A deny matches both.
    pub fn mcp_server(name: impl Into<String>) -> Self {
        Self::of(Calls::Server(name.into()))
    }

    /// The built-in tools that inspect files, folders and tasks of this machine and change nothing,
    /// on paths in [`Policy::working_in`] (or those of [`Rule::at`]). Shell commands and tools that
    /// use the network are not included.
    ///
    /// The CLI does not ask about most reads in its working directory; its requests are mostly
    /// about other files, so a person should decide. Without [`Policy::working_in`] this rule
    /// allows no file.
    ///
    /// [`Policy::working_in`]: super::Policy::working_in
    pub fn read_only() -> Self {
        Self::of(Calls::ReadOnly { anywhere: false })
    }

    /// The tools of [`Rule::read_only`] on the whole machine, including keys, passwords and other
    /// people's files, as far as the process may read them. The content is sent to the model.
    pub fn read_only_anywhere() -> Self {
        Self::of(Calls::ReadOnly { anywhere: true })
    }

    /// File tools on paths that match a pattern: `*` and `?` within a name, `**` across folders.
    ///
    /// A pattern begins with `/`, `**/` or `~/` ([`Policy::home`]); otherwise it is relative to
    /// [`Policy::working_in`]. Paths are compared as text after `.` and `..` are resolved. Brackets
    /// and braces are literal in a pattern without stars (`app/[id]/page.tsx`); with stars they
    /// allow nothing. In a deny, either may mean anything.
    ///
    /// An allow has three more conditions: the path that the CLI reports for the call, if any, must
    /// match; so must the file that the path resolves to on this machine, with links followed and
    /// `..` applied to their targets; and a folder that is searched must match with everything
    /// below it. A pattern outside of the working directory must be written without links. A link
    /// can still be changed between the answer and the call, by anyone with write access.
    ///
    /// Wildcards do not allow writes to paths that can make other programs run code or change their
    /// settings: `.git`, `.claude`, `.vscode`, `.idea`, `.mcp.json`, `.envrc`, shell startup files
    /// and others, in any folder and letter case. A pattern that names such a path before its first
    /// wildcard or after its last one allows it: `.claude/**`, `**/.envrc`.
    ///
    /// A deny matches if one of them matches, or could. That includes other tools that take a path:
    /// those of the CLI by their inputs, and those of MCP servers by the names of their inputs
    /// (`path`, `file…`, `dir…`), whatever the path is. Shell commands are not inspected, except
    /// for the path that the CLI reports.
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
    /// A deny matches if one of them is meant, or could be: behind a folder (`/bin/rm`), with
    /// options in between (`git -C x push`), as an argument of any program that is not known to run
    /// nothing, in a script for a shell, in something that cannot be parsed, and whenever a shell
    /// or an interpreter takes its code from an argument that cannot be parsed, from a file for
    /// shells, or from its input.
    ///
    /// # What it cannot see
    /// A deny is a net, not a wall. It does not see what a program, a build tool or a script in a
    /// file runs (`make`, `npm test`, `./x`, `python x.py`), a name that is built inside an
    /// argument, a program under another name, or another program that does the same
    /// (`find -delete` for `rm`). Allow what you know and leave the rest to a person; for what must
    /// never happen, use a sandbox. Deny programs rather than options: `rm -rf` can be spelled in
    /// many ways.
    pub fn command(words: &str) -> Self {
        Self::of(Calls::Commands).or_command(words)
    }

    /// Shell commands of exactly these words.
    pub fn command_exactly(words: &str) -> Self {
        Self::of(Calls::Commands).or_command_exactly(words)
    }

    /// Calls for which a function returns `true`. It must be fast: it runs before every answer.
    pub fn when(predicate: impl Fn(&PermissionAsk) -> bool + Send + Sync + 'static) -> Self {
        Self::of(Calls::When(Arc::new(predicate)))
    }

    /// Limits the rule to calls on paths that match this pattern or an earlier one: see
    /// [`Rule::path`]. To a rule about commands it adds [`Rule::path`]: it does not limit where the
    /// commands work.
    #[must_use]
    pub fn at(mut self, pattern: &str) -> Self {
        if matches!(self.calls, Calls::Commands) {
            self.calls = Calls::Any;
        }
        // A pattern that begins with `**` matches anywhere, not only in the working directory.
        self.paths.push(match pattern.starts_with("**") {
            true => PathGlob::new(&format!("/{pattern}")),
            false => PathGlob::new(pattern),
        });
        self
    }

    /// Adds commands to the rule: see [`Rule::command`].
    ///
    /// A rule that has commands allows no others: `Rule::tool("Bash").or_command("ls")` as an allow
    /// matches `ls`, and as a deny every command.
    #[must_use]
    pub fn or_command(mut self, words: &str) -> Self {
        self.commands.push(CommandRule::starting(words));
        self
    }

    /// Adds commands of exactly these words to the rule: see [`Rule::command_exactly`].
    #[must_use]
    pub fn or_command_exactly(mut self, words: &str) -> Self {
        self.commands.push(CommandRule::exactly(words));
        self
    }

    /// How well a call matches. Results below `least` are not distinguished.
    pub(super) fn fit(
        &self,
        ask: &PermissionAsk,
        path_context: &PathContext,
        least: Fit,
        budget: &Budget,
    ) -> Fit {
        let mut fit = self.calls.fit(ask);
        if fit != Fit::No && !self.paths.is_empty() {
            fit = fit.min(fit_paths(&self.paths, ask, path_context));
        } else if let Calls::ReadOnly { anywhere: false } = self.calls {
            fit = fit.min(fit_within(ask, path_context));
        }
        if self.commands.is_empty() {
            return fit;
        }
        match self.fit_command(ask, path_context, least, budget) {
            Some(command) => command.max(fit.min(Fit::Perhaps)),
            None => fit,
        }
    }

    /// How well the commands match; `None` if the call is not a shell command.
    fn fit_command(
        &self,
        ask: &PermissionAsk,
        path_context: &PathContext,
        least: Fit,
        budget: &Budget,
    ) -> Option<Fit> {
        let fit = |command: &str| match budget.spend(command.len()) {
            true => Script::read(command).fit(&self.commands, path_context, least, budget),
            // If the budget is exhausted, the command could be anything.
            false => Fit::Perhaps,
        };
        match ask.tool() {
            ToolView::Bash(bash) => {
                let fit = fit(&bash.command);
                // No rule covers leaving the sandbox.
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
                // An unrecognized shell.
                Some(command) => Some(fit(&command).min(Fit::Perhaps)),
                None if ask.tool_name().eq_ignore_ascii_case("Bash") => Some(Fit::Perhaps),
                None => None,
            },
            _ => None,
        }
    }
}

/// How well the paths of a call match one of these patterns.
fn fit_paths(globs: &[PathGlob], ask: &PermissionAsk, path_context: &PathContext) -> Fit {
    let writes = !only_reads(ask.tool_name());
    let fit = |target: &Target| target.fit(globs, path_context, writes);
    let targets: Vec<Fit> = Target::of(ask).iter().map(fit).collect();
    // The path that the CLI reports counts against a call, and never alone for it.
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

/// Whether a call stays in the working directory. A call without paths does.
fn fit_within(ask: &PermissionAsk, path_context: &PathContext) -> Fit {
    if Target::of(ask).is_empty() && ask.blocked_path().is_none() {
        return Fit::Yes;
    }
    fit_paths(&[PathGlob::all_in_folder()], ask, path_context).max(Fit::Perhaps)
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
