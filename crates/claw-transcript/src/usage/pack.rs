//! Keeps sightings in few bytes until all files are read.
//!
//! A message may be copied into any other file, so something of each has to be kept to the end. It
//! is about two dozen bytes. Sightings are sorted into drawers by their key as they come, so that
//! in the end one drawer after the other can be unpacked, sorted and settled, and no table over all
//! messages is needed.

use super::sighting::{BlockShare, Marks, Sighting};
use super::tables::{Name, Renumbering, Tables};
use super::tokens::Tokens;
use crate::requests::{Mark, RequestMark};

/// How many drawers there are: the first bits of a key say which.
pub(super) const DRAWERS: usize = 64;
const DRAWER_BITS: u32 = DRAWERS.trailing_zeros();
/// Of a key, this many bytes are kept beside the drawer's number.
const KEY_BYTES: usize = 7;
/// How much a drawer takes at once. Growing in place would leave holes behind.
const PIECE: usize = 1000;

const FORKED: u8 = 1;
const AT_HOME: u8 = 2;
const UNFINISHED: u8 = 4;
const RECOVERED: u8 = 8;
const REQUEST_OWN: u8 = 16;
const REQUEST_SERVICE: u8 = 32;
const ONLY_SHORT_WRITES: u8 = 64;
const MORE: u8 = 128;

/// Packed sightings by key.
#[derive(Debug)]
pub(super) struct Drawers {
    drawers: Vec<Drawer>,
    scratch: Vec<u8>,
}

/// Pieces of whole sightings; only the last has room.
#[derive(Debug, Clone, Default)]
struct Drawer(Vec<Vec<u8>>);

impl Default for Drawers {
    fn default() -> Self {
        Self {
            drawers: vec![Drawer::default(); DRAWERS],
            scratch: Vec::new(),
        }
    }
}

impl Drawers {
    /// Packs a sighting. The tables give the time near which it probably is.
    pub(super) fn put(&mut self, sighting: &Sighting, tables: &Tables) {
        self.scratch.clear();
        pack(sighting, near(tables, sighting.place), &mut self.scratch);
        let pieces = &mut self.drawers[(sighting.key >> (64 - DRAWER_BITS)) as usize].0;
        match pieces.last_mut() {
            Some(last) if last.len() + self.scratch.len() <= PIECE => {
                last.extend_from_slice(&self.scratch);
            }
            _ => {
                let mut piece = Vec::with_capacity(PIECE.max(self.scratch.len()));
                piece.extend_from_slice(&self.scratch);
                pieces.push(piece);
            }
        }
    }

    /// Takes out what is in one drawer, with numbers as they are in the common tables.
    pub(super) fn take(
        &mut self,
        drawer: usize,
        tables: &Tables,
        renumbering: &Renumbering,
        into: &mut Vec<Sighting>,
    ) {
        for piece in std::mem::take(&mut self.drawers[drawer]).0 {
            let mut rest = Unpack(&piece);
            while !rest.0.is_empty() {
                let near = |place| near(tables, renumbering.first_place + place);
                let Some(mut sighting) = unpack(&mut rest, near) else {
                    debug_assert!(false, "drawers hold what was packed");
                    return;
                };
                sighting.key |= (drawer as u64) << (64 - DRAWER_BITS);
                renumbering.apply(&mut sighting);
                into.push(sighting);
            }
        }
    }
}

/// A key as it is after packing: the bits between the drawer's and the kept bytes are gone.
pub(super) fn kept_key(key: u64) -> u64 {
    let low = (1 << (KEY_BYTES * 8)) - 1;
    let high = !(u64::MAX >> DRAWER_BITS);
    key & (low | high)
}

fn near(tables: &Tables, place: u32) -> i64 {
    let place = tables.places.get(place as usize);
    place.map_or(0, |place| place.near)
}

fn pack(sighting: &Sighting, near: i64, out: &mut Vec<u8>) {
    let Sighting {
        key,
        request,
        place,
        time,
        class,
        tokens,
        marks,
        blocks,
    } = sighting;
    let more = tokens.web_searches > 0 || !blocks.is_empty();
    let bit = |is: bool, bit: u8| if is { bit } else { 0 };
    let request_bit = match request {
        RequestMark::None => 0,
        RequestMark::Own(_) => REQUEST_OWN,
        RequestMark::Service(_) => REQUEST_SERVICE,
    };
    out.push(
        bit(marks.forked, FORKED)
            | bit(marks.at_home, AT_HOME)
            | bit(marks.unfinished, UNFINISHED)
            | bit(marks.recovered, RECOVERED)
            | request_bit
            | bit(tokens.cache_write_1h == 0, ONLY_SHORT_WRITES)
            | bit(more, MORE),
    );
    out.extend_from_slice(&key.to_le_bytes()[..KEY_BYTES]);
    if let RequestMark::Own(mark) | RequestMark::Service(mark) = request {
        out.extend_from_slice(&mark.0);
    }
    let distance = time.wrapping_sub(near);
    let zigzag = ((distance << 1) ^ (distance >> 63)) as u64;
    for number in [
        u64::from(*place),
        zigzag,
        u64::from(*class),
        tokens.output,
        tokens.input,
        tokens.cache_read,
        tokens.cache_write_5m,
    ] {
        push(number, out);
    }
    if tokens.cache_write_1h > 0 {
        push(tokens.cache_write_1h, out);
    }
    if more {
        push(tokens.web_searches, out);
        push(blocks.len() as u64, out);
        for block in blocks {
            out.extend_from_slice(&block.identity.to_le_bytes());
            push(block.tool.map_or(0, |tool| u64::from(tool.0) + 1), out);
            push(u64::from(block.bytes), out);
        }
    }
}

/// Seven bits to a byte, the low ones first.
fn push(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

struct Unpack<'a>(&'a [u8]);

impl Unpack<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }
}

fn unpack(from: &mut Unpack<'_>, near: impl Fn(u32) -> i64) -> Option<Sighting> {
    let [head] = from.bytes()?;
    let mut key = [0; 8];
    key[..KEY_BYTES].copy_from_slice(&from.bytes::<KEY_BYTES>()?);
    let request = match head & (REQUEST_OWN | REQUEST_SERVICE) {
        0 => RequestMark::None,
        REQUEST_OWN => RequestMark::Own(Mark(from.bytes()?)),
        _ => RequestMark::Service(Mark(from.bytes()?)),
    };
    let place = from.small()?;
    let zigzag = from.number()?;
    let distance = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
    let mut sighting = Sighting {
        key: u64::from_le_bytes(key),
        request,
        place,
        time: near(place).wrapping_add(distance),
        class: from.small()?,
        tokens: Tokens {
            output: from.number()?,
            input: from.number()?,
            cache_read: from.number()?,
            cache_write_5m: from.number()?,
            ..Tokens::default()
        },
        marks: Marks {
            forked: head & FORKED != 0,
            at_home: head & AT_HOME != 0,
            unfinished: head & UNFINISHED != 0,
            recovered: head & RECOVERED != 0,
        },
        blocks: Vec::new(),
    };
    if head & ONLY_SHORT_WRITES == 0 {
        sighting.tokens.cache_write_1h = from.number()?;
    }
    if head & MORE != 0 {
        sighting.tokens.web_searches = from.number()?;
        for _ in 0..from.number()? {
            sighting.blocks.push(BlockShare {
                identity: u32::from_le_bytes(from.bytes()?),
                tool: from.small()?.checked_sub(1).map(Name),
                bytes: from.small()?,
            });
        }
    }
    Some(sighting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out_again() {
        let plain = Sighting {
            key: 0x1122_3344_5566_7788,
            time: 1_700_000_100,
            tokens: Tokens {
                output: 300,
                input: 12,
                cache_write_5m: 1200,
                cache_read: 90_000,
                ..Tokens::default()
            },
            request: RequestMark::Own(Mark::of(77)),
            place: 200,
            ..Sighting::default()
        };
        let mut odd = plain.clone();
        odd.request = RequestMark::Service(Mark::of(u64::MAX));
        odd.time = 0;
        odd.class = 70_000;
        odd.place = u32::MAX;
        odd.marks = Marks {
            forked: true,
            at_home: true,
            unfinished: true,
            recovered: true,
        };
        odd.tokens = Tokens {
            output: u64::MAX,
            input: u64::MAX,
            cache_write_5m: u64::MAX,
            cache_write_1h: u64::MAX,
            cache_read: u64::MAX,
            web_searches: 3,
        };
        let block = |identity, tool, bytes| BlockShare {
            identity,
            tool,
            bytes,
        };
        odd.blocks = vec![block(1, None, 5), block(u32::MAX, Some(Name(0)), u32::MAX)];
        let bare = Sighting {
            time: -5,
            ..Sighting::default()
        };
        let near = 1_700_000_000;
        let mut bytes = Vec::new();
        for sighting in [&plain, &odd, &bare] {
            pack(sighting, near, &mut bytes);
        }
        let mut one = Vec::new();
        pack(&plain, near, &mut one);
        assert!(one.len() <= 28, "{} bytes for a message", one.len());
        let mut rest = Unpack(&bytes);
        for sighting in [plain, odd, bare] {
            let mut back = unpack(&mut rest, |_| near).expect("packed whole");
            back.key |= sighting.key & 0xFF00_0000_0000_0000;
            assert_eq!(back, sighting);
        }
        assert!(rest.0.is_empty());
    }

    #[test]
    fn keys_keep_all_bits_but_two() {
        assert_eq!(kept_key(u64::MAX).count_zeros(), 2);
        assert_eq!(
            kept_key(kept_key(0x0F0F_0F0F_0F0F_0F0F)),
            kept_key(0x0F0F_0F0F_0F0F_0F0F)
        );
    }
}
