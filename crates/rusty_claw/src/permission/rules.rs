//! Allow rules: which tool uses need no question.
//!
//! A rule names a tool and what it may do: `Bash(git log:*)`, `Read(//srv/app/**)`. Rules are
//! matched on what the shell would run and on the file that would be opened, never on the beginning
//! of a text: `git log; rm -rf /` begins like a `git log`, and `/srv/app/../../etc/passwd` like a
//! file of the project.
//!
//! What is not understood is not covered. A question too many costs a moment; a command too many
//! may cost the machine. So there is no error here: a rule that cannot be read covers nothing, and
//! [`Verdict::Ask`] says why nobody answered in the user's place.
//!
//! ```
//! use rusty_claw::permission::rules::{AllowRules, Verdict};
//!
//! let rules = AllowRules::read(["Bash(git log:*)", "Bash(head:*)"]);
//! assert_eq!(rules.command("git log --oneline | head -5"), Verdict::Covered);
//! let Verdict::Ask { why } = rules.command("git log; rm -rf /") else { panic!() };
//! assert_eq!(why, "no rule covers `rm -rf /`");
//! ```

mod written;

pub use super::path::Surroundings;

use super::glob::PathGlob;
use super::path::{Access, PlacedGlob, Uncovered};
use super::protected::is_protected;
use super::rule::only_reads;
use super::shell::{Budget, CommandRule, Script};
use written::Written;

/// The tool whose rules are about command lines.
const SHELL_TOOL: &str = "Bash";

/// What the rules say of a tool use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// A rule's author meant this: no question is needed.
    Covered,
    /// No rule answers in the user's place.
    Ask {
        /// Why, in words for a person.
        why: String,
    },
}

impl Verdict {
    /// Whether no question is needed.
    #[must_use]
    pub fn is_covered(&self) -> bool {
        matches!(self, Self::Covered)
    }

    fn ask(why: impl Into<String>) -> Self {
        Self::Ask { why: why.into() }
    }
}

/// Rules that allow; see [the module](self).
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
    /// Reads rules as people and the CLI write them. Without stars a path is one file, and
    /// brackets in it are letters: `Read(app/[id]/page.tsx)`.
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
        // `dir/` is a folder, and no file is covered by it.
        if glob.is_unreadable() || written.about.ends_with('/') {
            return None;
        }
        self.paths.push(PathRule {
            tool: written.tool.to_owned(),
            glob,
        });
        Some(())
    }

    /// The same rules, and leave for a tool to use one path, which is meant letter for letter:
    /// unlike in a rule, `*` and `[` are letters. With `below` all that lies below it, too.
    #[must_use]
    pub fn and_path(mut self, tool: impl Into<String>, path: &str, below: bool) -> Self {
        self.paths.push(PathRule {
            tool: tool.into(),
            glob: PathGlob::literal(path, below),
        });
        self
    }

    /// The rules that cover nothing because they cannot be read, for their author to mend.
    #[must_use]
    pub fn unread(&self) -> &[String] {
        &self.unread
    }

    /// Checks whether a shell command line is covered: every command in it, and everything else the
    /// shell does. Without a folder, commands whose effect depends on files are not covered: see
    /// [`AllowRules::command_in`].
    #[must_use]
    pub fn command(&self, line: &str) -> Verdict {
        self.command_in(line, &Surroundings::default())
    }

    /// Like [`AllowRules::command`], for a session that works in a folder. Reads the file system to
    /// determine whether `git push x` names a remote or a folder, whether `git add` would store
    /// another repository, and where the links lead that `cp` would write to.
    #[must_use]
    pub fn command_in(&self, line: &str, surroundings: &Surroundings) -> Verdict {
        match Script::read(line).check(&self.commands, surroundings, &Budget::default()) {
            Ok(()) => Verdict::Covered,
            Err(why) => Verdict::ask(why),
        }
    }

    /// Whether a path that a file tool wants is covered: the path as text, and the file that it
    /// leads to. This looks at links on the file system.
    ///
    /// For tools that write, wildcards do not cover protected paths, which can make other programs
    /// run code or change their settings (`.git`, `.claude`, shell startup files and others); see
    /// [`Rule::path`](super::Rule::path).
    #[must_use]
    pub fn path(&self, tool: &str, path: &str, surroundings: &Surroundings) -> Verdict {
        let readings = match surroundings.readings(path) {
            Ok(readings) => readings,
            Err(why) => return Verdict::ask(why),
        };
        let rules = self.paths.iter().filter(|rule| rule.tool == tool);
        let globs: Vec<PlacedGlob> = rules
            .filter_map(|rule| PlacedGlob::new(&rule.glob, surroundings))
            .collect();
        let access = match only_reads(tool) {
            true => Access::Read,
            false => Access::Write,
        };
        match readings.check(&globs, access) {
            Ok(()) => Verdict::Covered,
            Err(Uncovered::Text) if access == Access::Write && is_protected(path) => {
                Verdict::ask(format!("`{path}` is protected, and no rule names it"))
            }
            Err(Uncovered::Text) => Verdict::ask(format!("no rule covers {tool} of `{path}`")),
            Err(Uncovered::Unknown) => Verdict::ask(format!("where `{path}` leads cannot be told")),
            Err(Uncovered::Real(real)) => Verdict::ask(format!(
                "`{path}` leads to `{}`, which no rule covers",
                real.to_text()
            )),
        }
    }
}

#[cfg(test)]
mod tests;
