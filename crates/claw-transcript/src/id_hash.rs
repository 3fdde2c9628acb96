//! A fast hash of ids.
//!
//! A table of ids stores eight bytes for each, whatever their length. Two different ids share a
//! hash once in billions of files.

use std::hash::{BuildHasherDefault, Hasher};

/// Returns the hash of an id.
pub(crate) fn hash(id: &str) -> u64 {
    let mut state = 0x9E37_79B9_7F4A_7C15 ^ id.len() as u64;
    let (words, rest) = id.as_bytes().as_chunks::<8>();
    for word in words {
        state = fold(state ^ u64::from_le_bytes(*word), 0xA076_1D64_78BD_642F);
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    fold(state ^ u64::from_le_bytes(last), 0xE703_7ED1_A0B4_28DB)
}

/// Multiplies and mixes both halves of the product.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

/// A map from hashes of ids.
pub(crate) type ByHash<T> = std::collections::HashMap<u64, T, BuildHasherDefault<Identity>>;

/// Hashes of ids are not hashed again.
#[derive(Debug, Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = fold(self.0 ^ u64::from(*byte), 0xA076_1D64_78BD_642F);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// The value of a UUID in its usual spelling. The CLI treats two spellings as different ids.
pub(crate) fn usual_uuid(id: &str) -> Option<u128> {
    if id.len() != 36 || id.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    uuid::Uuid::try_parse(id).ok().map(|uuid| uuid.as_u128())
}

/// Returns whether an id has the form of a UUID.
pub(crate) fn is_uuid(id: &str) -> bool {
    id.len() == 36
        && id.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_differ_little_have_different_hashes() {
        let ids = (0..200_000).map(|n| format!("5e5e5e5e-2222-4222-8222-{n:012}"));
        let short = (0..200_000).map(|n| format!("msg-{n}"));
        let hashes: std::collections::HashSet<u64> = ids.chain(short).map(|id| hash(&id)).collect();
        assert_eq!(hashes.len(), 400_000);
    }
}
