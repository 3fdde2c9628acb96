//! The recorded lines of the repository: `testdata/cli` and `testdata/study`.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

/// The pinned releases, in `testdata/cli/pins.json`.
#[derive(Debug, Clone, Deserialize)]
pub struct Pins {
    /// The version that the CLI reports. Recordings are filed under it.
    pub cli: String,
    /// The version of the npm package that contains the CLI.
    pub package: String,
}

/// Returns the pinned releases.
///
/// # Panics
/// If the file is not valid.
pub fn pins() -> Pins {
    let pins = include_str!("../../../testdata/cli/pins.json");
    serde_json::from_str(pins).unwrap_or_else(|error| panic!("testdata/cli/pins.json: {error}"))
}

/// The lines of both sides in one run of the CLI.
#[derive(Debug)]
pub struct Recording {
    /// The scenario, behind `study/` if it was recorded before there was a recorder.
    pub name: String,
    /// The lines of the host that are JSON objects.
    pub stdin: Vec<Vec<u8>>,
    /// All lines of the CLI.
    pub stdout: Vec<Vec<u8>>,
    /// The number of other lines of the host: broken on purpose, or marks of failed writes.
    pub skipped: usize,
}

/// Reads all recordings.
///
/// # Errors
/// If a folder or a file cannot be read.
pub fn recordings() -> io::Result<Vec<Recording>> {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let mut files = Vec::new();
    for folder in children(&testdata.join("cli").join(pins().cli))? {
        files.push((file_name(&folder).to_owned(), folder.join("stdout.ndjson")));
    }
    for part in ["study", "study/sdk"] {
        for path in children(&testdata.join(part))? {
            if let Some(name) = file_name(&path).strip_suffix(".stdout.ndjson") {
                files.push((format!("study/{name}"), path));
            }
        }
    }
    files.retain(|(_, stdout)| stdout.is_file());
    files.into_iter().map(read).collect()
}

fn read((name, stdout): (String, PathBuf)) -> io::Result<Recording> {
    let stdin = file_name(&stdout).replace("stdout", "stdin");
    let written = lines(&stdout.with_file_name(stdin))?;
    let all = written.len();
    let is_object = |line: &Vec<u8>| {
        serde_json::from_slice::<&RawValue>(line).is_ok_and(|raw| raw.get().starts_with('{'))
    };
    let stdin: Vec<_> = written.into_iter().filter(is_object).collect();
    Ok(Recording {
        name,
        skipped: all - stdin.len(),
        stdin,
        stdout: lines(&stdout)?,
    })
}

fn lines(path: &Path) -> io::Result<Vec<Vec<u8>>> {
    let bytes = std::fs::read(path)?;
    let lines = bytes.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    Ok(lines.map(<[u8]>::to_vec).collect())
}

fn children(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str());
    name.unwrap_or_default()
}
