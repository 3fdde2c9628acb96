//! Checks that entries salvaged from a broken line are parts of it, and that a single whole entry
//! is found.
#![no_main]

use claw_transcript::{Body, Entry, salvage};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let found = salvage(data);
    rusty_claw_fuzz::lines::pieces(data, &found);
    if let Body::Broken(damage) = Body::read(data) {
        assert_eq!(damage.pieces, found);
    }
    // What is whole alone is whole behind bytes that begin nothing.
    let behind = [b"x\xFF}]\0".to_vec(), data.to_vec()].concat();
    let moved: Vec<_> = found
        .iter()
        .map(|piece| piece.start + 5..piece.end + 5)
        .collect();
    assert_eq!(salvage(&behind), moved);
    // And an entry that was found is found in itself.
    for piece in &found {
        assert_eq!(salvage(&data[piece.clone()]), [0..piece.len()]);
        assert!(Entry::read(&data[piece.clone()]).is_some());
    }
});
