//! Where the CLI is.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::error::StartError;
use crate::transport::Launch;

/// The variable that names the CLI when the program does not.
pub(crate) const PATH_VARIABLE: &str = "CLAUDE_CLI_PATH";

/// A CLI that was found: the file, and what runs it when it cannot run by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    path: PathBuf,
    runner: Option<PathBuf>,
}

impl Program {
    /// The CLI's file, from the root.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What runs the file: `node` for a script in JavaScript.
    pub fn runner(&self) -> Option<&Path> {
        self.runner.as_deref()
    }

    pub(crate) fn command(&self) -> Command {
        match &self.runner {
            None => Command::new(&self.path),
            Some(runner) => {
                let mut command = Command::new(runner);
                command.arg(&self.path);
                command
            }
        }
    }
}

/// Finds the CLI.
///
/// The first of these that is there:
/// 1. [`Launch::program`]; a bare name is looked up in `PATH`,
/// 2. the file that the variable `CLAUDE_CLI_PATH` names,
/// 3. `claude` in `PATH`,
/// 4. where its installers put it: `~/.local/bin`, `~/.claude/local`, `/usr/local/bin`, the global
///    folders of npm, yarn, bun and Homebrew,
/// 5. only if [`Launch::search_node_modules`] is set, `node_modules` of the current folder and its
///    parents: `.bin/claude`, and the binary that comes with the official SDK.
///
/// Relative folders in `PATH` are skipped, and `node_modules` is not searched by default: the
/// working folder may belong to an untrusted project, which could place a program there.
///
/// If a file is named explicitly and cannot be used, nothing else is tried. A JavaScript file is
/// run with `node` from `PATH`.
///
/// # Errors
/// [`StartError::CliUnusable`] when a named file is missing or is no program,
/// [`StartError::CliNotFound`] with every place that was looked at.
pub fn find(launch: &Launch) -> Result<Program, StartError> {
    Surroundings::of_this_process(launch.search_node_modules).find(launch.program.as_deref())
}

/// What the search depends on.
#[derive(Debug, Default)]
struct Surroundings {
    named: Option<OsString>,
    path: OsString,
    home: Option<PathBuf>,
    npm_prefix: Option<PathBuf>,
    /// The folder whose `node_modules`, and those of its parents, are searched.
    folder: Option<PathBuf>,
    /// Where systems keep programs; a test has its own.
    system: Vec<PathBuf>,
}

impl Surroundings {
    fn of_this_process(search_node_modules: bool) -> Self {
        let folder = |name| env::var_os(name).filter(|value| !value.is_empty());
        Self {
            named: folder(PATH_VARIABLE),
            path: env::var_os("PATH").unwrap_or_default(),
            home: env::home_dir().filter(|home| home.is_absolute()),
            npm_prefix: folder("npm_config_prefix").map(PathBuf::from),
            folder: search_node_modules
                .then(|| env::current_dir().ok())
                .flatten(),
            system: ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"]
                .map(PathBuf::from)
                .to_vec(),
        }
    }

    fn find(&self, named: Option<&Path>) -> Result<Program, StartError> {
        let mut searched = Vec::new();
        if let Some(name) = named {
            // A bare name is a program, not a file that happens to lie in the current folder.
            if name.components().count() == 1 {
                let in_path = self.in_path(name.as_os_str(), &mut searched);
                return match in_path {
                    Some(path) => self.program(path),
                    None => Err(unusable(
                        name,
                        "there is no such file here or in PATH; correct Options::cli_path, or leave it out to have the CLI looked for",
                    )),
                };
            }
            return self.named(name, "there is no such file; correct Options::cli_path, or leave it out to have the CLI looked for");
        }
        if let Some(name) = &self.named {
            return self.named(
                Path::new(name),
                "the variable CLAUDE_CLI_PATH names it, but there is no such file; correct or \
                 remove the variable",
            );
        }
        if let Some(path) = self.in_path(OsStr::new(CLAUDE), &mut searched) {
            return self.program(path);
        }
        for place in self.usual_places() {
            if is_program(&place) {
                return self.program(place);
            }
            if !searched.contains(&place) {
                searched.push(place);
            }
        }
        Err(StartError::CliNotFound { searched })
    }

    fn named(&self, name: &Path, missing: &str) -> Result<Program, StartError> {
        // The child may start in another folder, so a relative path must not be left as it is.
        let path = std::path::absolute(name).unwrap_or_else(|_| name.to_owned());
        match path.metadata() {
            Ok(file) if file.is_dir() => Err(unusable(&path, "it is a folder, not a program")),
            Ok(_) => self.program(path),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(unusable(&path, missing))
            }
            Err(error) => Err(unusable(&path, &error.to_string())),
        }
    }

    fn program(&self, path: PathBuf) -> Result<Program, StartError> {
        if !is_javascript(&path) {
            return Ok(Program { path, runner: None });
        }
        match self.in_path(OsStr::new("node"), &mut Vec::new()) {
            Some(node) => Ok(Program {
                path,
                runner: Some(node),
            }),
            None => Err(unusable(
                &path,
                "it is JavaScript and there is no `node` in PATH to run it; install Node.js or the \
                 native build of the CLI",
            )),
        }
    }

    fn in_path(&self, name: &OsStr, searched: &mut Vec<PathBuf>) -> Option<PathBuf> {
        for folder in env::split_paths(&self.path) {
            // This includes the empty entry, which means the current folder: an untrusted project
            // must not supply the program.
            if folder.is_relative() {
                continue;
            }
            let file = folder.join(name);
            if is_program(&file) {
                return Some(file);
            }
            if !searched.contains(&file) {
                searched.push(file);
            }
        }
        None
    }

    fn usual_places(&self) -> Vec<PathBuf> {
        let mut places = Vec::new();
        if let Some(home) = &self.home {
            for folder in IN_HOME {
                places.push(home.join(folder).join(CLAUDE));
            }
        }
        if let Some(prefix) = &self.npm_prefix {
            places.push(prefix.join("bin").join(CLAUDE));
        }
        for folder in &self.system {
            places.push(folder.join(CLAUDE));
        }
        for folder in self.folder.iter().flat_map(|folder| folder.ancestors()) {
            let modules = folder.join("node_modules");
            // Only the nearest is named in an error: a list of every folder up to the root says
            // less, not more.
            let nearest = Some(folder) == self.folder.as_deref();
            if nearest || modules.is_dir() {
                places.push(modules.join(".bin").join(CLAUDE));
                for platform in platforms() {
                    let package = format!("@anthropic-ai/claude-agent-sdk-{platform}");
                    places.push(modules.join(package).join(CLAUDE));
                }
            }
        }
        // A folder of the system is often in PATH as well; naming it twice says less.
        let named = env::split_paths(&self.path).map(|folder| folder.join(CLAUDE));
        let named: Vec<PathBuf> = named.collect();
        places.retain(|place| !named.contains(place));
        places
    }
}

const CLAUDE: &str = if cfg!(windows) {
    "claude.exe"
} else {
    "claude"
};

const IN_HOME: &[&str] = &[
    ".local/bin",
    ".claude/local",
    ".claude/local/node_modules/.bin",
    ".npm-global/bin",
    ".yarn/bin",
    ".bun/bin",
];

/// The npm packages that hold a binary for this machine, the likelier first.
fn platforms() -> Vec<String> {
    let system = match env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let processor = match env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let plain = format!("{system}-{processor}");
    if system != "linux" {
        return vec![plain];
    }
    let musl = format!("{plain}-musl");
    let loader = format!("/lib/ld-musl-{}.so.1", env::consts::ARCH);
    let has_glibc = ["/lib64", "/lib"].iter().any(|folder| {
        let name = match env::consts::ARCH {
            "x86_64" => "ld-linux-x86-64.so.2",
            _ => "ld-linux-aarch64.so.1",
        };
        Path::new(folder).join(name).exists()
    });
    if Path::new(&loader).exists() && !has_glibc {
        vec![musl, plain]
    } else {
        vec![plain, musl]
    }
}

fn is_javascript(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "js" || extension == "mjs" || extension == "cjs")
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    path.metadata()
        .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

fn unusable(path: &Path, why: &str) -> StartError {
    StartError::CliUnusable {
        path: path.to_owned(),
        why: why.to_owned(),
    }
}

#[cfg(all(test, unix))]
mod tests;
