//! The measured process: a gateway in a folder. Prints its address and a token, and ends with its
//! standard input.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use claw_gateway::http::{self, Api, Limits, Site};
use claw_gateway::{Devices, Gateway, Scope, Settings};
use claw_store::{NodeId, SqliteOptions, SqliteStore, Store, TenantId};
use rusty_claw::Options;
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use crate::Failure;

/// The first argument of the process.
pub(crate) const PROGRAM: &str = "serve";
/// The names of files and folders in the folder of the gateway.
pub(crate) const CLI: &str = "fake-claude";
pub(crate) const WORK: &str = "work";

pub(crate) async fn run(folder: &str) -> Result<(), Failure> {
    let folder = Path::new(folder).to_owned();
    let store = SqliteStore::open(folder.join("store.db"), SqliteOptions::default()).await?;
    let store: Arc<dyn Store> = Arc::new(store);
    let devices = Devices::new(Arc::clone(&store));
    let tenant = TenantId::new("ada")?;
    let (_, token) = devices.add(&tenant, "screen", Scope::Drive).await?;
    let mut settings = Settings::new(vec![folder.join(WORK)]);
    settings.tenant = Some(tenant);
    settings.options = Box::new(move || {
        Options::new()
            .cli_path(folder.join(CLI))
            .env_clear()
            .env("HOME", folder.as_os_str())
    });
    let gateway = Gateway::start(store, NodeId::new("one")?, settings).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let site = Site::new(address).rate(NonZeroU32::MAX, NonZeroU32::MAX);
    let api = Api {
        gateway,
        devices,
        site,
    };
    println!("{}", json!({"address": address, "token": token}));
    let mut rest = Vec::new();
    let mut stdin = tokio::io::stdin();
    tokio::select! {
        () = http::serve(listener, api, Limits::default(), std::future::pending()) => {}
        _ = stdin.read_to_end(&mut rest) => {}
    }
    // A thread blocks on standard input.
    std::process::exit(0);
}
