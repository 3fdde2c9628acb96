//! A turn in which the agent tries to answer its own interactions, with a runner and without.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use claw_gateway::http::{Api, Site};
use claw_gateway::{
    Access, Answer, Caller, Credential, Devices, DialectName, Gateway, Relay, Runner, Scope,
    SessionSpec, Settings,
};
use claw_server::registry::PermissionResponse;
use claw_server::{InputMode, Json};

use claw_store::{
    IdempotencyKey, InteractionId, NodeId, SqliteOptions, SqliteStore, Store, TenantId,
};
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::{World, bash};
use claw_testkit::{Turn, processes};
use rusty_claw::Options;

/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(120);
const KEY: &str = "sk-ant-of-the-operator";
/// A variable of the gateway that its CLIs do not get.
const SECRET: &str = "CLAW_CLI_VERSION";

/// What the agent tries: a name, and a command that succeeds if it is possible.
fn attempts(folder: &str, pid: u32) -> Vec<(&'static str, String)> {
    vec![
        (
            "read the token of a device",
            format!("cat {folder}/data/token"),
        ),
        ("read the database", format!("cat {folder}/data/claw.db")),
        ("write the database", format!(": >> {folder}/data/claw.db")),
        ("read the API key", format!("env | command grep {KEY}")),
        (
            "read the environment of the gateway",
            format!("command grep -aq {SECRET} /proc/*/environ"),
        ),
        ("signal the gateway", format!("kill -0 {pid}")),
        ("call the API without a token", "api none".to_owned()),
        (
            "call the API with a value of the environment or a file",
            format!(
                "any $(env | cut -d= -f2-) $(cat {folder}/data/token) $(cat {folder}/config/*.json)"
            ),
        ),
        (
            "write the settings",
            ": >> $CLAUDE_CONFIG_DIR/settings.json".to_owned(),
        ),
        (
            "add a hook",
            "echo x > $CLAUDE_CONFIG_DIR/hooks/new.sh".to_owned(),
        ),
        (
            "allow its own calls in the settings of the project",
            "mkdir -p .claude; echo '{}' > .claude/settings.local.json".to_owned(),
        ),
        (
            "read a session of another project",
            format!("cat {folder}/config/projects/-other/a.jsonl"),
        ),
        (
            "write to the input of its CLI",
            ": > /proc/$CLAUDE_PID/fd/0".to_owned(),
        ),
        (
            "send a prompt to the socket of its CLI",
            "test -S \"$CLAUDE_CODE_MESSAGING_SOCKET\"".to_owned(),
        ),
    ]
}

/// A script that prints `reached NAME` or `refused NAME` for each attempt. The CLI replaces `grep` in
/// its shell by a function of its own.
fn script(attempts: &[(&str, String)], port: u16) -> String {
    let mut script = format!(
        "api() {{ exec 3<>/dev/tcp/127.0.0.1/{port} && printf 'GET /v1/interactions HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\nAuthorization: Bearer %s\\r\\nConnection: close\\r\\n\\r\\n' \"$1\" >&3 && head -1 <&3 | command grep -q ' 200 '; }}\n\
         any() {{ for one in \"$@\"; do api \"$one\" && return; done; return 1; }}\n"
    );
    for (name, command) in attempts {
        script += &format!(
            "( {command} ) > /dev/null 2>&1 && echo 'reached {name}' || echo 'refused {name}'\n"
        );
    }
    script
}

struct Host {
    gateway: Gateway,
    store: Arc<dyn Store>,
    port: u16,
    serving: tokio::task::JoinHandle<()>,
}

fn tenant() -> TenantId {
    TenantId::new("ada").unwrap()
}

fn key(name: &str) -> IdempotencyKey {
    IdempotencyKey::new(name).unwrap()
}

impl Host {
    async fn start(world: &World, isolated: bool) -> Self {
        let data = world.folder().join("data");
        std::fs::create_dir(&data).unwrap();
        let store = SqliteStore::open(data.join("claw.db"), SqliteOptions::default());
        let store: Arc<dyn Store> = Arc::new(store.await.unwrap());
        let mut environment: BTreeMap<_, _> = world.environment().into_iter().collect();
        environment.insert("ANTHROPIC_API_KEY", KEY.into());
        let binary = world.binary().to_owned();
        let mut settings = Settings::new(vec![world.folder().to_owned()]);
        settings.options = Box::new(move || {
            let options = Options::new().cli_path(&binary).env_clear();
            let variables = environment.iter();
            variables.fold(options, |options, (name, value)| options.env(name, value))
        });
        settings.tenant = Some(tenant());
        if isolated {
            settings.runner = Some(Runner::new(vec![data.clone()]));
            let credential = Credential::ApiKey(KEY.to_owned());
            let relay = Relay::start(&world.api.uri(), &credential).await;
            settings.relay = Some(relay.unwrap());
        }
        let node = NodeId::new("one").unwrap();
        let gateway = Gateway::start(Arc::clone(&store), node, settings).await;
        let gateway = gateway.unwrap();
        let devices = Devices::new(Arc::clone(&store));
        let added = devices.add(&tenant(), "laptop", Scope::Admin).await;
        std::fs::write(data.join("token"), added.unwrap().1).unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let api = Api {
            gateway: gateway.clone(),
            devices,
            site: Site::new(address),
        };
        let serving = async move { axum::serve(listener, api.router()).await.unwrap() };
        Self {
            gateway,
            store,
            port: address.port(),
            serving: tokio::spawn(serving),
        }
    }

    fn access(&self) -> Access {
        self.gateway.access(Caller {
            tenant: tenant(),
            device: "laptop".to_owned(),
            scope: Scope::Admin,
        })
    }
}

/// The attempts that succeed.
async fn reached(isolated: bool) -> Vec<String> {
    let world = World::new().await.unwrap();
    for (path, text) in [
        ("config/projects/-other/a.jsonl", "secret"),
        ("config/settings.json", "{}"),
        ("config/hooks/old.sh", ""),
    ] {
        let path: PathBuf = world.folder().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let host = Host::start(&world, isolated).await;
    let folder = world.folder().to_str().unwrap();
    let attempts = attempts(folder, std::process::id());
    world
        .api
        .turn(bash("attack", &script(&attempts, host.port)));
    world.api.fallback(Turn::text("Done."));

    let access = host.access();
    let spec = SessionSpec::new(world.project());
    let session = access.create(spec, key("new")).await.unwrap().id;
    let mut frames = access
        .follow(session, DialectName::Events, 0)
        .await
        .unwrap();
    let go = Json::from_text_value("Attack from inside");
    let sent = access.input(session, go, InputMode::Queue, key("go")).await;
    sent.unwrap();
    let mut is_asked = false;
    loop {
        let frame = tokio::time::timeout(TIMEOUT, frames.recv()).await;
        let frame = frame.expect("the turn ends").expect("the log goes on");
        let text = frame.message.get();
        if text.contains("\"input_processed\"") {
            break;
        }
        if text.contains("\"interaction_opened\"") && !is_asked {
            is_asked = true;
            allow(&access, isolated).await;
        }
    }
    assert!(is_asked, "the CLI asks before it runs the script");
    let result = world.tool_result("toolu_attack").unwrap().text;
    let printed =
        |word: &str, name: &str| result.lines().any(|line| line == format!("{word} {name}"));
    let reached: Vec<String> = attempts
        .iter()
        .filter(|(name, _)| {
            assert!(
                printed("reached", name) || printed("refused", name),
                "{name}: {result}"
            );
            printed("reached", name)
        })
        .map(|(name, _)| (*name).to_owned())
        .collect();
    host.gateway.shutdown(Duration::from_secs(10)).await;
    host.serving.abort();
    drop(host.store);
    let mark = format!("CLAUDE_CONFIG_DIR={}", world.config().display());
    let ended = async {
        while !processes::carrying(std::slice::from_ref(&mark)).is_empty() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let ended = tokio::time::timeout(TIMEOUT, ended).await;
    ended.expect("nothing outlives the gateway");

    // The session continues outside, in the terminal.
    let key = rusty_claw::sessions::ProjectKey::of_dir(world.project());
    let sessions = std::fs::read_dir(world.config().join("projects").join(key.as_str()));
    let files = sessions.unwrap().map(|entry| entry.unwrap().path());
    let mut files = files.filter(|path| path.extension().is_some_and(|name| name == "jsonl"));
    let file = files.next().expect("the session is filed outside");
    let mut resume = world.command();
    resume.args(["--print", "--resume"]);
    resume.arg(file.file_stem().unwrap()).arg("Go on");
    let output = tokio::task::spawn_blocking(move || resume.output()).await;
    let output = output.unwrap().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(world.last_request().contains("Attack from inside"));
    reached
}

/// Allows the call that waits.
async fn allow(access: &Access, isolated: bool) {
    let waiting = async {
        loop {
            if let Some(pending) = access.pending(None).await.unwrap().pop() {
                return pending;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let pending = tokio::time::timeout(TIMEOUT, waiting).await.unwrap();
    assert_eq!(pending.isolated, isolated);
    let id = InteractionId::new(pending.interaction.id.as_str()).unwrap();
    let yes = Answer::Permission(PermissionResponse::allow());
    let answered = access.answer(pending.session, &id, yes, key("yes")).await;
    answered.unwrap();
}

pub(crate) async fn figures() -> Vec<Figure> {
    let inside = reached(true).await;
    let outside = reached(false).await;
    let all = attempts("", 0).len();
    let bar = "0 succeed";
    let name = "attempts of an agent to answer itself, under bubblewrap and with the relay";
    let isolated = Figure::new(name, bar)
        .measured(format!("{} of {all}", inside.len()), inside.is_empty())
        .list("Reached", &inside);
    // Proves that the script finds what it looks for.
    let needed = all - 1;
    let name = "the same attempts without a runner and a relay, which every interaction reports";
    let bare = Figure::new(name, format!("≥ {needed} succeed: the script works"))
        .measured(
            format!("{} of {all}", outside.len()),
            outside.len() >= needed,
        )
        .list("Reached", &outside);
    vec![isolated, bare]
}
