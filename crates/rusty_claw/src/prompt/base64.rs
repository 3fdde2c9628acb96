//! Base64, in which the API takes images and PDFs.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The length of the encoded text.
pub(super) fn encoded_length(bytes: usize) -> usize {
    bytes.div_ceil(3).saturating_mul(4)
}

/// Encodes bytes with padding, in one line.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(encoded_length(bytes.len()));
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            if place > chunk.len() {
                text.push('=');
            } else {
                let six = (group >> (18 - 6 * place)) & 63;
                text.push(char::from(ALPHABET[six as usize]));
            }
        }
    }
    text
}
