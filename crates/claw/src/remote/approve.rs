//! `claw approve`

use std::io::IsTerminal as _;

use anyhow::{bail, ensure};
use claw_gateway::client::Client;
use claw_gateway::{Answer, AnswerOutcome, Pending};
use claw_server::event::InteractionKind;
use claw_server::registry::{PermissionResponse, Remember};
use serde::Serialize;

use super::replies::DENIED;
use super::{RemoteArgs, requests, short};
use crate::exit::Status;
use crate::printer::{Printer, style};

/// Allow or deny requests that wait for an answer.
///
/// Prints each request in full before it is answered. The first answer wins, whichever device it
/// comes from.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 answered, 1 at least one was answered or withdrawn before, 3 an error.

Examples:
  claw inbox                             find the ids
  claw approve 9Kxq2f                    allow one call
  claw approve 9Kxq2f --always           and the same in the rest of the session
  claw approve 9Kxq2f --deny --message 'Use the staging server'
  claw approve --all                     everything that waits, after a question")]
pub(crate) struct ApproveArgs {
    /// The ids of the requests, or the start of their ids.
    #[arg(required_unless_present = "all")]
    ids: Vec<String>,
    /// Answer all requests that wait now, after a confirmation.
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    /// With --all: do not ask for confirmation.
    #[arg(long, short, requires = "all")]
    yes: bool,
    /// Deny instead of allow.
    #[arg(long)]
    deny: bool,
    /// The reason that the agent receives.
    #[arg(long, value_name = "TEXT", requires = "deny")]
    message: Option<String>,
    /// Also allow the same call later in the session.
    #[arg(long, conflicts_with = "deny")]
    always: bool,
    #[command(flatten)]
    remote: RemoteArgs,
}

/// An answered request, as JSON.
#[derive(Serialize)]
struct Answered<'a> {
    session: claw_server::SessionId,
    id: &'a str,
    #[serde(flatten)]
    outcome: AnswerOutcome,
}

impl ApproveArgs {
    /// Returns the answer to a request. Fails for requests that cannot be answered with yes or no.
    fn answer(&self, pending: &Pending) -> anyhow::Result<Answer> {
        let reason = self.message.as_deref().unwrap_or(DENIED);
        let kind = &pending.interaction.kind;
        let is_decision = matches!(kind, InteractionKind::Permission | InteractionKind::Plan);
        Ok(match (self.deny, is_decision) {
            (true, true) => Answer::Permission(PermissionResponse::deny(reason)),
            (true, false) => Answer::Decline(reason.to_owned()),
            (false, true) if self.always => {
                Answer::Permission(PermissionResponse::allow().remember(Remember::Session))
            }
            (false, true) => Answer::Permission(PermissionResponse::allow()),
            (false, false) => bail!(
                "{} is a {kind} and cannot be allowed here: use claw attach {}, or --deny",
                pending.interaction.id,
                short(pending.session)
            ),
        })
    }
}

pub(super) async fn run(args: ApproveArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let client = args.remote.client()?;
    let pending = client.pending(None).await?;
    let chosen = match args.all {
        true => pending,
        false => choose(pending, &args.ids)?,
    };
    // All answers are checked before the first one is sent.
    let answers: Vec<Answer> = chosen
        .iter()
        .map(|one| args.answer(one))
        .collect::<anyhow::Result<_>>()?;
    if !args.remote.json {
        for one in &chosen {
            show(one, printer)?;
        }
        printer.flush()?;
    }
    if args.all && !args.yes && !chosen.is_empty() {
        confirm(chosen.len(), args.deny)?;
    }
    let mut is_late = false;
    for (one, answer) in chosen.iter().zip(&answers) {
        is_late |= !give(&client, one, answer, &args, printer).await?;
    }
    Ok(match is_late {
        true => Status::Found(1),
        false => Status::Fine,
    })
}

/// Selects the requests with these ids.
fn choose(pending: Vec<Pending>, ids: &[String]) -> anyhow::Result<Vec<Pending>> {
    let mut chosen: Vec<Pending> = Vec::new();
    for id in ids {
        let named = |one: &&Pending| requests::is_named(one.interaction.id.as_str(), id);
        let exact = |one: &&Pending| one.interaction.id.as_str() == id;
        let found: Vec<&Pending> = match pending.iter().find(exact) {
            Some(exact) => vec![exact],
            None => pending.iter().filter(named).collect(),
        };
        match found[..] {
            [] => bail!("nothing with the id {id:?} waits: claw inbox lists what does"),
            [one] if chosen.contains(one) => {}
            [one] => chosen.push(one.clone()),
            _ => bail!(
                "{} requests start with {id:?}: write more of the id",
                found.len()
            ),
        }
    }
    Ok(chosen)
}

fn show(pending: &Pending, printer: &mut Printer) -> anyhow::Result<()> {
    let (warn, faint) = (style::WARN, style::FAINT);
    for line in requests::details(&pending.interaction) {
        printer.line(format_args!("{warn}?{warn:#} {line}"))?;
    }
    let session = short(pending.session);
    let id = crate::words::plain(pending.interaction.id.as_str());
    Ok(printer.line(format_args!("{faint}  {id} in session {session}{faint:#}"))?)
}

/// Asks for confirmation before all requests are answered.
fn confirm(number: usize, is_deny: bool) -> anyhow::Result<()> {
    ensure!(
        std::io::stdin().is_terminal(),
        "--all asks before it answers, and there is no terminal: add --yes"
    );
    let what = if is_deny { "Deny" } else { "Allow" };
    anstream::eprintln!("{what} these {number}? y: yes");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    ensure!(matches!(line.trim(), "y" | "yes"), "nothing was answered");
    Ok(())
}

/// Answers a request. Returns whether this answer won.
async fn give(
    client: &Client,
    one: &Pending,
    answer: &Answer,
    args: &ApproveArgs,
    printer: &mut Printer,
) -> anyhow::Result<bool> {
    let (session, id) = (one.session, one.interaction.id.as_str());
    let outcome = client.answer(session, id, answer).await?;
    let is_won = outcome == AnswerOutcome::Won;
    if args.remote.json {
        printer.json(&Answered {
            session,
            id,
            outcome,
        })?;
        return Ok(is_won);
    }
    let (look, text) = match &outcome {
        AnswerOutcome::Won if args.deny => (style::BAD, "denied".to_owned()),
        AnswerOutcome::Won => (style::GOOD, "allowed".to_owned()),
        AnswerOutcome::Lost { by } => (style::WARN, format!("{by} has answered before")),
        _ => (style::WARN, "the agent no longer waits".to_owned()),
    };
    let what = requests::summary(&one.interaction, 70);
    printer.line(format_args!(
        "{look}{}{look:#}: {what}",
        crate::words::plain(&text)
    ))?;
    Ok(is_won)
}
