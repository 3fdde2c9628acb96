//! What messages, requests and blocks are known by.

use crate::usage::facts::Reply;
use crate::usage::pack;
use crate::usage::tables::hash;

/// The model of lines that the CLI writes itself.
pub(in crate::usage) const SYNTHETIC: &str = "<synthetic>";

const MESSAGE: u8 = 0;
pub(super) const REQUEST: u8 = 1;
const LINE: u8 = 2;
const POSITION: u8 = 3;
pub(super) const BLOCK: u8 = 4;
pub(super) const TOOL: u8 = 5;

/// The hash of a message's id.
pub(in crate::usage) fn message_key(id: &[u8]) -> u64 {
    pack::kept_key(hash(MESSAGE, id))
}

/// What a message is known by: its id, or else its request's, or else its line's.
pub(super) fn key(reply: &Reply<'_>, file: u32, offset: u64) -> u64 {
    match (reply.message_id, reply.request_id, reply.uuid) {
        (Some(id), ..) => hash(MESSAGE, id),
        (None, Some(request), _) => hash(REQUEST, request),
        (None, None, Some(uuid)) => hash(LINE, uuid),
        (None, None, None) => {
            let mut position = [0; 12];
            position[..4].copy_from_slice(&file.to_le_bytes());
            position[4..].copy_from_slice(&offset.to_le_bytes());
            hash(POSITION, &position)
        }
    }
}
