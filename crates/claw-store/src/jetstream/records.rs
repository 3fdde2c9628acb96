//! Records: JSON with bodies.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::frame::{decode_parts, encode_parts};
use crate::error::StoreError;
use crate::store::Result;

pub(super) fn encode<const N: usize>(meta: &impl Serialize, bodies: [&[u8]; N]) -> Result<Bytes> {
    let meta =
        serde_json::to_vec(meta).map_err(|error| StoreError::damaged("a new record", error))?;
    Ok(encode_parts([&meta[..]].into_iter().chain(bodies)))
}

/// Decodes a record. `at` names it in an error.
pub(super) fn decode<T: for<'de> Deserialize<'de>, const N: usize>(
    at: &str,
    record: Bytes,
) -> Result<(T, [Bytes; N])> {
    let mut parts = decode_parts(record).unwrap_or_default().into_iter();
    let meta = parts.next().unwrap_or_default();
    let meta = serde_json::from_slice(&meta).map_err(|error| StoreError::damaged(at, error))?;
    let bodies = parts.collect::<Vec<_>>().try_into();
    Ok((
        meta,
        bodies.map_err(|_| StoreError::damaged(at, "parts are missing"))?,
    ))
}
