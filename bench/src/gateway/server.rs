//! The measured process: a gateway in the working folder. Prints its address and a token, and ends
//! with its standard input.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use claw_gateway::http::{self, Api, Limits, Site};
use claw_gateway::{Devices, Gateway, Scope, Settings};
use claw_store::{NodeId, Store, TenantId};
use rusty_claw::Options;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use crate::store::sessions::{TENANT, sqlite};

/// The name of the program.
pub(super) const PROGRAM: &str = "gateway-serve";
/// The folder of the sessions, in that of the gateway.
pub(super) const WORK: &str = "work";
/// More than any figure needs: of sessions that run at the same time, and of connections.
const MOST: usize = 8192;

pub(super) async fn run() -> Result<()> {
    let folder = std::env::current_dir()?;
    let store: Arc<dyn Store> = Arc::new(sqlite(&folder.join("store.db")).await?);
    let devices = Devices::new(Arc::clone(&store));
    let tenant = TenantId::new(TENANT)?;
    let (_, token) = devices.add(&tenant, "screen", Scope::Drive).await?;
    let gateway = Gateway::start(store, NodeId::new("one")?, settings(folder, tenant)).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    // All clients are one device. With a higher rate, requests at the same time would be refused:
    // the limiter permits no more difference between their clocks than the time of a burst.
    let rate = NonZeroU32::MIN.saturating_add(999_999);
    let api = Api {
        gateway,
        devices,
        site: Site::new(address).rate(rate, rate),
    };
    let mut limits = Limits::default();
    (limits.connections, limits.unauthenticated) = (MOST, MOST);
    println!("{}", serde_json::to_string(&(address, token))?);
    let mut rest = Vec::new();
    let mut stdin = tokio::io::stdin();
    tokio::select! {
        () = http::serve(listener, api, limits, std::future::pending()) => {}
        _ = stdin.read_to_end(&mut rest) => {}
    }
    // A thread blocks on standard input.
    std::process::exit(0);
}

/// The defaults but for the limit of awake sessions, above which sessions wait for one that sleeps.
/// The others are not reached: a session has one input, a client one session, and nothing idles
/// for ten minutes.
fn settings(folder: PathBuf, tenant: TenantId) -> Settings {
    let mut settings = Settings::new(vec![folder.join(WORK)]);
    settings.awake = MOST;
    settings.tenant = Some(tenant);
    settings.options = Box::new(move || {
        Options::new()
            .cli_path(folder.join("claude"))
            .env_clear()
            .env("HOME", folder.as_os_str())
    });
    settings
}
