//! All strings, names and numbers of JSON, with what stands around them.

use std::ops::Range;

use super::base64;
use super::decoded::Decoded;
use super::layer::{Layer, written};
use super::pass::Pass;
use super::picture;
use super::secret_name::{Naming, naming};
use super::structure::{Hold, Region};

/// An object or a list that is not closed yet.
struct Frame {
    object: bool,
    /// Whether a name comes next.
    awaits_name: bool,
    /// The member that is being read; that of the holder for the items of a list.
    name: Range<usize>,
    /// What that name says of its value.
    naming: Option<Naming>,
    /// What a name further out says of all that is in here.
    inherited: Option<Naming>,
    region: Region,
    thinking_changed: bool,
    signature: Option<Range<usize>>,
    data: Option<Data>,
    encoding: Option<Range<usize>>,
    media_type: Option<Range<usize>>,
    /// What another member of the object names, and where it is.
    label: Option<Range<usize>>,
    value: Option<Range<usize>>,
    /// A list of lines in which a private key began.
    in_key: bool,
}

/// What may be a picture.
struct Data {
    place: Range<usize>,
    /// By its name alone; otherwise the object says how it is written.
    base64: bool,
}

impl Frame {
    fn new(object: bool, outer: Option<&Self>, raw: &[u8], region: Region) -> Self {
        let (name, region, inherited) = match outer {
            Some(outer) => (
                outer.name.clone(),
                outer.region.below(&raw[outer.name.clone()]),
                outer.naming.or(outer.inherited),
            ),
            None => (0..0, region, None),
        };
        Self {
            object,
            awaits_name: object,
            name,
            // The items of a list are what the list is.
            naming: inherited.filter(|_| !object),
            inherited,
            region,
            thinking_changed: false,
            signature: None,
            data: None,
            encoding: None,
            media_type: None,
            label: None,
            value: None,
            in_key: false,
        }
    }
}

impl Pass<'_> {
    /// All of a line that was found to be JSON, whatever stands around it.
    pub(super) fn line_values(&mut self, raw: &[u8]) {
        self.values(raw, None, Region::Line);
    }

    /// All of a string that was found to be JSON.
    pub(super) fn free_values(&mut self, raw: &[u8], layer: &Layer<'_>) {
        self.values(raw, Some(layer), Region::Free);
    }

    fn values(&mut self, raw: &[u8], layer: Option<&Layer<'_>>, region: Region) {
        let mut frames: Vec<Frame> = Vec::new();
        let mut at = 0;
        while at < raw.len() {
            match raw[at] {
                b'"' => {
                    let inside = at + 1..string_end(raw, at + 1);
                    at = inside.end;
                    self.string(raw, inside, frames.last_mut(), layer);
                }
                open @ (b'{' | b'[') => {
                    frames.push(Frame::new(open == b'{', frames.last(), raw, region));
                }
                b'}' | b']' => {
                    if let Some(frame) = frames.pop() {
                        self.close(raw, &frame, layer);
                    }
                }
                b',' => {
                    if let Some(frame) = frames.last_mut() {
                        frame.awaits_name = frame.object;
                    }
                }
                b'0'..=b'9' => {
                    let digit = |byte: &u8| byte.is_ascii_digit();
                    let length = raw[at..].iter().take_while(|byte| digit(byte)).count();
                    // Fractions and powers are measures.
                    let whole = !matches!(raw.get(at + length), Some(b'.' | b'e' | b'E'))
                        && !matches!(at.checked_sub(1).map(|before| raw[before]), Some(b'.'));
                    if let Some(frame) = frames.last()
                        && whole
                        && !frame.region.below(&raw[frame.name.clone()]).is_format()
                        && !frame.region.is_format()
                    {
                        let naming = frame.naming.or(frame.inherited);
                        self.number(raw, at..at + length, layer, naming);
                    }
                    at += length - 1;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn string(
        &mut self,
        raw: &[u8],
        inside: Range<usize>,
        frame: Option<&mut Frame>,
        layer: Option<&Layer<'_>>,
    ) {
        let decoded = || Decoded::escaped(&raw[inside.clone()]);
        let Some(frame) = frame else {
            self.text(&decoded(), inside.start, layer, true);
            return;
        };
        if frame.object && frame.awaits_name {
            frame.awaits_name = false;
            frame.name = inside.clone();
            frame.naming = naming(&decoded().text);
            self.member_name(raw, inside, frame.region, layer);
            return;
        }
        let name = &raw[frame.name.clone()];
        if frame.object && self.comes_later(raw, &inside, frame) {
            return;
        }
        let hold = match frame.region.below(name) {
            Region::Free => Hold::Text,
            _ => frame.region.hold(name),
        };
        if hold == Hold::Structure {
            self.rename_only(raw, inside, layer);
            return;
        }
        // What a schema says of a password is not one.
        let about: [&[u8]; 5] = [b"type", b"description", b"title", b"format", b"$ref"];
        let inherited = frame.inherited.filter(|_| !about.contains(&name));
        if let Some(naming) = frame.naming.or(inherited) {
            self.secret(&decoded(), inside.start, layer, naming);
            return;
        }
        if !frame.object && self.key_line(&decoded(), inside.start, layer, frame) {
            return;
        }
        let random = hold == Hold::Text;
        let changed = self.text(&decoded(), inside.start, layer, random);
        frame.thinking_changed |= changed && name == b"thinking" && frame.region == Region::Blocks;
    }

    /// Keeps what can be judged only when all of its object was seen. Says whether it did.
    fn comes_later(&self, raw: &[u8], inside: &Range<usize>, frame: &mut Frame) -> bool {
        let name = &raw[frame.name.clone()];
        let place = || Some(inside.clone());
        match (frame.region, name) {
            (Region::Blocks, b"signature") => frame.signature = place(),
            // Thinking that the API itself keeps secret.
            (Region::Blocks, b"data") => return true,
            (Region::Free, b"data" | b"base64") => {}
            (Region::Source, b"data") | (_, b"base64") => {
                frame.data = Some(Data {
                    place: inside.clone(),
                    base64: name == b"base64",
                });
                return true;
            }
            (_, b"media_type" | b"mediaType") => frame.media_type = place(),
            // A file that a tool read says its type like this.
            (_, b"type") if memchr::memchr(b'/', &raw[inside.clone()]).is_some() => {
                frame.media_type = place();
            }
            (Region::Source, b"type") => frame.encoding = place(),
            (_, b"value") if frame.naming.is_none() && frame.inherited.is_none() => {
                frame.value = place();
                return true;
            }
            (_, b"name" | b"key" | b"header" | b"variable" | b"field") => frame.label = place(),
            _ => {}
        }
        false
    }

    /// Names of members are structure where the format gives them. Elsewhere they may be anything.
    fn member_name(
        &mut self,
        raw: &[u8],
        inside: Range<usize>,
        region: Region,
        layer: Option<&Layer<'_>>,
    ) {
        let name = &raw[inside.clone()];
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let letters = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
        let short = name.len() < 24;
        let harmless = short && name.iter().all(plain) && region.is_format();
        // No shape has only letters; own rules and known names may have.
        let searched = self.search;
        self.search &= self.finder.has_own_rules() || !short || !name.iter().all(letters);
        if !harmless || (self.search && self.finder.has_own_rules()) {
            self.text(&Decoded::escaped(name), inside.start, layer, true);
        }
        self.search = searched;
    }

    /// A line of a list that is part of a private key. Says whether it was.
    fn key_line(
        &mut self,
        decoded: &Decoded<'_>,
        base: usize,
        layer: Option<&Layer<'_>>,
        frame: &mut Frame,
    ) -> bool {
        let (text, Some(kind)) = (&*decoded.text, self.private_key()) else {
            return false;
        };
        let mark = |which: &str| text.contains(which) && text.contains("PRIVATE KEY");
        if mark("-----END ") {
            frame.in_key = false;
        } else if mark("-----BEGIN ") {
            frame.in_key = true;
        } else if frame.in_key {
            // Lines of diffs and listings have something before them.
            let line = text.trim_end();
            let before = |c: char| matches!(c, '-' | ' ' | '\t' | '|' | '>' | '→');
            let start = line.rfind(before).map_or(0, |at| at + 1);
            let start = (start..line.len())
                .find(|at| line.is_char_boundary(*at))
                .unwrap_or(line.len());
            let start = start + usize::from(line[start..].starts_with('+'));
            let (head, material) = line.split_at(start);
            let base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
            let numbered = |c: char| before(c) || c == '+' || c.is_ascii_digit();
            frame.in_key = head.chars().all(numbered) || line.contains(": ");
            if frame.in_key && !material.is_empty() && material.chars().all(base64) {
                let inner = Layer::new(decoded, base, layer);
                let place = written(start..line.len(), Some(&inner));
                self.hit(kind, material, place, None);
                return true;
            }
        }
        false
    }

    /// What can be said of an object only when all of it was seen.
    fn close(&mut self, raw: &[u8], frame: &Frame, layer: Option<&Layer<'_>>) {
        if let (true, Some(signature)) = (frame.thinking_changed, &frame.signature)
            && !signature.is_empty()
        {
            self.file.signatures_emptied += 1;
            self.replace(written(signature.clone(), layer), String::new());
        }
        if let Some(value) = &frame.value {
            let label = frame.label.clone();
            let label = label.and_then(|label| naming(&Decoded::escaped(&raw[label]).text));
            let decoded = Decoded::escaped(&raw[value.clone()]);
            match label {
                Some(label) => self.secret(&decoded, value.start, layer, label),
                None => self.text(&decoded, value.start, layer, true),
            };
        }
        if let Some(data) = &frame.data {
            self.data(raw, frame, data, layer);
        }
    }

    /// A picture, a document, or something else that is written in letters.
    fn data(&mut self, raw: &[u8], frame: &Frame, data: &Data, layer: Option<&Layer<'_>>) {
        let place = data.place.clone();
        let said = |place: &Option<Range<usize>>| {
            let text = std::str::from_utf8(&raw[place.clone()?]).ok()?;
            Some(text.replace("\\/", "/"))
        };
        let media_type = said(&frame.media_type).unwrap_or_default();
        let base64 = data.base64 || said(&frame.encoding).is_some_and(|kind| kind == "base64");
        if !base64 {
            self.text(
                &Decoded::escaped(&raw[place.clone()]),
                place.start,
                layer,
                true,
            );
            return;
        }
        if media_type.starts_with("image/") {
            if !self.images {
                self.file.not_searched += 1;
                return;
            }
            self.file.images_replaced += 1;
            let (kind, pixel) = picture::pixel(&media_type);
            self.replace(written(place, layer), pixel.to_owned());
            if let Some(said) = frame.media_type.clone().filter(|_| kind != media_type) {
                self.replace(written(said, layer), kind.to_owned());
            }
            return;
        }
        let decoded = Decoded::escaped(&raw[place.clone()]);
        let bytes = base64::decode(decoded.text.as_bytes());
        let text =
            bytes.filter(|bytes| simdutf8::basic::from_utf8(bytes).is_ok() && !bytes.contains(&0));
        let Some(bytes) = text else {
            self.file.not_searched += 1;
            return;
        };
        self.unpacked += 1;
        // The text has edits of its own, and is written anew as a whole.
        let place = written(place, layer);
        let outer = std::mem::take(&mut self.edits);
        let inside = self.inside.replace(place.clone());
        self.plain(&bytes);
        let new = self.apply(&bytes);
        self.edits = outer;
        self.inside = inside;
        if let Some(new) = new {
            self.replace(place, base64::encode(&new));
        }
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
