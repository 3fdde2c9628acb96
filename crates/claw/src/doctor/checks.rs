//! The checks.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusty_claw::cli;
use rusty_claw::transport::Launch;
use tokio::net::TcpListener;

use super::Finding;
use crate::connect::find_local;
use crate::data::DataFolder;
use crate::serve::isolation::{check as check_store, runner};
use crate::serve::{open_store, variables};
use crate::settings::Settings;

/// What to do without Claude Code.
const INSTALL: &str = "install Claude Code, or name its program with --claude";

/// Runs all checks. They do not depend on each other's findings.
pub(super) async fn all(settings: &Settings) -> Vec<Finding> {
    let mut findings = configuration(settings);
    findings.push(claude(settings).await);
    findings.push(login());
    findings.push(isolation(settings));
    findings.extend(roots(settings));
    match settings.data_folder() {
        Ok(path) => {
            let data = DataFolder::new(path);
            findings.push(data_folder(&data));
            findings.push(token(&data));
            findings.push(server(settings, &data).await);
            findings.push(store(settings, &data).await);
            findings.push(clock(&data));
        }
        Err(error) => {
            let fix = "choose a folder with --data or CLAW_DATA";
            findings.push(Finding::error("data", format!("{error:#}"), fix));
        }
    }
    findings
}

fn configuration(settings: &Settings) -> Vec<Finding> {
    const CHECK: &str = "configuration";
    if settings.file_problems.is_empty() {
        let message = match &settings.file_read {
            Some(path) => path.display().to_string(),
            None => "no file: defaults, flags and variables".to_owned(),
        };
        return vec![Finding::ok(CHECK, message)];
    }
    let fix = "correct the line; claw serve --help lists the settings";
    let problems = settings.file_problems.iter();
    problems
        .map(|problem| Finding::error(CHECK, problem, fix))
        .collect()
}

/// How agents start Claude Code.
fn launch(settings: &Settings) -> Launch {
    let mut launch = Launch::default();
    launch.program.clone_from(&settings.claude);
    launch.env_clear = true;
    let variables = variables(settings).into_iter();
    launch.env = variables.map(|(name, value)| (name, Some(value))).collect();
    launch
}

/// Logs a warning if Claude Code is not found.
pub(crate) fn warn_without_claude(settings: &Settings) {
    if let Err(error) = cli::find(&launch(settings)) {
        tracing::warn!(%error, "no session can start: {INSTALL}");
    }
}

async fn claude(settings: &Settings) -> Finding {
    const CHECK: &str = "claude";
    let launch = launch(settings);
    let fix = INSTALL;
    let program = match cli::find(&launch) {
        Ok(program) => program,
        Err(error) => return Finding::error(CHECK, error.to_string(), fix),
    };
    let path = program.path().display().to_string();
    let probe = cli::probe(&program, &launch).await;
    match (cli::check_version(&probe), probe.version()) {
        (Err(error), _) => Finding::error(CHECK, error.to_string(), "update Claude Code"),
        (Ok(()), Some(version)) => Finding::ok(CHECK, format!("{version} at {path}")),
        (Ok(()), None) => {
            let message = format!("{path} does not report its version");
            Finding::error(CHECK, message, fix)
        }
    }
}

/// The folder in which Claude Code keeps its settings.
fn claude_folder() -> Option<PathBuf> {
    let chosen = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|path| !path.is_empty());
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".claude"));
    chosen.map(PathBuf::from).or_else(home)
}

fn login() -> Finding {
    const CHECK: &str = "login";
    let file = claude_folder().map(|folder| folder.join(".credentials.json"));
    let Some(file) = file.filter(|file| file.exists()) else {
        return Finding::ok(CHECK, "no login is kept in the configuration folder");
    };
    let message = format!("agents can read the login in {}", file.display());
    Finding::warning(CHECK, message, "use an API key if agents must not have it")
}

fn isolation(settings: &Settings) -> Finding {
    const CHECK: &str = "isolation";
    let data = settings.data_folder().unwrap_or_default();
    let Some(runner) = runner(settings, &data) else {
        let message = "agents are not isolated: they run as you, and can reach the token and \
                       answer their own requests";
        return Finding::warning(CHECK, message, "start the gateway with --isolate");
    };
    if let Err(error) = check_store(settings) {
        return Finding::error(CHECK, error.to_string(), "use SQLite, or set a password");
    }
    match runner.check() {
        Ok(found) => match found.remarks.first() {
            Some(remark) => Finding::warning(CHECK, remark.clone(), "change the setting"),
            None => Finding::ok(CHECK, format!("bubblewrap {}", found.version)),
        },
        Err(error) => Finding::error(CHECK, error.to_string(), "install it, or omit --isolate"),
    }
}

fn roots(settings: &Settings) -> Vec<Finding> {
    const CHECK: &str = "root";
    let roots = match settings.roots() {
        Ok(roots) => roots,
        Err(error) => {
            let fix = "choose a folder with --root";
            return vec![Finding::error(CHECK, format!("{error:#}"), fix)];
        }
    };
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let check = |root: &PathBuf| {
        let shown = root.display();
        match root.canonicalize() {
            Ok(path) if !path.is_dir() => {
                Finding::error(CHECK, format!("{shown} is not a folder"), "correct --root")
            }
            Ok(path) if home.as_deref().is_some_and(|home| home.starts_with(&path)) => {
                let message = format!("{shown} contains your home folder and all of its secrets");
                Finding::warning(CHECK, message, "choose the folders of projects with --root")
            }
            Ok(_) => Finding::ok(CHECK, shown.to_string()),
            Err(error) => Finding::error(CHECK, format!("{shown}: {error}"), "correct --root"),
        }
    };
    roots.iter().map(check).collect()
}

fn data_folder(data: &DataFolder) -> Finding {
    const CHECK: &str = "data";
    let path = data.path();
    let private = || format!("{}, for you only", path.display());
    permissions(CHECK, path, "700", private)
}

fn token(data: &DataFolder) -> Finding {
    let path = data.token();
    permissions("token", &path, "600", || path.display().to_string())
}

/// Checks that only the user may read a file or folder.
fn permissions(check: &'static str, path: &Path, mode: &str, fine: impl Fn() -> String) -> Finding {
    let shown = path.display();
    match DataFolder::is_open_to_others(path) {
        Ok(false) => Finding::ok(check, fine()),
        Ok(true) => {
            let message = format!("other users may read {shown}");
            Finding::error(check, message, format!("chmod {mode} {shown}"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Finding::ok(
            check,
            format!("{shown} does not exist yet: claw serve creates it"),
        ),
        Err(error) => {
            let fix = format!("chmod {mode} {shown}");
            Finding::error(check, format!("{shown}: {error}"), fix)
        }
    }
}

async fn server(settings: &Settings, data: &DataFolder) -> Finding {
    const CHECK: &str = "server";
    let listen = settings.listen;
    if !data.is_locked() {
        return match TcpListener::bind(listen).await {
            Ok(_) => Finding::ok(CHECK, format!("not running; {listen} is free")),
            Err(error) => {
                let message = format!("not running, and {listen} cannot be used: {error}");
                Finding::error(CHECK, message, "choose another address with --listen")
            }
        };
    }
    let fix = "restart claw serve";
    let found = match find_local(data) {
        Ok(found) => found,
        Err(error) => return Finding::error(CHECK, format!("{error:#}"), fix),
    };
    match crate::connect::check(&found).await {
        Ok(()) => Finding::ok(CHECK, format!("running at {}", found.url)),
        Err(error) => Finding::error(CHECK, format!("{} fails: {error:#}", found.url), fix),
    }
}

async fn store(settings: &Settings, data: &DataFolder) -> Finding {
    const CHECK: &str = "store";
    let path = data.database();
    if settings.store.is_empty() && !path.exists() {
        let message = format!("{} does not exist yet", path.display());
        return Finding::ok(CHECK, message);
    }
    match open_store(settings, data).await {
        Ok(store) => {
            let level = store.durability().await.level;
            let kind = match settings.store.is_empty() {
                true => path.display().to_string(),
                false => "JetStream".to_owned(),
            };
            Finding::ok(CHECK, format!("{kind}, stored data survives: {level:?}"))
        }
        Err(error) => {
            let fix = match settings.store.is_empty() {
                true => "restore the file from a backup, or choose another folder with --data",
                false => "start the servers, or correct --store",
            };
            Finding::error(CHECK, format!("{error:#}"), fix)
        }
    }
}

/// Checks that the clock is not behind the files of the data folder.
fn clock(data: &DataFolder) -> Finding {
    const CHECK: &str = "clock";
    let fix = "set the clock, for example with timedatectl set-ntp true";
    let now = SystemTime::now();
    let year_2026 = SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600);
    if now < year_2026 {
        return Finding::error(CHECK, "the clock is years behind", fix);
    }
    let changed = |path: PathBuf| path.metadata().ok()?.modified().ok();
    let files = [data.database(), data.token()];
    let newest = files.into_iter().filter_map(changed).max();
    let allowed = now + Duration::from_secs(60);
    match newest.filter(|newest| *newest > allowed) {
        Some(_) => Finding::error(
            CHECK,
            "the clock is behind the files of the data folder",
            fix,
        ),
        None => Finding::ok(CHECK, "not behind what was stored"),
    }
}
