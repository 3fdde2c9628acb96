//! What the tests need of an engine.

use std::sync::Arc;

use bytes::Bytes;

use super::HarnessError;
use crate::durability::DurabilityLevel;
use crate::id::SessionKey;
use crate::store::{BoxFuture, Store};

/// An operation of a harness.
pub type Action<'a, T = ()> = BoxFuture<'a, Result<T, HarnessError>>;

/// What a harness must be able to do for a test, besides opening and restarting the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// Nothing.
    None,
    /// [`Harness::cut_history`].
    CutHistory,
    /// [`Harness::plant_frame`] and [`Harness::void_frames`].
    VoidFrames,
    /// [`Harness::lose_live`].
    LoseLive,
    /// [`Harness::subscriptions`].
    Subscriptions,
    /// [`Harness::change_leader`].
    LeaderChange,
    /// [`Harness::set_outage`].
    Outage,
    /// [`Harness::set_disk_full`].
    FullDisk,
    /// [`Harness::kill`].
    Kill,
    /// [`Harness::cut_power`].
    PowerCut,
    /// [`Harness::restore_backup`].
    Backup,
    /// [`Harness::open_old_data`].
    OldSchema,
    /// [`Harness::misconfigured`].
    Misconfiguration,
}

/// A handle on an engine with a weak setting.
#[allow(missing_debug_implementations, reason = "a store has none")]
pub struct Misconfigured {
    /// The setting, for messages.
    pub setting: String,
    /// The handle.
    pub store: Arc<dyn Store>,
    /// The highest level that is true for this engine.
    pub at_most: DurabilityLevel,
}

/// Data that was written with the previous schema, and opened with the current one.
#[allow(missing_debug_implementations, reason = "a store has none")]
pub struct OldData {
    /// The handle.
    pub store: Arc<dyn Store>,
    /// A session of it, whose events have the [`numbered_body`] of their sequences.
    pub key: SessionKey,
    /// The sequence of its last event, at least 1.
    pub last: u64,
    /// The epoch of its last claim.
    pub epoch: u64,
}

/// An engine under test, with data of its own.
///
/// The optional operations return [`HarnessError::Unsupported`] unless they are implemented. A test
/// that needs one of them then fails, unless its number is in [`Harness::excused`].
#[allow(unused_variables, reason = "by default, operations do nothing")]
pub trait Harness: Send + Sync {
    /// The numbers of the tests that this engine cannot run by its nature.
    fn excused(&self) -> &'static [u32] {
        &[]
    }

    /// Opens another handle on the same data, as another process does.
    fn open(&self) -> Action<'_, Arc<dyn Store>>;

    /// Restarts the engine. Without a server, this does nothing: the tests open new handles after
    /// it. Handles that were opened before must continue to work.
    fn restart(&self) -> Action<'_>;

    /// Waits until the engine's own window for duplicate messages has passed. Does nothing by
    /// default, for engines without such a window.
    fn pass_window(&self) -> Action<'_> {
        Box::pin(async { Ok(()) })
    }

    /// Sets the wall clock that the engine reads forward or back. Does nothing by default, for
    /// engines that read none.
    fn shift_clock(&self, hours: i32) -> Action<'_> {
        Box::pin(async { Ok(()) })
    }

    /// Deletes the events of a session before the sequence `first`.
    fn cut_history<'a>(&'a self, key: &'a SessionKey, first: u64) -> Action<'a> {
        unsupported()
    }

    /// Writes a frame of one event behind the store, with an epoch and a sequence that do not
    /// follow the last event. An owner may be fenced by it.
    fn plant_frame<'a>(&'a self, key: &'a SessionKey, epoch: u64, sequence: u64) -> Action<'a> {
        unsupported()
    }

    /// Returns how many void frames of a session were found so far.
    fn void_frames<'a>(&'a self, key: &'a SessionKey) -> Action<'a, u64> {
        unsupported()
    }

    /// Loses all live messages from now on, or stops losing them.
    fn lose_live(&self, is_lost: bool) -> Action<'_> {
        unsupported()
    }

    /// Returns how many subscriptions all handles have for the live messages of a session.
    fn subscriptions<'a>(&'a self, key: &'a SessionKey) -> Action<'a, usize> {
        unsupported()
    }

    /// Makes another server the leader, or interrupts a single one for a moment.
    fn change_leader(&self) -> Action<'_> {
        unsupported()
    }

    /// Makes the engine unreachable for all handles, or reachable again.
    fn set_outage(&self, is_out: bool) -> Action<'_> {
        unsupported()
    }

    /// Fills the disk of the engine, or frees it.
    fn set_disk_full(&self, is_full: bool) -> Action<'_> {
        unsupported()
    }

    /// Claims a session and appends events with the [`numbered_body`] of their sequences, one by
    /// one, until the process that stores them is killed (SIGKILL). Returns the sequence of the
    /// last acknowledged event, at least 1. The engine runs again when this returns.
    fn kill<'a>(&'a self, key: &'a SessionKey) -> Action<'a, u64> {
        unsupported()
    }

    /// As [`Harness::kill`], but also loses what was not synced to the disk.
    fn cut_power<'a>(&'a self, key: &'a SessionKey) -> Action<'a, u64> {
        unsupported()
    }

    /// Makes a backup of the data and opens a copy that is restored from it.
    fn restore_backup(&self) -> Action<'_, Arc<dyn Store>> {
        unsupported()
    }

    /// Opens data of the previous schema.
    fn open_old_data(&self) -> Action<'_, OldData> {
        unsupported()
    }

    /// Opens engines with settings that weaken their durability.
    fn misconfigured(&self) -> Action<'_, Vec<Misconfigured>> {
        unsupported()
    }
}

fn unsupported<'a, T>() -> Action<'a, T> {
    Box::pin(async { Err(HarnessError::Unsupported) })
}

/// Returns the body of an event that can be checked by its sequence.
pub fn numbered_body(sequence: u64) -> Bytes {
    Bytes::from(format!("event {sequence}"))
}
