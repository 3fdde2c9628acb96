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
//! the position of the last frame after a pause.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::wire::{ApiError, Cas, Wire};
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
/// The streams of each partition.
const PARTITIONED: [(&str, &str); 3] = [("L", "l"), ("T", "t"), ("B", "b")];
/// The server's code for a stream that does not exist, and for one that exists with other settings.
const NO_STREAM: u64 = 10059;
const STREAM_EXISTS: u64 = 10058;

/// How the streams are made.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) namespace: String,
    pub(super) replicas: usize,
    pub(super) partitions: u32,
    pub(super) max_bytes: Option<u64>,
}

/// The partitions of the store: the number of them in each generation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Layout {
    schema: u32,
    generations: Vec<u32>,
}

/// The names of streams and subjects.
#[derive(Debug, Clone)]
pub(super) struct Names(String);

/// Where a session is.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) key: SessionKey,
    pub(super) generation: u32,
    pub(super) partition: u32,
    pub(super) log: String,
    /// The subject of the frames.
    pub(super) events: String,
    namespace: String,
    /// The part of subjects that names the session.
    session: String,
}

impl Names {
    pub(super) fn new(namespace: &str) -> Self {
        Self(namespace.to_owned())
    }

    pub(super) fn stream(&self, name: &str) -> String {
        format!("{}_{name}", self.0)
    }

    pub(super) fn row(&self, key: &SessionKey) -> String {
        format!("{}.d.{}.{}", self.0, key.tenant, key.session)
    }

    /// Returns the subject under which the creation of a session is recorded, or of all of a tenant.
    pub(super) fn creation(&self, tenant: &TenantId, key: Option<&str>) -> String {
        let key = key.map_or_else(|| "*".to_owned(), digest);
        format!("{}.k.{tenant}.{key}", self.0)
    }

    pub(super) fn layout(&self) -> String {
        format!("{}.y", self.0)
    }

    pub(super) fn checkpoint(&self, key: &SessionKey) -> String {
        format!("{}.c.{}.{}", self.0, key.tenant, key.session)
    }

    pub(super) fn node(&self, node: Option<&NodeId>) -> String {
        format!("{}.n.{}", self.0, node.map_or("*", NodeId::as_str))
    }

    pub(super) fn owned(&self, node: &NodeRef, key: &SessionKey) -> String {
        let NodeRef { node, incarnation } = node;
        format!(
            "{}.o.{node}.{incarnation}.{}.{}",
            self.0, key.tenant, key.session
        )
    }

    pub(super) fn all_owned(&self, node: &NodeId) -> String {
        format!("{}.o.{node}.>", self.0)
    }

    /// Returns the subject of an interaction, or of all of a session or tenant.
    pub(super) fn interaction(
        &self,
        tenant: &TenantId,
        session: Option<&SessionId>,
        id: Option<&InteractionId>,
    ) -> String {
        let id = id.map_or_else(|| "*".to_owned(), |id| digest(id.as_str()));
        let session = session.map_or("*", SessionId::as_str);
        format!("{}.a.{tenant}.{session}.{id}", self.0)
    }

    /// Returns the subject that marks a pending interaction, or the other way round.
    pub(super) fn swap_mark(&self, subject: &str) -> String {
        let rest = &subject[(self.0.len() + 2).min(subject.len())..];
        let is_mark = subject.as_bytes().get(self.0.len() + 1) == Some(&b'p');
        format!("{}.{}{rest}", self.0, if is_mark { 'a' } else { 'p' })
    }

    pub(super) fn place(&self, key: &SessionKey, generation: u32, partition: u32) -> Place {
        let session = format!("{generation}.{partition}.{}.{}", key.tenant, key.session);
        Place {
            key: key.clone(),
            generation,
            partition,
            log: self.stream(&format!("L_{generation}_{partition}")),
            events: format!("{}.l.{session}.ev", self.0),
            namespace: self.0.clone(),
            session,
        }
    }
}

impl Place {
    pub(super) fn transcripts(&self) -> String {
        format!(
            "{}_T_{}_{}",
            self.namespace, self.generation, self.partition
        )
    }

    pub(super) fn blobs(&self) -> String {
        format!(
            "{}_B_{}_{}",
            self.namespace, self.generation, self.partition
        )
    }

    fn subject(&self, kind: char, rest: &str) -> String {
        format!("{}.{kind}.{}.{rest}", self.namespace, self.session)
    }

    /// Returns the subject of a command, or of all of the session.
    pub(super) fn command(&self, key: Option<&str>) -> String {
        let key = key.map_or_else(|| "*".to_owned(), digest);
        self.subject('l', &format!("in.{key}"))
    }

    pub(super) fn live(&self, rest: &str) -> String {
        self.subject('v', rest)
    }

    pub(super) fn fences(&self) -> String {
        self.subject('t', "f")
    }

    /// Returns the subject of a file, or of all of the session.
    pub(super) fn file(&self, name: Option<&str>) -> String {
        let name = name.map_or_else(|| "*".to_owned(), digest);
        self.subject('t', &format!("l.{name}"))
    }

    pub(super) fn blob(&self, rest: &str) -> String {
        self.subject('b', rest)
    }

    /// Returns the streams that hold data of the session, with the subjects of this data.
    pub(super) fn all(&self, names: &Names) -> [(String, String); 5] {
        let SessionKey { tenant, session } = &self.key;
        [
            (self.log.clone(), self.subject('l', ">")),
            (self.transcripts(), self.subject('t', ">")),
            (self.blobs(), self.subject('b', ">")),
            (names.stream("CP"), names.checkpoint(&self.key)),
            (
                names.stream("ASK"),
                names.interaction(tenant, Some(session), None),
            ),
        ]
    }
}

/// Returns a name for any text that is valid in a subject: half of its SHA-256.
pub(super) fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes())[..16])
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

    /// Returns all partitions.
    pub(super) fn partitions(&self) -> impl Iterator<Item = (usize, u32)> {
        let generations = self.generations.iter().enumerate();
        generations.flat_map(|(generation, count)| (0..*count).map(move |p| (generation, p)))
    }

    /// Creates the streams that are missing, and a generation if the number of partitions has
    /// changed.
    pub(super) async fn open(wire: &Wire, settings: &Settings) -> Result<Self, OpenError> {
        let names = Names::new(&settings.namespace);
        for (name, subjects) in RECORDS {
            let mut config = settings.stream(name, subjects);
            config["max_msgs_per_subject"] = json!(1);
            ensure_stream(wire, &config, false).await?;
        }
        let (dir, subject) = (names.stream("DIR"), names.layout());
        loop {
            let stored = wire.last(&dir, &subject).await.map_err(failed)?;
            let mut layout = Self {
                schema: SCHEMA,
                generations: Vec::new(),
            };
            let mut at = 0;
            if let Some(stored) = &stored {
                at = stored.sequence;
                layout = serde_json::from_slice(&stored.body).map_err(failed)?;
            }
            let found = layout.schema;
            if found > SCHEMA {
                let supported = SCHEMA;
                return Err(OpenError::NewerSchema { found, supported });
            }
            let is_new = layout.generations.last() != Some(&settings.partitions);
            if is_new {
                layout.generations.push(settings.partitions);
            }
            for (generation, partition) in layout.partitions() {
                for (name, token) in PARTITIONED {
                    let subjects = format!("{token}.{generation}.{partition}.>");
                    let name = format!("{name}_{generation}_{partition}");
                    let mut config = settings.stream(&name, &[&subjects]);
                    if token == "l" {
                        let namespace = &settings.namespace;
                        config["republish"] = json!({
                            "src": format!("{namespace}.{subjects}"),
                            "dest": format!("{namespace}.v.{generation}.{partition}.>"),
                        });
                    }
                    if let Some(max_bytes) = settings.max_bytes {
                        config["max_bytes"] = json!(max_bytes);
                    }
                    ensure_stream(wire, &config, found < SCHEMA).await?;
                }
            }
            if !is_new && found == SCHEMA {
                return Ok(layout);
            }
            layout.schema = SCHEMA;
            let body = serde_json::to_vec(&layout).map_err(failed)?;
            let write = wire.cas(&dir, &subject, at, body.into()).await;
            // Otherwise another process was first: read it again.
            if let Cas::Stored(_) = write.map_err(failed)? {
                return Ok(layout);
            }
        }
    }

    /// Returns the names of all streams.
    pub(super) fn streams(&self, names: &Names) -> Vec<String> {
        let partitions = self.partitions().flat_map(|(generation, partition)| {
            PARTITIONED.map(|(name, _)| names.stream(&format!("{name}_{generation}_{partition}")))
        });
        let records = RECORDS.iter().map(|(name, _)| names.stream(name));
        records.chain(partitions).collect()
    }
}

impl Settings {
    fn stream(&self, name: &str, subjects: &[&str]) -> Value {
        let Self {
            namespace,
            replicas,
            ..
        } = self;
        let subjects: Vec<_> = subjects
            .iter()
            .map(|s| format!("{namespace}.{s}"))
            .collect();
        json!({
            "name": Names::new(namespace).stream(name),
            "subjects": subjects,
            "retention": "limits",
            "storage": "file",
            "discard": "new",
            "num_replicas": replicas,
            "allow_direct": true,
            "deny_delete": false,
        })
    }
}

/// Creates a stream unless it exists, or brings an old one up to date.
async fn ensure_stream(wire: &Wire, config: &Value, is_old: bool) -> Result<(), OpenError> {
    let name = config["name"].as_str().unwrap_or_default();
    let request = |action: &str| format!("STREAM.{action}.{name}");
    let info: Result<Value, ApiError> = wire
        .api(&request("INFO"), &json!({}))
        .await
        .map_err(failed)?;
    let action = match info {
        Ok(_) if is_old => "UPDATE",
        Ok(_) => return Ok(()),
        Err(error) if error.err_code == NO_STREAM => "CREATE",
        Err(error) => return Err(failed(StoreError::from(error))),
    };
    let done: Result<Value, ApiError> = wire.api(&request(action), config).await.map_err(failed)?;
    match done {
        Err(error) if error.err_code != STREAM_EXISTS => Err(failed(StoreError::from(error))),
        _ => Ok(()),
    }
}

pub(super) fn failed(error: impl ToString) -> OpenError {
    let reason = error.to_string();
    OpenError::Failed { reason }
}
