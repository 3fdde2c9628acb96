//! Finds the gateway that a command uses.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::ValueHint;
use claw_gateway::client::Client;

use crate::data::DataFolder;
use crate::settings::data_folder;

/// The variable with the token for `--url`. It is not a flag, because other users can read the
/// arguments of a process.
const TOKEN: &str = "CLAW_TOKEN";

/// Which gateway to use.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Gateway")]
pub(crate) struct ConnectArgs {
    /// The URL of a gateway on another machine. Set the variable CLAW_TOKEN to the token of a
    /// device. By default, the gateway on this machine is used, with the token in its data folder.
    #[arg(long, env = "CLAW_URL", value_name = "URL")]
    url: Option<String>,
    /// The data folder of the gateway on this machine. $XDG_DATA_HOME/claw or ~/.local/share/claw
    /// by default.
    #[arg(long, env = "CLAW_DATA", value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    data: Option<PathBuf>,
}

/// The address of a gateway, and the token of a device.
pub(crate) struct Found {
    pub(crate) url: String,
    pub(crate) token: String,
}

impl ConnectArgs {
    /// Finds the gateway.
    pub(crate) fn find(&self) -> anyhow::Result<Found> {
        if let Some(url) = self.url.clone() {
            let token = std::env::var(TOKEN);
            let token = token.with_context(|| format!("set {TOKEN} to a token for {url}"))?;
            return Ok(Found { url, token });
        }
        find_local(&DataFolder::new(data_folder(self.data.as_deref())?))
    }
}

/// Finds the gateway of a data folder.
pub(crate) fn find_local(data: &DataFolder) -> anyhow::Result<Found> {
    let path = data.path().display();
    // If no gateway holds the lock, another program may listen on the port, and would receive the
    // token.
    ensure!(
        data.is_locked(),
        "no gateway runs on {path}: start one with claw serve"
    );
    let url = DataFolder::read(&data.url())?;
    let url = url.with_context(|| format!("the gateway on {path} is starting or stopping"))?;
    let token = DataFolder::read(&data.token())?;
    let token = token.with_context(|| format!("{path} has no token: restart claw serve"))?;
    Ok(Found { url, token })
}

/// Checks that a gateway accepts its token.
pub(crate) async fn check(found: &Found) -> anyhow::Result<()> {
    let client = Client::new(&found.url, &found.token)?;
    let listed = client.list(None);
    tokio::time::timeout(Duration::from_secs(10), listed)
        .await
        .context("it does not respond")??;
    Ok(())
}
