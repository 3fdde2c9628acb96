//! Connections, and the frames on them.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::net::UnixStream;

use super::protocol::{Decoder, Frame};

/// The capacity that is reserved for each read.
const PIECE: usize = 16 << 10;

/// The half of a connection that is read.
pub(super) type Source = Box<dyn AsyncRead + Send + Unpin>;
/// The half of a connection that is written to.
pub(super) type Sink = Box<dyn AsyncWrite + Send + Unpin>;

/// Splits a connection.
pub(super) fn split(stream: UnixStream) -> (Source, Sink) {
    let (source, sink) = stream.into_split();
    (Box::new(source), Box::new(sink))
}

#[derive(Debug)]
pub(super) struct FrameReader<R> {
    reader: R,
    decoder: Decoder,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    pub(super) fn new(reader: R) -> Self {
        let decoder = Decoder::default();
        Self { reader, decoder }
    }

    /// Returns the next frame; `None` at the end of the connection, even in the middle of a frame.
    ///
    /// This method is cancel safe.
    pub(super) async fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.decoder.next()? {
                return Ok(Some(frame));
            }
            self.decoder.bytes.reserve(PIECE);
            if self.reader.read_buf(&mut self.decoder.bytes).await? == 0 {
                return Ok(None);
            }
        }
    }
}
