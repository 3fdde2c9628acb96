//! Allow rules in the CLI's notation.
//!
//! A rule names a tool and what it may do: `Bash(git log:*)`, `Read(//srv/app/**)`. Rules are
//! matched against what the shell would run and the file that would be opened, never against the
//! beginning of a text: `git log; rm -rf /` begins like a `git log`, and
//! `/srv/app/../../etc/passwd` like a file of the project.
//!
//! What is not understood is not covered. A permission request too many costs a moment; a command
//! too many may cost the machine. So nothing here returns an error: a rule that cannot be parsed
//! covers nothing, and [`Coverage::Ask`] gives the reason.
//!
//! ```
//! use rusty_claw::permission::rules::{AllowRules, Coverage};
//!
//! let rules = AllowRules::read(["Bash(git log:*)", "Bash(head:*)"]);
//! assert_eq!(rules.command("git log --oneline | head -5"), Coverage::Covered);
//! let Coverage::Ask { why } = rules.command("git log; rm -rf /") else { panic!() };
//! assert_eq!(why, "no rule covers `rm -rf /`");
//! ```

mod written;

pub use super::path_context::PathContext;

use super::glob::PathGlob;
use super::path::{Access, PlacedGlob, Uncovered};
use super::protected::is_protected;
use super::rule::only_reads;
use super::shell::{Budget, CommandRule, Script};
use written::Written;

/// The tool whose rules are about command lines.
const SHELL_TOOL: &str = "Bash";

/// The result of checking a tool use against the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coverage {
    /// A rule covers the tool use: no permission request is needed.
    Covered,
    /// No rule covers the tool use.
    Ask {
        /// The reason, as text for a person.
        why: String,
    },
}

impl Coverage {
    /// Returns whether no permission request is needed.
    #[must_use]
    pub fn is_covered(&self) -> bool {
        matches!(self, Self::Covered)
    }

    fn ask(why: impl Into<String>) -> Self {
        Self::Ask { why: why.into() }
    }
}

/// Allow rules; see [the module](self).
#[derive(Debug, Clone, Default)]
pub struct AllowRules {
    commands: Vec<CommandRule>,
    paths: Vec<PathRule>,
    unread: Vec<String>,
}

/// A rule for a file tool.
#[derive(Debug, Clone)]
struct PathRule {
    tool: String,
    glob: PathGlob,
}

impl AllowRules {
    /// Parses rules in the CLI's notation. A path without stars is one file, and brackets in it are
    /// literal: `Read(app/[id]/page.tsx)`.
    ///
    /// The start of a path has the same meaning as in the CLI (verified with 2.1.325): `//` is the
    /// root (`Read(//etc/hosts)`), `~/` is the home folder, and every other path, including one
    /// with a single slash (`Read(/src/**)`), is relative to the session's folder. In the CLI, a
    /// single slash in a settings file other than the project's means the folder of that file.
    pub fn read<R: AsRef<str>>(rules: impl IntoIterator<Item = R>) -> Self {
        let mut read = Self::default();
        for text in rules {
            let text = text.as_ref();
            if read.add(text).is_none() {
                read.unread.push(text.to_owned());
            }
        }
        read
    }

    fn add(&mut self, text: &str) -> Option<()> {
        let written = Written::read(text)?;
        if written.tool == SHELL_TOOL {
            self.commands.push(CommandRule::read(written.about)?);
            return Some(());
        }
        let glob = match written.about.strip_prefix('/') {
            Some(absolute) if absolute.starts_with('/') => PathGlob::new(absolute),
            Some(below) => PathGlob::new(&format!("./{below}")),
            None => PathGlob::new(written.about),
        };
        // `dir/` is a directory, so it covers no file.
        if glob.is_unreadable() || written.about.ends_with('/') {
            return None;
        }
        self.paths.push(PathRule {
            tool: written.tool.to_owned(),
            glob,
        });
        Some(())
    }

    /// Adds a grant for a tool to use one path, which is literal: unlike in a rule, `*` and `[` are
    /// not special. With `below`, the grant includes everything below it.
    #[must_use]
    pub fn and_path(mut self, tool: impl Into<String>, path: &str, below: bool) -> Self {
        self.paths.push(PathRule {
            tool: tool.into(),
            glob: PathGlob::literal(path, below),
        });
        self
    }

    /// The rules that cover nothing because they cannot be parsed, so that they can be fixed.
    #[must_use]
    pub fn unread(&self) -> &[String] {
        &self.unread
    }

    /// Checks whether a shell command line is covered: every command in it, and everything else the
    /// shell does. Without a folder, commands whose effect depends on files are not covered: see
    /// [`AllowRules::command_in`].
    #[must_use]
    pub fn command(&self, line: &str) -> Coverage {
        self.command_in(line, &PathContext::default())
    }

    /// Like [`AllowRules::command`], for a session that works in a folder. Reads the file system to
    /// determine whether `git push x` names a remote or a folder, whether `git add` would store
    /// another repository, and the targets of the links that `cp` would write to.
    #[must_use]
    pub fn command_in(&self, line: &str, path_context: &PathContext) -> Coverage {
        match Script::read(line).check(&self.commands, path_context, &Budget::default()) {
            Ok(()) => Coverage::Covered,
            Err(why) => Coverage::ask(why),
        }
    }

    /// Checks whether a path of a file tool is covered: the path as text, and the file that it
    /// resolves to. Reads links from the file system.
    ///
    /// For tools that write, wildcards do not cover protected paths, which can make other programs
    /// run code or change their settings (`.git`, `.claude`, shell startup files and others); see
    /// [`Rule::path`](super::Rule::path).
    #[must_use]
    pub fn path(&self, tool: &str, path: &str, path_context: &PathContext) -> Coverage {
        let readings = match path_context.readings(path) {
            Ok(readings) => readings,
            Err(why) => return Coverage::ask(why),
        };
        let rules = self.paths.iter().filter(|rule| rule.tool == tool);
        let globs: Vec<PlacedGlob> = rules
            .filter_map(|rule| PlacedGlob::new(&rule.glob, path_context))
            .collect();
        let access = match only_reads(tool) {
            true => Access::Read,
            false => Access::Write,
        };
        match readings.check(&globs, access) {
            Ok(()) => Coverage::Covered,
            Err(Uncovered::Text) if access == Access::Write && is_protected(path) => {
                Coverage::ask(format!("`{path}` is protected, and no rule names it"))
            }
            Err(Uncovered::Text) => Coverage::ask(format!("no rule covers {tool} of `{path}`")),
            Err(Uncovered::Unknown) => {
                Coverage::ask(format!("the target of `{path}` cannot be determined"))
            }
            Err(Uncovered::Real(real)) => Coverage::ask(format!(
                "`{path}` leads to `{}`, which no rule covers",
                real.to_text()
            )),
        }
    }
}

#[cfg(test)]
mod tests;
