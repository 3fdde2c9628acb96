//! Reads the lines of a file to repair.

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::Range;

use crate::check::common::OneSession;
use crate::entry::{Body, Damage, Entry, salvage, whole_object};
use crate::lines::{Line, LineEnd, Lines, Span, has_more_than_space_around, readable, trim};
use crate::members::Changes;

use super::fields::Before;
use super::item::{Item, Node};
use super::render::mended;
use super::step::{RepairAction, RepairStep, excerpt};
use super::surrogates::whole_characters;
use super::work::Work;
use crate::conversation::{Id, Ids};

/// The owner of a file's lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// Whether it is the file of a subagent.
    pub(super) of_agent: bool,
    /// The session id, from the names of files and folders.
    pub(super) session: Option<String>,
}

/// Reads a file once, a line at a time.
pub(super) fn scan(reader: impl Read, place: &Place) -> io::Result<Work> {
    let mut lines = Lines::new(reader);
    let mut scan = Scan {
        work: Work {
            of_agent: place.of_agent,
            ..Work::default()
        },
        torn_before: None,
        before: Before::new(OneSession::of_file(place.session.as_deref())),
    };
    while let Some(line) = lines.next_line()? {
        scan.line(&line);
    }
    scan.work.length = lines.offset();
    scan.work.index();
    Ok(scan.work)
}

struct Scan {
    work: Work,
    /// The parent of the last torn entry.
    torn_before: Option<Id>,
    before: Before,
}

impl Scan {
    fn line(&mut self, line: &Line<'_>) {
        match line.body() {
            Body::Blank => self.blank(line),
            Body::Entry(entry) => self.entry(line, 0..line.raw.len(), Some(entry)),
            Body::Broken(damage) => self.broken(line, &damage),
        }
    }

    fn blank(&mut self, line: &Line<'_>) {
        let is_space = |byte: &u8| byte.is_ascii_whitespace();
        if line.raw.iter().all(is_space) && line.end != LineEnd::None {
            self.work.items.push(Item::of(line, 0..line.raw.len()));
            return;
        }
        let why = "a crash left bytes that are not text";
        let step = self.step(line, 0, ("line-text", RepairAction::Strip), why);
        step.before = Some(excerpt(line.raw));
    }

    fn broken(&mut self, line: &Line<'_>, damage: &Damage) {
        let pieces = pieces(line.raw);
        // Half a character in a member name, which the CLI accepts and we reject, or NUL bytes
        // inside the line, which the CLI rejects.
        if pieces.is_empty() && Entry::read(mended(line.raw).as_bytes()).is_some() {
            self.entry(line, 0..line.raw.len(), None);
            return;
        }
        if pieces.len() > 1 {
            let count = pieces.len();
            let why = format!("{count} entries share a line; the CLI would read none of them");
            let step = self.step(line, 0, ("line-whole", RepairAction::Split), why);
            step.before = Some(excerpt(line.raw));
        }
        let mut done = 0;
        let ends = pieces.iter().map(|piece| piece.start);
        let ends: Vec<usize> = ends.chain([line.raw.len()]).collect();
        for (at, end) in ends.into_iter().enumerate() {
            self.gap(line, done..end, damage, !pieces.is_empty());
            if let Some(piece) = pieces.get(at) {
                done = piece.end;
                self.entry(line, piece.clone(), None);
            }
        }
    }

    /// Handles bytes of a broken line that are not an entry.
    fn gap(&mut self, line: &Line<'_>, gap: Range<usize>, damage: &Damage, has_pieces: bool) {
        let bytes = &line.raw[gap.clone()];
        if trim(bytes).is_empty() {
            return;
        }
        self.torn_before = parent_in(bytes).map(|parent| self.work.names.of(&parent));
        let why = if has_pieces {
            "a torn entry is on one line with a whole one; the CLI would read neither"
        } else {
            damage.why
        };
        let offset = line.offset + gap.start as u64;
        self.work.removed.push(Span {
            offset,
            length: bytes.len(),
        });
        let step = self.step(line, gap.start, ("line-whole", RepairAction::Remove), why);
        step.before = Some(excerpt(bytes));
    }

    /// Handles an entry in a line, which may contain others.
    fn entry(&mut self, line: &Line<'_>, place: Range<usize>, read: Option<Entry<'_>>) {
        let raw = &line.raw[place.clone()];
        let mut item = Item::of(line, place.clone());
        let text = readable(raw);
        let around = has_more_than_space_around(raw);
        let broken = [
            (
                around,
                ("line-text", RepairAction::Strip),
                "the CLI does not read a line with such bytes around it",
            ),
            (
                text.contains('\0'),
                ("line-whole", RepairAction::Strip),
                "the line contains NUL bytes, so the CLI would not read it",
            ),
            (
                matches!(text, Cow::Owned(_)),
                ("line-text", RepairAction::Text),
                "bytes that are not UTF-8 become U+FFFD, as the CLI reads them",
            ),
            (
                matches!(whole_characters(&text), Cow::Owned(_)),
                ("character-whole", RepairAction::Text),
                "halves of emoji become U+FFFD; the API rejects a request that has them",
            ),
        ];
        for (at, (is_broken, what, why)) in broken.into_iter().enumerate() {
            if is_broken {
                item.edit.text = true;
                let step = self.step(line, place.start, what, why);
                step.before = (at == 0).then(|| excerpt(raw));
            }
        }
        let mut mended = if item.edit.text || read.is_none() {
            mended(raw)
        } else {
            String::new()
        };
        let mut entry = match read.filter(|_| !item.edit.text) {
            Some(entry) => Some(entry),
            None => Entry::read(mended.as_bytes()),
        };
        let fixes = entry.as_ref().map(|entry| self.before.fixes(entry));
        let fixes = fixes.unwrap_or_default();
        if !fixes.is_empty() {
            let text = entry
                .map(|entry| entry.text().to_owned())
                .unwrap_or_default();
            for fix in &fixes {
                let (before, after) = fix.shown(&text);
                let step = self.step(line, place.start, (fix.rule, fix.action), fix.why);
                (step.before, step.after) = (before, after);
            }
            item.edit.fields = fixes.into_iter().map(|fix| (fix.range, fix.text)).collect();
            mended = Changes(item.edit.fields.clone()).apply(&text);
            entry = Entry::read(mended.as_bytes());
        }
        if let Some(entry) = &entry {
            self.work.note_session(entry);
        }
        let fresh = |names: &mut Ids| names.fresh_uuid(item.span.offset, "uuid");
        let node = entry.and_then(|entry| Node::read(&entry, &mut self.work.names, fresh));
        if let Some((mut node, is_new)) = node {
            if is_new {
                item.edit.uuid = Some(node.id);
                let uuid = self.work.names.text(node.id);
                let what = ("field-required", RepairAction::NewUuid);
                let why = "the line has no uuid, so no line can name it as its parent";
                self.step(line, place.start, what, why).after = Some(uuid);
            }
            node.torn_before = self.torn_before.take();
            item.node = Some(Box::new(node));
        }
        if line.end == LineEnd::None && place.end == line.raw.len() {
            let what = ("line-whole", RepairAction::EndLine);
            self.step(line, place.end, what, "the last line has no newline");
        }
        self.work.items.push(item);
    }

    fn step(
        &mut self,
        line: &Line<'_>,
        at: usize,
        what: (&'static str, RepairAction),
        why: impl Into<String>,
    ) -> &mut RepairStep {
        let position = (line.ordinal + 1, line.offset + at as u64);
        self.work.add_step(RepairStep::new(what, position, why))
    }
}

/// The positions of complete entries in a broken line: consecutive ones from its start, then
/// anywhere.
fn pieces(raw: &[u8]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    loop {
        let rest = &raw[at..];
        let start = at + rest.len() - trim_start(rest).len();
        let object = Some(&raw[start..]).filter(|rest| rest.starts_with(b"{"));
        let Some(length) = object.and_then(whole_object) else {
            break;
        };
        pieces.push(start..start + length);
        at = start + length;
    }
    let behind = salvage(&raw[at..]).into_iter();
    pieces.extend(behind.map(|piece| piece.start + at..piece.end + at));
    // JSON that is not a readable object is not an entry.
    pieces.retain(|piece| {
        let text = readable(&raw[piece.clone()]);
        Entry::read(whole_characters(&text).as_bytes()).is_some()
    });
    pieces
}

fn trim_start(mut bytes: &[u8]) -> &[u8] {
    while let [0 | b' ' | b'\t' | b'\r', rest @ ..] | [0xEF, 0xBB, 0xBF, rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

/// The parent of a torn entry, which the CLI writes first.
fn parent_in(torn: &[u8]) -> Option<String> {
    const MEMBER: &[u8] = b"\"parentUuid\":\"";
    const UUID: usize = 36;
    let at = memchr::memmem::find(&torn[..torn.len().min(200)], MEMBER)? + MEMBER.len();
    let uuid = torn.get(at..at + UUID)?;
    let uuid = std::str::from_utf8(uuid).ok()?;
    uuid::Uuid::try_parse(uuid).ok()?;
    Some(uuid.to_owned())
}
