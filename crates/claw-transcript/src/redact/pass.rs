//! One text after another: finds, names and notes what is to be replaced.

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memmem;

use super::decoded::Decoded;
use super::detector::Detector;
use super::edits::{self, Edit};
use super::finder::{Finder, Found, merged};
use super::known::Known;
use super::layer::{Layer, written};
use super::names::Pseudonyms;
use super::remembered::Remembered;
use super::report::{RedactedFile, RedactedPlace};
use super::secret_name::Naming;

/// How deep JSON in strings of JSON is read as what it is.
const DEEPEST: usize = 6;

/// What a pass does with what is found in lines.
pub(super) enum Memory {
    /// Searches.
    None,
    /// Searches, and remembers.
    Noting(Remembered),
    /// Searches only what is not remembered.
    Telling(Remembered),
}

/// The work on one file.
pub(super) struct Pass<'a> {
    pub(super) finder: &'a Finder,
    /// What was found before, in all files; not while it is being found.
    pub(super) known: Option<&'a Known>,
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
    /// Whether detectors look at it; what is known is looked for in any case.
    pub(super) search: bool,
    /// How much was found so far.
    pub(super) hits: u64,
    /// How many texts were read that are not in the line as they are.
    pub(super) unpacked: u64,
    pub(super) memory: Memory,
    /// How many texts of the line at hand were searched.
    texts: u32,
    pub(super) edits: Vec<Edit>,
    /// Where all of what is being read is written, when its own places say nothing about that.
    pub(super) inside: Option<Range<usize>>,
}

impl<'a> Pass<'a> {
    pub(super) fn new(finder: &'a Finder, names: &'a mut Pseudonyms) -> Self {
        Self {
            finder,
            known: None,
            names,
            images: false,
            renamed: None,
            listed: 0,
            file: RedactedFile::default(),
            found: BTreeMap::new(),
            line: 0,
            offset: 0,
            search: true,
            hits: 0,
            unpacked: 0,
            memory: Memory::None,
            texts: 0,
            edits: Vec::new(),
            inside: None,
        }
    }

    /// Text that is not JSON.
    pub(super) fn plain(&mut self, raw: &[u8]) {
        self.text(&Decoded::plain(raw), 0, None, true);
    }

    /// A line: JSON in whatever stands around it, or the rest of one.
    pub(super) fn json(&mut self, raw: &[u8]) {
        let inner = crate::lines::trim(raw);
        if inner.is_empty() {
            return;
        }
        if serde_json::from_slice::<serde::de::IgnoredAny>(inner).is_ok() {
            self.line_values(raw);
        } else {
            // Nobody reads its structure any more, but its text is still there, with escapes.
            self.file.lines_broken += 1;
            self.text(&Decoded::escaped(raw), 0, None, true);
        }
    }

    /// Begins a line, whose number counts from one.
    pub(super) fn begin(&mut self, line: u64, offset: u64) {
        (self.line, self.offset, self.texts) = (line, offset, 0);
    }

    /// Whatever makes a line one that is not just copied.
    pub(super) fn noticed(&self) -> u64 {
        let file = &self.file;
        let counted = file.lines_broken + file.not_searched + file.images_replaced;
        self.hits + self.unpacked + counted + file.signatures_emptied
    }

    /// What detectors and rules find in the next text of the line.
    fn find(&mut self, text: &str, random: bool) -> Vec<Found> {
        let number = self.texts;
        self.texts += 1;
        match &mut self.memory {
            Memory::Telling(memory) if memory.knows(self.line) => memory.tell(self.line, number),
            Memory::Noting(memory) => {
                let found = self.finder.find(text, random);
                memory.note(self.line, number, &found);
                found
            }
            _ => self.finder.find(text, random),
        }
    }

    /// Replaces what is found in a text that is written from `base` on. Says whether anything was.
    pub(super) fn text(
        &mut self,
        decoded: &Decoded<'_>,
        base: usize,
        outer: Option<&Layer<'_>>,
        random: bool,
    ) -> bool {
        let text = &*decoded.text;
        let layer = Layer::new(decoded, base, outer);
        let before = self.hits;
        if layer.depth <= DEEPEST && is_json(text) {
            self.free_values(text.as_bytes(), &layer);
            return self.hits > before;
        }
        let mut found = match self.search {
            true => self.find(text, random),
            false => Vec::new(),
        };
        if let Some(known) = self.known {
            known.find(text, &mut found);
        }
        let found = merged(found);
        for (at, length) in self.renames(text) {
            let hidden = |found: &Found| found.start < at + length && at < found.end;
            if let Some((_, new)) = self.renamed
                && !found.iter().any(hidden)
            {
                self.replace(written(at..at + length, Some(&layer)), new.clone());
            }
        }
        for found in found {
            let secret = match (found.known, self.known) {
                (Some(number), Some(known)) => known.secret(number),
                _ => &text[found.start..found.end],
            };
            let place = written(found.start..found.end, Some(&layer));
            self.hit(found.kind, secret, place, None);
        }
        self.hits > before
    }

    /// Replaces all of a string that is a secret by its name. Says whether it did.
    pub(super) fn secret(
        &mut self,
        decoded: &Decoded<'_>,
        base: usize,
        outer: Option<&Layer<'_>>,
        naming: Naming,
    ) -> bool {
        let text = &*decoded.text;
        let kind = self.finder.kind_of(naming.detector);
        let (Some(kind), Some(span)) = (kind, secret_part(text, naming)) else {
            return self.text(decoded, base, outer, true);
        };
        // What has a shape of its own is called by it.
        let by_shape = merged(self.find(&text[span.clone()], true));
        let kind = match by_shape[..] {
            [only] if (only.start, only.end) == (0, span.len()) => only.kind,
            _ => kind,
        };
        let layer = Layer::new(decoded, base, outer);
        let place = written(span.clone(), Some(&layer));
        self.hit(kind, &text[span], place, None);
        true
    }

    /// Replaces a number that is a secret, by a number: who reads it expects one.
    pub(super) fn number(
        &mut self,
        raw: &[u8],
        place: Range<usize>,
        outer: Option<&Layer<'_>>,
        naming: Option<Naming>,
    ) {
        let Ok(text) = std::str::from_utf8(&raw[place.clone()]) else {
            return;
        };
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let named = naming.filter(|naming| naming.number && digits >= 3);
        let kind = named.and_then(|naming| self.finder.kind_of(naming.detector));
        let found = match kind {
            Some(kind) => Some((kind, text)),
            None if digits < 6 => None,
            None => {
                let mut found = match self.search {
                    true => self.find(text, false),
                    false => Vec::new(),
                };
                if let Some(known) = self.known {
                    known.find(text, &mut found);
                }
                let whole = |found: &&Found| (found.start, found.end) == (0, text.len());
                found.iter().find(whole).map(|found| (found.kind, text))
            }
        };
        if let Some((kind, secret)) = found {
            self.hit(kind, secret, written(place, outer), Some("0"));
        }
    }

    /// Names, notes and replaces a find; by what is given, or else by its pseudonym.
    pub(super) fn hit(
        &mut self,
        kind: usize,
        secret: &str,
        place: Range<usize>,
        instead: Option<&str>,
    ) {
        self.hits += 1;
        let (name, detector) = &self.finder.kinds[kind];
        let pseudonym = self.names.of(name, *detector, secret);
        self.note(name, place.clone(), &pseudonym);
        let text = instead.map_or(pseudonym, str::to_owned);
        self.replace(place, text);
    }

    /// Where the old id stands, and how long it is.
    fn renames(&self, text: &str) -> Vec<(usize, usize)> {
        let Some((old, _)) = self.renamed else {
            return Vec::new();
        };
        let places = memmem::find_iter(text.as_bytes(), old.as_bytes());
        places.map(|at| (at, old.len())).collect()
    }

    /// Structure, in which only the id of the session changes.
    pub(super) fn rename_only(
        &mut self,
        raw: &[u8],
        inside: Range<usize>,
        outer: Option<&Layer<'_>>,
    ) {
        if let Some((old, new)) = self.renamed
            && &raw[inside.clone()] == old.as_bytes()
        {
            self.replace(written(inside, outer), new.clone());
        }
    }

    fn note(&mut self, name: &str, place: Range<usize>, pseudonym: &str) {
        let place = self.inside.clone().unwrap_or(place);
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

    /// Pseudonyms have no character that JSON would escape, however deep they stand.
    pub(super) fn replace(&mut self, place: Range<usize>, text: String) {
        self.edits.push(Edit { place, text });
    }

    /// The text with its edits, which are forgotten; `None` when there are none.
    pub(super) fn apply(&mut self, raw: &[u8]) -> Option<Vec<u8>> {
        edits::apply(&mut self.edits, raw)
    }

    /// Whether keys are looked for: lines of one may stand in strings of their own.
    pub(super) fn private_key(&self) -> Option<usize> {
        self.finder.kind_of(Detector::PrivateKey)
    }
}

/// Whether a text is an object or a list.
fn is_json(text: &str) -> bool {
    let inner = text.trim();
    let around = (inner.as_bytes().first(), inner.as_bytes().last());
    let whole = matches!(around, (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')));
    whole && inner.contains('"') && serde_json::from_str::<serde::de::IgnoredAny>(inner).is_ok()
}

/// The part of a value that is the secret which its name promises, if any is.
fn secret_part(text: &str, naming: Naming) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start().len();
    let mut span = start..text.trim_end().len().max(start);
    if naming.detector == Detector::Authorization
        && let Some((scheme, rest)) = text[span.clone()].split_once(' ')
        && scheme.chars().all(char::is_alphabetic)
        && !rest.trim_start().is_empty()
    {
        span.start = span.end - rest.trim_start().len();
    }
    let secret = &text[span.clone()];
    let random = secret.len() >= 8
        && secret.contains(|c: char| c.is_ascii_digit())
        && secret.contains(char::is_alphabetic);
    let path = naming.path && (secret.starts_with('/') || secret.get(1..3) == Some(":\\"));
    let nothing = secret.is_empty() || is_pseudonym(secret);
    (!nothing && !path && (random || !naming.random)).then_some(span)
}

/// What an earlier run wrote.
fn is_pseudonym(text: &str) -> bool {
    let inner = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let parts = inner.and_then(|inner| inner.rsplit_once('-'));
    parts.is_some_and(|(kind, number)| {
        let small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && kind.chars().all(small)
    })
}
