//! Records: JSON with a body.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::frame::{decode_parts, encode_parts};
use super::wire::Stored;
use crate::error::StoreError;
use crate::store::Result;

pub(super) fn encode(meta: &impl Serialize, body: &[u8]) -> Result<Bytes> {
    let meta = serde_json::to_vec(meta).map_err(|error| StoreError::Damaged {
        at: "a new record".to_owned(),
        reason: error.to_string(),
    })?;
    Ok(encode_parts([&meta[..], body]))
}

pub(super) fn decode<T: for<'de> Deserialize<'de>>(stored: &Stored) -> Result<(T, Bytes)> {
    let parts = decode_parts(stored.body.clone()).unwrap_or_default();
    let [meta, body] = &parts[..] else {
        return Err(damaged(stored, "it has no parts"));
    };
    let meta = serde_json::from_slice(meta).map_err(|error| damaged(stored, error))?;
    Ok((meta, body.clone()))
}

pub(super) fn damaged(stored: &Stored, reason: impl ToString) -> StoreError {
    StoreError::Damaged {
        at: format!("message {} of {}", stored.sequence, stored.subject),
        reason: reason.to_string(),
    }
}
