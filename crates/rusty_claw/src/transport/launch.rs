//! How to start a CLI.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// How to start a CLI.
#[derive(Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Launch {
    /// The program; searched in the usual places if absent.
    pub program: Option<PathBuf>,
    /// Whether `node_modules` of the current folder and its parents is searched too.
    pub search_node_modules: bool,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The working folder; this process's own if absent.
    pub cwd: Option<PathBuf>,
    /// Whether it starts with an empty environment instead of this process's own.
    pub env_clear: bool,
    /// Variables to set, or with `None` to remove.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// Whether the CLI receives SIGTERM when the process that starts it dies. Linux only. Set
    /// unless [`Options::die_with_parent`](crate::Options::die_with_parent) is off. A transport
    /// that has another process start the CLI should pass it on.
    pub die_with_parent: bool,
    /// Private files that the arguments name. The CLI reads them at any time.
    pub files: Vec<PathBuf>,
}

impl fmt::Debug for Launch {
    // Values of flags and variables may be secret, so only the names are printed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = |arg: &OsString| {
            let arg = arg.to_string_lossy();
            let (name, _) = arg.split_once('=').unwrap_or((&arg, ""));
            name.starts_with("--").then(|| name.to_owned())
        };
        let variable = |(name, value): &(OsString, Option<OsString>)| {
            let removed = if value.is_none() { " (removed)" } else { "" };
            format!("{}{removed}", name.to_string_lossy())
        };
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("search_node_modules", &self.search_node_modules)
            .field(
                "flags",
                &self.args.iter().filter_map(flag).collect::<Vec<_>>(),
            )
            .field("cwd", &self.cwd)
            .field("env_clear", &self.env_clear)
            .field("env", &self.env.iter().map(variable).collect::<Vec<_>>())
            .field("die_with_parent", &self.die_with_parent)
            .finish()
    }
}
