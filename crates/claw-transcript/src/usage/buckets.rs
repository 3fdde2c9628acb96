//! Packs sightings into few bytes until all files are read.
//!
//! A message may be copied into any other file, so about two dozen bytes of each are kept to the
//! end. Sightings are put into buckets by their key. At the end one bucket after the other is
//! unpacked, sorted and deduplicated, so that no table of all messages is needed.

use super::sighting::{BlockShare, Marks, Sighting};
use super::tables::{Name, Renumbering, Tables};
use super::tokens::Tokens;
use crate::requests::{Mark, RequestMark};

/// Number of buckets; the first bits of a key select one.
pub(super) const BUCKETS: usize = 64;
const BUCKET_BITS: u32 = BUCKETS.trailing_zeros();
/// Bytes of a key that are kept besides the number of the bucket.
const KEY_BYTES: usize = 7;
/// Size of the pieces of a bucket. Growing one vector would fragment memory.
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
#[derive(Debug, Default)]
pub(super) struct Buckets {
    /// Pieces of whole sightings by bucket; only the last piece is not full. Empty at first.
    buckets: Vec<Vec<Vec<u8>>>,
    scratch: Vec<u8>,
}

impl Buckets {
    /// Packs a sighting. The time is relative to that of its context.
    pub(super) fn put(&mut self, sighting: &Sighting, tables: &Tables) {
        self.scratch.clear();
        pack(sighting, near(tables, sighting.context), &mut self.scratch);
        self.buckets.resize_with(BUCKETS, Vec::new);
        let pieces = &mut self.buckets[(sighting.key >> (64 - BUCKET_BITS)) as usize];
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

    /// Unpacks and removes one bucket, with translated numbers.
    pub(super) fn take(
        &mut self,
        bucket: usize,
        tables: &Tables,
        renumbering: &Renumbering,
        into: &mut Vec<Sighting>,
    ) {
        let pieces = self.buckets.get_mut(bucket).map(std::mem::take);
        for piece in pieces.unwrap_or_default() {
            let mut rest = Unpack(&piece);
            while !rest.0.is_empty() {
                let near = |context| near(tables, renumbering.first_context + context);
                let Some(mut sighting) = unpack(&mut rest, near) else {
                    debug_assert!(false, "buckets hold what was packed");
                    return;
                };
                sighting.key |= (bucket as u64) << (64 - BUCKET_BITS);
                sighting.renumber(renumbering);
                into.push(sighting);
            }
        }
    }
}

/// A key after packing: the bits between those of the bucket and the kept bytes are lost.
pub(super) fn kept_key(key: u64) -> u64 {
    let low = (1 << (KEY_BYTES * 8)) - 1;
    let high = !(u64::MAX >> BUCKET_BITS);
    key & (low | high)
}

fn near(tables: &Tables, context: u32) -> i64 {
    let context = tables.contexts.get(context as usize);
    context.map_or(0, |context| context.near)
}

fn pack(sighting: &Sighting, near: i64, out: &mut Vec<u8>) {
    let Sighting {
        key,
        request,
        context,
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
        u64::from(*context),
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

/// LEB128.
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
    let context = from.small()?;
    let zigzag = from.number()?;
    let distance = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
    let mut sighting = Sighting {
        key: u64::from_le_bytes(key),
        request,
        context,
        time: near(context).wrapping_add(distance),
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
            guessed: false,
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
            context: 200,
            ..Sighting::default()
        };
        let mut odd = plain.clone();
        odd.request = RequestMark::Service(Mark::of(u64::MAX));
        odd.time = 0;
        odd.class = 70_000;
        odd.context = u32::MAX;
        odd.marks = Marks {
            forked: true,
            at_home: true,
            unfinished: true,
            recovered: true,
            guessed: false,
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
