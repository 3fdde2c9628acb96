//! `claw devices`: the devices that may use a gateway.

use std::time::{Duration, SystemTime};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use claw_gateway::client::Client;
use claw_gateway::{Device, Scope};
use serde::Serialize;

use crate::connect::ConnectArgs;
use crate::exit::Status;
use crate::printer::Printer;
use crate::table::{Column, Table};
use crate::words::{ago, cut, iso};

/// List the devices that may use the gateway, add and revoke them.
///
/// Each device has a token of its own. Without a command: list the devices.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  claw devices                            list devices, with their last use
  claw devices add phone --scope answer   print a token that may answer requests
  claw devices revoke 4f0c                end a token, and the streams of its device")]
pub(crate) struct DevicesArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Option<DevicesCommand>,
}

#[derive(Debug, Subcommand)]
enum DevicesCommand {
    /// List devices, with their last use.
    List,
    /// Add a device, and print its token. The token is not stored and cannot be printed again.
    Add {
        /// A name that people recognize, such as phone.
        name: String,
        /// What it may do.
        #[arg(long, value_enum, default_value = "drive")]
        scope: ScopeName,
    },
    /// Revoke a device: its token is refused, and its streams end.
    Revoke {
        /// The id of the device, or the start of it.
        id: String,
    },
}

/// What a device may do. Each scope includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ScopeName {
    /// Read sessions and follow them.
    View,
    /// Answer requests of agents.
    Answer,
    /// Create and steer sessions.
    Drive,
    /// Manage devices, and choose settings that reach beyond a session.
    Admin,
}

impl ScopeName {
    fn scope(self) -> Scope {
        match self {
            Self::View => Scope::View,
            Self::Answer => Scope::Answer,
            Self::Drive => Scope::Drive,
            Self::Admin => Scope::Admin,
        }
    }
}

#[derive(Serialize)]
struct Added {
    device: Device,
    token: String,
}

pub(crate) fn run(args: &DevicesArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(call(args, printer))?;
    Ok(Status::Fine)
}

async fn call(args: &DevicesArgs, printer: &mut Printer) -> anyhow::Result<()> {
    let found = args.connect.find()?;
    let client = Client::new(&found.url, &found.token)?;
    match &args.command {
        None | Some(DevicesCommand::List) => {
            let devices = client.devices().await?;
            match args.json {
                true => printer.json(&devices),
                false => list(&devices, printer),
            }
        }
        Some(DevicesCommand::Add { name, scope }) => {
            let (device, token) = client.add_device(name, scope.scope()).await?;
            match args.json {
                true => printer.json(&Added { device, token }),
                false => Ok(printer.line(token)?),
            }
        }
        Some(DevicesCommand::Revoke { id }) => {
            let device = select(client.devices().await?, id)?;
            client.revoke_device(&device.id).await?;
            match args.json {
                true => printer.json(&device),
                false => Ok(printer.line(format!(
                    "revoked {} {}",
                    device.id,
                    cut(&device.name, 100)
                ))?),
            }
        }
    }
}

/// Selects the device whose id starts with a text.
fn select(devices: Vec<Device>, id: &str) -> anyhow::Result<Device> {
    let mut matching = devices
        .into_iter()
        .filter(|device| device.id.starts_with(id));
    let found = matching.next().filter(|_| !id.is_empty());
    let found = found.with_context(|| format!("there is no device {id}: see claw devices"))?;
    if matching.next().is_some() {
        bail!("more than one device starts with {id}: write more of the id");
    }
    Ok(found)
}

fn list(devices: &[Device], printer: &mut Printer) -> anyhow::Result<()> {
    let now = SystemTime::now();
    let time = |ms: i64| {
        let ms = Duration::from_millis(u64::try_from(ms).unwrap_or_default());
        SystemTime::UNIX_EPOCH + ms
    };
    let columns = ["id", "name", "scope", "added", "last used"].map(Column::Left);
    let mut table = Table::new(&columns);
    for device in devices {
        let scope = serde_json::to_value(device.scope)?;
        let used = device.used_at_ms.map(|ms| ago(time(ms), now));
        table.row([
            device.id.get(..8).unwrap_or(&device.id).to_owned(),
            cut(&device.name, 40),
            scope.as_str().unwrap_or_default().to_owned(),
            iso(device.added_at_ms)[..10].to_owned(),
            used.unwrap_or_else(|| "never".to_owned()),
        ]);
    }
    Ok(printer.raw_display(&table)?)
}
