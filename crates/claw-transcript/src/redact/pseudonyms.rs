//! Pseudonyms of secrets.

use std::collections::{BTreeMap, HashMap};
use std::io::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::detector::Detector;
use super::error::RedactError;
use crate::edit::write_whole;

/// The pseudonyms of secrets.
///
/// They are numbered in the order in which secrets are found. If saved to a file, they are the same
/// in the next run. The file contains the secrets: do not share it with the copy.
#[derive(Debug, Clone, Default)]
pub struct Pseudonyms {
    /// The secrets of each kind, in the order of their numbers.
    secrets: BTreeMap<String, Vec<String>>,
    numbers: HashMap<(String, String), usize>,
}

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    version: u32,
    /// The secrets of each kind, in the order of their pseudonyms.
    secrets: BTreeMap<String, Vec<String>>,
}

impl Pseudonyms {
    /// Creates an empty set of pseudonyms.
    pub fn new() -> Self {
        Self::default()
    }

    /// Loads the pseudonyms of earlier runs; empty if the file does not exist.
    ///
    /// # Errors
    /// Returns an error if the file exists, but cannot be read or is not a key file.
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
        // The parser's message may quote a secret.
        let file: KeyFile = serde_json::from_slice(&text)
            .map_err(|error| not_a_key(format!("line {}", error.line())))?;
        if file.version != 1 {
            return Err(not_a_key(format!("version {}", file.version)));
        }
        let mut names = Self::new();
        for (kind, secrets) in file.secrets {
            for secret in secrets {
                names.number(&kind, secret);
            }
        }
        Ok(names)
    }

    /// Writes them to a file atomically. Only its owner can read it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), RedactError> {
        let path = path.as_ref();
        let file = KeyFile {
            version: 1,
            secrets: self.secrets.clone(),
        };
        let text = serde_json::to_string_pretty(&file).unwrap_or_default();
        let written = std::path::absolute(path)
            .and_then(|path| write_whole(&path, |file| writeln!(file, "{text}")));
        written.map_err(RedactError::io("write", path))
    }

    /// The number of secrets of a kind that have a pseudonym.
    pub fn count(&self, kind: &str) -> usize {
        self.secrets.get(kind).map_or(0, Vec::len)
    }

    /// The secrets of a kind, in the order of their numbers.
    pub(super) fn secrets(&self, kind: &str) -> &[String] {
        self.secrets.get(kind).map_or(&[], Vec::as_slice)
    }

    /// The number of a secret; assigns one to a new secret.
    fn number(&mut self, kind: &str, secret: String) -> usize {
        let secrets = &mut self.secrets;
        let number = self.numbers.entry((kind.to_owned(), secret));
        *number.or_insert_with_key(|(kind, secret)| {
            let known = secrets.entry(kind.clone()).or_default();
            known.push(secret.clone());
            known.len()
        })
    }

    /// The pseudonym of a secret; assigns one to a new secret.
    pub(super) fn of(&mut self, kind: &str, detector: Option<Detector>, secret: &str) -> String {
        let secret = match detector {
            Some(detector) if detector.folds_case() => secret.to_ascii_lowercase(),
            _ => secret.to_owned(),
        };
        let number = self.number(kind, secret);
        match detector {
            // The pseudonyms of paths and addresses keep their format.
            Some(Detector::HomeUser) => format!("user-{number}"),
            Some(Detector::Host) => format!("host-{number}.invalid"),
            _ => format!("[{kind}-{number}]"),
        }
    }
}
