//! Finds entries at the ends of recent session files.

use std::cmp::Reverse;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{SessionLibrary, if_present};
use crate::error::TranscriptError;

/// The number of files that are searched, and the number of bytes at the end of each.
const FILES: usize = 64;
const TAIL: u64 = 16 * 1024 * 1024;

impl SessionLibrary {
    /// Returns those of the uuids that belong to recent entries. Searches the last 16 MiB of each
    /// of the 64 most recently modified session files.
    ///
    /// # Errors
    /// Returns an error if a folder cannot be listed. Files that cannot be read are skipped.
    pub fn recent_entries(&self, uuids: Vec<String>) -> Result<Vec<String>, TranscriptError> {
        let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
        for place in self.places()? {
            let entries = if_present(std::fs::read_dir(&place.path));
            let entries = entries.map_err(TranscriptError::io("list", &place.path))?;
            let entries = entries.into_iter().flatten().flatten();
            let paths = entries.map(|entry| entry.path());
            let paths = paths.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
            files.extend(paths.filter_map(|path| {
                // An agent can write the folder: a link or a pipe could be endless.
                let metadata = path.symlink_metadata().ok()?;
                let modified = metadata.modified().ok()?;
                metadata.is_file().then_some((modified, path))
            }));
        }
        files.sort_by_key(|(modified, _)| Reverse(*modified));
        let (mut found, mut missing) = (Vec::new(), uuids);
        for (_, path) in files.iter().take(FILES) {
            if missing.is_empty() {
                break;
            }
            // A file that cannot be read must not prevent the search in the others.
            let Ok(tail) = tail(path) else { continue };
            let has = |uuid: &mut String| tail.contains(&format!(r#""uuid":"{uuid}""#));
            found.extend(missing.extract_if(.., has));
        }
        Ok(found)
    }
}

fn tail(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_their_own_uuid() {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        std::fs::create_dir(&work).unwrap();
        let library = SessionLibrary::open(folder.path().join("config"));
        let library = library.in_dir(&work).without_worktrees();
        let find = |library: &SessionLibrary| {
            let uuids = ["a", "b", "c"].map(str::to_owned).to_vec();
            library.recent_entries(uuids).unwrap()
        };
        assert!(find(&library).is_empty());
        let project = library.project_of(&work).path;
        std::fs::create_dir_all(&project).unwrap();
        let user = r#"{"type":"user","uuid":"a","message":{"content":"\"uuid\":\"b\""}}"#;
        std::fs::write(project.join("one.jsonl"), format!("{user}\n")).unwrap();
        let child = r#"{"parentUuid":"c","type":"assistant","uuid":"d"}"#;
        std::fs::write(project.join("two.jsonl"), format!("{child}\n")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/dev/zero", project.join("endless.jsonl")).unwrap();
        assert_eq!(find(&library), ["a"]);
    }
}
