//! `claw attach`

use claw_gateway::SessionInfo;

use super::terminal::{Terminal, Typed};
use super::{RemoteArgs, find_session, short};
use crate::exit::Status;
use crate::printer::Printer;
use crate::table::{Column, Table};
use crate::words;

/// Follow a session in the terminal, answer its requests and send it prompts. Without a session,
/// list those of the gateway.
///
/// Each line that you type is an answer while a request waits, else a prompt. Ctrl-C interrupts the
/// running turn, a second Ctrl-C detaches. Ctrl-D detaches. A detached session continues.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  claw attach                      list the sessions of the gateway
  claw attach 4f0c                 follow a session, by the start of its id
  claw attach 4f0c --after 120     only what is behind event 120
  claw attach 4f0c --json          frames of the dialect events, for programs
  echo 'Run the tests' | claw attach 4f0c")]
pub(crate) struct AttachArgs {
    /// A session, by its id or the start of it.
    session: Option<String>,
    /// The cursor to start after: the `after` of a frame. 0 is the beginning.
    #[arg(long, value_name = "CURSOR", default_value_t = 0)]
    after: u64,
    #[command(flatten)]
    remote: RemoteArgs,
}

pub(super) async fn run(args: AttachArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let client = args.remote.client()?;
    let Some(name) = &args.session else {
        let sessions = client.all().await?;
        match args.remote.json {
            true => printer.json(&sessions)?,
            false => list(&sessions, printer)?,
        }
        return Ok(Status::Fine);
    };
    let session = find_session(&client, name).await?;
    let mut terminal = Terminal::new(&client, session.id, printer);
    terminal.json = args.remote.json;
    terminal.typed = Typed::Inputs;
    terminal.last = session.last;
    terminal.follow(args.after, None).await?;
    Ok(Status::Fine)
}

fn list(sessions: &[SessionInfo], printer: &mut Printer) -> anyhow::Result<()> {
    if sessions.is_empty() {
        anstream::eprintln!("no sessions; claw run starts one");
        return Ok(());
    }
    let mut table = Table::new(&[
        Column::Left("session"),
        Column::Left("state"),
        Column::Right("events"),
        Column::Left("folder"),
        Column::Left("title"),
    ]);
    for session in sessions {
        let spec = &session.spec;
        table.row([
            short(session.id),
            session.state.clone(),
            words::count(session.last),
            words::cut(&spec.folder.to_string_lossy(), 50),
            words::cut(spec.title.as_deref().unwrap_or_default(), 40),
        ]);
    }
    Ok(printer.raw_display(&table)?)
}
