//! A server that refuses writes and has stored nothing: it lost the lead, or was just elected and
//! has not recovered its data yet.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use claw_store::{
    Batch, Checkpoint, ClaimReason, Directory as _, JetStreamConfig, JetStreamStore, Log as _,
    Mirror as _, NodeRecord, Nodes as _, Revision,
};
use claw_testkit::nats::{NatsOptions, NatsServers};
use futures_util::StreamExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::lost_acks::{create, node};

/// How long the lagging server responds before the real one does.
const LAG: Duration = Duration::from_millis(300);
const NOTHING: &str = r#"{"error":{"code":404,"err_code":10037,"description":"no message found"}}"#;
const REFUSAL: &str = r#"{"error":{"code":400,"err_code":10071,"description":"wrong"}}"#;
/// Subjects of requests, and those of the same length to which the lagging server listens.
const SUBJECTS: [(&str, &str); 4] = [
    (
        "$JS.API.STREAM.MSG.GET.claw_",
        "$LAGGED.STREAM.MSG.GET.claw_",
    ),
    ("claw.l.0.0.", "lagged.l.0."),
    ("claw.n.", "lagged."),
    ("claw.t.0.0.", "lagged.t.0."),
];

/// Responds instead of the real server for some time.
struct Lagging {
    url: String,
    until: Arc<Mutex<Instant>>,
    responses: Arc<AtomicUsize>,
}

impl Lagging {
    async fn start(server: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("nats://{}", listener.local_addr().unwrap());
        let target = server.trim_start_matches("nats://").to_owned();
        let until = Arc::new(Mutex::new(Instant::now()));
        let responses = Arc::new(AtomicUsize::new(0));
        let client = async_nats::connect(server).await.unwrap();
        let mut writes = client.subscribe("lagged.>").await.unwrap();
        let mut reads = client.subscribe("$LAGGED.>").await.unwrap();
        client.flush().await.unwrap();
        tokio::spawn({
            let responses = responses.clone();
            async move {
                loop {
                    let (message, response) = tokio::select! {
                        Some(message) = writes.next() => (message, REFUSAL),
                        Some(message) = reads.next() => (message, NOTHING),
                        else => return,
                    };
                    responses.fetch_add(1, Ordering::Relaxed);
                    if let Some(reply) = message.reply {
                        client.publish(reply, response.into()).await.unwrap();
                    }
                }
            }
        });
        tokio::spawn({
            let until = until.clone();
            async move {
                while let Ok((client, _)) = listener.accept().await {
                    let server = TcpStream::connect(&target).await.unwrap();
                    let (mut from_client, mut to_client) = client.into_split();
                    let (mut from_server, mut to_server) = server.into_split();
                    tokio::spawn(
                        async move { tokio::io::copy(&mut from_server, &mut to_client).await },
                    );
                    let until = until.clone();
                    tokio::spawn(async move {
                        let mut buffer = vec![0; 64 * 1024];
                        while let Ok(size @ 1..) = from_client.read(&mut buffer).await {
                            let mut piece = buffer[..size].to_vec();
                            if Instant::now() < *until.lock().unwrap() {
                                SUBJECTS.iter().for_each(|pair| divert(&mut piece, *pair));
                            }
                            to_server.write_all(&piece).await.unwrap();
                        }
                    });
                }
            }
        });
        Self {
            url,
            until,
            responses,
        }
    }

    /// Runs a call while the lagging server responds, and then the real one.
    async fn during<T>(&self, call: impl Future<Output = T>) -> T {
        let before = self.responses.load(Ordering::Relaxed);
        *self.until.lock().unwrap() = Instant::now() + LAG;
        let outcome = call.await;
        assert!(
            self.responses.load(Ordering::Relaxed) > before,
            "it was not asked"
        );
        tokio::time::sleep(LAG).await;
        outcome
    }
}

fn divert(piece: &mut [u8], (from, to): (&str, &str)) {
    for at in 0..piece.len().saturating_sub(from.len()) {
        if piece[at..].starts_with(from.as_bytes()) {
            piece[at..at + to.len()].copy_from_slice(to.as_bytes());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn server_that_has_nothing_yet_fences_nobody() {
    let servers = NatsServers::start(&NatsOptions::new(1)).unwrap();
    let lagging = Lagging::start(&servers.urls()[0]).await;
    let config = JetStreamConfig::new(vec![lagging.url.clone()]);
    let store = JetStreamStore::open(config).await.unwrap();
    let key = create(&store).await;
    let claim = store.claim(&key, &node(), ClaimReason::Open).await.unwrap();
    let [one, two] =
        [b"one", b"two"].map(|body| Batch::from(vec![Bytes::from_static(body.as_slice())]));
    store.append(&claim, 0, &one).await.unwrap();
    let line = [Bytes::from_static(b"line")];
    store.mirror(&claim, "file", 0, &line).await.unwrap();
    let mut record = NodeRecord {
        node: node(),
        counter: 1,
        is_leaving: false,
        body: Bytes::new(),
        revision: Revision(0),
    };
    let revision = store.put_node(record.clone(), Revision(0)).await.unwrap();

    let appended = lagging.during(store.append(&claim, 1, &two)).await;
    assert_eq!(appended.map(|appended| appended.last), Ok(2));
    // An acknowledgement that the caller did not receive.
    let repeated = lagging.during(store.append(&claim, 1, &two)).await;
    assert_eq!(repeated.map(|appended| appended.last), Ok(2));
    let mirrored = lagging.during(store.mirror(&claim, "file", 1, &line));
    assert_eq!(mirrored.await, Ok(2));
    record.counter = 2;
    let renewed = lagging.during(store.put_node(record, revision)).await;
    assert!(renewed.is_ok(), "{renewed:?}");
    let checkpoint = Checkpoint {
        sequence: 2,
        body: Bytes::new(),
    };
    let saved = lagging
        .during(store.save_checkpoint(&claim, &checkpoint))
        .await;
    assert_eq!(saved, Ok(()));
}
