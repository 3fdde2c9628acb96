//! The frames between a gateway and a holder: a kind, a length and a body.
//!
//! Both sides speak the lower of their two versions. A frame is sent only if that version has it,
//! unknown kinds are skipped, and unknown members of bodies are ignored.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use rusty_claw::transport::{Exit, Launch, Stop};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::relay::Credential;
use crate::runner::Runner;

/// The newest version. Version 1 has no [`Frame::Wrote`] and no [`Welcome::config_dir`].
const VERSION: u16 = 2;
/// A longer frame breaks the connection. The largest are prompts with attached files.
const MOST_BODY: usize = 128 << 20;
const HEADER: usize = 5;

/// Returns the version of this build.
pub(super) fn own_version() -> u16 {
    #[cfg(feature = "holder-versions")]
    if let Ok(version) = std::env::var("CLAW_HOLDER_VERSION")
        && let Ok(version) = version.parse()
    {
        return version;
    }
    VERSION
}

/// One frame. The first ones are sent by the gateway, the others by the holder.
#[derive(Clone, PartialEq)]
pub(super) enum Frame {
    /// The first frame of a connection.
    Hello(Hello),
    /// Starts the CLI. Only on the connection that the holder was started with.
    Start(Bytes),
    /// Sends output from an offset on, as far as [`Frame::More`] permits.
    Read { offset: u64 },
    /// Permits output up to an offset.
    More { until: u64 },
    /// A whole line for the CLI, under an id.
    Input { id: String, line: Bytes },
    /// Closes the input of the CLI after the lines before it.
    CloseInput,
    /// Stops the CLI.
    Stop { by_force: bool },
    /// The output before an offset is stored.
    Done { offset: u64 },
    /// Ends the CLI and the holder.
    End,
    /// The reply to the first frame.
    Welcome(Welcome),
    /// The connection is not served, and is closed.
    Refused { reason: String },
    /// Output, from an offset on.
    Output { offset: u64, bytes: Bytes },
    /// The line under the id is written to the CLI. Since version 2.
    Wrote { id: String },
    /// The CLI has exited, and all its output was sent.
    Exited(Exited),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hello {
    pub(super) version: u16,
    pub(super) epoch: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Welcome {
    /// The version of the connection.
    pub(super) version: u16,
    /// The holder.
    pub(super) holder: u32,
    /// The CLI, while it runs.
    pub(super) pid: Option<u32>,
    /// The first byte that can be read.
    pub(super) first: u64,
    pub(super) end: u64,
    pub(super) has_exited: bool,
    /// Since version 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) config_dir: Option<OsString>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Exited {
    code: Option<i32>,
    signal: Option<i32>,
    pub(super) stderr_tail: String,
}

/// What a holder is started with. It contains secrets, so it has no `Debug`.
#[derive(Serialize, Deserialize)]
pub(super) struct Start {
    pub(super) socket: PathBuf,
    pub(super) launch: PlainLaunch,
    /// The contents of [`Launch::files`]: the CLI may read them after the gateway has ended.
    pub(super) files: Vec<(OsString, String)>,
    pub(super) runner: Option<Runner>,
    pub(super) relay: Option<(String, Credential)>,
    pub(super) limits: Limits,
}

/// The bounds of a holder.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Limits {
    /// Bytes of output in memory.
    pub(super) memory: usize,
    /// Bytes of the file that continues it.
    pub(super) file: u64,
    /// How long a CLI continues without a gateway.
    pub(super) orphan_time: Duration,
    /// How long the output of a CLI that has exited is kept without a gateway.
    pub(super) exit_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 1 << 20,
            file: 64 << 20,
            orphan_time: Duration::from_secs(24 * 60 * 60),
            exit_time: Duration::from_secs(10 * 60),
        }
    }
}

/// A [`Launch`] without its files.
#[derive(Serialize, Deserialize)]
pub(super) struct PlainLaunch {
    program: Option<OsString>,
    search_node_modules: bool,
    args: Vec<OsString>,
    cwd: Option<OsString>,
    env_clear: bool,
    env: Vec<(OsString, Option<OsString>)>,
    die_with_parent: bool,
}

impl From<Launch> for PlainLaunch {
    fn from(launch: Launch) -> Self {
        Self {
            program: launch.program.map(PathBuf::into_os_string),
            search_node_modules: launch.search_node_modules,
            args: launch.args,
            cwd: launch.cwd.map(PathBuf::into_os_string),
            env_clear: launch.env_clear,
            env: launch.env,
            die_with_parent: launch.die_with_parent,
        }
    }
}

impl From<PlainLaunch> for Launch {
    fn from(plain: PlainLaunch) -> Self {
        let mut launch = Self::default();
        launch.program = plain.program.map(PathBuf::from);
        launch.search_node_modules = plain.search_node_modules;
        launch.args = plain.args;
        launch.cwd = plain.cwd.map(PathBuf::from);
        launch.env_clear = plain.env_clear;
        launch.env = plain.env;
        launch.die_with_parent = plain.die_with_parent;
        launch
    }
}

impl Exited {
    pub(super) fn new(exit: Exit, stderr_tail: String) -> Self {
        let (code, signal) = match exit {
            Exit::Code(code) => (Some(code), None),
            Exit::Signal(signal) => (None, Some(signal)),
            _ => (None, None),
        };
        Self {
            code,
            signal,
            stderr_tail,
        }
    }

    pub(super) fn exit(&self) -> Exit {
        match (self.code, self.signal) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::Unknown,
        }
    }
}

impl fmt::Debug for Frame {
    // Bodies contain secrets and parts of the conversation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.encode().ok().and_then(|bytes| bytes.first().copied());
        f.debug_tuple("Frame").field(&kind).finish()
    }
}

impl Frame {
    pub(super) fn stop(how: Stop) -> Self {
        let by_force = how != Stop::Terminate;
        Self::Stop { by_force }
    }

    pub(super) fn start(start: &Start) -> io::Result<Self> {
        Ok(Self::Start(serde_json::to_vec(start)?.into()))
    }

    /// The version that introduced the frame.
    pub(super) fn since(&self) -> u16 {
        match self {
            Self::Wrote { .. } => 2,
            _ => 1,
        }
    }

    pub(super) fn encode(&self) -> io::Result<Bytes> {
        let mut bytes = BytesMut::with_capacity(64);
        bytes.put_slice(&[0; HEADER]);
        let kind = match self {
            Self::Hello(hello) => put_json(&mut bytes, 1, hello)?,
            Self::Start(start) => put(&mut bytes, 2, start),
            Self::Read { offset } => put(&mut bytes, 3, &offset.to_be_bytes()),
            Self::More { until } => put(&mut bytes, 4, &until.to_be_bytes()),
            Self::Input { id, line } => {
                let length = u32::try_from(id.len()).map_err(io::Error::other)?;
                bytes.put_u32(length);
                bytes.put_slice(id.as_bytes());
                put(&mut bytes, 5, line)
            }
            Self::CloseInput => 6,
            Self::Stop { by_force } => put(&mut bytes, 7, &[u8::from(*by_force)]),
            Self::Done { offset } => put(&mut bytes, 8, &offset.to_be_bytes()),
            Self::End => 9,
            Self::Welcome(welcome) => put_json(&mut bytes, 65, welcome)?,
            Self::Refused { reason } => put(&mut bytes, 66, reason.as_bytes()),
            Self::Output {
                offset,
                bytes: output,
            } => {
                bytes.put_u64(*offset);
                put(&mut bytes, 67, output)
            }
            Self::Wrote { id } => put(&mut bytes, 68, id.as_bytes()),
            Self::Exited(exited) => put_json(&mut bytes, 69, exited)?,
        };
        let length = bytes.len() - HEADER;
        if length > MOST_BODY {
            return Err(bad("a frame is too long"));
        }
        let length = u32::try_from(length).map_err(io::Error::other)?;
        if let Some((first, rest)) = bytes.split_first_mut() {
            *first = kind;
            rest[..4].copy_from_slice(&length.to_be_bytes());
        }
        Ok(bytes.freeze())
    }

    /// Returns `None` if the kind is unknown.
    fn decode(kind: u8, mut body: Bytes) -> io::Result<Option<Self>> {
        Ok(Some(match kind {
            1 => Self::Hello(json(&body)?),
            2 => Self::Start(body),
            3 => Self::Read {
                offset: body.try_get_u64()?,
            },
            4 => Self::More {
                until: body.try_get_u64()?,
            },
            5 => {
                let length = body.try_get_u32()? as usize;
                if length > body.len() {
                    return Err(bad("the id of an input is cut"));
                }
                let id = text(&body.split_to(length))?;
                Self::Input { id, line: body }
            }
            6 => Self::CloseInput,
            7 => Self::Stop {
                by_force: body.try_get_u8()? != 0,
            },
            8 => Self::Done {
                offset: body.try_get_u64()?,
            },
            9 => Self::End,
            65 => Self::Welcome(json(&body)?),
            66 => Self::Refused {
                reason: text(&body)?,
            },
            67 => Self::Output {
                offset: body.try_get_u64()?,
                bytes: body,
            },
            68 => Self::Wrote { id: text(&body)? },
            69 => Self::Exited(json(&body)?),
            _ => return Ok(None),
        }))
    }
}

/// Splits a stream of bytes into frames.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    pub(super) bytes: BytesMut,
}

impl Decoder {
    /// Returns the next whole frame of a known kind, if there is one.
    pub(super) fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            let Some((&[kind, a, b, c, d], _)) = self.bytes.split_first_chunk::<HEADER>() else {
                return Ok(None);
            };
            let length = u32::from_be_bytes([a, b, c, d]) as usize;
            if length > MOST_BODY {
                return Err(bad("a frame is too long"));
            }
            if self.bytes.len() < HEADER + length {
                return Ok(None);
            }
            self.bytes.advance(HEADER);
            let body = self.bytes.split_to(length).freeze();
            if let Some(frame) = Frame::decode(kind, body)? {
                return Ok(Some(frame));
            }
        }
    }
}

fn put(bytes: &mut BytesMut, kind: u8, body: &[u8]) -> u8 {
    bytes.put_slice(body);
    kind
}

fn put_json(bytes: &mut BytesMut, kind: u8, body: &impl Serialize) -> io::Result<u8> {
    serde_json::to_writer(bytes.writer(), body)?;
    Ok(kind)
}

fn json<T: DeserializeOwned>(body: &[u8]) -> io::Result<T> {
    Ok(serde_json::from_slice(body)?)
}

fn text(body: &[u8]) -> io::Result<String> {
    String::from_utf8(body.to_vec()).map_err(|_| bad("a text is not UTF-8"))
}

fn bad(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests;
