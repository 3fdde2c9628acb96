//! Pseudonyms: the same secret has the same one everywhere.

use std::collections::{BTreeMap, HashMap};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::RedactError;
use super::detector::Detector;

/// Which pseudonym stands for which secret.
///
/// Numbers are given in the order in which secrets are met. Kept in a file, they are the same in
/// the next run, and whoever has the file can tell what a pseudonym stands for. Without it nobody
/// can, so keep it away from what is given away.
#[derive(Debug, Clone, Default)]
pub struct Pseudonyms {
    /// By kind, in the order of their numbers.
    secrets: BTreeMap<String, Vec<String>>,
    numbers: HashMap<(String, String), usize>,
}

/// The file, as it is written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    version: u32,
    /// Under each kind, what its first, second, … pseudonym stands for.
    secrets: BTreeMap<String, Vec<String>>,
}

impl Pseudonyms {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Those of earlier runs; none when there is no such file.
    ///
    /// # Errors
    /// The file is there, but cannot be read or is no key file. It is not written over.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, RedactError> {
        let path = path.as_ref();
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::new()),
            Err(error) => return Err(RedactError::io("read", path)(error)),
        };
        let not_a_key = |why: String| RedactError::NotAKeyFile {
            path: path.to_path_buf(),
            why,
        };
        // What the parser says may quote the file: only its place is repeated.
        let file: KeyFile = serde_json::from_slice(&text)
            .map_err(|error| not_a_key(format!("line {}", error.line())))?;
        if file.version != 1 {
            return Err(not_a_key(format!("version {}", file.version)));
        }
        let mut names = Self::new();
        for (kind, secrets) in file.secrets {
            for (at, secret) in secrets.iter().enumerate() {
                names.numbers.insert((kind.clone(), secret.clone()), at + 1);
            }
            names.secrets.insert(kind, secrets);
        }
        Ok(names)
    }

    /// Writes them to a file that only its owner may read. It is there whole or as it was.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), RedactError> {
        let path = path.as_ref();
        let file = KeyFile {
            version: 1,
            secrets: self.secrets.clone(),
        };
        let text = serde_json::to_string_pretty(&file).unwrap_or_default();
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        // A temporary file is made for its owner only.
        let written = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).and_then(
            |mut temp| {
                temp.write_all(text.as_bytes())?;
                temp.write_all(b"\n")?;
                temp.persist(path).map_err(|failed| failed.error)?;
                Ok(())
            },
        );
        written.map_err(RedactError::io("write", path))
    }

    /// How many secrets of a kind have one.
    pub fn count(&self, kind: &str) -> usize {
        self.secrets.get(kind).map_or(0, Vec::len)
    }

    /// The secrets of a kind, in the order of their numbers.
    pub(super) fn secrets(&self, kind: &str) -> &[String] {
        self.secrets.get(kind).map_or(&[], Vec::as_slice)
    }

    /// The pseudonym of a secret, a new one when it is met for the first time.
    pub(super) fn of(&mut self, kind: &str, detector: Option<Detector>, secret: &str) -> String {
        let secret = match detector {
            Some(detector) if detector.folds_case() => secret.to_ascii_lowercase(),
            _ => secret.to_owned(),
        };
        let secrets = &mut self.secrets;
        let number = *self
            .numbers
            .entry((kind.to_owned(), secret))
            .or_insert_with_key(|(kind, secret)| {
                let known = secrets.entry(kind.clone()).or_default();
                known.push(secret.clone());
                known.len()
            });
        match detector {
            // Paths and addresses keep their shape.
            Some(Detector::HomeUser) => format!("user-{number}"),
            Some(Detector::Host) => format!("host-{number}.invalid"),
            _ => format!("[{kind}-{number}]"),
        }
    }
}

/// A new file that only its owner may read, as the CLI makes its own.
pub(super) fn create(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
