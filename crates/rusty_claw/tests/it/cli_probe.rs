//! Asking the CLI before it is started, with a script that answers as the CLI does.

use std::fs;

use rusty_claw::StartError;
use rusty_claw::cli::{self, Version};
use rusty_claw::transport::{ChildProcess, Connection, Exit, Launch, Transport};
use tokio::io::AsyncReadExt as _;

use crate::transport_child::Script;

/// A script that counts its runs in a file beside it, and accepts `--model`, `--settings` and the
/// unlisted `--secret`.
fn claude(version: &str) -> Script {
    Script::new(&format!(
        r#"echo "$*" >> "$(dirname "$0")/runs"
case "$1" in
  --version) echo '{version} (Claude Code)'; exit 0 ;;
  --help) cat <<'HELP'
Usage: claude [options]

Options:
  --add-dir <directories...>        More folders, and a
                                    --wrapped line that lists nothing
  --allowedTools, --allowed-tools <tools...>  Names
  --model <model>                   A name
  -p, --print                       Print
  --settings <file-or-json>         Settings
HELP
    exit 0 ;;
esac
for arg; do
  case "$arg" in
    --model|--model=*|--settings|--settings=*|--secret|x) ;;
    --*) echo "error: unknown option '$arg'" >&2; exit 1 ;;
  esac
done
echo started"#
    ))
}

fn runs(script: &Script) -> Vec<String> {
    let text = fs::read_to_string(script.at("runs")).unwrap_or_default();
    let mut runs: Vec<String> = text.lines().map(str::to_owned).collect();
    // The first two are asked side by side.
    if let Some(first) = runs.get_mut(..2) {
        first.sort_unstable();
    }
    runs
}

fn launch(script: &Script, args: &[&str]) -> Launch {
    let mut launch = script.launch();
    launch.args = args.iter().map(Into::into).collect();
    launch
}

async fn start(script: &Script, args: &[&str]) -> Result<Connection, StartError> {
    let transport = ChildProcess::new().cache_folder(script.at("cache"));
    Box::new(transport).open(launch(script, args)).await
}

async fn started(script: &Script, args: &[&str]) {
    let mut connection = start(script, args).await.unwrap();
    let mut said = String::new();
    connection.reader.read_to_string(&mut said).await.unwrap();
    assert_eq!(said, "started\n");
    assert_eq!(connection.custody.exited().await, Exit::Code(0));
}

#[tokio::test]
async fn a_cli_is_asked_once_and_then_only_started() {
    let script = claude("2.1.325");
    started(&script, &["--model=x"]).await;
    started(&script, &["--model", "x", "--settings", "x"]).await;
    assert_eq!(
        runs(&script),
        ["--help", "--version", "--model=x", "--model x --settings x"]
    );
}

#[tokio::test]
async fn a_changed_file_is_asked_again() {
    let script = claude("2.1.325");
    started(&script, &[]).await;
    let text = fs::read_to_string(script.path()).unwrap();
    fs::write(script.path(), format!("{text}\n# another\n")).unwrap();
    started(&script, &[]).await;
    let asked = runs(&script).iter().filter(|run| *run == "--help").count();
    assert_eq!(asked, 2);
}

#[tokio::test]
async fn an_unknown_flag_is_refused_before_the_start_and_named() {
    let script = claude("2.1.325");
    let error = start(&script, &["--model", "x", "--no-such", "x"]).await;
    let error = error.unwrap_err();
    match &error {
        StartError::UnknownFlag {
            flag,
            path,
            version,
        } => {
            assert_eq!((flag.as_str(), version.as_str()), ("--no-such", "2.1.325"));
            assert_eq!(*path, script.path());
        }
        other => panic!("{other}"),
    }
    assert!(
        !runs(&script).iter().any(|run| run.contains("--model")),
        "{:?}",
        runs(&script)
    );
}

#[tokio::test]
async fn a_flag_that_is_not_listed_is_asked_for_once_and_never_with_a_start() {
    let script = claude("2.1.325");
    started(&script, &["--secret"]).await;
    started(&script, &["--secret"]).await;
    let asked: Vec<String> = runs(&script).drain(2..).collect();
    assert_eq!(asked.len(), 3, "{asked:?}");
    assert!(asked[0].starts_with("--secret --rusty-claw"), "{asked:?}");
    assert_eq!(asked[1..], ["--secret", "--secret"]);
}

#[tokio::test]
async fn what_looks_like_a_flag_but_is_a_value_is_none() {
    let script = claude("2.1.325");
    let launch = launch(&script, &["--settings", "--no-such", "--model=--neither"]);
    let program = cli::find(&launch).unwrap();
    let probe = cli::probe_in(&script.at("cache"), &program, &launch).await;
    assert_eq!(probe.version(), Some(Version::new(2, 1, 325)));
    assert_eq!(probe.knows("--allowed-tools"), Some(true));
    assert_eq!(probe.knows("--wrapped"), None);
    assert!(cli::check_flags(&probe, &launch.args).is_ok());
    // Hidden in every release since the one it was seen in.
    assert_eq!(probe.knows("--session-mirror"), Some(true));
}

#[tokio::test]
async fn a_cli_that_is_too_old_is_refused() {
    let script = claude("1.0.128");
    match start(&script, &[]).await {
        Err(StartError::CliTooOld { found, needed, .. }) => {
            assert_eq!((found.as_str(), needed.as_str()), ("1.0.128", "2.0.0"));
        }
        other => panic!("{other:?}"),
    }
}

/// A wrapper script does not change when the program that it starts does.
#[tokio::test]
async fn a_refusal_is_never_from_memory() {
    let script = Script::new(r#"exec "$(dirname "$0")/installed" "$@""#);
    let (old, new) = (claude("1.0.0"), claude("2.1.325"));
    fs::copy(old.path(), script.at("installed")).unwrap();
    assert!(start(&script, &[]).await.is_err());
    fs::remove_file(script.at("installed")).unwrap();
    fs::copy(new.path(), script.at("installed")).unwrap();
    started(&script, &[]).await;
}

#[tokio::test]
async fn a_program_that_cannot_be_asked_is_started_all_the_same() {
    let script = Script::new("case \"$1\" in --version|--help) exit 3 ;; esac; echo started");
    started(&script, &["--whatever"]).await;
}

#[tokio::test]
async fn a_cache_that_cannot_be_read_or_written_harms_nothing() {
    let script = claude("2.1.325");
    started(&script, &[]).await;
    for entry in fs::read_dir(script.at("cache")).unwrap() {
        fs::write(entry.unwrap().path(), "{\"format\":1,").unwrap();
    }
    started(&script, &[]).await;

    let script = claude("2.1.325");
    fs::write(script.at("cache"), "a file, not a folder").unwrap();
    started(&script, &[]).await;
    started(&script, &[]).await;
}

#[tokio::test]
async fn an_argument_that_is_too_long_is_named_before_anything_runs() {
    let script = claude("2.1.325");
    let long = "x".repeat(200_000);
    let error = start(&script, &["--settings", &long]).await.unwrap_err();
    assert!(
        matches!(
            &error,
            StartError::BadOption {
                option: "settings",
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(runs(&script), Vec::<String>::new());
}
