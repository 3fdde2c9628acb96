//! Letting go of a session and taking it up again, through a small holder.
//!
//! The holder is what a gateway puts between itself and the CLI: it keeps the CLI's pipes and
//! everything the CLI has printed, and lets one host at a time connect, from any byte on.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusty_claw::permission::PermissionAnswer;
use rusty_claw::store::{Batch, BatchId, MemoryStore, SessionKey, SessionStore};
use rusty_claw::transport::{Connection, Launch, Transport};
use rusty_claw::{BoxFuture, Detached, Json, Options, Session, SessionError, StartError};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::{Mutex, Notify};

use crate::peer::{Peer, over, result};

/// Keeps a CLI's output and holds its input open while hosts attach and detach.
struct Holder {
    output: Arc<Mutex<Vec<u8>>>,
    grown: Arc<Notify>,
    input: Arc<Mutex<WriteHalf<DuplexStream>>>,
}

impl Holder {
    fn new(cli: DuplexStream) -> Arc<Self> {
        let (reader, writer) = tokio::io::split(cli);
        let holder = Arc::new(Self {
            output: Arc::default(),
            grown: Arc::default(),
            input: Arc::new(Mutex::new(writer)),
        });
        tokio::spawn(Arc::clone(&holder).keep(reader));
        holder
    }

    async fn keep(self: Arc<Self>, mut reader: ReadHalf<DuplexStream>) {
        let mut buffer = [0; 1024];
        while let Ok(length @ 1..) = reader.read(&mut buffer).await {
            self.output
                .lock()
                .await
                .extend_from_slice(&buffer[..length]);
            self.grown.notify_waiters();
        }
    }

    /// A connection that starts at a byte offset, like a socket of a real holder.
    fn connect(self: &Arc<Self>, offset: u64) -> DuplexStream {
        let (host, held) = tokio::io::duplex(64 << 10);
        let (mut from_host, mut to_host) = tokio::io::split(held);
        let holder = Arc::clone(self);
        tokio::spawn(async move {
            let mut at = offset as usize;
            loop {
                let grown = holder.grown.notified();
                let new = holder.output.lock().await[at..].to_vec();
                at += new.len();
                if to_host.write_all(&new).await.is_err() {
                    return;
                }
                if new.is_empty() {
                    grown.await;
                }
            }
        });
        let holder = Arc::clone(self);
        tokio::spawn(async move {
            let mut buffer = [0; 1024];
            while let Ok(length @ 1..) = from_host.read(&mut buffer).await {
                let mut input = holder.input.lock().await;
                input
                    .write_all(&buffer[..length])
                    .await
                    .expect("the CLI reads");
            }
        });
        host
    }
}

/// Connects to the holder, and sends the config folder that the CLI is started with.
struct Telling(DuplexStream, std::sync::mpsc::Sender<PathBuf>);

impl Transport for Telling {
    fn open(self: Box<Self>, launch: Launch) -> BoxFuture<'static, Result<Connection, StartError>> {
        let named = launch
            .env
            .iter()
            .rev()
            .find(|(name, _)| name == "CLAUDE_CONFIG_DIR");
        if let Some((_, Some(folder))) = named {
            let _ = self.1.send(folder.into());
        }
        Box::pin(async move { Ok(over(self.0)) })
    }
}

struct ToHolder(DuplexStream);

impl Transport for ToHolder {
    fn open(self: Box<Self>, _: Launch) -> BoxFuture<'static, Result<Connection, StartError>> {
        Box::pin(async move { Ok(over(self.0)) })
    }
}

/// A CLI, and its holder.
fn held() -> (Peer, Arc<Holder>) {
    let (cli, held) = tokio::io::duplex(64 << 10);
    (Peer::of(cli), Holder::new(held))
}

/// Options that allow every call.
fn allow() -> Options {
    Options::new().can_use_tool(|_ask| async { PermissionAnswer::allow() })
}

/// A permission request of the CLI.
fn question(id: &str) -> serde_json::Value {
    json!({"type": "control_request", "request_id": id, "request": {
        "subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": id, "display_name": "Bash",
        "input": {"command": "touch x"}}})
}

/// Answers the second `initialize` with the open requests.
async fn answer_again(cli: &mut Peer, open: &serde_json::Value) {
    let again = cli.read().await;
    let subtype = &again["request"]["subtype"];
    assert_eq!(subtype, "initialize", "nothing is answered before");
    cli.write(json!({"type": "control_response", "response": {
        "subtype": "success", "request_id": again["request_id"], "response": {},
        "pending_permission_requests": [open]}}))
        .await;
}

#[tokio::test]
async fn another_host_goes_on_where_the_first_let_go() {
    let (mut cli, holder) = held();

    // The first host never answers the permission request.
    let never = Options::new().can_use_tool(|_ask| async {
        std::future::pending::<()>().await;
        PermissionAnswer::allow()
    });
    let (started, _) = tokio::join!(
        Session::start_on(ToHolder(holder.connect(0)), never),
        cli.answer_initialize(),
    );
    let (session, mut messages) = started.expect("the CLI answers");
    let turn = session.send("Do it").await.expect("sent");
    let prompt = cli.read().await;
    let id = prompt["uuid"].as_str().expect("an id").to_owned();
    cli.say("first").await;
    let question = question("q1");
    cli.write(question.clone()).await;
    cli.say("second").await;
    for _ in 0..2 {
        messages.next_message().await.expect("a message");
    }
    let offset = messages.offset();
    let detached = session.detach().await.expect("it runs");
    assert_eq!(detached.offset, offset, "everything was read");
    assert_eq!(detached.open_turns, [id.as_str()]);
    assert_eq!(detached.open_calls.len(), 1);
    assert_eq!(turn.await.name(), "detached");
    assert!(messages.next().await.is_none());

    // The CLI continues while no host is attached.
    cli.say("third").await;

    let attaching = Session::attach(ToHolder(holder.connect(detached.offset)), allow(), detached);
    let play = async {
        answer_again(&mut cli, &question).await;
        let answer = cli.read().await;
        assert_eq!(answer["response"]["request_id"], "q1");
        assert_eq!(answer["response"]["response"]["behavior"], "allow");
        cli.write(result(&id)).await;
    };
    let (attached, ()) = tokio::join!(attaching, play);
    let mut attached = attached.expect("attached");
    let turn = attached.turns.pop().expect("the turn is still open");
    assert_eq!(turn.id(), id);
    assert!(turn.await.is_success());
    let first = attached.messages.next_message().await.expect("a message");
    assert!(first.raw.to_text().contains("third"), "{:?}", first.raw);
    // The question was answered once.
    let more = tokio::time::timeout(Duration::from_millis(200), cli.read()).await;
    assert!(more.is_err(), "{more:?}");
}

#[tokio::test]
async fn after_a_crash_only_open_prompts_are_asked_again() {
    let (mut cli, holder) = held();
    // A host that died was greeted, answered the first question and not the second.
    cli.write(
        json!({"type": "control_response", "response": {"subtype": "success",
        "request_id": "of-another-host", "response": {}, "pending_permission_requests": []}}),
    )
    .await;
    cli.write(question("answered")).await;
    cli.write(question("open")).await;
    let attaching = Session::attach(ToHolder(holder.connect(0)), allow(), Detached::at(0));
    let play = async {
        answer_again(&mut cli, &question("open")).await;
        let answer = cli.read().await;
        assert_eq!(answer["response"]["request_id"], "open");
        let more = tokio::time::timeout(Duration::from_millis(200), cli.read()).await;
        assert!(more.is_err(), "{more:?}");
    };
    let (attached, ()) = tokio::join!(attaching, play);
    attached.expect("attached");
}

#[tokio::test]
async fn a_cli_that_names_no_open_prompts_is_still_served() {
    let (mut cli, holder) = held();
    let attaching = Session::attach(ToHolder(holder.connect(0)), allow(), Detached::at(0));
    let (attached, _) = tokio::join!(attaching, cli.answer_initialize());
    let _attached = attached.expect("attached");
    cli.write(question("later")).await;
    let answer = tokio::time::timeout(Duration::from_secs(5), cli.read()).await;
    assert_eq!(
        answer.expect("not silence")["response"]["request_id"],
        "later"
    );
}

#[tokio::test]
async fn a_host_that_cannot_attach_lets_go() {
    let (mut cli, holder) = held();
    let hurried = Options::new().start_timeout(Duration::from_millis(100));
    let attached = Session::attach(ToHolder(holder.connect(0)), hurried, Detached::at(0)).await;
    attached.expect_err("nobody answers");
    assert_eq!(cli.read().await["request"]["subtype"], "initialize");
    // It may withdraw its request; it must not end the session.
    let more = tokio::time::timeout(Duration::from_millis(300), async {
        cli.read_until(|line| line["request"]["subtype"] == "end_session")
            .await
    });
    assert!(more.await.is_err(), "the session was ended");
}

#[tokio::test]
async fn a_session_from_a_store_keeps_its_folder_and_its_mirror() {
    let work = tempfile::tempdir().expect("a folder");
    let home = tempfile::tempdir().expect("a folder");
    let store = Arc::new(MemoryStore::new());
    let project = claw_transcript::ProjectKey::of_dir(work.path());
    let key = SessionKey::new(project.as_str(), "5e5e");
    let line = Json::from_text(r#"{"type":"mode","n":0}"#).expect("JSON");
    store
        .append(&key, &Batch::new(BatchId::first(), vec![line]))
        .await
        .expect("stored");
    let options = || {
        Options::new()
            .cwd(work.path())
            .env("CLAUDE_CONFIG_DIR", home.path())
            .session_store(store.clone())
            .resume("5e5e")
    };
    let mirrored = |folder: &Path, n: u32| {
        let file = folder.join(format!("projects/{}/5e5e.jsonl", project.as_str()));
        json!({"type": "transcript_mirror", "filePath": file, "entries": [{"n": n}]})
    };

    let (mut cli, holder) = held();
    let (tell, told) = std::sync::mpsc::channel();
    let (started, _) = tokio::join!(
        Session::start_on(Telling(holder.connect(0), tell), options()),
        cli.answer_initialize(),
    );
    let (session, _messages) = started.expect("the CLI answers");
    let folder = told.recv().expect("a folder of its own");
    assert_ne!(folder, home.path());
    cli.write(mirrored(&folder, 1)).await;
    // What was written before this is answered has been read.
    let (asked, ()) = tokio::join!(session.interrupt(), async {
        let request = cli.read().await;
        cli.succeed(&request, json!({})).await;
    });
    asked.expect("answered");
    let detached = session.detach().await.expect("it runs");
    assert_eq!(detached.config_dir.as_deref(), Some(folder.as_path()));
    assert!(detached.config_dir_is_made);
    assert!(folder.join("projects").is_dir(), "the CLI works in it");

    // A host that does not get through leaves it alone too.
    let refused = Session::attach(Refusing, options(), detached.clone()).await;
    assert!(refused.is_err());
    assert!(folder.join("projects").is_dir(), "the CLI still runs");

    // Another host takes over, and what the CLI writes to the same file is mirrored.
    let attaching = Session::attach(
        ToHolder(holder.connect(detached.offset)),
        options(),
        detached,
    );
    let (attached, _) = tokio::join!(attaching, cli.answer_initialize());
    let attached = attached.expect("attached");
    cli.write(mirrored(&folder, 2)).await;
    let report = attached.session.close().await;
    let lines = store.load(&key).await.expect("readable").expect("there");
    let lines: Vec<&str> = lines.iter().map(Json::text).collect();
    assert_eq!(
        lines,
        [r#"{"type":"mode","n":0}"#, r#"{"n":1}"#, r#"{"n":2}"#],
        "{report:?}"
    );
    assert!(!folder.exists(), "it goes with the session");
}

struct Refusing;

impl Transport for Refusing {
    fn open(self: Box<Self>, _: Launch) -> BoxFuture<'static, Result<Connection, StartError>> {
        Box::pin(async {
            Err(StartError::Io {
                what: "the holder is away".to_owned(),
                source: std::io::ErrorKind::ConnectionRefused.into(),
            })
        })
    }
}

/// The config folder and the files of a session that is resumed from a store.
async fn resumed(options: Options) -> Result<Vec<PathBuf>, StartError> {
    let (cli, held) = tokio::io::duplex(64 << 10);
    let mut cli = Peer::of(cli);
    let (tell, told) = std::sync::mpsc::channel();
    let starting = Session::start_on(Telling(held, tell), options);
    let (started, ()) = tokio::join!(starting, async {
        let request = cli.read_or_end().await;
        if let Some(request) = request {
            cli.succeed(&request, json!({})).await;
        }
    });
    let _session = started?;
    let folder = told.recv().expect("a folder of its own");
    let projects = std::fs::read_dir(folder.join("projects")).expect("laid out");
    Ok(projects
        .map(|project| project.expect("readable").file_name().into())
        .collect())
}

#[tokio::test]
async fn a_stored_session_is_found_under_whatever_key_it_has() {
    let work = tempfile::tempdir().expect("a folder");
    let store = Arc::new(MemoryStore::new());
    let line = || vec![Json::from_text(r#"{"type":"mode"}"#).expect("JSON")];
    for (project, session) in [("tenant-42", "named"), ("-elsewhere", "moved")] {
        let batch = Batch::new(BatchId::first(), line());
        let key = SessionKey::new(project, session);
        store.append(&key, &batch).await.expect("stored");
    }
    let options = |session: &str| {
        Options::new()
            .cwd(work.path())
            .env("CLAUDE_CONFIG_DIR", work.path())
            .session_store(store.clone())
            .resume(session)
    };
    let named = options("named").env("CLAUDE_CODE_PROJECT_DIR_NAME", "tenant-42");
    assert_eq!(
        resumed(named).await.expect("found"),
        [Path::new("tenant-42")]
    );
    let moved = resumed(options("moved")).await.expect("found");
    assert_eq!(moved, [Path::new("-elsewhere")]);
    let told = options("moved").store_project_key("-elsewhere");
    assert_eq!(
        resumed(told).await.expect("found"),
        [Path::new("-elsewhere")]
    );
    // An explicit project key is not replaced by a search.
    let wrong = options("moved").store_project_key("tenant-42");
    let error = resumed(wrong).await.expect_err("not there").to_string();
    assert!(!error.is_empty());
    resumed(options("nowhere")).await.expect_err("not there");
}

#[tokio::test]
async fn a_cli_that_cannot_be_released_is_not_detached() {
    let (mut transport, mut cli) = Peer::pair();
    transport.custody.is_bound = true;
    // Settings travel in a file, whose custody passes the error on.
    let options = Options::new().settings(json!({"model": "opus"}));
    let (started, _) = tokio::join!(
        Session::start_on(transport, options),
        cli.answer_initialize()
    );
    let (session, _messages) = started.expect("the CLI answers");
    let error = session.detach().await.unwrap_err();
    assert!(matches!(error, SessionError::NotReleased), "{error}");
    assert!(cli.is_closed().await);
}
