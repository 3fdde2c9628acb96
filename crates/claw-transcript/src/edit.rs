//! Edits sessions: rename, tag, archive, delete.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::SystemTime;

use crate::error::TranscriptError;
use crate::library::locate::Found;
use crate::library::{SessionLibrary, is_absent};
use crate::listing::ArchiveMark;
use crate::members::quoted;
use crate::script_text::{clean_tag, trim};

impl SessionLibrary {
    /// Sets the title of a session. Appends one line; the last title wins.
    ///
    /// It is safe while a CLI runs the session.
    ///
    /// # Errors
    /// Returns an error if the title is blank, the session does not exist, or its file cannot be
    /// written.
    pub fn rename(&self, session_id: &str, title: &str) -> Result<(), TranscriptError> {
        let title = trim(title);
        if title.is_empty() {
            return Err(TranscriptError::Empty {
                what: "title",
                hint: "give at least one visible character",
            });
        }
        self.append(session_id, "custom-title", "customTitle", title)
    }

    /// Sets the tag of a session, or removes it with `None`. Appends one line; the last tag wins.
    ///
    /// Outside ASCII the tag is normalized and loses invisible characters, as in the CLI, so that
    /// tags that look the same are equal.
    ///
    /// # Errors
    /// Returns an error if the tag is blank, the session does not exist, or its file cannot be
    /// written.
    pub fn tag(&self, session_id: &str, tag: Option<&str>) -> Result<(), TranscriptError> {
        let clean = tag.map(clean_tag);
        if clean.as_deref() == Some("") {
            return Err(TranscriptError::Empty {
                what: "tag",
                hint: "give at least one visible character, or None to remove the tag",
            });
        }
        self.append(session_id, "tag", "tag", &clean.unwrap_or_default())
    }

    /// Archives a session: writes a mark to the folder beside its file. Lists show it as archived
    /// until the next prompt.
    ///
    /// # Errors
    /// Returns an error if the session does not exist, or the mark cannot be written.
    pub fn archive(&self, session_id: &str) -> Result<(), TranscriptError> {
        self.mark(session_id, true)
    }

    /// Removes a session from the archive.
    ///
    /// # Errors
    /// Returns an error if the session does not exist, or the mark cannot be written.
    pub fn unarchive(&self, session_id: &str) -> Result<(), TranscriptError> {
        self.mark(session_id, false)
    }

    /// Deletes all copies of a session permanently: the file, and the folder beside it with
    /// subagents and tool results. File checkpoints are stored elsewhere and are kept.
    ///
    /// # Errors
    /// Returns an error if the session does not exist, or something cannot be deleted. If the error
    /// names the folder, the file is already deleted: delete the folder by hand.
    pub fn delete(&self, session_id: &str) -> Result<(), TranscriptError> {
        let all = self.find_all(session_id)?;
        if all.is_empty() {
            self.find(session_id)?;
        }
        let deleted: Vec<_> = all.iter().map(delete_copy).collect();
        // All copies are tried before the first error is returned.
        deleted.into_iter().collect()
    }

    /// Appends a line with its type, one more member and the session, in the CLI's order.
    fn append(
        &self,
        session_id: &str,
        kind: &str,
        member: &str,
        value: &str,
    ) -> Result<(), TranscriptError> {
        let path = self.find(session_id)?.path;
        let (value, id) = (quoted(value), quoted(session_id));
        let line = format!(r#"{{"type":"{kind}","{member}":{value},"sessionId":{id}}}"#);
        append_line(&path, &line).map_err(TranscriptError::io("append to", &path))
    }

    /// Marks every copy, because a CLI finds a different one in each working directory.
    fn mark(&self, session_id: &str, archived: bool) -> Result<(), TranscriptError> {
        let all = self.find_all(session_id)?;
        if all.is_empty() {
            self.find(session_id)?;
        }
        let at = crate::time::to_iso(SystemTime::now());
        let text = format!(r#"{{"archived":{archived},"at":"{at}","by":"sdk"}}"#);
        for found in all {
            let mark = ArchiveMark::path(&found.path, session_id);
            let folder = mark.parent().unwrap_or(&mark);
            create_private_dir(folder).map_err(TranscriptError::io("create", folder))?;
            write_whole(&mark, |file| file.write_all(text.as_bytes()))
                .map_err(TranscriptError::io("write", &mark))?;
        }
        Ok(())
    }
}

/// Deletes one copy of a session: its file and the folder beside it.
fn delete_copy(found: &Found) -> Result<(), TranscriptError> {
    match std::fs::remove_file(&found.path) {
        Err(error) if !is_absent(&error) => {
            return Err(TranscriptError::io("delete", &found.path)(error));
        }
        _ => {}
    }
    let beside = found.path.with_extension("");
    // A running CLI can write into the folder while it is being emptied.
    let mut tries = 0;
    loop {
        tries += 1;
        match std::fs::remove_dir_all(&beside) {
            Ok(()) => return Ok(()),
            Err(error) if is_absent(&error) => return Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::DirectoryNotEmpty && tries < 3 => {
                std::thread::sleep(std::time::Duration::from_millis(50 * tries));
            }
            Err(error) => return Err(TranscriptError::io("delete", &beside)(error)),
        }
    }
}

/// Appends a line in one write. After a torn last line it starts a new line, so that both can be
/// parsed.
pub(crate) fn append_line(path: &Path, line: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().read(true).append(true).open(path)?;
    let torn = file.seek(SeekFrom::End(0))? > 0 && {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        last != *b"\n"
    };
    let start = if torn { "\n" } else { "" };
    file.write_all(format!("{start}{line}\n").as_bytes())
}

/// Writes a file atomically. Only its owner can read it.
pub(crate) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut File) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new()
        .prefix(".claw-")
        .tempfile_in(folder)?;
    write(temporary.as_file_mut())?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Creates a folder and its parents, readable only by the owner.
pub(crate) fn create_private_dir(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path)
}
