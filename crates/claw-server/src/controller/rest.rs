//! The rest of the output of a CLI that exited after its owner was lost.

use std::io;

use rusty_claw::BoxFuture;
use rusty_claw_protocol::Line;

use super::recorder::Recorder;

/// Reads the output from an offset to its end.
pub(super) type ReadRest = Box<dyn FnOnce(u64) -> BoxFuture<'static, io::Result<Vec<u8>>> + Send>;

/// Records the output that the last owner has not stored. Returns whether nothing is missing.
pub(super) async fn record(recorder: &mut Recorder, read: Option<ReadRest>) -> bool {
    let (Some(read), Some(mut offset)) = (read, recorder.state.record.offset) else {
        return false;
    };
    let rest = match read(offset).await {
        Ok(rest) => rest,
        Err(error) => {
            tracing::warn!(%error, "the rest of the output cannot be read");
            return false;
        }
    };
    recorder.is_held = true;
    recorder.state.builder.attach();
    for line in rest.split_inclusive(|byte| *byte == b'\n') {
        offset += line.len() as u64;
        // A CLI that was killed may have printed a part of its last line.
        match line.strip_suffix(b"\n") {
            Some(line) if !line.is_empty() => recorder.line(Line::decode(line.to_vec()), offset),
            _ => {}
        }
    }
    true
}
