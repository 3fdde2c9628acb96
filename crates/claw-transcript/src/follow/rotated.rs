//! Files that were rotated away more than once since somebody looked.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::cursor::Identity;

/// Rotation renames one file after the other. How often to look again until they keep still, and
/// how long that may take.
const TRIES: u32 = 40;
const PAUSE: Duration = Duration::from_millis(2);

/// Files that have had a name since somebody looked.
#[derive(Debug, Default)]
pub(super) struct Since {
    /// Oldest first; the last is the present one. Empty when there is none now.
    pub(super) files: Vec<File>,
    /// All that are older than the present one, for the next time.
    pub(super) older: Vec<Identity>,
}

/// The files that have had the name since the one that was read.
///
/// Rotation calls old files `NAME.1`, `NAME.2`: the higher the older. When the one that was read is
/// not among them, another one took its name. Then those are new that were not there when it was
/// opened, which `older` says.
pub(super) fn since(path: &Path, read: Identity, older: &[Identity]) -> io::Result<Since> {
    let mut newest = None;
    for _ in 0..TRIES {
        let before = listed(path)?;
        let known = before.iter().position(|identity| *identity == Some(read));
        let numbers: Vec<usize> = match known {
            Some(known) => (0..known).collect(),
            None => {
                let numbered = before.iter().enumerate();
                let new = numbered.filter(|(_, identity)| {
                    identity.is_some_and(|identity| !older.contains(&identity))
                });
                new.map(|(number, _)| number).collect()
            }
        };
        // Held open, they may be renamed as often as anybody likes.
        let files: Option<Vec<File>> = numbers
            .into_iter()
            .rev()
            .map(|number| opened(path, number, before.get(number).copied().flatten()))
            .collect();
        let still = listed(path)? == before;
        if let (Some(files), true) = (files, still) {
            let since = Since {
                files,
                older: before.into_iter().skip(1).flatten().collect(),
            };
            if known.is_some() {
                return Ok(since);
            }
            newest = Some(since);
        }
        std::thread::sleep(PAUSE);
    }
    Ok(newest.unwrap_or_default())
}

/// The files that were rotated away before somebody looks for the first time.
pub(super) fn older(path: &Path) -> io::Result<Vec<Identity>> {
    Ok(listed(path)?.into_iter().skip(1).flatten().collect())
}

/// The file with the name and the old ones by their number, which is their place in the list.
fn listed(path: &Path) -> io::Result<Vec<Option<Identity>>> {
    let mut found = vec![Identity::of(path)?];
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().unwrap_or(Path::new("."));
    for entry in std::fs::read_dir(folder)?.flatten() {
        let other = entry.file_name();
        let other = other.to_string_lossy();
        let number = other
            .strip_prefix(&*name)
            .and_then(|rest| rest.strip_prefix('.'))
            .and_then(|number| number.parse::<usize>().ok());
        let Some(number) = number.filter(|number| (1..10_000).contains(number)) else {
            continue;
        };
        if found.len() <= number {
            found.resize(number + 1, None);
        }
        found[number] = Identity::of(&entry.path())?;
    }
    Ok(found)
}

/// Opens one of them; `None` when it is another one by now.
fn opened(path: &Path, number: usize, expected: Option<Identity>) -> Option<File> {
    let path = match number {
        0 => path.to_path_buf(),
        _ => {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        }
    };
    let file = File::open(path).ok()?;
    (Identity::of_file(&file).ok() == expected).then_some(file)
}
