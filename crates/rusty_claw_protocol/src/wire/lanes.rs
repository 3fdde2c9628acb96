//! Sixteen bytes at a time: where the quotes, backslashes and brackets are, as bit masks.

use wide::u8x16;

/// One lane.
pub(super) type Lane = [u8; 16];

/// Positions in a lane, the first byte in the lowest bit.
pub(super) struct Masks {
    pub(super) quotes: u32,
    pub(super) backslashes: u32,
    pub(super) opens: u32,
    pub(super) closes: u32,
}

#[inline]
fn equal(lane: u8x16, byte: u8) -> u8x16 {
    lane.simd_eq(u8x16::splat(byte))
}

/// Where a string ends, or has an escape.
#[inline]
pub(super) fn string_ends(lane: &Lane) -> u32 {
    let lane = u8x16::new(*lane);
    (equal(lane, b'"') | equal(lane, b'\\')).to_bitmask()
}

/// Everything that decides where a container ends.
#[inline]
pub(super) fn masks(lane: &Lane) -> Masks {
    let lane = u8x16::new(*lane);
    // The brackets differ from the braces in one bit only.
    let braces = lane | u8x16::splat(0x20);
    Masks {
        quotes: equal(lane, b'"').to_bitmask(),
        backslashes: equal(lane, b'\\').to_bitmask(),
        opens: equal(braces, b'{').to_bitmask(),
        closes: equal(braces, b'}').to_bitmask(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(lane: &Lane, is: impl Fn(u8) -> bool) -> u32 {
        lane.iter()
            .rev()
            .fold(0, |bits, byte| bits << 1 | u32::from(is(*byte)))
    }

    proptest::proptest! {
        #[test]
        fn masks_are_what_byte_by_byte_gives(
            lane in proptest::array::uniform16(proptest::sample::select(b"\"\\{}[]az;~\x00\x0b\x0d\xfb\xfd\xa2".to_vec()))
        ) {
            let masks = masks(&lane);
            proptest::prop_assert_eq!(string_ends(&lane), bits(&lane, |b| b == b'"' || b == b'\\'));
            proptest::prop_assert_eq!(masks.quotes, bits(&lane, |b| b == b'"'));
            proptest::prop_assert_eq!(masks.backslashes, bits(&lane, |b| b == b'\\'));
            proptest::prop_assert_eq!(masks.opens, bits(&lane, |b| b == b'{' || b == b'['));
            proptest::prop_assert_eq!(masks.closes, bits(&lane, |b| b == b'}' || b == b']'));
        }
    }
}
