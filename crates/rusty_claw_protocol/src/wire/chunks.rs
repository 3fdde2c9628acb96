//! Bit masks of quotes, backslashes and brackets, sixteen bytes at a time.
//!
//! Plain integer arithmetic on two halves of eight bytes, which compiles to vector instructions
//! where there are any. A crate for vectors is faster, but costs every user of the SDK ten seconds
//! of build time.

pub(super) type Chunk = [u8; 16];

/// Positions in a chunk, the first byte in the lowest bit.
pub(super) struct Masks {
    pub(super) quotes: u32,
    pub(super) backslashes: u32,
    pub(super) opens: u32,
    pub(super) closes: u32,
}

const ONES: u64 = 0x0101_0101_0101_0101;
const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Returns 0x80 in each byte of `half` that equals `byte`, 0 in the others.
#[inline]
fn equal(half: u64, byte: u8) -> u64 {
    let zero_if_equal = half ^ (ONES * u64::from(byte));
    // The sum cannot carry into the next byte.
    !(((zero_if_equal & LOW_BITS) + LOW_BITS) | zero_if_equal | LOW_BITS)
}

/// Gathers the marks of both halves, one bit for each byte.
#[inline]
fn bitmask(marks: [u64; 2]) -> u32 {
    // The multiplication moves the mark of byte n to bit 56 + n.
    let bits = |marks: u64| ((marks >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32;
    bits(marks[0]) | bits(marks[1]) << 8
}

#[inline]
fn halves(chunk: &Chunk) -> [u64; 2] {
    let chunk = u128::from_le_bytes(*chunk);
    [chunk as u64, (chunk >> 64) as u64]
}

/// Returns the positions of quotes and backslashes.
#[inline]
pub(super) fn string_ends(chunk: &Chunk) -> u32 {
    bitmask(halves(chunk).map(|half| equal(half, b'"') | equal(half, b'\\')))
}

/// Returns the positions that determine the end of a container.
#[inline]
pub(super) fn masks(chunk: &Chunk) -> Masks {
    let halves = halves(chunk);
    // Brackets and braces differ in one bit only.
    let braces = halves.map(|half| half | (ONES * 0x20));
    Masks {
        quotes: bitmask(halves.map(|half| equal(half, b'"'))),
        backslashes: bitmask(halves.map(|half| equal(half, b'\\'))),
        opens: bitmask(braces.map(|half| equal(half, b'{'))),
        closes: bitmask(braces.map(|half| equal(half, b'}'))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(chunk: &Chunk, is: impl Fn(u8) -> bool) -> u32 {
        chunk
            .iter()
            .rev()
            .fold(0, |bits, byte| bits << 1 | u32::from(is(*byte)))
    }

    proptest::proptest! {
        #[test]
        fn masks_are_what_byte_by_byte_gives(
            chunk in proptest::array::uniform16(proptest::sample::select(b"\"\\{}[]az;~\x00\x0b\x0d\xfb\xfd\xa2".to_vec()))
        ) {
            let masks = masks(&chunk);
            proptest::prop_assert_eq!(string_ends(&chunk), bits(&chunk, |b| b == b'"' || b == b'\\'));
            proptest::prop_assert_eq!(masks.quotes, bits(&chunk, |b| b == b'"'));
            proptest::prop_assert_eq!(masks.backslashes, bits(&chunk, |b| b == b'\\'));
            proptest::prop_assert_eq!(masks.opens, bits(&chunk, |b| b == b'{' || b == b'['));
            proptest::prop_assert_eq!(masks.closes, bits(&chunk, |b| b == b'}' || b == b']'));
        }
    }
}
