//! Which short pieces of text are in a block of lines.

/// How many places the widest map has, as a power of two.
const WIDEST: u32 = 18;

/// The narrowest.
const NARROWEST: u32 = 9;

/// A place in the widest map. In one of 2^n places it is at the last n bits of this.
pub(super) type Place = u32;

/// Collects what is in a block.
#[derive(Debug)]
pub(super) struct Collector {
    words: Vec<u64>,
    empty: bool,
}

impl Default for Collector {
    fn default() -> Self {
        Self {
            words: vec![0; 1 << (WIDEST - 6)],
            empty: true,
        }
    }
}

impl Collector {
    pub(super) fn add(&mut self, text: &str) {
        grams(text, |place| {
            self.words[place as usize / 64] |= 1 << (place % 64);
            self.empty = false;
        });
    }

    /// The map of what was added, as wide as it needs to be; the collector is then empty.
    pub(super) fn take(&mut self) -> Option<Map> {
        if self.empty {
            return None;
        }
        let set: u32 = self.words.iter().map(|word| word.count_ones()).sum();
        // About a third of the places taken: twice as wide would cost more than it saves reading.
        let wanted = (set * 2).next_power_of_two().ilog2();
        let width = wanted.clamp(NARROWEST, WIDEST);
        let mut words = self.words.clone();
        for half in (width..WIDEST).rev() {
            let (low, high) = words.split_at_mut(1 << (half - 6));
            for (low, high) in low.iter_mut().zip(high) {
                *low |= *high;
            }
            words.truncate(1 << (half - 6));
        }
        self.words.fill(0);
        self.empty = true;
        Some(Map { width, words })
    }
}

/// What is in a block, with some more by chance.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Map {
    width: u32,
    words: Vec<u64>,
}

/// Stands for the width of a map that is not there.
const NONE: u8 = 0xFF;

impl Map {
    pub(super) fn write(map: Option<&Self>, out: &mut Vec<u8>) {
        let Some(map) = map else {
            out.push(NONE);
            return;
        };
        out.push(map.width as u8);
        for word in &map.words {
            out.extend_from_slice(&word.to_le_bytes());
        }
    }
}

/// A map as it lies in the index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stored<'a> {
    bytes: &'a [u8],
}

impl<'a> Stored<'a> {
    /// Reads a map off the front; `None` when there is none to be read.
    pub(super) fn read(bytes: &mut &'a [u8]) -> Option<Self> {
        let (&width, rest) = bytes.split_first()?;
        let length = match width {
            NONE => 0,
            width if (NARROWEST..=WIDEST).contains(&u32::from(width)) => 1 << (width - 3),
            _ => return None,
        };
        let (map, rest) = rest.split_at_checked(length)?;
        *bytes = rest;
        Some(Self { bytes: map })
    }

    fn has(self, place: Place) -> bool {
        // A map has a power of two of places.
        let at = place as usize & (self.bytes.len() * 8).wrapping_sub(1);
        let byte = self.bytes.get(at / 8);
        byte.is_some_and(|byte| byte & (1 << (at % 8)) != 0)
    }

    /// Whether all may be in the block.
    pub(super) fn has_all(self, places: &[Place]) -> bool {
        places.iter().all(|place| self.has(*place))
    }
}

/// The places of all short pieces of a text.
pub(super) fn places(text: &str) -> Vec<Place> {
    let mut places = Vec::new();
    grams(text, |place| places.push(place));
    places.sort_unstable();
    places.dedup();
    places
}

/// Calls back for every three characters in a row, and for every two of scripts in which two are a
/// word.
fn grams(text: &str, mut each: impl FnMut(Place)) {
    let (mut first, mut second) = (None, None);
    for c in text.chars() {
        let c = u64::from(u32::from(folded(c)));
        if let Some(second) = second {
            if second >= IDEOGRAPHS && c >= IDEOGRAPHS {
                each(place((1_u64 << 63) | second << 21 | c));
            }
            if let Some(first) = first {
                each(place(first << 42 | second << 21 | c));
            }
        }
        (first, second) = (second, Some(c));
    }
}

/// From here on scripts have thousands of characters.
const IDEOGRAPHS: u64 = 0x2E80;

fn place(gram: u64) -> Place {
    (gram.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - WIDEST)) as Place
}

/// A character that stands for all that differ from it in case only. It may stand for others too,
/// which costs some reading and nothing else.
fn folded(c: char) -> char {
    match c {
        c if c.is_ascii() => return c.to_ascii_lowercase(),
        // Most characters of all, and none of them has a case.
        '\u{2E80}'..'\u{A640}' | '\u{AC00}'..'\u{D7A4}' => return c,
        _ => {}
    }
    let lower = |c: char| c.to_lowercase().next().unwrap_or(c);
    let upper = |c: char| c.to_uppercase().next().unwrap_or(c);
    lower(upper(lower(c)))
}

#[cfg(test)]
mod tests {
    use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

    use super::*;

    #[test]
    fn what_a_search_takes_for_the_same_is_in_the_same_place() {
        // Behind these there are none that have a case.
        for c in char::MIN..'\u{1F000}' {
            if ('\u{3400}'..'\u{A000}').contains(&c) || ('\u{B000}'..'\u{D000}').contains(&c) {
                continue;
            }
            let mut same = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
            same.try_case_fold_simple().unwrap();
            for other in same.iter().flat_map(|range| range.start()..=range.end()) {
                assert_eq!(folded(c), folded(other), "{c:?} {other:?}");
            }
        }
    }

    #[test]
    fn a_map_of_any_width_has_what_was_put_in() {
        let mut collector = Collector::default();
        let mut text = String::new();
        for round in 0..9_u32 {
            for number in 0..7_u32.pow(round.min(6)) {
                text.push_str(&format!("{number}é日本語{round} "));
            }
            collector.add(&text);
            let mut bytes = Vec::new();
            let map = collector.take();
            Map::write(map.as_ref(), &mut bytes);
            let mut rest = &bytes[..];
            let stored = Stored::read(&mut rest).unwrap();
            assert!(rest.is_empty());
            assert!(stored.has_all(&places(&text)));
            assert!(!stored.has_all(&places("what is not there")));
        }
        assert_eq!(collector.take(), None);
        let mut none = Vec::new();
        Map::write(None, &mut none);
        let stored = Stored::read(&mut &none[..]).unwrap();
        assert!(stored.has_all(&[]) && !stored.has_all(&[0]));
    }

    #[test]
    fn two_ideographs_are_enough_to_look_for() {
        assert_eq!(places("日本").len(), 1);
        assert_eq!(places("ab").len(), 0);
        assert_eq!(places("ABC"), places("abc"));
    }
}
