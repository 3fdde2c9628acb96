//! Streams and subjects.
//!
//! | stream | subjects | content |
//! |---|---|---|
//! | `L_<g>_<p>` | `l.<g>.<p>.<tenant>.<session>.ev`, `….in.<key>` | frames; commands |
//! | `T_<g>_<p>` | `t.<g>.<p>.<tenant>.<session>.f`, `….l.<file>` | fences; lines of transcripts |
//! | `B_<g>_<p>` | `b.<g>.<p>.<tenant>.<session>.<hash>.<part>` | bodies that exceed a message |
//! | `DIR` | `d.<tenant>.<session>`, `k.<tenant>.<key>`, `y` | sessions; their creation; layout |
//! | `CP` | `c.<tenant>.<session>` | checkpoints |
//! | `NODE` | `n.<node>` | nodes |
//! | `OWN` | `o.<node>.<incarnation>.<tenant>.<session>` | sessions that a node may own |
//! | `ASK` | `a.<tenant>.<session>.<interaction>`, `p.…` | interactions; marks of pending ones |
//!
//! All names begin with the namespace. A session stays in the generation `g` and the partition `p`
//! in which it was created. Live messages are not stored: `v.<g>.<p>.<tenant>.<session>.ev` and
//! `….in.<key>` are sent by the server after it has stored a message, `….x` are deltas, `….h` is
//! the position of the last frame, sent a second after an append.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::config::{JetStreamConfig, failed};
use super::wire::{ApiError, Cas, Subject, Wire};
use crate::error::{OpenError, StoreError};
use crate::id::{InteractionId, NodeId, SessionId, SessionKey, TenantId};
use crate::node::NodeRef;
use crate::store::Result;

/// Version of the settings of the streams and of the records. Version 1 streams have no live
/// messages.
const SCHEMA: u32 = 2;
/// The streams with one message for each subject.
const RECORDS: [(&str, &[&str]); 5] = [
    ("DIR", &["d.>", "k.>", "y"]),
    ("CP", &["c.>"]),
    ("NODE", &["n.>"]),
    ("OWN", &["o.>"]),
    ("ASK", &["a.>", "p.>"]),
];
/// The streams of each partition, named after the first token of their subjects.
const PARTITIONED: [char; 3] = ['l', 't', 'b'];
/// The server's code for a stream that does not exist, and for one that exists with other settings.
const NO_STREAM: u64 = 10059;
const STREAM_EXISTS: u64 = 10058;

/// The partitions of the store: the number of them in each generation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Layout {
    schema: u32,
    generations: Vec<u32>,
}

/// The names of streams and subjects.
#[derive(Debug, Clone)]
pub(super) struct Names(Arc<str>);

/// The location of a session.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) key: SessionKey,
    /// The subject of the frames.
    pub(super) events: Subject,
    names: Names,
    /// The generation and the partition.
    partition: (u32, u32),
}

impl Names {
    pub(super) fn new(namespace: &str) -> Self {
        Self(namespace.into())
    }

    fn stream(&self, name: &str) -> String {
        format!("{}_{name}", self.0)
    }

    fn partitioned(&self, kind: char, generation: u32, partition: u32) -> String {
        let kind = kind.to_ascii_uppercase();
        self.stream(&format!("{kind}_{generation}_{partition}"))
    }

    fn subject(&self, stream: &str, rest: &str) -> Subject {
        Subject {
            stream: self.stream(stream),
            name: format!("{}.{rest}", self.0),
        }
    }

    pub(super) fn row(&self, key: &SessionKey) -> Subject {
        self.subject("DIR", &format!("d.{}.{}", key.tenant, key.session))
    }

    /// Returns the subject of the creation of a session, or of all creations of a tenant.
    pub(super) fn creation(&self, tenant: &TenantId, key: Option<&str>) -> Subject {
        self.subject("DIR", &format!("k.{tenant}.{}", digest(key)))
    }

    fn layout(&self) -> Subject {
        self.subject("DIR", "y")
    }

    pub(super) fn checkpoint(&self, key: &SessionKey) -> Subject {
        self.subject("CP", &format!("c.{}.{}", key.tenant, key.session))
    }

    pub(super) fn node(&self, node: Option<&NodeId>) -> Subject {
        self.subject("NODE", &format!("n.{}", node.map_or("*", NodeId::as_str)))
    }

    pub(super) fn owned(&self, node: &NodeRef, key: &SessionKey) -> Subject {
        let NodeRef { node, incarnation } = node;
        let SessionKey { tenant, session } = key;
        self.subject("OWN", &format!("o.{node}.{incarnation}.{tenant}.{session}"))
    }

    pub(super) fn all_owned(&self, node: &NodeId) -> Subject {
        self.subject("OWN", &format!("o.{node}.>"))
    }

    /// Returns the subject of an interaction (`a`) or of the mark of a pending one (`p`), or of all
    /// of a session or tenant.
    pub(super) fn interaction(
        &self,
        kind: char,
        tenant: &TenantId,
        session: Option<&SessionId>,
        id: Option<&InteractionId>,
    ) -> Subject {
        let id = digest(id.map(InteractionId::as_str));
        let session = session.map_or("*", SessionId::as_str);
        self.subject("ASK", &format!("{kind}.{tenant}.{session}.{id}"))
    }

    pub(super) fn place(&self, key: &SessionKey, partition: (u32, u32)) -> Place {
        Place {
            key: key.clone(),
            events: self.of_session(key, partition, 'l', "ev"),
            names: self.clone(),
            partition,
        }
    }

    fn of_session(
        &self,
        SessionKey { tenant, session }: &SessionKey,
        (generation, partition): (u32, u32),
        kind: char,
        rest: &str,
    ) -> Subject {
        let Self(namespace) = self;
        Subject {
            stream: self.partitioned(kind, generation, partition),
            name: format!("{namespace}.{kind}.{generation}.{partition}.{tenant}.{session}.{rest}"),
        }
    }
}

impl Place {
    fn subject(&self, kind: char, rest: &str) -> Subject {
        self.names.of_session(&self.key, self.partition, kind, rest)
    }

    /// Returns the subject of a command, or of all commands of the session.
    pub(super) fn command(&self, key: Option<&str>) -> Subject {
        self.subject('l', &format!("in.{}", digest(key)))
    }

    pub(super) fn live(&self, rest: &str) -> String {
        self.subject('v', rest).name
    }

    pub(super) fn fences(&self) -> Subject {
        self.subject('t', "f")
    }

    /// Returns the subject of a file, or of all files of the session.
    pub(super) fn file(&self, name: Option<&str>) -> Subject {
        self.subject('t', &format!("l.{}", digest(name)))
    }

    pub(super) fn blob(&self, rest: &str) -> Subject {
        self.subject('b', rest)
    }
}

/// Returns a name for any text that is valid in a subject: half of its SHA-256. Without a text, the
/// wildcard for all of them.
fn digest(text: Option<&str>) -> String {
    text.map_or_else(
        || "*".to_owned(),
        |text| hex(&Sha256::digest(text.as_bytes())[..16]),
    )
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Layout {
    /// Returns the generation and the partition of a new session.
    pub(super) fn assign(&self, session: &SessionId) -> (u32, u32) {
        let generation = self.generations.len().saturating_sub(1);
        let partitions = self.generations.last().copied().unwrap_or(1).max(1);
        let partition = crc32c::crc32c(session.as_str().as_bytes()) % partitions;
        (u32::try_from(generation).unwrap_or(0), partition)
    }

    /// Returns all generations and partitions.
    fn partitions(&self) -> impl Iterator<Item = (u32, u32)> {
        let generations = (0u32..).zip(&self.generations);
        generations.flat_map(|(generation, count)| (0..*count).map(move |p| (generation, p)))
    }

    /// Creates the streams that are missing, and a generation if the number of partitions has
    /// changed.
    pub(super) async fn open(
        wire: &Wire,
        names: &Names,
        config: &JetStreamConfig,
    ) -> Result<Self, OpenError> {
        for (name, subjects) in RECORDS {
            let mut stream = names.stream_config(config, names.stream(name), subjects);
            stream["max_msgs_per_subject"] = json!(1);
            ensure_stream(wire, &stream, false).await?;
        }
        loop {
            let stored = wire.last(&names.layout()).await.map_err(failed)?;
            let at = stored.as_ref().map_or(0, |stored| stored.sequence);
            let mut layout = match &stored {
                Some(stored) => serde_json::from_slice(&stored.body).map_err(failed)?,
                None => Self {
                    schema: SCHEMA,
                    generations: Vec::new(),
                },
            };
            let found = layout.schema;
            if found > SCHEMA {
                let supported = SCHEMA;
                return Err(OpenError::NewerSchema { found, supported });
            }
            let current = layout.generations.last().copied();
            let partitions = config.partitions.or(current).unwrap_or(1).max(1);
            let is_new = current != Some(partitions);
            if is_new {
                layout.generations.push(partitions);
            }
            for (generation, partition) in layout.partitions() {
                for kind in PARTITIONED {
                    let subjects = format!("{kind}.{generation}.{partition}.>");
                    let name = names.partitioned(kind, generation, partition);
                    let mut stream = names.stream_config(config, name, &[&subjects]);
                    if kind == 'l' {
                        stream["republish"] = json!({
                            "src": stream["subjects"][0],
                            "dest": format!("{}.v.{generation}.{partition}.>", names.0),
                        });
                    }
                    if let Some(max_bytes) = config.max_bytes {
                        stream["max_bytes"] = json!(max_bytes);
                    }
                    ensure_stream(wire, &stream, found < SCHEMA).await?;
                }
            }
            if !is_new && found == SCHEMA {
                return Ok(layout);
            }
            layout.schema = SCHEMA;
            let body = serde_json::to_vec(&layout).map_err(failed)?;
            let write = wire.cas(&names.layout(), at, body.into()).await;
            // Otherwise another process was first: read it again.
            if let Cas::Stored(_) = write.map_err(failed)? {
                return Ok(layout);
            }
        }
    }

    /// Returns the names of all streams.
    pub(super) fn streams(&self, names: &Names) -> Vec<String> {
        let partitions = self.partitions().flat_map(|(generation, partition)| {
            PARTITIONED.map(|kind| names.partitioned(kind, generation, partition))
        });
        let records = RECORDS.iter().map(|(name, _)| names.stream(name));
        records.chain(partitions).collect()
    }
}

impl Names {
    fn stream_config(&self, config: &JetStreamConfig, name: String, subjects: &[&str]) -> Value {
        let subjects = subjects.iter().map(|rest| format!("{}.{rest}", self.0));
        json!({
            "name": name,
            "subjects": subjects.collect::<Vec<_>>(),
            "retention": "limits",
            "storage": "file",
            "discard": "new",
            "num_replicas": config.replicas,
            "allow_direct": true,
        })
    }
}

/// Creates a stream unless it exists, or brings an old one up to date.
async fn ensure_stream(wire: &Wire, config: &Value, is_old: bool) -> Result<(), OpenError> {
    let name = config["name"].as_str().unwrap_or_default();
    let request =
        async |action: &str, body: &Value| -> Result<Result<Value, ApiError>, OpenError> {
            let subject = format!("STREAM.{action}.{name}");
            wire.api(&subject, body).await.map_err(failed)
        };
    let action = match request("INFO", &json!({})).await? {
        Ok(_) if is_old => "UPDATE",
        Ok(_) => return Ok(()),
        Err(error) if error.err_code == NO_STREAM => "CREATE",
        Err(error) => return Err(failed(StoreError::from(error))),
    };
    match request(action, config).await? {
        Err(error) if error.err_code != STREAM_EXISTS => Err(failed(StoreError::from(error))),
        _ => Ok(()),
    }
}
