//! Starts each CLI isolated from the gateway and from other sessions, with bubblewrap.
//!
//! The agent runs programs as the user of the gateway. Without isolation they could read the token
//! of a device or the database, and answer the interactions of their own session.

mod mounts;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rusty_claw::Options;
use rusty_claw::cli::Program;
use rusty_claw::transport::Launch;

use crate::error::GatewayError;
use mounts::Mounts;

/// The namespaces of every CLI. The network is shared: the CLI must reach the model.
const NAMESPACES: [&str; 7] = [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--new-session",
];
/// The search path, if the options of the gateway set none.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
const INSTALL: &str = "install it with `apt-get install bubblewrap`, `dnf install bubblewrap` or \
                       `pacman -S bubblewrap`";

/// Starts CLIs with bubblewrap. Each CLI can access only the system's programs, its project folder
/// and its part of the configuration folder.
///
/// Paths inside equal those outside. Settings, hooks, plugins, agents and commands are read-only,
/// and so is `.claude` in the project folder: an agent that could write its settings could allow
/// its own calls. Sessions of other folders are hidden. `/tmp` and the home folder are empty, and
/// are removed with the CLI.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Runner {
    /// The bubblewrap program. A name without a slash is searched in `PATH`.
    pub bwrap: PathBuf,
    /// Additional paths that agents may read, such as a toolchain in the home folder. Missing ones
    /// are ignored.
    pub read_only: Vec<PathBuf>,
    /// Additional paths that agents may write, such as a cache. Missing ones are ignored.
    pub writable: Vec<PathBuf>,
    /// Folders that are hidden from agents, such as the data folder of the gateway. A session in a
    /// folder that contains one does not start.
    pub hidden: Vec<PathBuf>,
}

/// The result of [`Runner::check`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunnerCheck {
    /// The version of bubblewrap.
    pub version: String,
    /// Weaknesses of the isolation on this machine, with their fix.
    pub remarks: Vec<String>,
}

impl Runner {
    /// Creates a runner that hides these folders.
    pub fn new(hidden: Vec<PathBuf>) -> Self {
        Self {
            bwrap: PathBuf::from("bwrap"),
            read_only: Vec::new(),
            writable: Vec::new(),
            hidden,
        }
    }

    /// Checks that bubblewrap is installed and can create its namespaces. Blocks the thread.
    ///
    /// # Errors
    /// Bubblewrap does not start, or cannot create its namespaces. The message contains the fix.
    pub fn check(&self) -> io::Result<RunnerCheck> {
        let name = self.bwrap.display();
        let version = self.output(["--version"]).map_err(|error| {
            let text =
                format!("agents cannot be isolated: {name} does not start ({error}); {INSTALL}");
            io::Error::new(error.kind(), text)
        })?;
        let rest = ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"];
        let rest = rest.into_iter().chain(["--tmpfs", "/tmp", "true"]);
        let tried = self.output(NAMESPACES.into_iter().chain(rest))?;
        if !tried.status.success() {
            let errors = String::from_utf8_lossy(&tried.stderr);
            return Err(io::Error::other(format!(
                "agents cannot be isolated: {name} cannot create its namespaces ({}). Allow user \
                 namespaces: `sysctl kernel.unprivileged_userns_clone=1`, on Ubuntu \
                 `sysctl kernel.apparmor_restrict_unprivileged_userns=0`, and in a container run it \
                 with a seccomp profile that permits `unshare` and `mount`",
                errors.trim()
            )));
        }
        let version = String::from_utf8_lossy(&version.stdout);
        let version = version.trim().trim_start_matches("bubblewrap ").to_owned();
        let mut remarks = Vec::new();
        let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope");
        if !scope.is_ok_and(|scope| scope.trim() != "0") {
            remarks.push(
                "a program that an agent runs can attach a debugger to its CLI: set \
                 `sysctl kernel.yama.ptrace_scope=1`"
                    .to_owned(),
            );
        }
        Ok(RunnerCheck { version, remarks })
    }

    fn output<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> io::Result<Output> {
        let mut command = Command::new(&self.bwrap);
        command.args(args).stdin(Stdio::null()).output()
    }

    /// Returns an error if the folder is inside a hidden folder or contains one, because an agent
    /// could rename a parent of the hidden folder, and read it after the next start. Also returns
    /// an error if `.claude` in the folder is a symbolic link, because an agent could replace it.
    pub(crate) fn check_folder(&self, folder: &Path) -> Result<(), GatewayError> {
        let settings = folder.join(".claude");
        if settings.is_symlink() {
            let why = "is a link, which an isolated agent could replace: use a folder";
            let why = format!("{} {why}", settings.display());
            return Err(GatewayError::invalid(why));
        }
        for hidden in self.hidden_folders() {
            if folder.starts_with(&hidden) || hidden.starts_with(folder) {
                let (folder, hidden) = (folder.display(), hidden.display());
                let why = format!("agents cannot work in {folder}: the gateway keeps {hidden}");
                return Err(GatewayError::invalid(why));
            }
        }
        Ok(())
    }

    /// The hidden folders without links: a mount on a link would not cover its target.
    fn hidden_folders(&self) -> impl Iterator<Item = PathBuf> {
        let resolved = |path: &PathBuf| path.canonicalize().or_else(|_| std::path::absolute(path));
        self.hidden
            .iter()
            .map(move |path| resolved(path).unwrap_or_else(|_| path.clone()))
    }

    /// Returns options whose CLI starts isolated. The CLI inherits no variables of the gateway;
    /// variables that the options set are kept.
    pub(crate) fn isolate(&self, options: Options) -> Options {
        let runner = self.clone();
        let mut options = options.env_clear();
        if options.session_library().is_err() {
            let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/home"));
            options = options.env("HOME", home);
        }
        options.launcher(move |program, launch| runner.prefix(program, launch))
    }

    /// Returns the command line that precedes that of the CLI.
    fn prefix(&self, program: &Program, launch: &Launch) -> Vec<OsString> {
        let set = |name: &str| {
            let mut env = launch.env.iter();
            let found = env.find(|(known, _)| known == OsStr::new(name));
            found.and_then(|(_, value)| value.clone())
        };
        let home = set("HOME").map(PathBuf::from).or_else(std::env::home_dir);
        let home = home.unwrap_or_else(|| PathBuf::from("/home"));
        let folder = launch.cwd.clone().unwrap_or_else(|| home.clone());
        let own_config = set("CLAUDE_CONFIG_DIR").map(PathBuf::from);
        let config = own_config.clone().unwrap_or_else(|| home.join(".claude"));
        // Without the variable, the file is next to the folder.
        let state = own_config.map_or(home.join(".claude.json"), |own| own.join(".claude.json"));

        let mut mounts = Mounts::default();
        mounts.tmpfs("/tmp");
        if home != Path::new("/") {
            mounts.tmpfs(&home);
        }
        // If a link was put into the path since it was checked, the folder is not mounted, and
        // bubblewrap cannot change to it.
        if folder.canonicalize().is_ok_and(|real| real == folder) {
            mounts.project(&folder);
        }
        for path in &self.read_only {
            mounts.read_only(path);
        }
        for path in &self.writable {
            mounts.writable(path);
        }
        mounts.config(&config, &state, &folder);
        for path in self.hidden_folders() {
            mounts.hide(&path);
        }
        mounts.program(program);
        for path in &launch.files {
            mounts.read_only(path);
        }

        let mut args: Vec<OsString> = vec![self.bwrap.clone().into()];
        args.extend(NAMESPACES.map(OsString::from));
        args.extend(mounts::system());
        args.extend(mounts.into_args());
        let mut variables = vec![
            ("TMPDIR", "/tmp".into()),
            ("CLAUDE_CODE_TMPDIR", "/tmp".into()),
            ("CLAUDE_CONFIG_DIR", config.into_os_string()),
        ];
        if set("PATH").is_none() {
            variables.push(("PATH", PATH.into()));
        }
        if set("HOME").is_none() {
            variables.push(("HOME", home.into_os_string()));
        }
        for (name, value) in variables {
            args.extend(["--setenv".into(), name.into(), value]);
        }
        args.extend(["--chdir".into(), folder.into(), "--".into()]);
        args
    }
}

#[cfg(test)]
mod tests;
