//! One text after another: finds, names and notes what is to be replaced.

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memmem;

use super::decoded::Decoded;
use super::finder::{Finder, Found};
use super::names::Pseudonyms;
use super::picture;
use super::report::{RedactedFile, RedactedPlace};
use super::structure::Region;

/// A piece of a line that is written anew.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) place: Range<usize>,
    pub(super) text: String,
}

/// The work on one file.
pub(super) struct Pass<'a> {
    pub(super) finder: &'a Finder,
    pub(super) names: &'a mut Pseudonyms,
    pub(super) images: bool,
    /// An id that becomes another one wherever it stands.
    pub(super) renamed: Option<&'a (String, String)>,
    /// How many places of a detector are listed.
    pub(super) listed: u64,
    pub(super) file: RedactedFile,
    pub(super) found: BTreeMap<String, u64>,
    /// Where the text at hand is in its file.
    pub(super) line: u64,
    pub(super) offset: u64,
    pub(super) edits: Vec<Edit>,
}

/// An object or a list that is not closed yet.
struct Frame {
    object: bool,
    /// Whether a name comes next.
    awaits_name: bool,
    /// The member that is being read; that of the holder for the items of a list.
    name: Range<usize>,
    /// The member that holds this object.
    holder: Range<usize>,
    region: Region,
    thinking_changed: bool,
    signature: Option<Range<usize>>,
    data: Option<Range<usize>>,
    media_type: Option<Range<usize>>,
}

impl Pass<'_> {
    /// Text that is not JSON.
    pub(super) fn plain(&mut self, raw: &[u8]) {
        self.text(Decoded::plain(raw), 0);
    }

    /// A line: JSON in whatever stands around it, or the rest of one.
    pub(super) fn json(&mut self, raw: &[u8]) {
        let inner = crate::lines::trim(raw);
        if inner.is_empty() {
            return;
        }
        if serde_json::from_slice::<serde::de::IgnoredAny>(inner).is_ok() {
            self.values(raw);
        } else {
            // Nobody reads its structure any more, but its text is still there, with escapes.
            self.file.lines_broken += 1;
            self.text(Decoded::escaped(raw), 0);
        }
    }

    /// All strings of a JSON text that was found to be one, whatever stands around it.
    fn values(&mut self, raw: &[u8]) {
        let mut frames: Vec<Frame> = Vec::new();
        let mut at = 0;
        while at < raw.len() {
            match raw[at] {
                b'"' => {
                    let inside = at + 1..string_end(raw, at + 1);
                    at = inside.end;
                    self.string(raw, inside, frames.last_mut());
                }
                open @ (b'{' | b'[') => {
                    let (holder, region) = match frames.last() {
                        Some(outer) => (
                            outer.name.clone(),
                            outer.region.below(&raw[outer.name.clone()]),
                        ),
                        None => (0..0, Region::Envelope),
                    };
                    frames.push(Frame {
                        object: open == b'{',
                        awaits_name: open == b'{',
                        name: holder.clone(),
                        holder,
                        region,
                        thinking_changed: false,
                        signature: None,
                        data: None,
                        media_type: None,
                    });
                }
                b'}' | b']' => {
                    if let Some(frame) = frames.pop() {
                        self.close(raw, &frame);
                    }
                }
                b',' => {
                    if let Some(frame) = frames.last_mut() {
                        frame.awaits_name = frame.object;
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn string(&mut self, raw: &[u8], inside: Range<usize>, frame: Option<&mut Frame>) {
        let Some(frame) = frame else {
            self.text(Decoded::escaped(&raw[inside.clone()]), inside.start);
            return;
        };
        if frame.object && frame.awaits_name {
            frame.awaits_name = false;
            frame.name = inside.clone();
            self.member_name(raw, inside);
            return;
        }
        let name = &raw[frame.name.clone()];
        let region = frame.region.below(name);
        if frame.object {
            let holder = &raw[frame.holder.clone()];
            match name {
                b"signature" => frame.signature = Some(inside.clone()),
                b"media_type" => frame.media_type = Some(inside.clone()),
                // A file that a tool read says its type like this.
                b"type" if memchr::memchr(b'/', &raw[inside.clone()]).is_some() => {
                    frame.media_type = Some(inside.clone());
                }
                b"base64" if region != Region::Free => {
                    frame.data = Some(inside);
                    return;
                }
                b"data" if holder == b"source" && region != Region::Free => {
                    frame.data = Some(inside);
                    return;
                }
                // Thinking that the API itself keeps secret.
                b"data" if holder == b"content" && region != Region::Free => return,
                _ => {}
            }
        }
        if region.is_structure(name) {
            self.rename_only(raw, inside);
            return;
        }
        let changed = self.text(Decoded::escaped(&raw[inside.clone()]), inside.start);
        frame.thinking_changed |= changed && name == b"thinking";
    }

    /// Names of members are structure, but paths and addresses may be names too.
    fn member_name(&mut self, raw: &[u8], inside: Range<usize>) {
        let name = &raw[inside.clone()];
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        if self.finder.has_own_rules() || name.len() >= 24 || !name.iter().all(plain) {
            self.text(Decoded::escaped(name), inside.start);
        }
    }

    /// What can be said of an object only when all of it was seen.
    fn close(&mut self, raw: &[u8], frame: &Frame) {
        if let (true, Some(signature)) = (frame.thinking_changed, &frame.signature)
            && !signature.is_empty()
        {
            self.file.signatures_emptied += 1;
            self.replace(signature.clone(), String::new());
        }
        let Some(data) = &frame.data else { return };
        let media_type = frame.media_type.clone().map(|place| &raw[place]);
        let media_type = media_type.and_then(|text| std::str::from_utf8(text).ok());
        // Documents may be text as it is.
        if media_type.is_some_and(|kind| kind.starts_with("text/")) {
            self.text(Decoded::escaped(&raw[data.clone()]), data.start);
            return;
        }
        match media_type.and_then(picture::pixel).filter(|_| self.images) {
            Some(pixel) => {
                self.file.images_replaced += 1;
                self.replace(data.clone(), pixel.to_owned());
            }
            None => self.file.not_searched += 1,
        }
    }

    /// Replaces what is found in a text that is written from `base` on. Says whether anything was.
    fn text(&mut self, decoded: Decoded<'_>, base: usize) -> bool {
        let text = &*decoded.text;
        let mut found = self.finder.find(text);
        let renamed = self.renames(text);
        found.retain(|found| {
            !renamed
                .iter()
                .any(|(at, old)| found.start < at + old && *at < found.end)
        });
        let written =
            |start: usize, end: usize| base + decoded.raw_at(start)..base + decoded.raw_at(end);
        for (at, length) in &renamed {
            if let Some((_, new)) = self.renamed {
                self.replace(written(*at, at + length), new.clone());
            }
        }
        for Found { start, end, kind } in &found {
            let (name, detector) = &self.finder.kinds[*kind];
            let pseudonym = self.names.of(name, *detector, &text[*start..*end]);
            let place = written(*start, *end);
            self.note(name, place.clone(), &pseudonym);
            self.replace(place, pseudonym);
        }
        !found.is_empty()
    }

    /// Where the old id stands, and how long it is.
    fn renames(&self, text: &str) -> Vec<(usize, usize)> {
        let Some((old, _)) = self.renamed else {
            return Vec::new();
        };
        let places = memmem::find_iter(text.as_bytes(), old.as_bytes());
        places.map(|at| (at, old.len())).collect()
    }

    fn rename_only(&mut self, raw: &[u8], inside: Range<usize>) {
        if let Some((old, new)) = self.renamed
            && &raw[inside.clone()] == old.as_bytes()
        {
            self.replace(inside, new.clone());
        }
    }

    fn note(&mut self, name: &str, place: Range<usize>, pseudonym: &str) {
        let count = self.found.entry(name.to_owned()).or_default();
        *count += 1;
        if *count > self.listed {
            *self.file.suppressed.entry(name.to_owned()).or_default() += 1;
            return;
        }
        self.file.places.push(RedactedPlace {
            line: self.line,
            offset: self.offset + place.start as u64,
            length: place.len() as u64,
            detector: name.to_owned(),
            pseudonym: pseudonym.to_owned(),
        });
    }

    /// Pseudonyms have no character that JSON would escape.
    fn replace(&mut self, place: Range<usize>, text: String) {
        self.edits.push(Edit { place, text });
    }

    /// The text with its edits, which are forgotten; `None` when there are none.
    pub(super) fn apply(&mut self, raw: &[u8]) -> Option<Vec<u8>> {
        if self.edits.is_empty() {
            return None;
        }
        self.edits.sort_by_key(|edit| edit.place.start);
        let mut out = Vec::with_capacity(raw.len());
        let mut at = 0;
        for edit in self.edits.drain(..) {
            out.extend_from_slice(&raw[at..edit.place.start]);
            out.extend_from_slice(edit.text.as_bytes());
            at = edit.place.end;
        }
        out.extend_from_slice(&raw[at..]);
        Some(out)
    }
}

/// Where a string ends: at its quote, which no escape is part of.
fn string_end(raw: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &raw[at..]) {
        at += found;
        if raw[at] == b'"' {
            return at;
        }
        at = (at + 2).min(raw.len());
    }
    raw.len()
}
