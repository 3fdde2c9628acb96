//! What a hook answers.

use rusty_claw_macros::Wire;
use serde::{Serialize, Serializer};

use crate::extra::Extra;
use crate::hook::HookSpecificOutput;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::wire::{Found, Malformed, Reader, Shape, Tags, Wire as WireType, WireObject, serialize};

/// The answer of a hook: now, or later.
///
/// The empty answer, which is the default, means "no opinion".
#[derive(Debug, Clone, PartialEq)]
pub enum HookOutput {
    /// The hook is done, and this is what it says.
    Sync(Box<SyncHookOutput>),
    /// The hook goes on in the background; the CLI does not wait for it.
    Async(AsyncHookOutput),
}

/// The answer of a hook that is done.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct SyncHookOutput {
    /// `false` ends the turn, whatever the hook was asked about.
    #[wire(name = "continue")]
    pub keep_going: Option<bool>,
    /// Keeps what the hook printed out of the transcript.
    pub suppress_output: Option<bool>,
    /// What the user is told when the turn is ended.
    pub stop_reason: Option<String>,
    /// What becomes of the thing that the hook was asked about.
    pub decision: Option<HookDecision>,
    /// Something to tell the user.
    pub system_message: Option<String>,
    /// Control characters to send to the terminal, such as a bell.
    pub terminal_sequence: Option<String>,
    /// Why the hook decided so.
    pub reason: Option<String>,
    /// What only this event can be answered with.
    pub hook_specific_output: Option<HookSpecificOutput>,
    /// What no field holds.
    pub extra: Extra,
}

/// The answer of a hook that goes on in the background.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct AsyncHookOutput {
    /// After how many milliseconds the CLI gives up on it.
    pub async_timeout: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What becomes of the thing that a hook was asked about.
    pub enum HookDecision {
        /// It goes ahead.
        Approve = "approve",
        /// It does not.
        Block = "block",
    }
}

/// Both answers as they stand on the wire, where one member tells them apart by being `true`.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[wire(rename_all = "camelCase")]
struct AnyHookOutput {
    #[wire(name = "async")]
    goes_on: Option<bool>,
    async_timeout: Option<u64>,
    #[wire(flatten)]
    sync: SyncHookOutput,
    extra: Extra,
}

impl From<SyncHookOutput> for HookOutput {
    fn from(output: SyncHookOutput) -> Self {
        Self::Sync(Box::new(output))
    }
}

impl From<AsyncHookOutput> for HookOutput {
    fn from(output: AsyncHookOutput) -> Self {
        Self::Async(output)
    }
}

impl From<HookSpecificOutput> for HookOutput {
    fn from(output: HookSpecificOutput) -> Self {
        Self::from(SyncHookOutput {
            hook_specific_output: Some(output),
            ..SyncHookOutput::default()
        })
    }
}

impl From<AnyHookOutput> for HookOutput {
    fn from(any: AnyHookOutput) -> Self {
        let AnyHookOutput {
            goes_on,
            async_timeout,
            mut sync,
            mut extra,
        } = any;
        if goes_on == Some(true) {
            // The CLI looks at nothing else once a hook goes on; we keep it all the same.
            if sync != SyncHookOutput::default() {
                keep_members(&sync, &mut extra);
            }
            return Self::Async(AsyncHookOutput {
                async_timeout,
                extra,
            });
        }
        for (key, value) in extra.iter() {
            sync.extra.insert(key, value.clone());
        }
        let flag = goes_on.and_then(|flag| Json::from_serialize(&flag).ok());
        let timeout = async_timeout.and_then(|timeout| Json::from_serialize(&timeout).ok());
        for (key, value) in [("async", flag), ("asyncTimeout", timeout)] {
            if let Some(value) = value.filter(|_| !sync.extra.holds(key)) {
                sync.extra.insert(key, value);
            }
        }
        Self::from(sync)
    }
}

/// Keeps every member of an answer as text.
fn keep_members(sync: &SyncHookOutput, extra: &mut Extra) {
    let Ok(json) = Json::from_serialize(sync) else {
        return;
    };
    let mut reader = Reader::new(json.text());
    let Ok(Some(mut members)) = reader.object() else {
        return;
    };
    while let Ok(Some(key)) = members.next(&mut reader) {
        let Ok(value) = reader.json() else { return };
        extra.insert(&*key, value);
    }
}

impl WireType for HookOutput {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        Ok(AnyHookOutput::read_tagged(reader, Tags::NONE)?.map(Self::from))
    }

    fn shape() -> Option<&'static Shape> {
        AnyHookOutput::shape()
    }
}

impl Serialize for HookOutput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Sync(output) => serialize(output.as_ref(), serializer),
            Self::Async(output) => serialize(
                &AnyHookOutput {
                    goes_on: Some(true),
                    async_timeout: output.async_timeout,
                    sync: SyncHookOutput::default(),
                    extra: output.extra.clone(),
                },
                serializer,
            ),
        }
    }
}

impl<'de> serde::Deserialize<'de> for HookOutput {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::deserialize(deserializer)
    }
}
