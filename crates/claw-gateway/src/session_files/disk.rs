//! Reads and writes session files. All functions but [`blocking`] block the thread.
//!
//! An agent can write the folders of its session files, so that links in them are not followed.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{
    self, BufRead as _, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _,
};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use serde_json::Value;

use super::tail::Tail;
use super::uuid_of;

/// The approximate number of bytes that are read at once.
const PAGE: usize = 1024 * 1024;
/// The longest line that is read: the store accepts no longer ones.
const LINE: u64 = 64 * 1024 * 1024;

/// Calls a function on a thread for blocking calls.
pub(super) async fn blocking<T: Send + 'static>(
    call: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let done = rusty_claw::runtime::spawn_blocking(call).await;
    done.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// Opens a file that is not a link.
fn open(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let file = options.open(path)?;
    let (named, opened) = (path.symlink_metadata()?, file.metadata()?);
    #[cfg(unix)]
    let is_same = {
        use std::os::unix::fs::MetadataExt as _;
        (named.dev(), named.ino()) == (opened.dev(), opened.ino())
    };
    #[cfg(not(unix))]
    let is_same = true;
    if is_same && named.is_file() && opened.is_file() {
        return Ok(file);
    }
    let text = format!("{} is not a plain file", path.display());
    Err(io::Error::other(text))
}

/// The common lines of a file and the end of its copy.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The uuids at the end of the copy that the file has.
    pub(super) known: HashSet<Box<str>>,
    /// The offset after the last line of the file that the copy has.
    pub(super) after_known: Option<u64>,
    /// Whether lines with a uuid follow.
    pub(super) has_more: bool,
}

/// Compares a file with the end of its copy.
pub(super) fn scan(path: &Path, tail: &Tail) -> io::Result<Scan> {
    let mut reader = Reader::open(path, 0)?;
    let mut scan = Scan::default();
    while let Some(line) = reader.next_line()? {
        let Some(uuid) = uuid_of(&line) else { continue };
        if tail.has(&uuid) {
            scan.known.insert(uuid);
            scan.after_known = Some(reader.offset);
            scan.has_more = false;
        } else {
            scan.has_more = true;
        }
    }
    Ok(scan)
}

/// Reads the complete lines of a file.
pub(super) struct Reader {
    file: BufReader<File>,
    offset: u64,
}

impl Reader {
    pub(super) fn open(path: &Path, offset: u64) -> io::Result<Self> {
        let mut file = open(path, OpenOptions::new().read(true))?;
        file.seek(SeekFrom::Start(offset))?;
        let file = BufReader::with_capacity(64 * 1024, file);
        Ok(Self { file, offset })
    }

    /// Returns the next line that is not empty, without its newline.
    fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let mut line = Vec::new();
            let mut limited = (&mut self.file).take(LINE);
            let read = limited.read_until(b'\n', &mut line)?;
            // The last line may be cut.
            if line.pop() != Some(b'\n') {
                return Ok(None);
            }
            self.offset += read as u64;
            if !line.trim_ascii().is_empty() {
                return Ok(Some(line));
            }
        }
    }

    /// Returns the next lines, none at the end.
    pub(super) fn next_page(mut self) -> io::Result<(Vec<Bytes>, Self)> {
        let (mut lines, mut bytes) = (Vec::new(), 0);
        while bytes < PAGE
            && let Some(line) = self.next_line()?
        {
            bytes += line.len();
            lines.push(line.into());
        }
        Ok((lines, self))
    }
}

/// Appends lines to a file, after a newline if its last line is cut.
pub(super) fn append(path: &Path, lines: &[Bytes]) -> io::Result<()> {
    let mut file = open(path, OpenOptions::new().read(true).append(true))?;
    let length = file.metadata()?.len();
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
    }
    let mut text = Vec::new();
    if last != [b'\n'] {
        text.push(b'\n');
    }
    for line in lines {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    file.write_all(&text)?;
    file.sync_all()
}

/// A file that gets its name when it is complete.
pub(super) struct NewFile {
    path: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
    /// The metadata of a subagent, which the CLI keeps in a file of its own.
    metadata: Option<Value>,
    has_lines: bool,
}

impl NewFile {
    /// Creates the file in the project folder or below it.
    pub(super) fn create(project: &Path, path: PathBuf) -> io::Result<Self> {
        let folder = path.parent().unwrap_or(project);
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        let below = folder.strip_prefix(project).unwrap_or(Path::new(""));
        if folder.canonicalize()? != project.canonicalize()?.join(below) {
            let text = format!("{} is a link", folder.display());
            return Err(io::Error::other(text));
        }
        let temporary = path.with_extension(format!("restoring-{}", std::process::id()));
        let _ = fs::remove_file(&temporary);
        Ok(Self {
            file: BufWriter::new(create_private(&temporary)?),
            path,
            temporary,
            metadata: None,
            has_lines: false,
        })
    }

    pub(super) fn write(mut self, lines: &[Bytes]) -> io::Result<Self> {
        for line in lines {
            if let Some(metadata) = agent_metadata(line) {
                self.metadata = Some(metadata);
                continue;
            }
            self.has_lines = true;
            self.file.write_all(line)?;
            self.file.write_all(b"\n")?;
        }
        Ok(self)
    }

    /// Gives the file its name, unless another file has it.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        if let Some(metadata) = self.metadata.take() {
            let path = self.path.with_extension("meta.json");
            if !path.exists() {
                create_private(&path)?.write_all(metadata.to_string().as_bytes())?;
            }
        }
        // Unlike a rename, a link does not replace a file. Some file systems have no links.
        if self.has_lines
            && fs::hard_link(&self.temporary, &self.path).is_err()
            && self.path.symlink_metadata().is_err()
        {
            fs::rename(&self.temporary, &self.path)?;
        }
        if let Some(folder) = self.path.parent() {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.temporary);
    }
}

fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Returns the metadata of a subagent, if a line has it.
fn agent_metadata(line: &[u8]) -> Option<Value> {
    if rusty_claw::Peek::new(line)?.kind() != "agent_metadata" {
        return None;
    }
    let mut value: Value = serde_json::from_slice(line).ok()?;
    value.as_object_mut()?.remove("type");
    Some(value)
}
