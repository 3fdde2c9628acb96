//! Repairs a file in several rounds.
//!
//! One repair can reveal further damage: a line with a new parent may have the wrong flag for its
//! new chain. So the output of a repair is planned again, until there is nothing left to do. One
//! round is enough for most files.

use std::collections::HashSet;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::item::Node;
use super::render::render;
use super::scan::{Place, scan};
use super::step::RepairStep;
use super::work::Work;
use crate::lines::Span;

/// The maximum number of rounds.
const ROUNDS: usize = 12;

/// The size of buffers.
const BUFFER: usize = 1 << 16;

/// A repaired file. `B` is a buffer in memory or a temporary file.
#[derive(Debug)]
pub(super) struct Mended<B> {
    /// The steps, in the order of the original file, whose lines they refer to.
    pub(super) steps: Vec<RepairStep>,
    /// The repaired lines; `None` if there are no steps.
    pub(super) output: Option<B>,
    /// The removed bytes with their offsets; `None` if there are none.
    pub(super) removed: Option<B>,
    /// The length of the original file.
    pub(super) length: u64,
    pub(super) about: About,
}

/// Facts about the lines of a file.
#[derive(Debug, Default)]
pub(super) struct About {
    /// The session ids in the lines, in the order of the file.
    pub(super) sessions: Vec<String>,
    /// The first working directory in the lines.
    pub(super) cwd: Option<PathBuf>,
    /// Parents that are in other files, where they belong.
    pub(super) elsewhere: HashSet<String>,
    /// Whether lines are left after the repair, and messages among them.
    pub(super) has_lines: bool,
    pub(super) has_messages: bool,
}

/// Repairs a file. `buffer` creates the buffers for the output; `elsewhere` returns those of the
/// missing parents that are in other files, where they belong.
pub(super) fn mend<B: Read + Write + Seek>(
    source: &mut (impl Read + Seek),
    place: &Place,
    buffer: impl Fn() -> io::Result<B>,
    elsewhere: impl FnOnce(Vec<String>) -> HashSet<String>,
) -> io::Result<Mended<B>> {
    let mut work = scan(&mut *source, place)?;
    let lost = work.lost_parents();
    let mut mended = Mended {
        steps: Vec::new(),
        output: None,
        removed: None,
        length: work.length,
        about: About {
            sessions: std::mem::take(&mut work.sessions),
            cwd: work.cwd.take(),
            ..About::default()
        },
    };
    if !lost.is_empty() {
        mended.about.elsewhere = elsewhere(lost);
    }
    // The original line number and offset of each line.
    let mut origins: Vec<(u64, u64)> = Vec::new();
    for round in 0..ROUNDS {
        work.set_elsewhere(&mended.about.elsewhere);
        work.plan();
        if work.steps.is_empty() {
            break;
        }
        let origin = |line: u64, offset: u64| {
            let known = usize::try_from(line - 1)
                .ok()
                .and_then(|at| origins.get(at));
            known.copied().unwrap_or((line, offset))
        };
        for mut step in std::mem::take(&mut work.steps) {
            (step.line, step.offset) = origin(step.line, step.offset);
            mended.steps.push(step);
        }
        let written = work.items.iter().filter(|item| !item.gone);
        origins = written
            .map(|item| origin(item.line, item.span.offset))
            .collect();
        if !work.removed.is_empty() && mended.removed.is_none() {
            mended.removed = Some(buffer()?);
        }
        let mut next = buffer()?;
        let outputs = (&mut next, mended.removed.as_mut());
        match &mut mended.output {
            None => write(&work, source, outputs, round)?,
            Some(before) => write(&work, before, outputs, round)?,
        }
        next.rewind()?;
        work = scan(&mut next, place)?;
        mended.output = Some(next);
    }
    mended.steps.sort_by_key(|step| step.offset);
    mended.about.has_lines = work.items.iter().any(|item| !item.gone);
    mended.about.has_messages = work.nodes().any(|(_, node)| Node::is_said(node));
    for output in [&mut mended.output, &mut mended.removed] {
        output.as_mut().map_or(Ok(()), Seek::rewind)?;
    }
    Ok(mended)
}

impl Work {
    /// Plans the changes to a file that was read.
    fn plan(&mut self) {
        self.settle_copies();
        self.mend_sides();
        self.mend_links();
        for at in std::mem::take(&mut self.renamed) {
            if !self.is_result_of_parent(at) {
                self.put_on_the_way(at, "uuid-unique");
            }
        }
        self.name_calls();
        self.forget_lost();
        self.mend_pairs();
        self.fill_empty();
        self.settle_order();
        self.leave_last_line();
        self.steps.sort_by_key(|step| step.offset);
    }
}

/// Writes the repaired lines of a file, and the bytes that a round removes.
fn write<B: Write>(
    work: &Work,
    source: &mut (impl Read + Seek),
    (lines, removed): (&mut B, Option<&mut B>),
    round: usize,
) -> io::Result<()> {
    let mut source = BufReader::with_capacity(BUFFER, source);
    let mut out = BufWriter::with_capacity(BUFFER, lines);
    let mut bytes = Vec::new();
    for item in work.items.iter().filter(|item| !item.gone) {
        read_at(&mut source, item.span, &mut bytes)?;
        out.write_all(&render(item, &bytes, &work.names))?;
        out.write_all(item.end.bytes())?;
    }
    out.flush()?;
    let Some(removed) = removed else {
        return Ok(());
    };
    let when = match round {
        0 => String::new(),
        round => format!(" of the output of round {round}"),
    };
    let mut removed = BufWriter::with_capacity(BUFFER, removed);
    for span in &work.removed {
        read_at(&mut source, *span, &mut bytes)?;
        writeln!(
            removed,
            "# byte {}{when}, {} bytes",
            span.offset, span.length
        )?;
        removed.write_all(&bytes)?;
        removed.write_all(b"\n")?;
    }
    removed.flush()
}

fn read_at(source: &mut (impl Read + Seek), span: Span, into: &mut Vec<u8>) -> io::Result<()> {
    // Usually this is the next line, which is in the buffer.
    let now = source.stream_position()?;
    let step = i64::try_from(span.offset).and_then(|to| Ok(to - i64::try_from(now)?));
    match step {
        Ok(step) => source.seek_relative(step)?,
        Err(_) => {
            source.seek(SeekFrom::Start(span.offset))?;
        }
    }
    into.clear();
    into.resize(span.length, 0);
    source.read_exact(into)
}
