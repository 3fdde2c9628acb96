//! An index that is a cache, not a database.
//!
//! It knows, for each block of lines, which short pieces of text are in it, and with some more by
//! chance. That is enough to skip most blocks, and never to find anything: what is left is searched
//! as if there were no index. So it can be old, broken or gone, and answers are the same.

mod build;
mod covered;
mod grams;
mod record;

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use self::build::Builder;
pub(super) use self::covered::tasks;
pub(super) use self::record::Stamp;
use self::record::{MAGIC, Part, Records};
use crate::error::TranscriptError;
use crate::files::SessionFile;
use crate::library::SessionLibrary;

/// A file that lets searches skip what cannot match. It takes about one hundredth of what it
/// covers.
///
/// It lies outside of the CLI's own folder. Text cannot be read out of it, but whether a word was
/// said can be guessed, so that only its owner may read it.
///
/// ```no_run
/// use claw_transcript::{SearchIndex, SearchQuery, SessionLibrary};
///
/// let library = SessionLibrary::from_env()?;
/// let index = SearchIndex::in_cache(&library)?;
/// index.update(&library, None)?;
/// let hits = SearchQuery::phrase("a rare word").index(&index).run(&library)?;
/// println!("{} hits", hits.count());
/// # Ok::<(), claw_transcript::TranscriptError>(())
/// ```
#[derive(Debug, Clone)]
pub struct SearchIndex {
    path: PathBuf,
}

impl SearchIndex {
    /// The index of a library in a folder, which is made when there is something to keep.
    ///
    /// # Errors
    /// The folder lies in the library's own, which belongs to the CLI.
    pub fn open(
        folder: impl AsRef<Path>,
        library: &SessionLibrary,
    ) -> Result<Self, TranscriptError> {
        let folder = real(folder.as_ref());
        let config = real(library.config_dir());
        if folder.starts_with(&config) {
            return Err(TranscriptError::IndexInConfigDir { folder });
        }
        let id = record::hash(config.as_os_str().as_encoded_bytes());
        Ok(Self {
            path: folder.join(format!("search-{id:016x}.idx")),
        })
    }

    /// The index in the user's cache folder: `claw` in `XDG_CACHE_HOME`, or where the system keeps
    /// caches.
    ///
    /// # Errors
    /// The environment does not say where that is.
    pub fn in_cache(library: &SessionLibrary) -> Result<Self, TranscriptError> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = |below: &str| Some(Path::new(&set("HOME")?).join(below));
        let folder = match set("XDG_CACHE_HOME") {
            Some(folder) => Some(PathBuf::from(folder)),
            None if cfg!(windows) => set("LOCALAPPDATA").map(PathBuf::from),
            None if cfg!(target_os = "macos") => home("Library/Caches"),
            None => home(".cache"),
        };
        let folder = folder.ok_or(TranscriptError::NoCacheDir)?;
        Self::open(folder.join("claw"), library)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads what was written since the last time, of all sessions in the library's folder. Calls
    /// back with how many bytes are done, of those that the files have.
    ///
    /// Does nothing while another program updates the same index.
    ///
    /// # Errors
    /// The index cannot be written. Session files that cannot be read are left out.
    pub fn update(
        &self,
        library: &SessionLibrary,
        progress: Option<&(dyn Fn(u64) + Sync)>,
    ) -> Result<IndexUpdate, TranscriptError> {
        // All of them, also when the library is narrowed to a directory.
        let files = SessionLibrary::open(library.config_dir()).files()?;
        let failed = |action| TranscriptError::io(action, &self.path);
        let known = Known::read(&self.path);
        if known.stale(&files).is_empty() && !known.is_wasteful(&files) && known.broken == 0 {
            return Ok(IndexUpdate::default());
        }
        let folder = self.path.parent().unwrap_or(Path::new("."));
        private_folder(folder).map_err(TranscriptError::io("make", folder))?;
        let lock = self.path.with_extension("lock");
        let lock = private_file(&lock).map_err(TranscriptError::io("write", &lock))?;
        if lock.try_lock().is_err() {
            return Ok(IndexUpdate {
                busy: true,
                ..IndexUpdate::default()
            });
        }
        // Somebody may have written until the lock was ours.
        let mut known = Known::read(&self.path);
        let thrown_away = known.broken;
        if known.is_wasteful(&files) {
            self.rewrite(&known, &files).map_err(failed("write"))?;
            known = Known::read(&self.path);
        }
        let out = self.appendable(&known).map_err(failed("write"))?;
        let stale = known.stale(&files);
        append(out, &files, &stale, progress).map_err(failed("write"))?;
        Ok(IndexUpdate {
            files_read: stale.len(),
            thrown_away,
            busy: false,
        })
    }

    /// The file, with nothing behind its last whole record.
    fn appendable(&self, known: &Known) -> io::Result<File> {
        let mut file = private_file(&self.path)?;
        if known.end == 0 {
            file.set_len(0)?;
            file.write_all(MAGIC)?;
        } else {
            file.set_len(known.end)?;
        }
        Ok(file)
    }

    /// Leaves out what is known of files that are gone or were written anew.
    fn rewrite(&self, known: &Known, files: &[SessionFile]) -> io::Result<()> {
        let paths = path_ids(files);
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        new.write_all(MAGIC)?;
        let mut records = Records::open(&self.path);
        while let Some(payload) = records.as_mut().and_then(Records::next) {
            let Some(part) = Part::read(&mut &*payload) else {
                continue;
            };
            let live = known.files.get(&part.path);
            if paths.contains(&part.path)
                && live.is_some_and(|live| live.parts.contains(&(part.start, part.end)))
            {
                new.write_all(&record::sealed(payload))?;
            }
        }
        new.persist(&self.path)?;
        Ok(())
    }
}

/// What it took to bring an index up to date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexUpdate {
    /// How many session files were read, from their start or from where the index ended.
    pub files_read: usize,
    /// How many bytes of the index were broken, or not of this version, and are gone. The sessions
    /// they were about were read again.
    pub thrown_away: u64,
    /// Whether another program was at it, so that nothing was done. Searching is right all the
    /// same: what the index does not have is read.
    pub busy: bool,
}

/// What is known of all files, without what is in them.
#[derive(Debug, Default)]
struct Known {
    files: HashMap<u64, KnownFile>,
    /// How long the whole records are, and how much of that nobody needs any more.
    end: u64,
    dead: u64,
    /// How much behind that is not to be understood.
    broken: u64,
}

/// So much of an index may be about what is gone.
const WASTE: u64 = 1 << 18;

#[derive(Debug)]
struct KnownFile {
    last: Part,
    /// Where its records begin and end in the file.
    parts: Vec<(u64, u64)>,
    bytes: u64,
}

impl Known {
    fn read(path: &Path) -> Self {
        let length = fs::metadata(path).map_or(0, |meta| meta.len());
        let mut known = Self::default();
        let Some(mut records) = Records::open(path) else {
            known.broken = length;
            return known;
        };
        known.end = records.position();
        while let Some(payload) = records.next() {
            let bytes = payload.len() as u64;
            if let Some(part) = Part::read(&mut &*payload) {
                known.add(part, bytes);
            }
            known.end = records.position();
        }
        known.broken = length.saturating_sub(known.end);
        known
    }

    fn add(&mut self, part: Part, bytes: u64) {
        let range = (part.start, part.end);
        match self.files.get_mut(&part.path) {
            Some(file) if part.start == file.last.end && part.start > 0 => {
                file.last = part;
                file.parts.push(range);
                file.bytes += bytes;
            }
            Some(file) if part.start == 0 => {
                self.dead += file.bytes;
                *file = KnownFile {
                    last: part,
                    parts: vec![range],
                    bytes,
                };
            }
            None if part.start == 0 => {
                let file = KnownFile {
                    last: part,
                    parts: vec![range],
                    bytes,
                };
                self.files.insert(file.last.path, file);
            }
            // Nothing that it could follow.
            _ => self.dead += bytes,
        }
    }

    /// Whether most of it is about what is gone.
    fn is_wasteful(&self, files: &[SessionFile]) -> bool {
        let there = path_ids(files);
        let gone = self.files.iter().filter(|(path, _)| !there.contains(path));
        let dead = self.dead + gone.map(|(_, file)| file.bytes).sum::<u64>();
        dead > WASTE && dead > self.end / 2
    }

    /// The files that were written to, with what is known of them.
    fn stale(&self, files: &[SessionFile]) -> Vec<(usize, Option<&Part>)> {
        let known = |file: &SessionFile| {
            let known = self.files.get(&path_id(&file.path));
            known.map(|known| &known.last)
        };
        let all = files.iter().enumerate().map(|(at, file)| (at, known(file)));
        let is_stale = |(at, known): &(usize, Option<&Part>)| {
            known.is_none_or(|known| !known.is_fresh(&files[*at].path))
        };
        let mut stale: Vec<_> = all.filter(is_stale).collect();
        // The largest first, so that nobody is left alone with one at the end.
        stale.sort_by_key(|(at, _)| std::cmp::Reverse(files[*at].len));
        stale
    }
}

/// Reads files with several threads and appends what is to be known of them.
fn append(
    out: File,
    files: &[SessionFile],
    stale: &[(usize, Option<&Part>)],
    progress: Option<&(dyn Fn(u64) + Sync)>,
) -> io::Result<()> {
    let left: u64 = stale.iter().map(|(at, _)| files[*at].len).sum();
    let all: u64 = files.iter().map(|file| file.len).sum();
    let done = AtomicU64::new(all.saturating_sub(left));
    let next = AtomicUsize::new(0);
    let out = Mutex::new((out, Ok(())));
    let work = || {
        let mut builder = Builder::default();
        while let Some((at, known)) = stale.get(next.fetch_add(1, Ordering::Relaxed)) {
            let file = &files[*at];
            let read = builder.read(&file.path, path_id(&file.path), *known, |record| {
                let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
                if out.1.is_ok() {
                    out.1 = out.0.write_all(record);
                }
                Ok(())
            });
            if read.is_err() {
                // It went away or may not be read; a search will say so.
                builder = Builder::default();
            }
            let done = done.fetch_add(file.len, Ordering::Relaxed) + file.len;
            if let Some(progress) = progress {
                progress(done);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..threads.min(stale.len()) {
            scope.spawn(work);
        }
        work();
    });
    let (file, written) = out.into_inner().unwrap_or_else(PoisonError::into_inner);
    written?;
    drop(file);
    Ok(())
}

fn path_ids(files: &[SessionFile]) -> HashSet<u64> {
    files.iter().map(|file| path_id(&file.path)).collect()
}

fn path_id(path: &Path) -> u64 {
    record::hash(path.as_os_str().as_encoded_bytes())
}

/// A path without links, as far as it is there.
fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let there = absolute.ancestors().find_map(|there| {
        let real = fs::canonicalize(there).ok()?;
        Some(real.join(absolute.strip_prefix(there).ok()?))
    });
    there.unwrap_or(absolute)
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// A file of the index, to be appended to.
fn private_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}
