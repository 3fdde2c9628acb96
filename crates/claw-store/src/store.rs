//! The contract of a store.

use std::ops::Range;
use std::pin::Pin;

use bytes::Bytes;
use futures_core::Stream;

use crate::claim::{Claim, ClaimReason, Owner};
use crate::directory::{
    Created, NewSession, PageToken, Revision, SessionPage, SessionPatch, SessionRow, SessionState,
};
use crate::durability::Durability;
use crate::error::StoreError;
use crate::event::{Appended, Batch, BlobRef, Checkpoint, Event, Live, ReadLimit};
use crate::id::{InteractionId, NodeId, SessionKey, TenantId};
use crate::inbox::{Command, NewCommand, Submitted};
use crate::interaction::{
    Closing, Interaction, InteractionAnswer, InteractionFilter, NewInteraction, Verdict,
};
use crate::node::{NodeRecord, NodeRef};

/// A future of a store.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
/// A stream of a store.
pub type BoxStream<'a, T> = Pin<Box<dyn Stream<Item = T> + Send + 'a>>;
/// The result of a call.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Everything that a gateway stores.
///
/// # Rules for all calls
/// - A call that returns `Ok` has stored its data as durably as [`Store::durability`] reports.
/// - A call that names a session, an interaction or a blob of another tenant returns
///   [`StoreError::NotFound`], as if it did not exist. An erased session returns
///   [`StoreError::Deleted`] to its own tenant.
/// - A call that takes a [`Claim`] returns [`StoreError::Fenced`] after another claim of the
///   session, and stores nothing.
/// - After [`StoreError::Unavailable`], repeat the call with the same arguments: it takes effect
///   once.
/// - Futures may be dropped at any time. A write that was under way may still take effect.
pub trait Store:
    Directory + Log + Inbox + Interactions + Nodes + Blobs + Mirror + Send + Sync + 'static
{
    /// Returns what an acknowledged append survives. Reads the settings of the engine on each call.
    fn durability(&self) -> BoxFuture<'_, Durability>;
}

/// The sessions of a tenant, and who owns them.
pub trait Directory {
    /// Creates a session.
    ///
    /// # Errors
    /// `Conflict` if the key or the id was used before with other content, `Deleted` if the id is
    /// that of an erased session, `Full` if the tenant's quota is used up.
    fn create(&self, new: NewSession) -> BoxFuture<'_, Result<Created>>;

    /// Returns a session.
    ///
    /// # Errors
    /// `NotFound`, `Deleted`.
    fn get<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<SessionRow>>;

    /// Lists the sessions of a tenant: at most `limit`, from the start or from a token.
    ///
    /// # Errors
    /// `NotFound` if the token is not valid, `Unavailable`.
    fn list<'a>(
        &'a self,
        tenant: &'a TenantId,
        from: Option<PageToken>,
        limit: usize,
    ) -> BoxFuture<'a, Result<SessionPage>>;

    /// Changes a session, if its revision is the expected one. Returns the new revision.
    ///
    /// # Errors
    /// `Conflict` if the revision is another one.
    fn update<'a>(
        &'a self,
        key: &'a SessionKey,
        expected: Revision,
        patch: SessionPatch,
    ) -> BoxFuture<'a, Result<Revision>>;

    /// Erases a session: its log, inbox, interactions, blobs and transcript. Erasing it again does
    /// nothing.
    ///
    /// # Errors
    /// `NotFound`.
    fn erase<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<()>>;

    /// Takes ownership of a session, also if it has an owner. After this returns, no append of an
    /// earlier owner is stored.
    ///
    /// # Errors
    /// `NotFound`, `Deleted`.
    fn claim<'a>(
        &'a self,
        key: &'a SessionKey,
        node: &'a NodeRef,
        reason: ClaimReason,
    ) -> BoxFuture<'a, Result<Claim>>;

    /// Releases a session. Releasing a fenced claim does nothing.
    ///
    /// # Errors
    /// `Deleted`.
    fn release<'a>(&'a self, claim: &'a Claim, to: SessionState) -> BoxFuture<'a, Result<()>>;
}

/// The events of sessions.
pub trait Log {
    /// Appends a batch after the event `expected_last`, all or none, with dense sequences.
    ///
    /// Appends of one claim must not overlap. The same batch with the same `expected_last` again
    /// returns the same result and stores it once. If the first call had no result and another
    /// owner has claimed the session since, an engine may return either its result or `Fenced`.
    ///
    /// # Errors
    /// `Fenced`, `Deleted`, `TooLarge`, `Full`, `Unavailable`. `Conflict` if the last event is
    /// another one under the same claim, which is a bug of the caller.
    fn append<'a>(
        &'a self,
        claim: &'a Claim,
        expected_last: u64,
        batch: &'a Batch,
    ) -> BoxFuture<'a, Result<Appended>>;

    /// Reads events after a sequence, in order. Returns none if the sequence is that of the last
    /// event or higher.
    ///
    /// # Errors
    /// `Truncated` if the next event is no longer stored.
    ///
    /// This method is cancel safe.
    fn read<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
        limit: ReadLimit,
    ) -> BoxFuture<'a, Result<Vec<Event>>>;

    /// Follows a session: the events after a sequence, then new ones as they are stored. Each event
    /// arrives once and in order. The stream ends with an error, or when the session is erased.
    ///
    /// # Errors
    /// `NotFound`, `Deleted`, `Truncated`.
    fn follow<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Live>>>>;

    /// Publishes a part of a message to the followers. It is not stored, and may be lost.
    fn publish_delta(&self, claim: &Claim, body: Bytes);

    /// Stores a checkpoint, which replaces the earlier one.
    ///
    /// # Errors
    /// `Fenced`, `Deleted`, `TooLarge`, `Full`.
    fn save_checkpoint<'a>(
        &'a self,
        claim: &'a Claim,
        checkpoint: &'a Checkpoint,
    ) -> BoxFuture<'a, Result<()>>;

    /// Returns the latest checkpoint.
    ///
    /// # Errors
    /// `NotFound`, `Deleted`.
    fn checkpoint<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Option<Checkpoint>>>;
}

/// Commands for the owner of a session, stored until it has applied them.
pub trait Inbox {
    /// Stores a command, whether or not the session has an owner.
    ///
    /// # Errors
    /// `Full` if 1,000 commands or 1 MiB are waiting (for an urgent command 1,200, and 64 KiB more),
    /// `TooLarge` if the body is larger than 1 MiB, `Conflict` if the key was used with another body.
    fn submit<'a>(
        &'a self,
        key: &'a SessionKey,
        command: NewCommand,
    ) -> BoxFuture<'a, Result<Submitted>>;

    /// Returns the result that [`Inbox::submit`] would return for a repeated command, and `None` for
    /// a new one. Stores nothing.
    ///
    /// # Errors
    /// `Conflict` if the key was used with another body.
    fn find_command<'a>(
        &'a self,
        key: &'a SessionKey,
        command: NewCommand,
    ) -> BoxFuture<'a, Result<Option<Submitted>>>;

    /// Receives the commands that are not applied, in order, and then new ones as they are
    /// submitted. A command is applied by an append that names its position ([`Batch::applied`]).
    ///
    /// # Errors
    /// `Fenced`, `Deleted`. The stream ends with an error when the claim is fenced.
    fn inbox<'a>(
        &'a self,
        claim: &'a Claim,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Command>>>>;
}

/// Interactions of sessions.
pub trait Interactions {
    /// Opens an interaction. Opening it again with the same content does nothing.
    ///
    /// # Errors
    /// `Conflict` if the id was used with other content.
    fn open_interaction<'a>(
        &'a self,
        claim: &'a Claim,
        new: NewInteraction,
    ) -> BoxFuture<'a, Result<()>>;

    /// Answers an interaction. The first answer wins, whichever process it comes from.
    ///
    /// # Errors
    /// `NotFound`.
    fn answer<'a>(
        &'a self,
        key: &'a SessionKey,
        id: &'a InteractionId,
        answer: InteractionAnswer,
    ) -> BoxFuture<'a, Result<Verdict>>;

    /// Ends an interaction without an answer. Returns the state that it has now: an answer may have
    /// been first.
    ///
    /// An engine may check the claim before it writes: an owner that is fenced in between may still
    /// end the interaction, once.
    ///
    /// # Errors
    /// `NotFound`, `Fenced`.
    fn close_interaction<'a>(
        &'a self,
        claim: &'a Claim,
        id: &'a InteractionId,
        closing: Closing,
    ) -> BoxFuture<'a, Result<Interaction>>;

    /// Returns an interaction.
    ///
    /// # Errors
    /// `NotFound`.
    fn interaction<'a>(
        &'a self,
        key: &'a SessionKey,
        id: &'a InteractionId,
    ) -> BoxFuture<'a, Result<Interaction>>;

    /// Lists interactions.
    ///
    /// # Errors
    /// `NotFound` if the filter names a session that the tenant does not have.
    fn interactions<'a>(
        &'a self,
        filter: &'a InteractionFilter,
    ) -> BoxFuture<'a, Result<Vec<Interaction>>>;
}

/// The records behind the leases of nodes. [`crate::lease`] has the leases themselves.
pub trait Nodes {
    /// Writes the record of a node, if its revision is the expected one, 0 for a new node. Returns
    /// the new revision.
    ///
    /// # Errors
    /// `Conflict`.
    fn put_node(&self, record: NodeRecord, expected: Revision) -> BoxFuture<'_, Result<Revision>>;

    /// Returns the records of all nodes.
    ///
    /// # Errors
    /// `Unavailable`.
    fn nodes(&self) -> BoxFuture<'_, Result<Vec<NodeRecord>>>;

    /// Returns the sessions that a node owns under incarnations lower than `below`, with that
    /// ownership. Those whose log is damaged are left out.
    ///
    /// # Errors
    /// `Unavailable`.
    fn sessions_of<'a>(
        &'a self,
        node: &'a NodeId,
        below: u64,
    ) -> BoxFuture<'a, Result<Vec<(SessionKey, Owner)>>>;
}

/// Large bodies of a session.
pub trait Blobs {
    /// Stores a blob of the session. The same content again is stored once.
    ///
    /// # Errors
    /// `Fenced`, `Deleted`, `TooLarge`, `Full`.
    fn put_blob<'a>(&'a self, claim: &'a Claim, body: Bytes) -> BoxFuture<'a, Result<BlobRef>>;

    /// Reads a part of a blob of the session. A range beyond its end is cut.
    ///
    /// # Errors
    /// `NotFound`, also if only another session has it.
    fn get_blob<'a>(
        &'a self,
        key: &'a SessionKey,
        hash: &'a str,
        range: Range<u64>,
    ) -> BoxFuture<'a, Result<Bytes>>;
}

/// The copy of the CLI's session files, from which any machine can resume the session.
pub trait Mirror {
    /// Appends lines to a file after the line `expected_last`. Returns the number of its last line.
    /// The same lines with the same `expected_last` again are stored once.
    ///
    /// # Errors
    /// `Fenced`, `Deleted`, `TooLarge`, `Full`; `Conflict` if the file has another last line.
    fn mirror<'a>(
        &'a self,
        claim: &'a Claim,
        file: &'a str,
        expected_last: u64,
        lines: &'a [Bytes],
    ) -> BoxFuture<'a, Result<u64>>;

    /// Returns the files of a session with the numbers of their last lines, in the order of their
    /// names.
    ///
    /// # Errors
    /// `NotFound`, `Deleted`.
    fn mirrored_files<'a>(
        &'a self,
        key: &'a SessionKey,
    ) -> BoxFuture<'a, Result<Vec<(String, u64)>>>;

    /// Reads lines of a file after a line number, as many as the limit allows.
    ///
    /// # Errors
    /// `NotFound` if there is no such file.
    fn mirrored<'a>(
        &'a self,
        key: &'a SessionKey,
        file: &'a str,
        after: u64,
        limit: ReadLimit,
    ) -> BoxFuture<'a, Result<Vec<Bytes>>>;
}
