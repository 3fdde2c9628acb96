//! Finds the end of an object or array, 64 bytes at a time.
//!
//! Scanning every byte is the bottleneck of a relay, so the bytes are processed as bit masks: which
//! of them are inside strings, and how the brackets outside strings balance.

use crate::wire::chunks;

const BLOCK: usize = 64;

/// Returns the position after the container that opens at `start`; `None` if it does not close.
pub(super) fn container_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut scan = Scan::default();
    let (blocks, tail) = bytes.get(start..)?.as_chunks::<BLOCK>();
    for (index, block) in blocks.iter().enumerate() {
        if let Some(end) = scan.block(block) {
            return Some(start + index * BLOCK + end);
        }
    }
    let mut last = [b' '; BLOCK];
    last.get_mut(..tail.len())?.copy_from_slice(tail);
    scan.block(&last)
        .map(|end| start + blocks.len() * BLOCK + end)
}

/// The state between two blocks.
#[derive(Default)]
struct Scan {
    depth: u32,
    /// All ones if the next block starts inside a string.
    in_string: u64,
    /// One if the first byte of the next block is escaped.
    escaped: u64,
}

impl Scan {
    /// Scans a block; returns the position after the bracket that closes the container, if it is
    /// here.
    #[inline]
    fn block(&mut self, block: &[u8; BLOCK]) -> Option<usize> {
        let (mut quotes, mut backslashes, mut opens, mut closes) = (0, 0, 0, 0);
        let (parts, _) = block.as_chunks::<16>();
        for (index, chunk) in parts.iter().enumerate() {
            let masks = chunks::masks(chunk);
            quotes |= u64::from(masks.quotes) << (16 * index);
            backslashes |= u64::from(masks.backslashes) << (16 * index);
            opens |= u64::from(masks.opens) << (16 * index);
            closes |= u64::from(masks.closes) << (16 * index);
        }
        if backslashes | self.escaped != 0 {
            quotes &= !self.escaped_bytes(backslashes);
        }
        let strings = prefix_xor(quotes) ^ self.in_string;
        self.in_string = 0_u64.wrapping_sub(strings >> 63);
        opens &= !strings;
        closes &= !strings;
        if closes.count_ones() < self.depth {
            self.depth = self.depth + opens.count_ones() - closes.count_ones();
            return None;
        }
        self.balance(opens, closes)
    }

    /// Checks the brackets one by one in a block where the container may end.
    fn balance(&mut self, opens: u64, closes: u64) -> Option<usize> {
        let mut brackets = opens | closes;
        while brackets != 0 {
            let lowest = brackets & brackets.wrapping_neg();
            if opens & lowest != 0 {
                self.depth += 1;
            } else {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return Some(lowest.trailing_zeros() as usize + 1);
                }
            }
            brackets ^= lowest;
        }
        None
    }

    /// Returns the bytes after a backslash that is not itself escaped. Runs of backslashes are
    /// distinguished by whether they start on an even or an odd position: adding a run to its own
    /// start carries out at its end.
    fn escaped_bytes(&mut self, backslashes: u64) -> u64 {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        let backslashes = backslashes & !self.escaped;
        let follows = backslashes << 1 | self.escaped;
        let odd_starts = backslashes & !EVEN & !follows;
        let (even_runs, overflow) = odd_starts.overflowing_add(backslashes);
        self.escaped = u64::from(overflow);
        (EVEN ^ (even_runs << 1)) & follows
    }
}

/// Sets each bit to the parity of the bits up to it: from quotes to the text between them.
#[inline]
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The byte-by-byte reference implementation.
    fn slow_end(bytes: &[u8], start: usize) -> Option<usize> {
        let (mut depth, mut string, mut escaped) = (0_usize, false, false);
        for (index, byte) in bytes.iter().enumerate().skip(start) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if string => escaped = true,
                b'"' => string = !string,
                b'{' | b'[' if !string => depth += 1,
                b'}' | b']' if !string => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(index + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }

    proptest::proptest! {
        #[test]
        fn ends_are_found_as_byte_by_byte(
            parts in proptest::collection::vec(
                proptest::sample::select(vec!["{", "}", "[", "]", "\"a\"", "\"\\\"\"", "\"\\\\\"", "\"{\"", "x", "            ", "\"\\\\\\\\\\\\\\\"\""]),
                0..60,
            ),
            cut in 0_usize..200,
        ) {
            let text = format!("[{}", parts.concat());
            let text = text.get(..cut.max(1)).unwrap_or(&text);
            proptest::prop_assert_eq!(container_end(text.as_bytes(), 0), slow_end(text.as_bytes(), 0));
        }
    }
}
