//! However a stream is cut, the same lines come out, and no byte is lost.
#![no_main]

/// The file itself: it needs nothing of its crate, whose other dependencies take minutes to build
/// with a sanitizer.
#[path = "../../crates/rusty_claw/src/framing.rs"]
#[allow(dead_code)]
mod framing;

use libfuzzer_sys::fuzz_target;

use framing::{Frame, LineFramer};

/// The lengths of the pieces come from the first bytes of the input.
fn pieces<'a>(lengths: &[u8], mut stream: &'a [u8]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for length in lengths.iter().cycle() {
        if stream.is_empty() || lengths.iter().all(|length| *length == 0) {
            break;
        }
        let (piece, rest) = stream.split_at(stream.len().min(usize::from(*length)));
        pieces.push(piece);
        stream = rest;
    }
    pieces.push(stream);
    pieces
}

fn run(mut framer: LineFramer, pieces: &[&[u8]]) -> Vec<Frame> {
    let mut frames = Vec::new();
    for piece in pieces {
        framer.push(piece);
        while let Some(frame) = framer.next_frame() {
            frames.push(frame);
        }
    }
    frames.extend(framer.finish());
    frames
}

fuzz_target!(|data: &[u8]| {
    let Some((head, stream)) = data.split_at_checked(4) else {
        return;
    };
    let whole = run(LineFramer::new(), &[stream]);
    assert_eq!(run(LineFramer::new(), &pieces(head, stream)), whole);

    let mut joined = Vec::new();
    for frame in &whole {
        let Frame::Line(line) = frame else {
            panic!("there is no limit")
        };
        joined.extend_from_slice(line);
        joined.push(b'\n');
    }
    if !stream.ends_with(b"\n") {
        joined.pop();
    }
    assert_eq!(joined, stream);

    let limit = usize::from(head[0]);
    let limited = run(LineFramer::with_limit(limit), &pieces(head, stream));
    assert_eq!(limited.len(), whole.len());
    for (limited, whole) in limited.iter().zip(&whole) {
        let Frame::Line(line) = whole else {
            panic!("there is no limit")
        };
        match limited {
            Frame::Line(same) => assert!(same == line && line.len() <= limit),
            Frame::TooLong { head, length } => {
                assert!(*length == line.len() as u64 && head == &line[..limit]);
            }
        }
    }
});
