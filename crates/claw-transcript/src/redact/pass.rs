//! One pass over a file: finds secrets, assigns pseudonyms and records replacements.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::detector::Detector;
use super::edits::{self, Edit};
use super::finder::Finder;
use super::found::{Form, Found, merged};
use super::known::Known;
use super::matches::Matches;
use super::member_name::SecretName;
use super::parts;
use super::pseudonyms::Pseudonyms;
use super::report::{RedactedFile, RedactedPlace};
use super::text::{Layer, Unescaped};

/// The work on one file.
pub(super) struct Pass<'a> {
    pub(super) finder: &'a Finder,
    /// The secrets of all files; `None` in the first pass.
    pub(super) known: Option<&'a Known>,
    pub(super) names: &'a mut Pseudonyms,
    pub(super) images: bool,
    /// A session id, and its replacement.
    pub(super) renamed: Option<&'a (String, String)>,
    /// The maximum number of listed places of a detector.
    pub(super) listed: u64,
    pub(super) file: RedactedFile,
    pub(super) found: BTreeMap<String, u64>,
    /// The current line, counted from one, and its offset in the file.
    pub(super) line: u64,
    pub(super) offset: u64,
    /// Whether rules are applied; known secrets are always replaced.
    pub(super) search: bool,
    /// The number of secrets that were found.
    hits: u64,
    /// The finds of the first pass.
    pub(super) matches: Matches,
    /// The number of texts of the line that were searched.
    texts: u32,
    pub(super) edits: Vec<Edit>,
    /// The position of an encoded text in the line, while its content is searched.
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
            matches: Matches::default(),
            texts: 0,
            edits: Vec::new(),
            inside: None,
        }
    }

    /// Redacts a text that is not JSON.
    pub(super) fn plain(&mut self, raw: &[u8], random: bool) {
        self.text(&Layer::new(Unescaped::plain(raw)), random);
    }

    /// The path of a file's copy, without secrets in names of files and folders.
    pub(super) fn path(&mut self, path: &Path) -> PathBuf {
        let components = path.components().map(|component| {
            let name = component.as_os_str();
            // File names may end like host names.
            let (stem, ending) = match name.to_str().and_then(|name| name.rsplit_once('.')) {
                Some((stem, ending)) if !stem.is_empty() && ending.len() <= 5 => (stem, ending),
                _ => (&*name.to_string_lossy(), ""),
            };
            // File names are ids, which look random.
            self.plain(stem.as_bytes(), false);
            match (self.apply(stem.as_bytes()), ending) {
                (None, _) => name.to_owned(),
                (Some(new), "") => String::from_utf8_lossy(&new).into_owned().into(),
                (Some(new), _) => format!("{}.{ending}", String::from_utf8_lossy(&new)).into(),
            }
        });
        let redacted = components.collect();
        // The report only covers the content of files.
        self.found.clear();
        self.file = RedactedFile::default();
        redacted
    }

    pub(super) fn begin(&mut self, line: u64, offset: u64) {
        (self.line, self.offset, self.texts) = (line, offset, 0);
    }

    /// Applies the rules to the next text of the line, unless the first pass did.
    fn find(&mut self, text: &str, unescaped: Option<&Unescaped<'_>>, random: bool) -> Vec<Found> {
        let number = self.texts;
        self.texts += 1;
        self.matches.get(self.line, number).unwrap_or_else(|| {
            let found = self.finder.find(text, unescaped, random);
            self.matches.add(self.line, number, &found);
            found
        })
    }

    /// Finds secrets in a text by rules, and known secrets.
    fn find_all(&mut self, text: &str, random: bool) -> Vec<Found> {
        let unescaped = Unescaped::markup(text);
        let mut found = match self.search {
            true => self.find(text, unescaped.as_ref(), random),
            false => Vec::new(),
        };
        if let Some(known) = self.known {
            known.find(text, &mut found);
            if let Some(unescaped) = &unescaped {
                let mut inner = Vec::new();
                known.find(&unescaped.text, &mut inner);
                found.extend(inner.into_iter().map(|found| found.in_source(unescaped)));
            }
        }
        merged(found)
    }

    /// Redacts a text. Returns whether it contained a secret.
    pub(super) fn text(&mut self, layer: &Layer<'_>, random: bool) -> bool {
        let text = layer.text();
        let before = self.hits;
        if self.nested_json(layer) {
            return self.hits > before;
        }
        let found = self.find_all(text, random);
        if let Some((old, new)) = self.renamed {
            for at in memmem::find_iter(text.as_bytes(), old.as_bytes()) {
                let end = at + old.len();
                let overlaps = |found: &Found| found.start < end && at < found.end;
                if !found.iter().any(overlaps) {
                    self.replace(layer.place(at..end), new.clone());
                }
            }
        }
        for found in found {
            let part = &text[found.start..found.end];
            let secret: Cow<'_, str> = match (found.form, self.known) {
                (Form::Known(number), Some(known)) => known.secret(number).into(),
                (Form::Markup, _) => {
                    Unescaped::markup(part).map_or(part.into(), |unescaped| unescaped.text)
                }
                (Form::Parts, _) => parts::joined(part).into(),
                _ => part.into(),
            };
            let place = layer.place(found.start..found.end);
            self.hit(found.kind, &secret, place, None);
        }
        self.hits > before
    }

    /// Redacts a string that is a secret because of its name.
    pub(super) fn secret(&mut self, layer: &Layer<'_>, name: &SecretName) {
        let kind = self.finder.kind_of(name.detector);
        let span = secret_part(layer.text(), name);
        let names = &self.finder.table.names;
        let span = span.filter(|span| !names.is_pseudonym(&layer.text()[span.clone()]));
        let (Some(kind), Some(span)) = (kind, span) else {
            self.text(layer, true);
            return;
        };
        let secret = &layer.text()[span.clone()];
        // If a rule matches all of it, the rule's kind is used.
        let kind = match merged(self.find(secret, None, true))[..] {
            [only] if (only.start, only.end) == (0, secret.len()) => only.kind,
            _ => kind,
        };
        self.hit(kind, secret, layer.place(span), None);
    }

    /// Replaces a number with `0`, because readers expect a number.
    pub(super) fn number(
        &mut self,
        layer: &Layer<'_>,
        place: Range<usize>,
        name: Option<&SecretName>,
    ) {
        let text = &layer.text()[place.clone()];
        let named = name.filter(|name| name.number && text.len() >= 3);
        let kind = match named.and_then(|name| self.finder.kind_of(name.detector)) {
            Some(kind) => Some(kind),
            None if text.len() < 6 => None,
            None => {
                let found = self.find_all(text, false);
                let mut whole = found
                    .iter()
                    .filter(|found| found.end - found.start == text.len());
                whole.next().map(|found| found.kind)
            }
        };
        if let Some(kind) = kind {
            self.hit(kind, text, layer.place(place), Some("0"));
        }
    }

    /// Records a secret, and replaces it with `instead` or else with its pseudonym.
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
        let reported = self.inside.clone().unwrap_or(place.clone());
        let count = self.found.entry(name.clone()).or_default();
        *count += 1;
        if *count > self.listed {
            *self.file.suppressed.entry(name.clone()).or_default() += 1;
        } else {
            self.file.places.push(RedactedPlace {
                line: self.line,
                offset: self.offset + reported.start as u64,
                length: reported.len() as u64,
                detector: name.clone(),
                pseudonym: pseudonym.clone(),
            });
        }
        self.replace(place, instead.map_or(pseudonym, str::to_owned));
    }

    /// Replaces the session id in a member that is never changed otherwise.
    pub(super) fn rename_only(&mut self, layer: &Layer<'_>, inside: Range<usize>) {
        if let Some((old, new)) = self.renamed
            && layer.text()[inside.clone()] == *old
        {
            self.replace(layer.place(inside), new.clone());
        }
    }

    /// Records a replacement. JSON does not escape any character of a pseudonym, at any depth.
    pub(super) fn replace(&mut self, place: Range<usize>, text: String) {
        self.edits.push(Edit { place, text });
    }

    /// Applies and clears the edits; `None` if there are none.
    pub(super) fn apply(&mut self, raw: &[u8]) -> Option<Vec<u8>> {
        edits::apply(&mut self.edits, raw)
    }
}

/// The part of a named value that is the secret, if there is one.
fn secret_part(text: &str, name: &SecretName) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start().len();
    let mut span = start..text.trim_end().len().max(start);
    if name.detector == Detector::Authorization
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
    let path = name.path && (secret.starts_with('/') || secret.get(1..3) == Some(":\\"));
    (!secret.is_empty() && !path && (random || !name.random)).then_some(span)
}
