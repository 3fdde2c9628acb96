//! Changes to a session: title, tag, archive, delete.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::SystemTime;

use serde::Serialize;

use crate::error::TranscriptError;
use crate::library::{Found, SessionLibrary, is_absent};
use crate::listing::ArchiveMark;
use crate::script_text::{clean_tag, trim};

impl SessionLibrary {
    /// Gives a session a title. Appends one line; the last title counts.
    ///
    /// A CLI that runs the session need not be stopped.
    ///
    /// # Errors
    /// The title is blank, there is no such session, or its file cannot be written.
    pub fn rename(&self, session_id: &str, title: &str) -> Result<(), TranscriptError> {
        let title = trim(title);
        if title.is_empty() {
            return Err(TranscriptError::Empty {
                what: "title",
                hint: "give at least one visible character",
            });
        }
        self.append(&TitleEntry {
            kind: "custom-title",
            custom_title: title,
            session_id,
        })
    }

    /// Gives a session a tag, or takes it away with `None`. Appends one line; the last tag counts.
    ///
    /// Outside ASCII the tag is normalised and loses invisible characters, as the CLI does it, so
    /// that two tags that look alike are alike.
    ///
    /// # Errors
    /// The tag is blank, there is no such session, or its file cannot be written.
    pub fn tag(&self, session_id: &str, tag: Option<&str>) -> Result<(), TranscriptError> {
        let clean = tag.map(clean_tag);
        if clean.as_deref() == Some("") {
            return Err(TranscriptError::Empty {
                what: "tag",
                hint: "give at least one visible character, or None to take the tag away",
            });
        }
        let tag = clean.unwrap_or_default();
        self.append(&TagEntry {
            kind: "tag",
            tag: &tag,
            session_id,
        })
    }

    /// Archives a session: a mark beside its file. Lists still show it, as archived, and the next
    /// prompt takes it out again.
    ///
    /// # Errors
    /// There is no such session, or the mark cannot be written.
    pub fn archive(&self, session_id: &str) -> Result<(), TranscriptError> {
        self.mark(session_id, true)
    }

    /// Takes a session out of the archive.
    ///
    /// # Errors
    /// There is no such session, or the mark cannot be written.
    pub fn unarchive(&self, session_id: &str) -> Result<(), TranscriptError> {
        self.mark(session_id, false)
    }

    /// Deletes a session: its file, then the folder beside it with its subagents and tool results,
    /// and so with every copy of it. There is no way back. File checkpoints, which lie elsewhere,
    /// stay.
    ///
    /// # Errors
    /// There is no such session, or something cannot be deleted. When that is the folder, the file
    /// is gone already: delete the folder that the error names.
    pub fn delete(&self, session_id: &str) -> Result<(), TranscriptError> {
        let all = self.find_all(session_id)?;
        if all.is_empty() {
            self.find(session_id)?;
        }
        let deleted: Vec<_> = all.iter().map(delete_copy).collect();
        // One that cannot be deleted saves no other.
        deleted.into_iter().collect()
    }

    fn append(&self, entry: &impl Entry) -> Result<(), TranscriptError> {
        let found = self.find(entry.session_id())?;
        serde_json::to_string(entry)
            .map_err(std::io::Error::from)
            .and_then(|line| append_line(&found.path, &line))
            .map_err(TranscriptError::io("append to", &found.path))
    }

    /// Marks every copy: which one a CLI will find depends on where it is started.
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

/// Deletes one file of a session, and the folder beside it.
fn delete_copy(found: &Found) -> Result<(), TranscriptError> {
    match std::fs::remove_file(&found.path) {
        Err(error) if !is_absent(&error) => {
            return Err(TranscriptError::io("delete", &found.path)(error));
        }
        _ => {}
    }
    let beside = found.path.with_extension("");
    // A CLI that still runs can write into the folder while it is being emptied.
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

/// A line that we append. Members stand in the order in which the CLI writes them.
trait Entry: Serialize {
    fn session_id(&self) -> &str;
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TitleEntry<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    custom_title: &'a str,
    session_id: &'a str,
}

impl Entry for TitleEntry<'_> {
    fn session_id(&self) -> &str {
        self.session_id
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TagEntry<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    tag: &'a str,
    session_id: &'a str,
}

impl Entry for TagEntry<'_> {
    fn session_id(&self) -> &str {
        self.session_id
    }
}

/// Appends a line in one write. Behind a torn last line it starts a new one, so that it is not
/// lost together with it.
fn append_line(path: &Path, line: &str) -> std::io::Result<()> {
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

/// Writes a file that appears whole or not at all, readable by its owner only.
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

fn create_private_dir(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path)
}
