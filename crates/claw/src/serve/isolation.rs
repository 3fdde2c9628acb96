//! The isolation of agents: bubblewrap around their processes, and a relay that adds the API key.

use std::path::Path;

use anyhow::{Context as _, ensure};
use claw_gateway::{Credential, Holders, Relay, Runner};

use crate::data::DataFolder;
use crate::settings::Settings;

const API: &str = "https://api.anthropic.com";

/// Refuses stores that isolated agents could write to, because agents share the machine's network.
pub(crate) fn check(settings: &Settings) -> anyhow::Result<()> {
    let is_open = settings.store.iter().any(|url| !url.contains('@'));
    ensure!(
        !(settings.isolate && is_open),
        "isolated agents can connect to the servers of --store and write answers there: use \
         servers with a password, and set CLAW_STORE to nats://USER:PASSWORD@HOST:PORT"
    );
    Ok(())
}

/// Returns the runner that starts agents, if they are isolated.
pub(crate) fn runner(settings: &Settings, data: &Path) -> Option<Runner> {
    settings.isolate.then(|| {
        let mut runner = Runner::new(vec![data.to_owned()]);
        runner.read_only.clone_from(&settings.agent_reads);
        runner.writable.clone_from(&settings.agent_writes);
        runner
    })
}

/// Returns the holders of CLIs. If the environment contains an API key and agents are isolated, each
/// holder relays the requests of its CLI. A login stays in the configuration folder, where agents
/// can read it.
pub(super) async fn holders(settings: &Settings, data: &DataFolder) -> anyhow::Result<Holders> {
    // The file of the program may be replaced by another build while this one runs.
    let mut holders = Holders::new("/proc/self/exe", ["hold"], data.holders()?);
    if let Some(runner) = runner(settings, data.path()) {
        holders = holders.runner(runner);
    }
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let Some(key) = set("ANTHROPIC_API_KEY").filter(|_| settings.isolate) else {
        return Ok(holders);
    };
    let upstream = set("ANTHROPIC_BASE_URL").unwrap_or_else(|| API.to_owned());
    let credential = Credential::ApiKey(key);
    // Fails now if the address is not valid, and not at every start of a CLI.
    let relay = Relay::start(&upstream, &credential).await;
    relay.with_context(|| format!("cannot relay requests of agents to {upstream}"))?;
    Ok(holders.relay(upstream, credential))
}
