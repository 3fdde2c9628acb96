//! What an index keeps of a file, and how it lies on disk.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::lines::Line;

/// How an index begins. Another layout gets another number, and the old one is not read.
pub(super) const MAGIC: &[u8; 16] = b"claw search 0002";

/// How long a file must have been left alone until its times say that nothing changed: clocks of
/// file systems go in steps. When it was written can be set by anybody, to the second in some
/// places; when anything about it changed cannot, and goes in the steps of the system's own clock.
const SETTLED: Duration = Duration::from_secs(2);
const STEP: Duration = Duration::from_millis(20);

/// How to tell that a file has not changed, without opening it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::search) struct Stamp {
    device: u64,
    node: u64,
    len: u64,
    modified: u64,
    changed: u64,
}

impl Stamp {
    #[cfg(unix)]
    pub(in crate::search) fn of(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let nanos = |seconds: i64, nanos: i64| (seconds as u64) << 30 | nanos as u64;
        Self {
            device: meta.dev(),
            node: meta.ino(),
            len: meta.len(),
            modified: nanos(meta.mtime(), meta.mtime_nsec()),
            changed: nanos(meta.ctime(), meta.ctime_nsec()),
        }
    }

    #[cfg(not(unix))]
    pub(in crate::search) fn of(meta: &Metadata) -> Self {
        let nanos = |time: io::Result<SystemTime>| {
            let since = time
                .ok()
                .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
            since.map_or(0, |since| since.as_nanos() as u64)
        };
        Self {
            device: 0,
            node: nanos(meta.created()),
            len: meta.len(),
            modified: nanos(meta.modified()),
            changed: 0,
        }
    }
}

impl Stamp {
    /// Whether there is something behind a place in the file.
    pub(super) fn has_more_than(&self, bytes: u64) -> bool {
        self.len > bytes
    }
}

/// Whether the next write is bound to change the file's times.
fn is_settled(meta: &Metadata) -> io::Result<bool> {
    let now = SystemTime::now();
    let left_alone = |time, wanted| {
        let age: Result<Duration, _> = now.duration_since(time);
        age.is_ok_and(|age| age >= wanted)
    };
    Ok(left_alone(meta.modified()?, SETTLED) && left_alone(changed(meta)?, STEP))
}

#[cfg(unix)]
fn changed(meta: &Metadata) -> io::Result<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let since = |seconds, nanos| {
        let (seconds, nanos) = (u64::try_from(seconds).ok()?, u32::try_from(nanos).ok()?);
        SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
    };
    let time = since(meta.ctime(), meta.ctime_nsec());
    time.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

#[cfg(not(unix))]
fn changed(meta: &Metadata) -> io::Result<SystemTime> {
    meta.modified()
}

/// What was read of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// Which file.
    pub(super) path: u64,
    /// Where the part begins: zero, or the end of the part before it.
    pub(super) start: u64,
    /// Where it ends: behind a newline.
    pub(super) end: u64,
    /// How many lines of the file end before its end.
    pub(super) lines: u64,
    pub(super) stamp: Stamp,
    /// Whether nothing had been written for a while.
    pub(super) settled: bool,
    /// Of everything in the file before the end.
    pub(super) content: Content,
}

impl Part {
    /// What is known of a file after reading it up to some place.
    pub(super) fn new(
        path: u64,
        range: std::ops::Range<u64>,
        lines: u64,
        content: Content,
        meta: &Metadata,
    ) -> io::Result<Self> {
        Ok(Self {
            path,
            start: range.start,
            end: range.end,
            lines,
            stamp: Stamp::of(meta),
            settled: is_settled(meta)?,
            content,
        })
    }

    /// Says that more of the file is to follow, so that this alone never looks up to date.
    pub(super) fn unfinished(mut self) -> Self {
        self.stamp.len = 0;
        self
    }

    /// Whether the file is as it was.
    pub(super) fn is_fresh(&self, path: &Path) -> bool {
        let meta = std::fs::metadata(path);
        self.settled && meta.is_ok_and(|meta| Stamp::of(&meta) == self.stamp)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let stamp = self.stamp;
        for number in [
            self.path,
            self.start,
            self.end,
            self.lines,
            stamp.device,
            stamp.node,
            stamp.len,
            stamp.modified,
            stamp.changed,
            u64::from(self.settled),
            self.content.0,
        ] {
            out.extend_from_slice(&number.to_le_bytes());
        }
    }

    pub(super) fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut next = || take_u64(bytes);
        Some(Self {
            path: next()?,
            start: next()?,
            end: next()?,
            lines: next()?,
            stamp: Stamp {
                device: next()?,
                node: next()?,
                len: next()?,
                modified: next()?,
                changed: next()?,
            },
            settled: next()? == 1,
            content: Content(next()?),
        })
    }
}

pub(super) fn take_u64(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*number))
}

pub(super) fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*number))
}

/// A hash of all lines up to some place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Content(u64);

impl Content {
    pub(super) fn add(&mut self, line: &Line<'_>) {
        let end = line.end.bytes().len() as u64;
        let mixed = (self.0 ^ hash(line.raw)).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ end;
        self.0 = mixed ^ (mixed >> 31);
    }
}

/// A hash that is the same in every build. It guards against accidents, not against people.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, word: [u8; 8]| {
        let mixed = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ mixed >> 29
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words
        .iter()
        .fold(bytes.len() as u64, |hash, word| mix(hash, *word));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(hash, last)
}

/// Puts what belongs together into the form in which it is appended.
pub(super) fn sealed(payload: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(payload.len() + 16);
    record.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    record.extend_from_slice(&hash(payload).to_le_bytes());
    record.extend_from_slice(payload);
    record
}

/// No record is longer; what says so is not one of ours.
const LONGEST: u64 = 4 << 20;

/// Reads records, one at a time, up to the first that is not whole.
#[derive(Debug)]
pub(super) struct Records {
    file: BufReader<File>,
    payload: Vec<u8>,
    /// Where the next record begins.
    at: u64,
}

impl Records {
    /// `None` when it is not an index.
    pub(super) fn open(path: &Path) -> Option<Self> {
        let mut file = BufReader::with_capacity(256 * 1024, File::open(path).ok()?);
        let mut magic = [0; MAGIC.len()];
        file.read_exact(&mut magic).ok()?;
        (&magic == MAGIC).then_some(Self {
            file,
            payload: Vec::new(),
            at: MAGIC.len() as u64,
        })
    }

    /// How many bytes whole records take so far.
    pub(super) fn position(&self) -> u64 {
        self.at
    }

    pub(super) fn next(&mut self) -> Option<&[u8]> {
        let mut head = [0; 16];
        self.file.read_exact(&mut head).ok()?;
        let mut numbers = &head[..];
        let (length, sum) = (take_u64(&mut numbers)?, take_u64(&mut numbers)?);
        if length > LONGEST {
            return None;
        }
        self.payload.resize(length as usize, 0);
        self.file.read_exact(&mut self.payload).ok()?;
        if hash(&self.payload) != sum {
            return None;
        }
        self.at += 16 + length;
        Some(&self.payload)
    }
}
