//! Allow rules: which tool uses need no question.
//!
//! A rule names a tool and what it may do: `Bash(git log:*)`, `Read(/srv/app/**)`. Rules are
//! matched on what the shell would run and on the file that would be opened, never on the beginning
//! of a text: `git log; rm -rf /` begins like a `git log`, and `/srv/app/../../etc/passwd` like a
//! file of the project.
//!
//! What is not understood is not covered. A question too many costs a moment; a command too many
//! may cost the machine. So there is no error here: a rule that cannot be read covers nothing, and
//! [`Verdict::Ask`] says why nobody answered in the user's place.
//!
//! ```
//! use claw_server::rules::{AllowRules, Verdict};
//!
//! let rules = AllowRules::read(["Bash(git log:*)", "Bash(head:*)"]);
//! assert_eq!(rules.command("git log --oneline | head -5"), Verdict::Covered);
//! let Verdict::Ask { why } = rules.command("git log; rm -rf /") else { panic!() };
//! assert_eq!(why, "no rule covers `rm -rf /`");
//! ```

mod path;
mod rule;
mod shell;

pub use path::Surroundings;

use path::PathRule;
use rule::Rule;
use shell::CommandRule;

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

impl AllowRules {
    /// Reads rules as people and the CLI write them.
    pub fn read<R: AsRef<str>>(rules: impl IntoIterator<Item = R>) -> Self {
        let mut read = Self::default();
        for text in rules {
            read.add(text.as_ref());
        }
        read
    }

    fn add(&mut self, text: &str) {
        let Some(rule) = Rule::read(text) else {
            return self.unread.push(text.to_owned());
        };
        if rule.tool == SHELL_TOOL {
            match CommandRule::read(rule.about) {
                Some(command) => self.commands.push(command),
                None => self.unread.push(text.to_owned()),
            }
        } else {
            self.paths.push(PathRule::new(rule.tool, rule.about));
        }
    }

    /// The rules that cover nothing because they cannot be read, for their author to mend.
    #[must_use]
    pub fn unread(&self) -> &[String] {
        &self.unread
    }

    /// Whether a command line for the shell is covered: every command in it, and nothing in it
    /// that the shell does besides.
    #[must_use]
    pub fn command(&self, line: &str) -> Verdict {
        shell::judge(&self.commands, line)
    }

    /// Whether a path that a file tool wants is covered: the path as text, and the file that it
    /// leads to. This looks at links on the file system.
    #[must_use]
    pub fn path(&self, tool: &str, path: &str, surroundings: &Surroundings) -> Verdict {
        path::judge(&self.paths, tool, path, surroundings)
    }
}
