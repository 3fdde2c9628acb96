//! `claw stop`

use claw_gateway::client::{Client, EventsMessage, Followed};
use claw_gateway::{DialectName, SessionInfo};
use serde::Serialize;

use super::screen::Screen;
use super::{RemoteArgs, find_session, short};
use crate::exit::Status;
use crate::printer::Printer;

/// Interrupt the running turn of a session, or end the session.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 stopped, 1 no turn is running, 3 an error.

Examples:
  claw stop 4f0c          interrupt the turn; the session waits for the next prompt
  claw stop 4f0c --end    end the session; its events can still be read")]
pub(crate) struct StopArgs {
    /// A session, by its id or the start of it.
    session: String,
    /// End the session.
    #[arg(long)]
    end: bool,
    #[command(flatten)]
    remote: RemoteArgs,
}

/// The result of the command, as JSON.
#[derive(Serialize)]
struct Stopped {
    session: claw_server::SessionId,
    /// The turn that is interrupted.
    turn: Option<u64>,
    /// Whether the session ends.
    ended: bool,
}

pub(super) async fn run(args: StopArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let client = args.remote.client()?;
    let session = find_session(&client, &args.session).await?;
    let (id, ended) = (session.id, args.end);
    let turn = match ended {
        true => None,
        false => running_turn(&client, &session).await?,
    };
    match turn {
        _ if ended => drop(client.close(id).await?),
        Some(turn) => drop(client.interrupt(id, turn).await?),
        None => {}
    }
    if args.remote.json {
        let session = id;
        printer.json(&Stopped {
            session,
            turn,
            ended,
        })?;
    } else {
        let name = short(id);
        printer.line(match turn {
            _ if ended => format!("session {name} ends"),
            Some(turn) => format!("turn {turn} of session {name} is interrupted"),
            None => format!("session {name} has no running turn"),
        })?;
    }
    Ok(match ended || turn.is_some() {
        true => Status::Fine,
        false => Status::Found(1),
    })
}

/// Reads the events of a session, and returns the turn that has not ended.
async fn running_turn(client: &Client, session: &SessionInfo) -> anyhow::Result<Option<u64>> {
    let mut screen = Screen::new();
    let mut frames = client.follow(session.id, DialectName::Events, 0);
    while screen.sequence() < session.last {
        match frames.next().await {
            None => break,
            Some(Err(error)) => return Err(error.into()),
            Some(Ok(Followed::Frame(frame))) => {
                let message: EventsMessage = serde_json::from_str(frame.message.get())?;
                screen.message(&message);
            }
            Some(Ok(_)) => {}
        }
    }
    Ok(screen.turn())
}
