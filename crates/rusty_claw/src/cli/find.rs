//! Finds the CLI.

use std::collections::HashSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::error::StartError;
use crate::transport::launch::Launch;

/// The environment variable with the CLI's path, used if the program sets none.
pub(crate) const PATH_VARIABLE: &str = "CLAUDE_CLI_PATH";

/// A CLI that was found: its file, and the program that runs it if it is a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    path: PathBuf,
    runner: Option<PathBuf>,
}

impl Program {
    /// The absolute path of the CLI's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The program that runs the file: `node` for JavaScript.
    pub fn runner(&self) -> Option<&Path> {
        self.runner.as_deref()
    }

    /// The command that runs the CLI behind the words of `prefix`.
    pub(crate) fn command(&self, prefix: &[OsString]) -> Command {
        let words = prefix.iter().map(OsString::as_os_str);
        let own = self.runner.iter().chain([&self.path]);
        let mut words = words.chain(own.map(|path| path.as_os_str()));
        // There is always the path.
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        command
    }
}

/// Finds the CLI.
///
/// Uses the first of these that exists:
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
/// [`StartError::CliUnusable`] if a named file is missing or not a program,
/// [`StartError::CliNotFound`] with every searched path.
pub fn find(launch: &Launch) -> Result<Program, StartError> {
    SearchEnvironment::of_this_process(launch.search_node_modules).find(launch.program.as_deref())
}

/// The environment of the search.
#[derive(Debug, Default)]
struct SearchEnvironment {
    named: Option<OsString>,
    path: OsString,
    home: Option<PathBuf>,
    npm_prefix: Option<PathBuf>,
    /// The folder whose `node_modules`, and those of its parents, are searched.
    folder: Option<PathBuf>,
    /// The system's folders for programs; tests replace them.
    system: Vec<PathBuf>,
}

impl SearchEnvironment {
    fn of_this_process(search_node_modules: bool) -> Self {
        let absolute = |path: &PathBuf| path.is_absolute();
        Self {
            named: env::var_os(PATH_VARIABLE).filter(|value| !value.is_empty()),
            path: env::var_os("PATH").unwrap_or_default(),
            home: env::home_dir().filter(absolute),
            npm_prefix: env::var_os("npm_config_prefix")
                .map(PathBuf::from)
                .filter(absolute),
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
            // A bare name is looked up in PATH, not in the current folder.
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
        for file in self.usual_files() {
            if is_program(&file) {
                return self.program(file);
            }
            searched.push(file);
        }
        // A system folder is often in PATH too: list it once.
        let mut listed = HashSet::new();
        searched.retain(|file| listed.insert(file.clone()));
        Err(StartError::CliNotFound { searched })
    }

    fn named(&self, name: &Path, missing: &str) -> Result<Program, StartError> {
        // The child may start in another folder, so the path must be absolute.
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
            searched.push(file);
        }
        None
    }

    fn usual_files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        if let Some(home) = &self.home {
            for folder in IN_HOME {
                files.push(home.join(folder).join(CLAUDE));
            }
        }
        if let Some(prefix) = &self.npm_prefix {
            files.push(prefix.join("bin").join(CLAUDE));
        }
        for folder in &self.system {
            files.push(folder.join(CLAUDE));
        }
        for folder in self.folder.iter().flat_map(|folder| folder.ancestors()) {
            let modules = folder.join("node_modules");
            // An error lists only the nearest one and those that exist, not every folder up to the
            // root.
            let nearest = Some(folder) == self.folder.as_deref();
            if nearest || modules.is_dir() {
                files.push(modules.join(".bin").join(CLAUDE));
                for platform in platforms() {
                    let package = format!("@anthropic-ai/claude-agent-sdk-{platform}");
                    files.push(modules.join(package).join(CLAUDE));
                }
            }
        }
        files
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

/// The suffixes of the npm packages with a binary for this machine, most likely first.
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
