//! What belongs to a session, and where its copy may go.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::RedactError;
use super::decoded::Decoded;
use super::pass::Pass;
use crate::files::{FileRole, SessionFile};
use crate::lines::Lines;

/// One file.
pub(super) struct Belonging {
    pub(super) path: PathBuf,
    /// Where it goes.
    pub(super) relative: PathBuf,
}

/// The files of a session, its own first.
pub(super) fn belongings(original: &SessionFile) -> Result<Vec<Belonging>, RedactError> {
    let own = |path: PathBuf| Belonging {
        relative: PathBuf::from(path.file_name().unwrap_or_default()),
        path,
    };
    let mut all = old_agents(original)?;
    all.extend(original.sidecar().filter(|sidecar| sidecar.is_file()));
    let mut all: Vec<Belonging> = all.into_iter().map(own).collect();
    let mut folders: Vec<Belonging> = original.companions().map(own).into_iter().collect();
    while let Some(folder) = folders.pop() {
        let entries = match std::fs::read_dir(&folder.path) {
            Ok(entries) => entries,
            Err(error) if crate::library::is_absent(&error) => continue,
            Err(error) => return Err(RedactError::io("list", &folder.path)(error)),
        };
        for entry in entries.flatten() {
            let found = Belonging {
                path: entry.path(),
                relative: folder.relative.join(entry.file_name()),
            };
            // A link leads out of the session, to what was not asked for.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(found),
                Ok(kind) if kind.is_file() => all.push(found),
                _ => {}
            }
        }
    }
    // Pseudonyms are numbered in the order of files, which must not depend on the disk.
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all.insert(0, own(original.path.clone()));
    Ok(all)
}

/// Subagents' files of older CLIs, which lie beside the session's and say in their lines whose
/// they are.
fn old_agents(original: &SessionFile) -> Result<Vec<PathBuf>, RedactError> {
    let mut found = Vec::new();
    let (FileRole::Main, Some(id)) = (&original.role, &original.session_id) else {
        return Ok(found);
    };
    let folder = original.path.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).map_err(RedactError::io("list", folder))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let agent = name.starts_with("agent-") && name.ends_with(".jsonl");
        // A file that cannot be read may be the session's: better not to redact half of it.
        if agent && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let path = entry.path();
            if says(&path, id).map_err(RedactError::io("read", &path))? {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// Whether the first line of a file that names a session names this one.
fn says(path: &Path, id: &str) -> std::io::Result<bool> {
    #[derive(serde::Deserialize)]
    struct Named {
        #[serde(rename = "sessionId")]
        session_id: String,
    }
    let mut lines = Lines::new(File::open(path)?);
    while let Some(line) = lines.next_line()? {
        if let Ok(named) = serde_json::from_slice::<Named>(crate::lines::trim(line.raw)) {
            return Ok(named.session_id == id);
        }
    }
    Ok(false)
}

/// Where a file goes, without secrets in the names of files and folders.
pub(super) fn redacted(pass: &mut Pass<'_>, relative: &Path) -> PathBuf {
    let components = relative.components().map(|component| {
        let name = component.as_os_str();
        // The ending says what a file is, and would look like that of a host.
        let (stem, ending) = match name.to_str().and_then(|name| name.rsplit_once('.')) {
            Some((stem, ending)) if !stem.is_empty() && ending.len() <= 5 => (stem, ending),
            _ => (&*name.to_string_lossy(), ""),
        };
        // Files are named after ids, which look random.
        pass.text(&Decoded::plain(stem.as_bytes()), 0, None, false);
        match (pass.apply(stem.as_bytes()), ending) {
            (None, _) => name.to_owned(),
            (Some(new), "") => String::from_utf8_lossy(&new).into_owned().into(),
            (Some(new), _) => format!("{}.{ending}", String::from_utf8_lossy(&new)).into(),
        }
    });
    let redacted = components.collect();
    // The report is about what is in files.
    pass.found.clear();
    pass.file.suppressed.clear();
    redacted
}

/// Refuses a place among the files of the session, before anything is made there.
pub(super) fn refuse(into: &Path, original: &SessionFile) -> Result<(), RedactError> {
    let into_real = real_place(into)?;
    let folder = original.path.parent().unwrap_or(Path::new("."));
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let beside = original.companions().map(|folder| real_place(&folder));
    let inside = beside
        .transpose()?
        .is_some_and(|beside| into_real.starts_with(beside));
    if inside || into_real == real_place(folder)? {
        return Err(RedactError::AmongOriginals {
            path: into.to_path_buf(),
        });
    }
    Ok(())
}

fn real_place(path: &Path) -> Result<PathBuf, RedactError> {
    crate::real_place::real_place(path).map_err(RedactError::io("find", path))
}

/// Makes the folder of a copy, unless there is something in its place.
pub(super) fn prepare(target: &Path) -> Result<(), RedactError> {
    let folder = target.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(RedactError::io("create", folder))?;
    match target.symlink_metadata() {
        Ok(_) => Err(RedactError::Exists {
            path: target.to_path_buf(),
        }),
        Err(_) => Ok(()),
    }
}
