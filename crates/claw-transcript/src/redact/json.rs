//! Redacts JSON: each string, name and number in its context.

use std::ops::Range;

use super::base64;
use super::checks::is_base64;
use super::detector::Detector;
use super::member_name::SecretName;
use super::pass::Pass;
use super::pixel;
use super::structure::{Region, Treatment};
use super::text::{Layer, Unescaped};
use crate::json::{Token, Tokens};

/// The maximum depth of JSON in strings of JSON.
const DEEPEST: usize = 6;

/// An object or a list that is not closed yet.
#[derive(Default)]
struct Frame {
    object: bool,
    /// The name of the current member; in a list, the name of the list.
    name: Range<usize>,
    /// Set if the value is a secret by that name.
    secret: Option<&'static SecretName>,
    /// Set if everything in here is a secret by a name further out.
    inherited: Option<&'static SecretName>,
    region: Region,
    thinking_changed: bool,
    signature: Option<Range<usize>>,
    /// Base64 data that may be a picture, and whether its name means base64; otherwise `encoding`
    /// does. An object may have several members of one name.
    data: Vec<(Range<usize>, bool)>,
    encoding: Option<Range<usize>>,
    media_type: Option<Range<usize>>,
    /// Set if the member `value` is a secret by the name in another member.
    label: Option<&'static SecretName>,
    values: Vec<Range<usize>>,
    /// Whether a private key began in a list of lines.
    in_key: bool,
}

impl Frame {
    fn new(object: bool, outer: Option<&Self>, region: Region) -> Self {
        let inherited = outer.and_then(|outer| outer.secret.or(outer.inherited));
        Self {
            object,
            name: outer.map_or(0..0, |outer| outer.name.clone()),
            // The items of a list have its name.
            secret: inherited.filter(|_| !object),
            inherited,
            region,
            ..Self::default()
        }
    }
}

impl Pass<'_> {
    /// Redacts a line, or a file that is one JSON value.
    pub(super) fn json(&mut self, raw: &[u8]) {
        let inner = crate::lines::trim(raw);
        if inner.is_empty() {
            return;
        }
        if serde_json::from_slice::<serde::de::IgnoredAny>(inner).is_ok() {
            self.values(&Layer::new(Unescaped::plain(raw)), Region::Line);
        } else {
            // The text of a broken line still has escapes.
            self.file.lines_broken += 1;
            self.text(&Layer::new(Unescaped::json(raw)), true);
        }
    }

    /// Redacts a text that is JSON itself. Returns whether it is.
    pub(super) fn nested_json(&mut self, layer: &Layer<'_>) -> bool {
        let inner = layer.text().trim();
        let around = (inner.as_bytes().first(), inner.as_bytes().last());
        let nested = layer.depth <= DEEPEST
            && matches!(around, (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')))
            && inner.contains('"')
            && serde_json::from_str::<serde::de::IgnoredAny>(inner).is_ok();
        if nested {
            self.values(layer, Region::Free);
        }
        nested
    }

    fn values(&mut self, outer: &Layer<'_>, region: Region) {
        let raw = outer.bytes();
        let mut frames: Vec<Frame> = Vec::new();
        for token in Tokens::new(raw) {
            match (token, frames.last_mut()) {
                (Token::Open(open), frame) => {
                    let frame = frame.map(|frame| &*frame);
                    let region = frame.map_or(region, |frame| self.value_region(raw, frame));
                    let inner = Frame::new(open == b'{', frame, region);
                    frames.push(inner);
                }
                (Token::Close(_), _) => {
                    if let Some(frame) = frames.pop() {
                        self.close(outer, &frame);
                    }
                }
                (Token::Name(inside), Some(frame)) => {
                    let layer = outer.string(inside.clone());
                    frame.secret = self.finder.table.names.get(layer.text());
                    self.member_name(&raw[inside.clone()], &layer, frame.region);
                    frame.name = inside;
                }
                (Token::String(inside), Some(frame)) => self.string(outer, inside, frame),
                (Token::Scalar(place), Some(frame)) => self.scalar(outer, place, frame),
                (Token::Name(inside) | Token::String(inside) | Token::Cut(inside), _) => {
                    self.text(&outer.string(inside), true);
                }
                (Token::Scalar(_), None) => {}
            }
        }
    }

    /// Redacts a whole number outside of the format's own members.
    fn scalar(&mut self, outer: &Layer<'_>, place: Range<usize>, frame: &Frame) {
        let raw = outer.bytes();
        let start = place.start + usize::from(raw[place.start] == b'-');
        let formats = [frame.region, self.value_region(raw, frame)];
        let number = &raw[start..place.end];
        if number.iter().all(u8::is_ascii_digit) && !formats.into_iter().any(Region::is_format) {
            self.number(outer, start..place.end, frame.secret.or(frame.inherited));
        }
    }

    /// The region of the current member's value.
    fn value_region(&self, raw: &[u8], frame: &Frame) -> Region {
        let structure = &self.finder.table.structure;
        structure.below(frame.region, &raw[frame.name.clone()])
    }

    fn string(&mut self, outer: &Layer<'_>, inside: Range<usize>, frame: &mut Frame) {
        let raw = outer.bytes();
        if frame.object && self.defer(outer, &inside, frame) {
            return;
        }
        let name = &raw[frame.name.clone()];
        let treatment = match self.value_region(raw, frame) {
            Region::Free => Treatment::Search,
            _ => (self.finder.table.structure).treatment(frame.region, name),
        };
        if treatment == Treatment::Keep {
            self.rename_only(outer, inside);
            return;
        }
        let layer = outer.string(inside);
        // A schema describes a password without containing one.
        let schema: [&[u8]; 5] = [b"type", b"description", b"title", b"format", b"$ref"];
        let inherited = frame.inherited.filter(|_| !schema.contains(&name));
        if let Some(secret) = frame.secret.or(inherited) {
            self.secret(&layer, secret);
            return;
        }
        if !frame.object && self.key_line(&layer, frame) {
            return;
        }
        let changed = self.text(&layer, treatment == Treatment::Search);
        frame.thinking_changed |= changed && name == b"thinking" && frame.region == Region::Blocks;
    }

    /// Defers a string to the end of its object, because other members decide how it is treated.
    /// Returns whether it did.
    fn defer(&self, outer: &Layer<'_>, inside: &Range<usize>, frame: &mut Frame) -> bool {
        let raw = outer.bytes();
        let name = &raw[frame.name.clone()];
        let place = || Some(inside.clone());
        match (frame.region, name) {
            (Region::Blocks, b"signature") => frame.signature = place(),
            // Encrypted thinking.
            (Region::Blocks, b"data") => return true,
            (Region::Free, b"data" | b"base64") => {}
            (Region::Source, b"data") | (_, b"base64") => {
                frame.data.push((inside.clone(), name == b"base64"));
                return true;
            }
            (_, b"media_type" | b"mediaType") => frame.media_type = place(),
            // The type of a file that a tool read.
            (_, b"type") if memchr::memchr(b'/', &raw[inside.clone()]).is_some() => {
                frame.media_type = place();
            }
            (Region::Source, b"type") => frame.encoding = place(),
            (_, b"value") if frame.secret.is_none() && frame.inherited.is_none() => {
                frame.values.push(inside.clone());
                return true;
            }
            (_, b"name" | b"key" | b"header" | b"variable" | b"field") => {
                let label = outer.string(inside.clone());
                let names = &self.finder.table.names;
                frame.label = frame.label.or_else(|| names.get(label.text()));
            }
            _ => {}
        }
        false
    }

    /// Redacts the name of a member. Only own rules apply to names that the format defines.
    fn member_name(&mut self, name: &[u8], layer: &Layer<'_>, region: Region) {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let letters = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
        let short = name.len() < 24;
        let harmless = short && name.iter().all(plain) && region.is_format();
        // No built-in rule matches letters alone; own rules and known secrets may.
        let searched = self.search;
        self.search &= self.finder.has_own_rules() || !short || !name.iter().all(letters);
        if !harmless || (self.search && self.finder.has_own_rules()) {
            self.text(layer, true);
        }
        self.search = searched;
    }

    /// Redacts a line of a private key in a list of lines. Returns whether it was one.
    fn key_line(&mut self, layer: &Layer<'_>, frame: &mut Frame) -> bool {
        let text = layer.text();
        let Some(kind) = self.finder.kind_of(Detector::PrivateKey) else {
            return false;
        };
        let mark = |which: &str| text.contains(which) && text.contains("PRIVATE KEY");
        if mark("-----END ") {
            frame.in_key = false;
        } else if mark("-----BEGIN ") {
            frame.in_key = true;
        } else if frame.in_key {
            // Lines of diffs and listings have a prefix.
            let line = text.trim_end();
            let before = |c: char| matches!(c, '-' | ' ' | '\t' | '|' | '>' | '→');
            let start = line.rfind(before).map_or(0, |at| at + 1);
            let start = (start..line.len())
                .find(|at| line.is_char_boundary(*at))
                .unwrap_or(line.len());
            let start = start + usize::from(line[start..].starts_with('+'));
            let (head, material) = line.split_at(start);
            let numbered = |c: char| before(c) || c == '+' || c.is_ascii_digit();
            frame.in_key = head.chars().all(numbered) || line.contains(": ");
            if frame.in_key && !material.is_empty() && material.chars().all(is_base64) {
                self.hit(kind, material, layer.place(start..line.len()), None);
                return true;
            }
        }
        false
    }

    /// Redacts the deferred strings of an object.
    fn close(&mut self, outer: &Layer<'_>, frame: &Frame) {
        if let (true, Some(signature)) = (frame.thinking_changed, &frame.signature)
            && !signature.is_empty()
        {
            self.file.signatures_emptied += 1;
            self.replace(outer.place(signature.clone()), String::new());
        }
        for value in &frame.values {
            let layer = outer.string(value.clone());
            match frame.label {
                Some(secret) => self.secret(&layer, secret),
                None => drop(self.text(&layer, true)),
            }
        }
        for (place, is_base64) in &frame.data {
            self.data(outer, frame, place.clone(), *is_base64);
        }
    }

    /// Redacts the data of a picture or a document.
    fn data(&mut self, outer: &Layer<'_>, frame: &Frame, place: Range<usize>, is_base64: bool) {
        let layer = outer.string(place.clone());
        let text = |place: &Option<Range<usize>>| {
            let place = place.clone()?;
            Some(outer.string(place).text().to_owned())
        };
        let media_type = text(&frame.media_type).unwrap_or_default();
        if !is_base64 && text(&frame.encoding).is_none_or(|encoding| encoding != "base64") {
            self.text(&layer, true);
            return;
        }
        if media_type.starts_with("image/") {
            if !self.images {
                self.file.not_searched += 1;
                return;
            }
            self.file.images_replaced += 1;
            let (kind, pixel) = pixel::pixel(&media_type);
            self.replace(outer.place(place), pixel.to_owned());
            if let Some(place) = frame.media_type.clone().filter(|_| kind != media_type) {
                self.replace(outer.place(place), kind.to_owned());
            }
            return;
        }
        let bytes = base64::decode(layer.bytes());
        let is_text =
            |bytes: &[u8]| simdutf8::basic::from_utf8(bytes).is_ok() && !bytes.contains(&0);
        let Some(bytes) = bytes.filter(|bytes| is_text(bytes)) else {
            self.file.not_searched += 1;
            return;
        };
        // The decoded text has its own edits, and is encoded again as a whole.
        let place = outer.place(place);
        let edits = std::mem::take(&mut self.edits);
        let inside = self.inside.replace(place.clone());
        self.plain(&bytes, true);
        let new = self.apply(&bytes);
        (self.edits, self.inside) = (edits, inside);
        if let Some(new) = new {
            self.replace(place, base64::encode(&new));
        }
    }
}
