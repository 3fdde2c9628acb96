//! `claw serve`: a gateway on this machine.

mod environment;
pub(crate) mod isolation;
mod log;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use claw_gateway::http::{self, Api, Limits, Site};
use claw_gateway::{Devices, Gateway, Scope};
use claw_store::{
    JetStreamConfig, JetStreamStore, NodeId, SessionId, SqliteOptions, SqliteStore, Store, TenantId,
};
use rusty_claw::Options;
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::data::DataFolder;
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::settings::{Settings, SiteSettings, parse_size, parse_time};
use crate::words::shown;
use log::LogLevel;

/// The tenant of the person who runs the gateway.
const TENANT: &str = "default";
/// How long connections may take to end after the sessions.
const LAST_RESPONSES: Duration = Duration::from_secs(1);

/// Run sessions of Claude Code, and let other programs and devices start, follow, steer and answer
/// them over HTTP.
///
/// Prints its URL. Every request needs the token of a device, except that for /v1/openapi.json. The
/// first start creates a token with all rights for the commands of this machine, in the file
/// `token` of the data folder; `claw devices add` creates others. Sessions use your own
/// configuration and login of Claude Code, and work in the folders of --root only.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every setting is also a variable (CLAW_LISTEN for --listen) and a key of the configuration file:

  # ~/.config/claw/config.toml
  listen = \"127.0.0.1:7272\"
  root = [\"~/src\", \"~/notes\"]
  interaction-timeout = \"8h\"

Examples:
  claw serve                                   sessions in this folder
  claw serve --root ~/src --root ~/notes       sessions in these folders
  claw serve --public-url https://claw.example behind a proxy or a tunnel
  claw serve --isolate                         agents cannot reach your other files
  claw serve --store nats://127.0.0.1:4222     on JetStream instead of SQLite
  claw doctor                                  check the settings
  curl -H \"Authorization: Bearer $(cat ~/.local/share/claw/token)\" \\
      http://127.0.0.1:7171/v1/sessions        the API; its document: /v1/openapi.json")]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// How long an interaction waits for an answer before it is denied, such as 30m, 8h or 7d.
    #[arg(
        long,
        env = "CLAW_INTERACTION_TIMEOUT",
        value_name = "TIME",
        default_value = "1h",
        value_parser = parse_time
    )]
    pub(crate) interaction_timeout: Duration,
    /// How long a session without work keeps its process, such as 10m. Then it sleeps until the next
    /// input.
    #[arg(
        long,
        env = "CLAW_IDLE",
        value_name = "TIME",
        default_value = "10m",
        value_parser = parse_time
    )]
    idle: Duration,
    /// How many sessions may be awake. Others wait until one sleeps or ends.
    #[arg(long, env = "CLAW_AWAKE", value_name = "NUMBER", default_value = "32")]
    awake: NonZeroU32,
    /// The most memory of a session's processes, such as 4G. A session that uses more is stopped,
    /// and starts again with its next input. Without it, there is no limit.
    #[arg(long, env = "CLAW_MEMORY", value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Continue the cut turn of a session that waited for an answer, instead of asking for its call
    /// again. For releases of Claude Code that do not repeat parked calls.
    #[arg(long, env = "CLAW_CONTINUE_TURNS")]
    continue_turns: bool,
    /// How long the work of sessions may go on after SIGINT or SIGTERM. A second signal ends the
    /// gateway at once.
    #[arg(
        long,
        env = "CLAW_GRACE",
        value_name = "TIME",
        default_value = "10s",
        value_parser = parse_time
    )]
    grace: Duration,
    /// Which log lines are written to standard error.
    #[arg(
        long,
        env = "CLAW_LOG",
        value_enum,
        value_name = "LEVEL",
        default_value = "info"
    )]
    log: LogLevel,
    /// Print the URL and log lines as JSON.
    #[arg(long, env = "CLAW_JSON", value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) site: SiteSettings,
}

/// The first line of `--json`.
#[derive(Serialize)]
struct Started<'a> {
    url: &'a str,
    data: PathBuf,
    token_file: PathBuf,
}

pub(crate) fn run(args: ServeArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let problems = &args.settings.file_problems;
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    log::start(args.log, args.json);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start threads")?;
    let served = runtime.block_on(serve(&args, printer));
    // Tasks that do not end must not keep the process alive.
    runtime.shutdown_background();
    served
}

async fn serve(args: &ServeArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let settings = &args.settings;
    let mut signals = Signals::new()?;
    let data = DataFolder::new(settings.data_folder()?);
    data.create()?;
    let _lock = data.lock()?;
    // After a crash, the file still has the old URL, and commands would send the token there.
    data.remove_url()?;
    isolation::check(settings)?;
    crate::doctor::warn_without_claude(settings);
    raise_file_limit();
    let mut gateway_settings = gateway_settings(args)?;
    gateway_settings.runner = isolation::runner(settings, data.path());
    gateway_settings.host = Some(Arc::new(isolation::holders(settings, &data).await?));

    let listen = settings.listen;
    let bound = TcpListener::bind(listen).await;
    let listener = bound.with_context(|| {
        format!("cannot listen on {listen}: choose another address with --listen")
    })?;
    let address = listener.local_addr()?;
    let site = site(&args.site, address)?;

    let store = open_store(settings, &data).await?;
    let devices = Devices::new(Arc::clone(&store));
    let tenant = TenantId::new(TENANT)?;
    create_token(&data, &devices, &tenant).await?;
    let node = NodeId::new(&node_id(&data)?)?;
    let started = Gateway::start(store, node, gateway_settings).await;
    let gateway = started.context("cannot start the gateway")?;

    let url = format!("http://{address}");
    DataFolder::write(&data.url(), &url)?;
    print_start(args, &url, &data, printer)?;

    let mut limits = Limits::default();
    limits.connections = usize::try_from(args.site.connections.get())?;
    let api = Api {
        gateway: gateway.clone(),
        devices,
        site,
    };
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = async move { drop(stopped.await) };
    let serving = tokio::spawn(http::serve(listener, api, limits, stopped));
    let name = signals.next().await;
    tracing::info!(signal = name, "shutting down; a second signal ends at once");
    drop(stop);
    let ending = async {
        // The process ends even if a session does not.
        let bound = args.grace + Duration::from_secs(5);
        let asleep = tokio::time::timeout(bound, gateway.shutdown(args.grace)).await;
        if asleep.is_err() {
            tracing::warn!("some sessions did not end in time");
        }
        let _ = tokio::time::timeout(LAST_RESPONSES, serving).await;
    };
    let is_forced = tokio::select! {
        () = ending => false,
        _ = signals.next() => true,
    };
    data.remove_url()?;
    // The exit status with which a shell reports a program that SIGINT ended.
    Ok(match is_forced {
        true => Status::Found(130),
        false => Status::Fine,
    })
}

/// Raises the limit of open files as far as the system permits. The usual limit, 1,024, is less
/// than the limit of connections.
fn raise_file_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the limit of open files cannot be raised");
    }
}

fn gateway_settings(args: &ServeArgs) -> anyhow::Result<claw_gateway::Settings> {
    let mut roots = Vec::new();
    for root in args.settings.roots()? {
        let resolved = root.canonicalize().ok().filter(|path| path.is_dir());
        let resolved = resolved.with_context(|| {
            format!(
                "the root {} is not a folder: correct --root",
                root.display()
            )
        })?;
        roots.push(resolved);
    }
    let mut settings = claw_gateway::Settings::new(roots);
    settings.interaction_timeout = Some(args.interaction_timeout);
    settings.idle = args.idle;
    settings.awake = usize::try_from(args.awake.get())?;
    settings.memory_limit = args.memory;
    settings.repeats_calls = !args.continue_turns;
    settings.options = Box::new(options(&args.settings));
    settings.tenant = Some(TenantId::new(TENANT)?);
    Ok(settings)
}

/// Returns the environment of the agents.
pub(crate) fn variables(settings: &Settings) -> Vec<(OsString, OsString)> {
    environment::of_agents(std::env::vars_os(), &settings.pass_env)
}

/// Returns the options of every CLI: an environment of listed variables, and the user's own
/// configuration folder.
fn options(settings: &Settings) -> impl Fn() -> Options + Send + Sync + use<> {
    let variables = variables(settings);
    let claude = settings.claude.clone();
    move || {
        let mut options = Options::new()
            .env_clear()
            .client_app(concat!("claw/", env!("CARGO_PKG_VERSION")));
        for (name, value) in &variables {
            options = options.env(name, value);
        }
        match &claude {
            Some(path) => options.cli_path(path),
            None => options,
        }
    }
}

fn site(settings: &SiteSettings, address: SocketAddr) -> anyhow::Result<Site> {
    let mut site = Site::new(address);
    match &settings.public_url {
        Some(url) => {
            site = site.public_url(url).context("--public-url")?;
            if url.starts_with("http://") {
                tracing::warn!("--public-url is not https: others on the network can read tokens");
            }
        }
        None if !address.ip().is_loopback() => bail!(
            "{address} can be reached from other machines: set the URL that they use with \
             --public-url, or listen on 127.0.0.1"
        ),
        None => {}
    }
    for origin in &settings.origin {
        site = site.allow_origin(origin).context("--origin")?;
    }
    let burst = settings
        .rate
        .saturating_mul(NonZeroU32::MIN.saturating_add(3));
    Ok(site.rate(settings.rate, burst))
}

/// Opens the store of the settings.
pub(crate) async fn open_store(
    settings: &Settings,
    data: &DataFolder,
) -> anyhow::Result<Arc<dyn Store>> {
    if settings.store.is_empty() {
        data.prepare_database()?;
        let path = data.database();
        let opened = SqliteStore::open(&path, SqliteOptions::default()).await;
        let store = opened.with_context(|| format!("cannot open {}", path.display()))?;
        return Ok(Arc::new(store));
    }
    let config = JetStreamConfig::new(settings.store.clone());
    let opened = JetStreamStore::open(config).await;
    Ok(Arc::new(
        opened.context("cannot use the servers of --store")?,
    ))
}

/// Makes sure that the commands of this machine have a token. It is never printed.
async fn create_token(
    data: &DataFolder,
    devices: &Devices,
    tenant: &TenantId,
) -> anyhow::Result<()> {
    let path = data.token();
    if let Some(token) = DataFolder::read(&path)? {
        ensure!(
            !DataFolder::is_open_to_others(&path)?,
            "others may read {}: delete it, revoke its device and start again",
            path.display()
        );
        match devices.authenticate(&token).await {
            Ok(_) => return Ok(()),
            // The token was revoked, or belongs to another store.
            Err(claw_gateway::GatewayError::NotFound { .. }) => {}
            Err(error) => return Err(error).context("cannot check the token of this machine"),
        }
    }
    let added = devices.add(tenant, "this machine", Scope::Admin).await;
    let (device, token) = added.context("cannot add the device of this machine")?;
    tracing::info!(device = device.id, file = %path.display(), "created the token of this machine");
    DataFolder::write(&path, &token)
}

/// Returns the node id of this gateway, which is the same after a restart.
fn node_id(data: &DataFolder) -> anyhow::Result<String> {
    let path = data.path().join("node");
    if let Some(id) = DataFolder::read(&path)? {
        return Ok(id);
    }
    let id = SessionId::random().to_string();
    DataFolder::write(&path, &id)?;
    Ok(id)
}

fn print_start(
    args: &ServeArgs,
    url: &str,
    data: &DataFolder,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    if args.json {
        printer.json(&Started {
            url,
            data: data.path().to_owned(),
            token_file: data.token(),
        })?;
    } else {
        let faint = style::FAINT;
        printer.line(url)?;
        printer.line(format!("{faint}token  {}{faint:#}", shown(&data.token())))?;
        for root in args.settings.roots()? {
            printer.line(format!("{faint}root   {}{faint:#}", shown(&root)))?;
        }
        printer.line(format!("{faint}Ctrl-C stops the gateway.{faint:#}"))?;
    }
    Ok(printer.flush()?)
}

/// The signals that end the gateway.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> anyhow::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }
}
