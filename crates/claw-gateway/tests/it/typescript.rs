//! The TypeScript client: the recorded frames of its tests, and its programs against a gateway.

mod fixtures;
mod package;

use std::process::Stdio;
use std::time::Duration;

use axum::Router;
use claw_gateway::http::Api;
use claw_gateway::{Devices, Scope};
use claw_store::{IdempotencyKey, TenantId};
use claw_testkit::figure::{Figure, record};
use claw_testkit::{FakeScript, FakeTurn, Permission, Step};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::process::{Child, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::host::Host;
use crate::of_server::testdata;
use crate::{cases, is_full, stores};
use package::Package;

/// Only ends a hang.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(100);
/// The same, for a proof.
const PROOF_TIMEOUT: Duration = Duration::from_secs(1200);

/// A gateway on a port of its own.
struct Site {
    host: Host,
    url: String,
    token: String,
    server: JoinHandle<()>,
}

impl Site {
    async fn start(script: &FakeScript) -> Self {
        let store = stores::all().await.remove(0).store;
        let host = Host::start(store.clone(), script).await;
        let devices = Devices::new(store);
        let tenant = TenantId::new("ada").unwrap();
        let added = devices.add(&tenant, "laptop", Scope::Drive).await;
        let (_, token) = added.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let api = Api {
            gateway: host.gateway.clone(),
            devices,
            site: claw_gateway::http::Site::new(address),
        };
        let router: Router = api.router();
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            host,
            url: format!("http://{address}"),
            token,
            server,
        }
    }

    /// Starts a program of the package.
    fn spawn(&self, package: &Package, program: &str, arguments: &[&str]) -> Child {
        let spawned = tokio::process::Command::new("node")
            .arg(package.path().join(program))
            .args(arguments)
            .current_dir(package.path())
            .env("CLAW_URL", &self.url)
            .env("CLAW_TOKEN", &self.token)
            .env("CLAW_FOLDER", self.host.spec().folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn();
        spawned.unwrap_or_else(|error| panic!("node did not start: install Node.js 20: {error}"))
    }
}

async fn build() -> Package {
    tokio::task::spawn_blocking(Package::build).await.unwrap()
}

/// Reads the output of a program until it contains a text.
async fn read_until(out: &mut ChildStdout, end: &str) -> String {
    let mut bytes = Vec::new();
    let read = timeout(PROGRAM_TIMEOUT, async {
        while !String::from_utf8_lossy(&bytes).contains(end) {
            let more = out.read_buf(&mut bytes).await.unwrap();
            assert!(more > 0, "the program ended");
        }
    });
    let is_found = read.await.is_ok();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(is_found, "no {end:?} in {text}");
    text
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// A turn of the stand-in with the texts and tool calls of a recording.
fn replayed(scenario: &str) -> FakeTurn {
    let versions = std::fs::read_dir(testdata("cli")).unwrap();
    let folders = versions.map(|entry| entry.unwrap().path());
    let version = folders.filter(|path| path.is_dir()).max();
    let file = version.unwrap().join(scenario).join("stdout.ndjson");
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines = lines.filter(|line: &Value| {
        let kind = line["type"].as_str().unwrap_or_default();
        matches!(kind, "stream_event" | "assistant" | "user")
    });
    lines.fold(FakeTurn::new(), |turn, line| {
        // Time for the deltas to arrive before the text is stored.
        let is_stored = line["type"] == "assistant";
        let turn = if is_stored {
            turn.step(Step::SleepMs(50))
        } else {
            turn
        };
        turn.step(Step::Line(line))
    })
}

fn asking() -> FakeTurn {
    let ask = Permission::new("Bash", json!({"command": "ls"}));
    FakeTurn::new().step(ask).step(Step::text("Done."))
}

/// Text that is streamed, a tool, and a permission.
fn script() -> FakeScript {
    FakeScript::new()
        .turn(replayed("text_partial"))
        .turn(replayed("text_tool_loop"))
        .turn(asking())
}

/// One test, because the package is compiled for each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_of_the_typescript_client_run() {
    let package = build().await;
    the_front_end_of_the_guide_runs(&package).await;
    a_client_that_loses_connections_has_the_state_of_one_that_stayed(&package).await;
}

/// Clients that lose their connections have the state of a client that stayed, and no input is lost
/// or doubled by an outbox whose requests fail.
async fn a_client_that_loses_connections_has_the_state_of_one_that_stayed(package: &Package) {
    let turns = cases(200, 6);
    let script = (0..turns).fold(FakeScript::new(), |script, number| {
        script.turn(match number % 3 {
            0 => replayed("text_partial"),
            1 => replayed("text_tool_loop"),
            _ => asking(),
        })
    });
    let site = Site::start(&script).await;
    let (turns, losses) = (turns.to_string(), cases(1000, 40).to_string());
    let program = "build/test/gateway/disconnects.js";
    let child = site.spawn(package, program, &[&turns, &losses]);
    let limit = if is_full() {
        PROOF_TIMEOUT
    } else {
        PROGRAM_TIMEOUT
    };
    let ended = timeout(limit, child.wait_with_output()).await;
    let ended = ended.expect("the program hangs").unwrap();
    let out = String::from_utf8(ended.stdout).unwrap();
    assert!(ended.status.success(), "{out}");
    let summary: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(summary["turns"].to_string(), turns, "{summary}");
    let events = summary["events"].as_u64().unwrap();
    let least: u64 = losses.parse().unwrap();
    let lost = ["events", "ui", "mobile"].map(|dialect| {
        let lost = summary["losses"][dialect].as_u64().unwrap();
        assert!(lost >= least, "{summary}");
        format!("{lost} in `{dialect}`")
    });
    let name = format!(
        "random disconnects of the TypeScript client over a session of {events} events, with \
         requests that fail"
    );
    let bar = format!("≥ {least} in each dialect; the state of a client that stayed");
    let measured = format!("{}; the states are equal", lost.join(", "));
    let is_long = events >= cases(2000, 20);
    record(
        "disconnects-typescript",
        vec![Figure::new(name, bar).measured(measured, is_long)],
    );
}

/// The program of the guide: it lists sessions, follows one, and answers a permission.
async fn the_front_end_of_the_guide_runs(package: &Package) {
    let page = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/guides/front-end-in-fifty-lines.md"
    );
    let page = std::fs::read_to_string(page).unwrap();
    let program = page.split("```js\n").nth(1).unwrap();
    let program = program.split("```").next().unwrap();
    assert!(program.trim().lines().count() <= 50, "it promises fifty");

    let site = Site::start(&FakeScript::new().turn(asking())).await;
    let laptop = site.host.access("ada", "laptop", Scope::Drive);
    let key = IdempotencyKey::new("new").unwrap();
    let session = laptop.create(site.host.spec(), key).await.unwrap().id;
    std::fs::write(package.path().join("front-end.mjs"), program).unwrap();
    let mut child = site.spawn(package, "front-end.mjs", &[]);
    let (mut input, mut out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    read_until(&mut out, &session.to_string()).await;
    input.write_all(b"List the files\n").await.unwrap();
    read_until(&mut out, r#"Allow Bash {"command":"ls"}? (y/n)"#).await;
    input.write_all(b"y\n").await.unwrap();
    read_until(&mut out, "Done.").await;
    drop(input);
    let ended = timeout(PROGRAM_TIMEOUT, child.wait()).await;
    assert!(ended.expect("the program hangs").unwrap().success());
}
