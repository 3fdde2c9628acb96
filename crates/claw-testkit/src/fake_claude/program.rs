//! The program: reads the command line and the script, then plays turns.

mod answers;
mod asks;
mod control;
mod flags;
mod flood;
mod frames;
mod host;
mod ids;
mod opening;
mod output;
mod results;
mod session_file;
mod state;
mod stdin;
mod system;
mod tasks;
mod turn;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use serde_json::json;

use self::flags::Flags;
use self::host::Host;
use self::session_file::SessionFile;
use self::state::Next;
use self::turn::Turn;
use super::script::FakeScript;

/// The text for stderr when the start fails. The exit code is 1.
type Refusal = String;

pub(super) fn main() -> ExitCode {
    let arguments: Vec<String> = env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    match run(arguments) {
        Ok(code) => code,
        Err(refusal) => {
            eprintln!("{refusal}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Vec<String>) -> Result<ExitCode, Refusal> {
    let flags = Flags::parse(arguments.iter().cloned());
    if flags.has("--version") {
        println!("{} (Claude Code)", flags::VERSION);
        return Ok(ExitCode::SUCCESS);
    }
    if flags.has("--help") {
        print!("{}", flags::help());
        return Ok(ExitCode::SUCCESS);
    }
    let (script, script_folder) = read_script()?;
    refuse_flags(&flags, &script)?;
    if let Some(path) = &script.record_start {
        record_start(path, &arguments).map_err(|error| format!("fake-claude: {error}"))?;
    }
    if let Some(code) = script.exit_at_start {
        return Ok(ExitCode::from(u8::try_from(code & 0xFF).unwrap_or(1)));
    }
    system::answer_signals(script.stubborn)
        .map_err(|error| format!("fake-claude: cannot handle signals: {error}"))?;
    let from_lines = flags.value("--input-format") == Some("stream-json");
    let file = SessionFile::open(&flags, &script);
    let host = Arc::new(Host::new(flags, script, script_folder));
    match file {
        Ok(file) => host.set_file(file),
        Err(refusal) => {
            if let Some(id) = refusal.unknown_session {
                host.print_unknown_session(&id, &refusal.text);
            }
            return Err(refusal.text);
        }
    }
    if from_lines {
        let reader = Arc::clone(&host);
        thread::Builder::new()
            .name("stdin".to_owned())
            .spawn(move || stdin::read(&reader))
            .map_err(|error| format!("fake-claude: cannot start a thread: {error}"))?;
    } else {
        stdin::read_one_prompt(&host)?;
    }
    play(&host)
}

/// Plays turns until the last one has ended, then ends the process.
fn play(host: &Host) -> ! {
    let mut played = 0;
    loop {
        match host.next() {
            Next::Prompts(prompts) => {
                Turn::for_prompts(host, prompts).play(played);
                played += 1;
            }
            Next::Parked(parked) => Turn::play_parked(host, parked),
            Next::TaskEnded(task) => Turn::new(host, Vec::new()).report(&task),
            Next::End => host.exit_as_last_result(),
        }
    }
}

fn refuse_flags(flags: &Flags, script: &FakeScript) -> Result<(), Refusal> {
    if script.any_flag {
        return Ok(());
    }
    if let Some(name) = &flags.unknown {
        return Err(format!("error: unknown option '{name}'"));
    }
    if let Some(spec) = flags.without_value {
        return Err(format!("error: option '{spec}' argument missing"));
    }
    if flags.value("--output-format") == Some("stream-json") && !flags.has("--verbose") {
        return Err(
            "Error: When using --print, --output-format=stream-json requires --verbose".to_owned(),
        );
    }
    Ok(())
}

/// The script and the folder that its relative paths start at.
fn read_script() -> Result<(FakeScript, PathBuf), Refusal> {
    let given = env::var_os("FAKE_CLAUDE_SCRIPT").filter(|value| !value.is_empty());
    let path = match given {
        Some(value) if value.to_string_lossy().trim_start().starts_with('{') => {
            let text = value.to_string_lossy();
            let script = serde_json::from_slice(text.as_bytes()).map_err(|error| {
                format!("fake-claude: FAKE_CLAUDE_SCRIPT is not a script: {error}")
            })?;
            return Ok((script, PathBuf::from(".")));
        }
        Some(value) => PathBuf::from(value),
        None => match script_beside_program() {
            Some(path) => path,
            None => return Ok((FakeScript::default(), PathBuf::from("."))),
        },
    };
    let unusable = |error: &dyn std::fmt::Display| {
        format!(
            "fake-claude: cannot use the script {}: {error}",
            path.display()
        )
    };
    let text = std::fs::read(&path).map_err(|error| unusable(&error))?;
    let script = serde_json::from_slice(&text).map_err(|error| unusable(&error))?;
    let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
    Ok((script, folder))
}

/// `fake-claude.json` beside the name that the program was started by, which may be a link, or
/// beside the program itself.
fn script_beside_program() -> Option<PathBuf> {
    let started_as = PathBuf::from(env::args_os().next().unwrap_or_default());
    let folder_of_name = if started_as.components().count() > 1 {
        started_as.parent().map(Path::to_owned)
    } else {
        let path: OsString = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path).find(|folder| folder.join(&started_as).is_file())
    };
    let own_folder = env::current_exe()
        .ok()
        .and_then(|program| program.parent().map(Path::to_owned));
    [folder_of_name, own_folder]
        .into_iter()
        .flatten()
        .map(|folder| folder.join("fake-claude.json"))
        .find(|path| path.is_file())
}

fn record_start(path: &Path, arguments: &[String]) -> std::io::Result<()> {
    let names: Vec<String> = env::vars_os()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect();
    let record = json!({
        "pid": std::process::id(), "argv": arguments, "env": names, "cwd": env::current_dir()?,
    });
    system::write_whole(path, &record.to_string())
}
