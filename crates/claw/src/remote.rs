//! Commands that use a gateway: `run`, `attach`, `inbox`, `approve` and `stop`.

mod approve;
mod attach;
mod awaited;
mod inbox;
mod replies;
mod requests;
mod run;
mod screen;
mod stop;
mod terminal;

use std::future::Future;

use anyhow::bail;
use claw_gateway::SessionInfo;
use claw_gateway::client::Client;

use crate::connect::ConnectArgs;
use crate::exit::Status;
use crate::printer::Printer;

pub(crate) use approve::ApproveArgs;
pub(crate) use attach::AttachArgs;
pub(crate) use inbox::InboxArgs;
pub(crate) use run::RunArgs;
pub(crate) use stop::StopArgs;

/// The arguments that these commands share.
#[derive(Debug, clap::Args)]
pub(crate) struct RemoteArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    /// Print JSON, one document per line.
    #[arg(long)]
    json: bool,
}

/// A command, with its arguments.
#[derive(Debug)]
pub(crate) enum RemoteCommand {
    Run(RunArgs),
    Attach(AttachArgs),
    Inbox(InboxArgs),
    Approve(ApproveArgs),
    Stop(StopArgs),
}

pub(crate) fn run(command: RemoteCommand, printer: &mut Printer) -> anyhow::Result<Status> {
    match command {
        RemoteCommand::Run(args) => on_runtime(run::run(args, printer)),
        RemoteCommand::Attach(args) => on_runtime(attach::run(args, printer)),
        RemoteCommand::Inbox(args) => on_runtime(inbox::run(args, printer)),
        RemoteCommand::Approve(args) => on_runtime(approve::run(args, printer)),
        RemoteCommand::Stop(args) => on_runtime(stop::run(args, printer)),
    }
}

fn on_runtime(ran: impl Future<Output = anyhow::Result<Status>>) -> anyhow::Result<Status> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let ran = runtime.block_on(ran);
    runtime.shutdown_background();
    ran
}

impl RemoteArgs {
    fn client(&self) -> anyhow::Result<Client> {
        let found = self.connect.find()?;
        Ok(Client::new(&found.url, &found.token)?)
    }
}

/// Finds the session whose id starts with a text.
async fn find_session(client: &Client, name: &str) -> anyhow::Result<SessionInfo> {
    if let Ok(id) = name.parse() {
        return Ok(client.get(id).await?);
    }
    let mut all = client.all().await?;
    all.retain(|session| !name.is_empty() && session.id.to_string().starts_with(name));
    match (all.pop(), all.len()) {
        (Some(session), 0) => Ok(session),
        (None, _) => bail!("there is no session {name:?}: claw attach lists them"),
        (Some(_), others) => bail!(
            "{} sessions start with {name:?}: write more of the id",
            others + 1
        ),
    }
}

/// Returns the short form of a session id.
fn short(session: claw_server::SessionId) -> String {
    let mut id = session.to_string();
    id.truncate(8);
    id
}
