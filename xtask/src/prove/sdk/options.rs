//! Options and the flags they become.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use rusty_claw::cli::{self, Program};
use rusty_claw::transport::Launch;

use super::Inputs;
use crate::prove::figure::Figure;
use crate::prove::sdk_options::{self, Verdict};

pub(crate) async fn figures(inputs: &Inputs) -> Result<Vec<Figure>> {
    let rows = sdk_options::rows(inputs.quick).await?;
    let count = |verdict: &Verdict| rows.iter().filter(|row| row.verdict == *verdict).count();
    let (taken, not_for_root) = (count(&Verdict::Taken), count(&Verdict::NotForRoot));
    let refused = rows.iter().filter_map(|row| match &row.verdict {
        Verdict::Refused(why) => Some(format!("{}: {why}", row.option)),
        _ => None,
    });
    let refused: Vec<String> = refused.collect();
    let whole = Figure::new(
        "options taken by the real CLI: started once with each, nothing on standard error against it",
        "all",
    )
    .measured(
        format!(
            "{taken} of {}{}",
            rows.len(),
            if not_for_root > 0 {
                format!("; {not_for_root} known and not granted to root")
            } else {
                String::new()
            }
        ),
        refused.is_empty() && !rows.is_empty(),
    )
    .list("refused", refused);

    let emitted: BTreeSet<String> = rows.into_iter().flat_map(|row| row.flags).collect();
    Ok(vec![whole, flags(inputs, &emitted).await?])
}

/// Every flag that options become, and every hidden one that the library takes for known, is
/// known to the CLI; and none must be asked for when a session starts.
async fn flags(inputs: &Inputs, emitted: &BTreeSet<String>) -> Result<Figure> {
    let folder = tempfile::tempdir().context("cannot make a folder")?;
    let launch = launch(inputs, folder.path());
    let program = cli::find(&launch)?;
    let probe = cli::probe_in(folder.path(), &program, &launch).await;
    let questions: Vec<&String> = emitted
        .iter()
        .filter(|flag| probe.knows(flag) != Some(true))
        .collect();

    // What the help lists need not be asked for.
    let mut asked: BTreeSet<String> = cli::hidden_flags()
        .map(|(flag, _)| flag.to_owned())
        .collect();
    let hidden = asked.len();
    asked.extend(questions.iter().map(ToString::to_string));
    let mut unknown = Vec::new();
    for pair in asked.iter().collect::<Vec<_>>().chunks(2) {
        let ask = async |flag: Option<&&String>| known(&program, &launch, flag).await;
        let (first, second) = tokio::join!(ask(pair.first()), ask(pair.get(1)));
        unknown.extend(first.into_iter().chain(second));
    }
    let control = cli::ask_for_flag(&program, &launch, "--no-such-flag-at-all").await;
    let passed = unknown.is_empty()
        && questions.is_empty()
        && emitted.len() >= if inputs.quick { 5 } else { 40 }
        && control == Some(false);
    Ok(Figure::new(
        "flags that options become, and hidden ones taken for known: unknown to the real CLI / asked for at a start",
        "0 / 0",
    )
    .measured(
        format!(
            "{} / {} of {} and {hidden}",
            unknown.len(),
            questions.len(),
            emitted.len()
        ),
        passed,
    )
    .list("not known to the CLI", unknown)
    .list("neither in its help nor in the list of hidden flags", questions))
}

/// Says so when the CLI does not know a flag.
async fn known(program: &Program, launch: &Launch, flag: Option<&&String>) -> Option<String> {
    let flag = flag?;
    match cli::ask_for_flag(program, launch, flag).await {
        Some(true) => None,
        Some(false) => Some(flag.to_string()),
        None => Some(format!("{flag} (its answer says neither)")),
    }
}

fn launch(inputs: &Inputs, folder: &std::path::Path) -> Launch {
    let set = |name: &str, value: &std::ffi::OsStr| (name.into(), Some(value.to_owned()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut launch = Launch::default();
    launch.program = Some(inputs.cli.binary());
    launch.cwd = Some(folder.to_owned());
    launch.env_clear = true;
    launch.env = vec![
        set("PATH", &path),
        set("HOME", folder.as_os_str()),
        set("CLAUDE_CONFIG_DIR", folder.as_os_str()),
    ];
    launch
}
