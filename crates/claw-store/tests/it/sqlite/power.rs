//! Power cuts: files as they are on the disk when only synced writes have reached it.
//!
//! A process runs under `strace`, which records its writes and syncs. From the record, the files
//! can be built for any instant. A block device that is copied at an instant (the alternative)
//! needs root and gives one instant for each run; this gives all of them, and also the instants at
//! which some of the writes that were not synced have reached the disk.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use claw_store::SessionKey;

use super::child;

const SECTOR: usize = 512;

/// What a process did to a file.
#[derive(Debug, PartialEq)]
enum Op {
    Write(usize, Vec<u8>),
    Truncate(usize),
    Sync,
    /// The store acknowledged this event.
    Ack(u64),
}

/// What a process did, in order.
pub(super) struct Trace {
    ops: Vec<(PathBuf, Op)>,
    /// The files before it started.
    before: HashMap<PathBuf, Vec<u8>>,
    /// How many calls failed because of the faults.
    pub(super) failures: usize,
}

/// Which of the writes that were not synced have reached the disk.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unsynced {
    None,
    /// Some of their sectors, by a seed.
    Some(u64),
}

impl Trace {
    /// Runs a process that appends events to a database that no other process has open. `faults` are
    /// calls that fail, as `strace` takes them.
    pub(super) fn record(path: &Path, key: &SessionKey, events: u64, faults: &[&str]) -> Self {
        let record = path.with_extension("trace");
        let before = HashMap::from([(path.to_owned(), fs::read(path).unwrap())]);
        let calls = "trace=pwrite64,write,fsync,fdatasync,ftruncate,mmap,pwritev";
        let output = record.to_str().unwrap();
        let mut program = vec!["strace", "-f", "-qq", "-y", "-xx", "-s", "100000000"];
        program.extend(["-o", output, "-e", calls]);
        program.extend(faults.iter().flat_map(|fault| ["-e", fault]));
        let mut command = child::command(&program, path, key, events);
        let output = command.output().expect("strace is installed");
        assert!(output.status.success(), "{output:?}");
        let text = fs::read_to_string(&record).unwrap();
        let ops = parse_all(&text);
        let failures = text.matches("(INJECTED)").count();
        Self {
            ops,
            before,
            failures,
        }
    }

    /// Returns how many instants there are.
    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    /// Writes the files as they are at an instant to a folder. Returns the last event that was
    /// acknowledged before.
    pub(super) fn write_files(&self, instant: usize, unsynced: Unsynced, folder: &Path) -> u64 {
        let mut files = self.before.clone();
        let mut waiting: HashMap<&Path, Vec<&Op>> = HashMap::new();
        let mut acked = 0;
        for (path, op) in &self.ops[..instant] {
            match op {
                Op::Ack(sequence) => acked = acked.max(*sequence),
                Op::Sync => {
                    let file = files.entry(path.clone()).or_default();
                    for op in waiting.remove(&**path).unwrap_or_default() {
                        apply(file, op, |_| true);
                    }
                }
                op => waiting.entry(path).or_default().push(op),
            }
        }
        if let Unsynced::Some(mut seed) = unsynced {
            for (path, ops) in waiting {
                let file = files.entry(path.to_owned()).or_default();
                for op in ops {
                    apply(file, op, |_| {
                        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        seed >> 63 == 0
                    });
                }
            }
        }
        fs::create_dir_all(folder).unwrap();
        for (path, content) in files {
            fs::write(folder.join(path.file_name().unwrap()), content).unwrap();
        }
        acked
    }
}

fn apply(file: &mut Vec<u8>, op: &Op, mut reaches_disk: impl FnMut(usize) -> bool) {
    match op {
        Op::Truncate(len) if reaches_disk(0) => file.resize(*len, 0),
        Op::Write(offset, data) => {
            for (index, sector) in data.chunks(SECTOR).enumerate() {
                if reaches_disk(index) {
                    let start = offset + index * SECTOR;
                    let end = start + sector.len();
                    file.resize(file.len().max(end), 0);
                    file[start..end].copy_from_slice(sector);
                }
            }
        }
        _ => {}
    }
}

/// Parses a record: a call that is interrupted by another thread has two lines.
fn parse_all(text: &str) -> Vec<(PathBuf, Op)> {
    let mut pending = HashMap::new();
    let mut ops = Vec::new();
    for line in text.lines() {
        let (pid, call) = line.split_once(' ').unwrap();
        let call = call.trim_start();
        // The arguments are recorded when a call begins, the result when it ends.
        let call = if let Some(begin) = call.strip_suffix("<unfinished ...>") {
            pending.insert(pid, begin.trim_end().to_owned());
            continue;
        } else if let Some((_, end)) = call.split_once(" resumed>") {
            format!("{}{end}", pending.remove(pid).unwrap_or_default())
        } else {
            call.to_owned()
        };
        ops.extend(parse(&call));
    }
    ops
}

/// Parses a call such as `pwrite64(5<\x2f>, "\x00", 1, 8) = 1`, with its path and data in
/// hexadecimal digits. Returns `None` for files that a power cut does not concern.
fn parse(call: &str) -> Option<(PathBuf, Op)> {
    let (name, rest) = call.split_once('(')?;
    let (arguments, result) = rest.rsplit_once(" = ")?;
    let (_, rest) = arguments.split_once('<')?;
    let (path, rest) = rest.split_once('>')?;
    let path = PathBuf::from(String::from_utf8(unescape(path)).unwrap());
    let data = rest.split('"').nth(1).map(unescape);
    if name == "write" {
        let text = String::from_utf8_lossy(&data?).into_owned();
        let (sequence, _) = child::parse(&text)?;
        return Some((path, Op::Ack(sequence)));
    }
    let extension = path.extension()?.to_str()?;
    if !["db", "db-wal"].contains(&extension) {
        return None;
    }
    if result.starts_with('-') {
        return None;
    }
    let number = || {
        let number = rest.trim_end().trim_end_matches(')').rsplit(", ").next();
        let number = number.and_then(|number| number.trim().parse::<usize>().ok());
        number.unwrap_or_else(|| panic!("no number at the end of a {name}: {rest:.200}"))
    };
    let op = match name {
        "pwrite64" => Op::Write(number(), data?),
        "ftruncate" => Op::Truncate(number()),
        "fsync" | "fdatasync" => Op::Sync,
        _ => panic!("{name} of {} is not expected", path.display()),
    };
    Some((path, op))
}

fn unescape(text: &str) -> Vec<u8> {
    let bytes = text.split("\\x").skip(1);
    bytes
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect()
}

#[test]
fn interrupted_and_failed_calls_are_parsed() {
    let text = r#"7 pwrite64(5<\x2f\x61\x2e\x64\x62>, "\x01\x02", 2, 4096 <unfinished ...>
8 write(1<\x70>, "\x61\x63\x6b\x20\x39\x20\x31\x0a", 8) = 8
7 <... pwrite64 resumed>)             = 2
7 fdatasync(5<\x2f\x61\x2e\x64\x62>)  = -1 EIO (Input/output error) (INJECTED)
7 fdatasync(5<\x2f\x61\x2e\x64\x62>)  = 0
7 ftruncate(5<\x2f\x61\x2e\x64\x62>, 8)  = 0"#;
    let file = |op| (PathBuf::from("/a.db"), op);
    let expected = [
        (PathBuf::from("p"), Op::Ack(9)),
        file(Op::Write(4096, vec![1, 2])),
        file(Op::Sync),
        file(Op::Truncate(8)),
    ];
    assert_eq!(parse_all(text), expected);
}
