//! The lines that are read.

use std::error::Error;

use bytes::Bytes;

/// One line, in the input format of each parser. Conversion is not part of the measured time.
#[derive(Clone)]
pub(crate) struct Recorded {
    bytes: Bytes,
    text: String,
    file: usize,
}

impl Recorded {
    /// The line as read from the pipe.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The line in a buffer that can be shared, as a reader of the pipe hands it on.
    pub(crate) fn shared(&self) -> Bytes {
        self.bytes.clone()
    }

    /// Whether two lines are of one file.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        self.file == other.file
    }

    /// The line as text that was already checked to be UTF-8.
    #[allow(dead_code)] // Not every program that includes this file asks for it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// Recorded lines.
pub(crate) struct Corpus(Vec<Recorded>);

impl Corpus {
    /// Reads all lines of the files.
    pub(crate) fn read(files: &[String]) -> Result<Self, Box<dyn Error>> {
        let mut lines = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let bytes =
                std::fs::read(file).map_err(|error| format!("cannot read {file}: {error}"))?;
            for line in bytes
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty())
            {
                lines.push(Recorded {
                    bytes: Bytes::copy_from_slice(line),
                    text: String::from_utf8_lossy(line).into_owned(),
                    file: number,
                });
            }
        }
        Ok(Self(lines))
    }

    /// The lines that both we and another parser accept. We accept every JSON object.
    pub(crate) fn accepted_by(&self, accepts: impl Fn(&Recorded) -> bool) -> Self {
        let ours = |line: &Recorded| {
            rusty_claw_protocol::Line::decode(line.shared())
                .message()
                .is_some()
        };
        Self(
            self.0
                .iter()
                .filter(|line| ours(line) && accepts(line))
                .cloned()
                .collect(),
        )
    }

    /// The lines of each file.
    #[allow(dead_code)] // Not every program that includes this file asks for it.
    pub(crate) fn by_file(&self) -> impl Iterator<Item = &[Recorded]> {
        self.0.chunk_by(Recorded::is_beside)
    }

    /// The lines of the files that have one with these bytes in it.
    #[allow(dead_code)] // Not every program that includes this file asks for it.
    pub(crate) fn files_with(&self, bytes: &[u8]) -> Self {
        let has = |line: &Recorded| line.bytes.windows(bytes.len()).any(|part| part == bytes);
        let chosen = self.by_file().filter(|lines| lines.iter().any(has));
        Self(chosen.flatten().cloned().collect())
    }

    pub(crate) fn lines(&self) -> &[Recorded] {
        &self.0
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|line| line.bytes.len()).sum()
    }
}
