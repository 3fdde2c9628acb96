//! Faults of a JetStream store, for the contract suite.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use serde_json::{Value, json};

use super::JetStreamStore;
use super::frame::{Frame, Kind, encode_parts};
use crate::error::StoreError;
use crate::id::SessionKey;
use crate::store::Result;

impl JetStreamStore {
    /// Writes a frame of one event without a check.
    #[doc(hidden)]
    pub async fn plant_frame(&self, key: &SessionKey, epoch: u64, sequence: u64) -> Result<()> {
        let place = self.engine.place(key).await?;
        let frame = Frame {
            kind: Kind::EVENTS,
            epoch,
            first: sequence,
            count: 1,
            applied: 0,
            body: encode_parts([b"void".as_slice()]),
        };
        self.engine.wire.put(&place.events, frame.encode()).await?;
        Ok(())
    }

    /// Deletes the start of the stream, up to the frame that has the event `first`.
    #[doc(hidden)]
    pub async fn cut_history(&self, key: &SessionKey, first: u64) -> Result<()> {
        let (engine, place) = (&self.engine, self.engine.place(key).await?);
        let messages = engine
            .wire
            .scan(&place.log, &place.events, 0, usize::MAX)
            .await?;
        let has_it = |bytes: &Bytes| {
            Frame::decode(bytes).is_ok_and(|f| f.kind == Kind::EVENTS && f.last() >= first)
        };
        let kept = messages.iter().find(|message| has_it(&message.body));
        let kept = kept.ok_or_else(|| StoreError::not_found("the event"))?;
        engine.purge(&place.log, ">", Some(kept.sequence)).await
    }

    /// Loses live messages, or stops losing them.
    #[doc(hidden)]
    pub fn set_silent(&self, is_silent: bool) {
        self.engine.is_silent.store(is_silent, Ordering::Relaxed);
    }

    /// Returns the subject of the live messages of a session.
    #[doc(hidden)]
    pub async fn live_subject(&self, key: &SessionKey) -> Result<String> {
        Ok(self.engine.place(key).await?.live("*"))
    }

    /// Lets the streams of the partitions reject writes soon, or stops that.
    #[doc(hidden)]
    pub async fn set_full(&self, is_full: bool) -> Result<()> {
        self.change_streams(|info| {
            let bytes = info["state"]["bytes"].as_u64().unwrap_or(0);
            let limit = if is_full {
                json!(bytes + 20_000)
            } else {
                json!(-1)
            };
            info["config"]["max_bytes"] = limit;
        })
        .await
    }

    /// Turns the streams into those of the first schema, which had no live messages.
    #[doc(hidden)]
    pub async fn downgrade(&self) -> Result<()> {
        self.change_streams(|info| {
            if let Some(config) = info["config"].as_object_mut() {
                config.remove("republish");
            }
        })
        .await?;
        let layout = json!({ "schema": 1, "generations": [1] }).to_string();
        self.engine
            .wire
            .put(&self.engine.names.layout(), layout.into())
            .await?;
        Ok(())
    }

    async fn change_streams(&self, change: impl Fn(&mut Value)) -> Result<()> {
        let (engine, names) = (&self.engine, &self.engine.names);
        let streams = engine.layout.streams(names).into_iter();
        for stream in streams.filter(|stream| stream.ends_with("_0_0")) {
            let request = format!("STREAM.INFO.{stream}");
            let info = engine.wire.api::<Value>(&request, &json!({})).await?;
            let mut info = info.map_err(StoreError::from)?;
            change(&mut info);
            let request = format!("STREAM.UPDATE.{stream}");
            let done = engine.wire.api::<Value>(&request, &info["config"]).await?;
            done.map_err(StoreError::from)?;
        }
        Ok(())
    }
}
