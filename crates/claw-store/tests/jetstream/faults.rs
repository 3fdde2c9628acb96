//! Faults that are made with a plain client, behind the store.

use async_nats::jetstream::stream::{Config, Republish, Stream};
use async_nats::jetstream::{self, Context};
use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use claw_store::SessionKey;
use claw_store::contract::HarnessError;

/// The stream of the log.
pub(crate) const LOG: &str = "claw_L_0_0";

pub(crate) fn failed(error: impl ToString) -> HarnessError {
    HarnessError::Failed(error.to_string())
}

/// The subject of the frames of a session, or of its live messages (`v`).
pub(crate) fn subject(kind: char, key: &SessionKey, rest: &str) -> String {
    format!("claw.{kind}.0.0.{}.{}.{rest}", key.tenant, key.session)
}

pub(crate) struct Faults {
    context: Context,
}

impl Faults {
    pub(crate) async fn new(urls: Vec<String>) -> Result<Self, HarnessError> {
        let client = async_nats::connect(urls).await.map_err(failed)?;
        let context = jetstream::new(client);
        Ok(Self { context })
    }

    async fn stream(&self, name: &str) -> Result<Stream, HarnessError> {
        self.context.get_stream(name).await.map_err(failed)
    }

    /// Writes a frame of one event without a check.
    pub(crate) async fn plant_frame(
        &self,
        key: &SessionKey,
        epoch: u64,
        sequence: u64,
    ) -> Result<(), HarnessError> {
        let subject = subject('l', key, "ev");
        let ack = self.context.publish(subject, frame(epoch, sequence)).await;
        ack.map_err(failed)?.await.map_err(failed)?;
        Ok(())
    }

    /// Writes a frame whose checksum is wrong.
    pub(crate) async fn damage(&self, key: &SessionKey) -> Result<(), HarnessError> {
        let mut damaged = BytesMut::from(&frame(1, 1)[..]);
        damaged[20] ^= 1;
        let ack = self
            .context
            .publish(subject('l', key, "ev"), damaged.freeze());
        ack.await.map_err(failed)?.await.map_err(failed)?;
        Ok(())
    }

    /// Deletes the start of the log, up to the frame that has the event `first`.
    pub(crate) async fn cut_history(
        &self,
        key: &SessionKey,
        first: u64,
    ) -> Result<(), HarnessError> {
        let (stream, subject) = (self.stream(LOG).await?, subject('l', key, "ev"));
        let mut at = 0;
        loop {
            let next = stream.direct_get_next_for_subject(&subject, Some(at + 1));
            let next = next.await.map_err(failed)?;
            at = next.sequence;
            if last_event(&next.payload).is_some_and(|last| last >= first) {
                stream.purge().sequence(at).await.map_err(failed)?;
                return Ok(());
            }
        }
    }

    /// Changes the settings of a stream.
    async fn change(
        &self,
        stream: &str,
        change: impl FnOnce(&mut Config, u64),
    ) -> Result<(), HarnessError> {
        let mut stream = self.stream(stream).await?;
        let info = stream.info().await.map_err(failed)?;
        let (mut config, bytes) = (info.config.clone(), info.state.bytes);
        change(&mut config, bytes);
        let updated = self.context.update_stream(&config).await;
        updated.map(drop).map_err(failed)
    }

    /// Lets the log reject writes soon, or stops that.
    pub(crate) async fn set_full(&self, is_full: bool) -> Result<(), HarnessError> {
        let change = |config: &mut Config, bytes: u64| {
            let limit = i64::try_from(bytes).unwrap() + 20_000;
            config.max_bytes = if is_full { limit } else { -1 };
        };
        self.change(LOG, change).await
    }

    /// Stops or starts the live messages of the log.
    pub(crate) async fn set_live(&self, is_live: bool) -> Result<(), HarnessError> {
        let republish = Republish {
            source: "claw.l.0.0.>".to_owned(),
            destination: "claw.v.0.0.>".to_owned(),
            headers_only: false,
        };
        let republish = is_live.then_some(republish);
        self.change(LOG, |config, _| config.republish = republish)
            .await
    }

    /// Turns the streams of a namespace into those of the first schema, which had no live messages.
    pub(crate) async fn downgrade(&self, namespace: &str) -> Result<(), HarnessError> {
        let log = format!("{namespace}_L_0_0");
        self.change(&log, |config, _| config.republish = None)
            .await?;
        let layout = r#"{"schema":1,"generations":[1]}"#;
        let ack = self
            .context
            .publish(format!("{namespace}.y"), layout.into());
        ack.await.map_err(failed)?.await.map_err(failed)?;
        Ok(())
    }
}

/// Encodes a frame of one event.
fn frame(epoch: u64, sequence: u64) -> Bytes {
    let mut frame = BytesMut::from(&b"CF\x01\x02"[..]);
    frame.put_u64_le(epoch);
    frame.put_u64_le(sequence);
    frame.put_u32_le(1);
    frame.put_u64_le(0);
    frame.put_slice(b"\0\x04\0\0\0void");
    frame.put_u32_le(crc32c::crc32c(&frame));
    frame.freeze()
}

/// Returns the last event of a frame that has some.
fn last_event(mut frame: &[u8]) -> Option<u64> {
    let is_events = frame.get(3) == Some(&2);
    frame = frame.get(12..)?;
    let (first, count) = (frame.try_get_u64_le().ok()?, frame.try_get_u32_le().ok()?);
    is_events.then(|| first + u64::from(count) - 1)
}
