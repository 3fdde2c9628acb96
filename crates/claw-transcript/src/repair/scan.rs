//! A file becomes lines to repair.

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::Range;

use serde::de::IgnoredAny;

use crate::check::alike::OneSession;
use crate::entry::{Body, Damage, Entry, salvage};
use crate::lines::{Line, LineEnd, Lines, Span, has_more_than_space_around, readable, trim};

use super::fields::Before;
use super::item::{Edit, Item, Node, Source};
use super::names::{Name, Names};
use super::render::{mended, with_fields};
use super::step::{RepairAction, RepairStep, excerpt};
use super::surrogates::whole_characters;
use super::work::Work;

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
        work: Work::new(place.of_agent),
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
    /// What the last torn entry hung under.
    torn_before: Option<Name>,
    before: Before,
}

impl Scan {
    fn line(&mut self, line: &Line<'_>) {
        match line.body() {
            Body::Blank => self.blank(line),
            Body::Entry(entry) => {
                let whole = 0..line.raw.len();
                self.entry(line, whole, Some(entry));
            }
            Body::Broken(damage) => self.broken(line, &damage),
        }
    }

    fn blank(&mut self, line: &Line<'_>) {
        let is_space = |byte: &u8| byte.is_ascii_whitespace();
        if line.raw.iter().all(is_space) && line.end != LineEnd::None {
            let item = item(line, 0..line.raw.len());
            self.work.items.push(item);
            return;
        }
        self.step(
            line,
            0,
            "line-text",
            RepairAction::Strip,
            "a crash left bytes behind that are no text",
        )
        .before = Some(excerpt(line.raw));
        self.work.changed = true;
    }

    fn broken(&mut self, line: &Line<'_>, damage: &Damage) {
        let pieces = pieces(line.raw);
        if pieces.is_empty() {
            // Half a character in a member name, which the CLI accepts and we reject, or NUL bytes
            // inside the line, which the CLI rejects.
            if Entry::read(mended(line.raw).as_bytes()).is_some() {
                self.entry(line, 0..line.raw.len(), None);
                return;
            }
        }
        if pieces.len() > 1 {
            let why = format!(
                "{} entries share a line; the CLI would read none of them",
                pieces.len()
            );
            self.step(line, 0, "line-whole", RepairAction::Split, why)
                .before = Some(excerpt(line.raw));
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
        self.work.changed = true;
    }

    /// Bytes of a broken line that are no entry.
    fn gap(&mut self, line: &Line<'_>, gap: Range<usize>, damage: &Damage, has_pieces: bool) {
        let bytes = &line.raw[gap.clone()];
        if trim(bytes).is_empty() {
            return;
        }
        self.torn_before = parent_in(bytes).map(|parent| self.work.names.of(&parent));
        let why = if has_pieces {
            "a torn entry stands before or behind a whole one; the CLI would read neither"
        } else {
            damage.why
        };
        let offset = line.offset + gap.start as u64;
        self.work.removed.push(Span {
            offset,
            length: bytes.len(),
        });
        self.step(line, gap.start, "line-whole", RepairAction::Remove, why)
            .before = Some(excerpt(bytes));
    }

    /// An entry that lies in a line, alone or not.
    fn entry(&mut self, line: &Line<'_>, place: Range<usize>, read: Option<Entry<'_>>) {
        let raw = &line.raw[place.clone()];
        let mut item = item(line, place.clone());
        if has_more_than_space_around(raw) {
            item.edit.text = true;
            self.step(
                line,
                place.start,
                "line-text",
                RepairAction::Strip,
                "the CLI does not read a line with such bytes around it",
            )
            .before = Some(excerpt(raw));
        }
        let text = readable(raw);
        if text.contains('\0') {
            item.edit.text = true;
            self.step(
                line,
                place.start,
                "line-whole",
                RepairAction::Strip,
                "the line contains NUL bytes, so the CLI would not read it",
            );
        }
        if matches!(text, Cow::Owned(_)) {
            item.edit.text = true;
            self.step(
                line,
                place.start,
                "line-text",
                RepairAction::Text,
                "bytes that are not UTF-8 become U+FFFD, as the CLI reads them",
            );
        }
        if matches!(whole_characters(&text), Cow::Owned(_)) {
            item.edit.text = true;
            self.step(
                line,
                place.start,
                "character-whole",
                RepairAction::Text,
                "halves of emoji become U+FFFD; the API refuses a request that has them",
            );
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
                let step = self.step(line, place.start, fix.rule, fix.action, fix.why);
                (step.before, step.after) = (before, after);
            }
            item.edit.fields = fixes.into_iter().map(|fix| (fix.range, fix.text)).collect();
            mended = with_fields(&text, &item.edit.fields);
            entry = Entry::read(mended.as_bytes());
        }
        if let Some(entry) = &entry {
            self.work.note_session(entry);
        }
        let fresh = |names: &mut Names| names.fresh(item.span.offset, "uuid");
        let node = entry.and_then(|entry| Node::read(&entry, &mut self.work.names, fresh));
        if let Some((mut node, is_new)) = node {
            if is_new {
                item.edit.uuid = Some(node.id);
                let uuid = self.work.names.text(node.id);
                self.step(
                    line,
                    place.start,
                    "field-required",
                    RepairAction::NewUuid,
                    "the line has no uuid, so that nothing can hang under it",
                )
                .after = Some(uuid);
            }
            node.torn_before = self.torn_before.take();
            item.node = Some(Box::new(node));
        }
        if line.end == LineEnd::None && place.end == line.raw.len() {
            self.step(
                line,
                place.end,
                "line-whole",
                RepairAction::EndLine,
                "the last line has no newline",
            );
            self.work.changed = true;
        }
        self.work.changed |= !item.edit.is_none();
        self.work.items.push(item);
    }

    fn step(
        &mut self,
        line: &Line<'_>,
        at: usize,
        rule: &'static str,
        action: RepairAction,
        why: impl Into<String>,
    ) -> &mut RepairStep {
        let step = RepairStep {
            rule,
            action,
            line: line.ordinal + 1,
            offset: line.offset + at as u64,
            before: None,
            after: None,
            why: why.into(),
        };
        self.work.add_step(step)
    }
}

fn item(line: &Line<'_>, place: Range<usize>) -> Item {
    Item {
        rank: 0,
        told: None,
        line: line.ordinal + 1,
        span: Span {
            offset: line.offset + place.start as u64,
            length: place.len(),
        },
        end: match line.end {
            LineEnd::CrLf => LineEnd::CrLf,
            _ => LineEnd::Lf,
        },
        source: Source::File,
        edit: Edit::default(),
        gone: false,
        node: None,
    }
}

/// Where in a broken line whole entries lie: one behind the other from its start, then wherever
/// one begins.
fn pieces(raw: &[u8]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    loop {
        let rest = &raw[at..];
        let start = at + rest.len() - trim_start(rest).len();
        let Some(length) = whole_object(&raw[start..]) else {
            break;
        };
        pieces.push(start..start + length);
        at = start + length;
    }
    let behind = salvage(&raw[at..]).into_iter();
    pieces.extend(behind.map(|piece| piece.start + at..piece.end + at));
    // JSON that is not an object we can read is no entry.
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

/// How long the object is that these bytes begin with, when it is whole.
fn whole_object(bytes: &[u8]) -> Option<usize> {
    if !bytes.starts_with(b"{") {
        return None;
    }
    let mut objects = serde_json::Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    objects.next()?.ok()?;
    Some(objects.byte_offset())
}

/// What a torn entry says it hangs under: the CLI writes that first.
fn parent_in(torn: &[u8]) -> Option<String> {
    const MEMBER: &[u8] = b"\"parentUuid\":\"";
    const UUID: usize = 36;
    let at = memchr::memmem::find(&torn[..torn.len().min(200)], MEMBER)? + MEMBER.len();
    let uuid = torn.get(at..at + UUID)?;
    let uuid = std::str::from_utf8(uuid).ok()?;
    uuid::Uuid::try_parse(uuid).ok()?;
    Some(uuid.to_owned())
}
