//! The recorded lines of the repository.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use rusty_claw_protocol::control::ControlRequest;
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::{Json, Str};
use serde_json::value::RawValue;

use crate::cli_package::CLI_VERSION;

/// What both sides wrote in one run of the CLI.
#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    /// What the host wrote, well-formed lines only.
    pub(crate) stdin: Vec<Vec<u8>>,
    /// What the CLI wrote, all of it.
    pub(crate) stdout: Vec<Vec<u8>>,
    /// Lines of the host that are no JSON object: broken on purpose, or marks of failed writes.
    pub(crate) skipped: usize,
}

/// Where a recording comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// `testdata/cli/`, made by `cargo xtask record`.
    Recorder,
    /// `testdata/study/`, made before there was a recorder.
    Study,
}

/// Reads all of them.
pub(crate) fn read(root: &Path) -> Result<Vec<Scenario>> {
    let mut scenarios = Vec::new();
    let folder = root.join("testdata/cli").join(CLI_VERSION);
    for scenario in children(&folder)? {
        let stdout = scenario.join("stdout.ndjson");
        if stdout.is_file() {
            let name = file_name(&scenario);
            scenarios.push(scenario_of(
                Origin::Recorder,
                name,
                &scenario.join("stdin.ndjson"),
                &stdout,
            )?);
        }
    }
    for part in ["testdata/study", "testdata/study/sdk"] {
        for stdout in children(&root.join(part))? {
            let file = file_name(&stdout);
            if let Some(name) = file.strip_suffix(".stdout.ndjson") {
                let stdin = stdout.with_file_name(format!("{name}.stdin.ndjson"));
                let name = format!("study/{name}");
                scenarios.push(scenario_of(Origin::Study, name, &stdin, &stdout)?);
            }
        }
    }
    ensure!(
        !scenarios.is_empty(),
        "there are no recordings in testdata/"
    );
    Ok(scenarios)
}

/// The files of the CLI's output: what the speed figures read.
pub(crate) fn stdout_files(root: &Path) -> Result<Vec<PathBuf>> {
    let recorder = children(&root.join("testdata/cli").join(CLI_VERSION))?
        .into_iter()
        .map(|scenario| scenario.join("stdout.ndjson"));
    let study = ["testdata/study", "testdata/study/sdk"]
        .iter()
        .map(|part| children(&root.join(part)))
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .flatten()
        .filter(|path| file_name(path).ends_with(".stdout.ndjson"));
    Ok(recorder
        .chain(study)
        .filter(|path| path.is_file())
        .collect())
}

fn scenario_of(origin: Origin, name: String, stdin: &Path, stdout: &Path) -> Result<Scenario> {
    let written = lines(stdin)?;
    let all = written.len();
    let stdin: Vec<_> = written
        .into_iter()
        .filter(|line| is_well_formed(line))
        .collect();
    Ok(Scenario {
        name,
        origin,
        skipped: all - stdin.len(),
        stdin,
        stdout: lines(stdout)?,
    })
}

fn lines(path: &Path) -> Result<Vec<Vec<u8>>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(<[u8]>::to_vec)
        .collect())
}

/// Whether a line is a JSON object for serde_json.
fn is_well_formed(line: &[u8]) -> bool {
    serde_json::from_slice::<&RawValue>(line).is_ok_and(|raw| raw.get().starts_with('{'))
}

fn children(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = std::fs::read_dir(folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The payloads of successful answers, each with the request on the other side that it answers.
pub(crate) fn exchanges<'a>(
    asked: &'a [Message],
    answered: &'a [Message],
) -> impl Iterator<Item = (&'a ControlRequest, &'a Json)> {
    let requests: HashMap<&Str, &ControlRequest> = asked
        .iter()
        .filter_map(|message| match message {
            Message::ControlRequest {
                request_id,
                request,
                ..
            } => Some((request_id, request)),
            _ => None,
        })
        .collect();
    answered.iter().filter_map(move |message| match message {
        Message::ControlResponse {
            request_id,
            response,
            ..
        } => Some((*requests.get(request_id)?, response.payload()?)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::is_well_formed;

    #[test]
    fn only_objects_are_well_formed() {
        assert!(is_well_formed(br#"{"a":"\ud83d"}"#));
        for line in ["#EPIPE", "[1]", "{\"a\":", "\"x\"", "{} {}"] {
            assert!(!is_well_formed(line.as_bytes()), "{line}");
        }
    }
}
