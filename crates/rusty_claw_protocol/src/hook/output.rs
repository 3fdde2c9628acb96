//! The output of a hook.

use rusty_claw_macros::{Wire, wire_type};
use serde::{Serialize, Serializer};

use crate::extra::Extra;
use crate::hook::HookSpecificOutput;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::wire::{Found, Malformed, Reader, Shape, Tags, Wire as WireType, WireObject, serialize};

/// The output of a hook: immediate or asynchronous.
///
/// An empty output has no effect; see [`HookOutput::none`].
#[derive(Debug, Clone, PartialEq)]
pub enum HookOutput {
    /// The hook finished with this output.
    Sync(Box<SyncHookOutput>),
    /// The hook continues in the background; the CLI does not wait for it.
    Async(AsyncHookOutput),
}

/// The output of a hook that finished.
#[wire_type(rename_all = "camelCase")]
pub struct SyncHookOutput {
    /// `false` ends the turn, whatever the event.
    #[wire(name = "continue")]
    pub keep_going: Option<bool>,
    /// Whether to hide the hook's output from the transcript.
    pub suppress_output: Option<bool>,
    /// The message to the user if the turn is ended.
    pub stop_reason: Option<String>,
    /// Whether the action may proceed.
    pub decision: Option<HookDecision>,
    /// A message to the user.
    pub system_message: Option<String>,
    /// Control characters to send to the terminal, such as a bell.
    pub terminal_sequence: Option<String>,
    /// The reason for the decision.
    pub reason: Option<String>,
    /// The event-specific part.
    pub hook_specific_output: Option<HookSpecificOutput>,
}

/// The output of a hook that continues in the background.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct AsyncHookOutput {
    /// The timeout in milliseconds.
    pub async_timeout: Option<u64>,
    /// Unrecognized members.
    pub extra: Extra,
}

open_enum! {
    /// Whether the action of a hook's event may proceed.
    pub enum HookDecision {
        /// It proceeds.
        Approve = "approve",
        /// It is blocked.
        Block = "block",
    }
}

/// Both outputs as they are on the wire, distinguished by whether `async` is `true`.
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
            // The CLI ignores the other members of an asynchronous output; keep them nevertheless.
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

/// Keeps every member of an output as text.
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
