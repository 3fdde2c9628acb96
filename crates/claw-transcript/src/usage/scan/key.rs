//! Hashes of messages, requests and blocks.

use crate::facts::Member;
use crate::usage::buckets;
use crate::usage::reply::Reply;
use crate::usage::tables::hash;

/// The model of lines that the CLI writes itself.
pub(crate) const SYNTHETIC: &str = "<synthetic>";

const MESSAGE: u8 = 0;
pub(super) const REQUEST: u8 = 1;
const LINE: u8 = 2;
const POSITION: u8 = 3;
pub(super) const BLOCK: u8 = 4;
pub(super) const TOOL: u8 = 5;

/// The hash of a message's id.
pub(crate) fn message_key(id: &[u8]) -> u64 {
    buckets::kept_key(hash(MESSAGE, id))
}

/// The key of a message: the hash of its id, else of its request's, else of its line's.
pub(super) fn key(reply: &Reply<'_>, file: u32, offset: u64) -> u64 {
    let (request, uuid) = (reply.get(Member::RequestId), reply.get(Member::Uuid));
    match (reply.message_id(), request, uuid) {
        (Some(id), ..) => hash(MESSAGE, id.as_bytes()),
        (None, Some(request), _) => hash(REQUEST, request.as_bytes()),
        (None, None, Some(uuid)) => hash(LINE, uuid.as_bytes()),
        (None, None, None) => {
            let mut position = [0; 12];
            position[..4].copy_from_slice(&file.to_le_bytes());
            position[4..].copy_from_slice(&offset.to_le_bytes());
            hash(POSITION, &position)
        }
    }
}
