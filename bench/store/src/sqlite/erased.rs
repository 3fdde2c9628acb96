//! What is left of an erased session.

use std::sync::Arc;

use bytes::Bytes;
use claw_store::{
    Batch, Checkpoint, ClaimReason, Closing, IdempotencyKey, InteractionAnswer, InteractionFilter,
    InteractionId, JetStreamConfig, JetStreamStore, Live, MemoryStore, NewCommand, NewInteraction,
    ReadLimit, SessionPatch, SessionState, Store, StoreError,
};
use claw_testkit::figure::Figure;
use claw_testkit::nats::{NatsOptions, NatsServers, variables};
use futures_util::StreamExt as _;

use super::{body, new_session, node, open, owned};
use crate::Failure;

pub(crate) async fn figures() -> Result<Vec<Figure>, Failure> {
    let dir = tempfile::tempdir()?;
    let sqlite = open(&dir.path().join("store.db")).await?;
    let mut figures = vec![
        erased("memory", Arc::new(MemoryStore::new())).await?,
        erased("SQLite", Arc::new(sqlite)).await?,
    ];
    if std::env::var_os(variables::SERVER).is_some() {
        let start = || NatsServers::start(&NatsOptions::new(1));
        let servers = tokio::task::spawn_blocking(start).await??;
        let mut config = JetStreamConfig::new(servers.urls());
        config.replicas = 1;
        let store = JetStreamStore::open(config).await?;
        figures.push(erased("JetStream, one server", Arc::new(store)).await?);
        tokio::task::spawn_blocking(move || drop(servers)).await?;
    }
    Ok(figures)
}

/// A call and what it returned.
type Row = (&'static str, Outcome);

enum Outcome {
    /// As it must be.
    Refused(String),
    /// What was returned.
    Answered(String),
}

fn outcome<T>(result: Result<T, StoreError>) -> Outcome {
    match result {
        Err(error @ (StoreError::Deleted | StoreError::NotFound { .. })) => {
            Outcome::Refused(error.to_string())
        }
        Err(error) => Outcome::Answered(error.to_string()),
        Ok(_) => Outcome::Answered("it succeeds".to_owned()),
    }
}

/// As [`outcome`], of a list that must not have the session.
fn absent<T: std::fmt::Debug>(rows: Result<Vec<T>, StoreError>) -> Outcome {
    match rows {
        Ok(rows) if rows.is_empty() => Outcome::Refused("nothing is listed".to_owned()),
        Ok(rows) => Outcome::Answered(format!("{rows:?}")),
        error => outcome(error),
    }
}

/// Erases a session that has everything, and tries each call on it.
async fn erased(engine: &str, store: Arc<dyn Store>) -> Result<Figure, Failure> {
    let claim = owned(&*store).await?;
    let key = claim.key().clone();
    let (lines, limit) = ([body()], ReadLimit::default());
    let batch = Batch::from(vec![body(), body()]);
    store.append(&claim, 0, &batch).await?;
    let checkpoint = Checkpoint {
        sequence: 2,
        body: body(),
    };
    store.save_checkpoint(&claim, &checkpoint).await?;
    let ask = NewInteraction {
        id: InteractionId::new("ask")?,
        request: body(),
        expires_at_ms: None,
    };
    store.open_interaction(&claim, ask.clone()).await?;
    let command = NewCommand {
        key: IdempotencyKey::new("command")?,
        body: body(),
    };
    store.submit(&key, command.clone()).await?;
    let hash = store.put_blob(&claim, body()).await?.hash;
    store.mirror(&claim, "main.jsonl", 0, &lines).await?;
    let row = store.get(&key).await?;
    let mut follower = store.follow(&key, 0).await?;
    let mut inbox = store.inbox(&claim).await?;
    let first = follower.next().await.ok_or("the stream has ended")??;
    if !matches!(first, Live::Event(_)) || inbox.next().await.is_none() {
        return Err("the session has no event or no command".into());
    }

    store.erase(&key).await?;
    let answer = InteractionAnswer {
        key: IdempotencyKey::new("answer")?,
        body: body(),
    };
    let of_tenant = InteractionFilter {
        pending: false,
        ..InteractionFilter::pending(key.tenant.clone())
    };
    let of_session = InteractionFilter {
        session: Some(key.session.clone()),
        ..of_tenant.clone()
    };
    let mut listed = store.list(&key.tenant, None, 100).await?.rows;
    listed.retain(|row| row.key == key);
    let mut owned_by = store.sessions_of(&node()?.node, u64::MAX).await?;
    owned_by.retain(|(owned, _)| *owned == key);
    let reads: Vec<Row> = vec![
        ("get", outcome(store.get(&key).await)),
        ("list", absent(Ok(listed))),
        ("read", outcome(store.read(&key, 0, limit).await)),
        ("follow", outcome(store.follow(&key, 0).await)),
        ("a stream of follow that is open", ended(follower).await),
        ("checkpoint", outcome(store.checkpoint(&key).await)),
        ("a stream of inbox that is open", ended(inbox).await),
        ("inbox", outcome(store.inbox(&claim).await)),
        (
            "interactions of the session",
            absent(store.interactions(&of_session).await),
        ),
        (
            "interactions of the tenant",
            absent(store.interactions(&of_tenant).await),
        ),
        ("get_blob", outcome(store.get_blob(&key, &hash, 0..9).await)),
        ("mirrored_files", outcome(store.mirrored_files(&key).await)),
        (
            "mirrored",
            outcome(store.mirrored(&key, "main.jsonl", 0, limit).await),
        ),
        ("sessions_of", absent(Ok(owned_by))),
    ];
    let late = Batch::from(vec![body()]);
    let patch = SessionPatch {
        attributes: Some(Bytes::from_static(b"late")),
    };
    let appends: Vec<Row> = vec![("append", outcome(store.append(&claim, 2, &late).await))];
    let writes: Vec<Row> = vec![
        (
            "append of the last batch again",
            outcome(store.append(&claim, 0, &batch).await),
        ),
        (
            "update",
            outcome(store.update(&key, row.revision, patch).await),
        ),
        (
            "claim",
            outcome(store.claim(&key, &node()?, ClaimReason::Open).await),
        ),
        (
            "release",
            outcome(store.release(&claim, SessionState::Asleep).await),
        ),
        (
            "save_checkpoint",
            outcome(store.save_checkpoint(&claim, &checkpoint).await),
        ),
        ("submit", outcome(store.submit(&key, command).await)),
        (
            "open_interaction",
            outcome(store.open_interaction(&claim, ask.clone()).await),
        ),
        ("answer", outcome(store.answer(&key, &ask.id, answer).await)),
        (
            "close_interaction",
            outcome(
                store
                    .close_interaction(&claim, &ask.id, Closing::Expired)
                    .await,
            ),
        ),
        ("put_blob", outcome(store.put_blob(&claim, body()).await)),
        (
            "mirror",
            outcome(store.mirror(&claim, "main.jsonl", 1, &lines).await),
        ),
    ];
    let mut again = new_session()?;
    again.session = Some(key.session.clone());
    let mut same = new_session()?;
    (same.session, same.key) = (
        again.session.clone(),
        IdempotencyKey::new(key.session.as_str())?,
    );
    let ids: Vec<Row> = vec![
        ("create with the id", outcome(store.create(again).await)),
        (
            "create with the id and the key",
            outcome(store.create(same).await),
        ),
    ];

    let verdict = |rows: &[Row]| {
        rows.iter()
            .all(|(_, row)| matches!(row, Outcome::Refused(_)))
    };
    let is_readable = !verdict(&reads);
    let (is_append_refused, is_id_refused) = (verdict(&appends), verdict(&ids));
    let passed = !is_readable && is_append_refused && is_id_refused && verdict(&writes);
    let refused = |is_refused| if is_refused { "refused" } else { "ACCEPTED" };
    let text = format!(
        "{} ({} calls); {}; {}",
        if is_readable { "YES" } else { "no" },
        reads.len(),
        refused(is_append_refused),
        refused(is_id_refused),
    );
    let name = format!(
        "an erased session, {engine}: readable through any API; late append; id used again"
    );
    Ok(Figure::new(name, "no; refused; refused")
        .measured(text, passed)
        .list(
            "calls after the erasure",
            table([reads, appends, writes, ids]),
        ))
}

/// Receives the rest of a stream that was open. It must end without another item.
async fn ended<T: std::fmt::Debug>(
    mut stream: claw_store::BoxStream<'static, Result<T, StoreError>>,
) -> Outcome {
    let limit = std::time::Duration::from_secs(10);
    let mut items = 0;
    loop {
        match tokio::time::timeout(limit, stream.next()).await {
            Err(_) => return Outcome::Answered(format!("it stays open after {items} items")),
            Ok(None) => {
                return Outcome::Refused(format!(
                    "it ends after {items} items that were read before"
                ));
            }
            Ok(Some(Err(error))) => return outcome::<()>(Err(error)),
            Ok(Some(Ok(_))) => items += 1,
        }
    }
}

fn table(groups: [Vec<Row>; 4]) -> impl Iterator<Item = String> {
    let text = |(call, outcome)| match outcome {
        Outcome::Refused(reason) => format!("{call}: {reason}"),
        Outcome::Answered(reason) => format!("{call}: NOT REFUSED: {reason}"),
    };
    groups.into_iter().flatten().map(text)
}
