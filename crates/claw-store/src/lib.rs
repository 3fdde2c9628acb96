//! The durable log of sessions.
//!
//! A store keeps bytes in order under a fence. It does not interpret them. Each session has a log
//! of events with dense sequence numbers, an inbox of commands, interactions that are answered
//! once, blobs, and a copy of its transcript. Several processes may use one store at a time; at
//! most one of them owns a session, and the store rejects appends of all others.
//!
//! | store | for |
//! |---|---|
//! | [`MemoryStore`] | tests, and programs that keep nothing |
//! | `SqliteStore` (feature `sqlite`) | one machine: a file, no server |
//! | `JetStreamStore` (feature `jetstream`) | a cluster: a replicated log |
//!
//! All of them pass the same tests, which are public (feature `contract`).

mod claim;
#[cfg(feature = "contract")]
pub mod contract;
mod directory;
mod durability;
mod error;
mod event;
/// Compiles and runs the examples of the guide.
#[cfg(all(doctest, feature = "sqlite"))]
#[doc = include_str!("../../../docs/guides/stores.md")]
mod guide {}
mod hub;
mod id;
mod inbox;
mod interaction;
#[cfg(feature = "jetstream")]
mod jetstream;
pub mod lease;
mod local;
mod memory;
mod node;
mod owner;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;

pub use claim::{Claim, ClaimReason};
pub use directory::{
    Created, NewSession, PageToken, Revision, SessionPage, SessionPatch, SessionRow, SessionState,
};
pub use durability::{Durability, DurabilityLevel};
pub use error::{OpenError, StoreError};
pub use event::{Appended, Batch, BlobRef, Checkpoint, Delta, Event, Live, MAX_EVENT, ReadLimit};
pub use id::{IdempotencyKey, InteractionId, InvalidId, NodeId, SessionId, SessionKey, TenantId};
pub use inbox::{Command, NewCommand, Submitted};
pub use interaction::{
    Closing, Interaction, InteractionAnswer, InteractionFilter, InteractionState, NewInteraction,
    Verdict,
};
#[cfg(feature = "jetstream")]
pub use jetstream::{JetStreamConfig, JetStreamStore};
pub use memory::MemoryStore;
pub use node::NodeRecord;
pub use owner::{NodeRef, Owner};
#[cfg(feature = "sqlite")]
pub use sqlite::{Quota, Retention, SqliteOptions, SqliteStore};
pub use store::{
    Blobs, BoxFuture, BoxStream, Directory, Inbox, Interactions, Log, Mirror, Nodes, Result, Store,
};
