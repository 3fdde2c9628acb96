//! Copies of a session that sleeps.

use bytes::Bytes;
use claw_server::SessionId;
use claw_store::{
    Batch, ClaimReason, IdempotencyKey, NewSession, NodeId, NodeRef, ReadLimit, SessionKey,
    SessionState, Store,
};

/// The records of a session.
pub(crate) struct Template {
    key: SessionKey,
    attributes: Bytes,
    conversation: String,
    events: Vec<Bytes>,
    lines: Vec<Bytes>,
}

impl Template {
    /// Reads a session with one session file.
    pub(crate) async fn read(store: &dyn Store, key: SessionKey) -> Self {
        let limit = ReadLimit::default();
        let events = store.read(&key, 0, limit).await.unwrap();
        let files = store.mirrored_files(&key).await.unwrap();
        assert_eq!(files.len(), 1, "{files:?}");
        let conversation = files[0].0.clone();
        let lines = store.mirrored(&key, &conversation, 0, limit).await;
        let row = store.get(&key).await.unwrap();
        Self {
            key,
            attributes: row.attributes,
            conversation,
            events: events.into_iter().map(|event| event.body).collect(),
            lines: lines.unwrap(),
        }
    }

    /// The number of events.
    pub(crate) fn events(&self) -> usize {
        self.events.len()
    }

    /// Stores a copy, with a conversation of its own.
    pub(crate) async fn copy(&self, store: &dyn Store) -> SessionId {
        let session = SessionId::random();
        let conversation = uuid();
        let own = |texts: &[Bytes]| -> Vec<Bytes> {
            let texts = texts.iter().map(|text| std::str::from_utf8(text).unwrap());
            texts
                .map(|text| text.replace(&self.conversation, &conversation).into())
                .collect()
        };
        let id = claw_store::SessionId::new(&session.to_string()).unwrap();
        let key = SessionKey::new(self.key.tenant.clone(), id.clone());
        let new = NewSession {
            tenant: key.tenant.clone(),
            session: Some(id),
            attributes: self.attributes.clone(),
            key: IdempotencyKey::new(&session.to_string()).unwrap(),
        };
        store.create(new).await.unwrap();
        let node = NodeRef {
            node: NodeId::new("seeding").unwrap(),
            incarnation: 1,
        };
        let claim = store.claim(&key, &node, ClaimReason::Open).await.unwrap();
        let batch = Batch::from(own(&self.events));
        store.append(&claim, 0, &batch).await.unwrap();
        let lines = own(&self.lines);
        store
            .mirror(&claim, &conversation, 0, &lines)
            .await
            .unwrap();
        store.release(&claim, SessionState::Asleep).await.unwrap();
        session
    }
}

/// Returns a random id, as the CLI writes it.
pub(crate) fn uuid() -> String {
    let hex = SessionId::random().to_string();
    let parts = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)];
    parts.map(|(from, to)| &hex[from..to]).join("-")
}
