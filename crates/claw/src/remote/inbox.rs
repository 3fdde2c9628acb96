//! `claw inbox`

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use claw_gateway::Pending;

use super::{RemoteArgs, requests, short};
use crate::exit::Status;
use crate::printer::Printer;
use crate::table::{Column, Table};
use crate::words;

/// The polling interval of `--watch`.
const EVERY: Duration = Duration::from_secs(1);
/// The width of a table if standard output is not a terminal.
const WIDE: usize = 160;

/// List what waits for an answer, in all sessions.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  claw inbox                  what waits, and for how long
  claw inbox --watch          print it again whenever it changes
  claw approve 9Kxq2f         allow a request, by its id
  claw inbox --json | jq '.[].interaction.id'")]
pub(crate) struct InboxArgs {
    /// Print the list again whenever it changes, until Ctrl-C.
    #[arg(long, short)]
    watch: bool,
    #[command(flatten)]
    remote: RemoteArgs,
}

pub(super) async fn run(args: InboxArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let client = args.remote.client()?;
    let mut shown = None;
    loop {
        let pending = client.pending(None).await?;
        if shown.as_ref() != Some(&pending) {
            match args.remote.json {
                true => printer.json(&pending)?,
                false => print(&pending, printer)?,
            }
            printer.flush()?;
            shown = Some(pending);
        }
        if !args.watch {
            return Ok(Status::Fine);
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            signal = tokio::signal::ctrl_c() => {
                signal?;
                return Ok(Status::Fine);
            }
        }
    }
}

fn print(pending: &[Pending], printer: &mut Printer) -> anyhow::Result<()> {
    if pending.is_empty() {
        anstream::eprintln!("nothing waits for an answer");
        return Ok(());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now_ms = now.map_or(0, |now| now.as_millis() as i64);
    let width = crate::table::terminal_width().unwrap_or(WIDE);
    printer.raw_display(&table(pending, now_ms, width))?;
    // Flushed first, so that the warning follows the list in a terminal that shows both streams.
    printer.flush()?;
    if pending.iter().any(|one| !one.isolated) {
        anstream::eprintln!(
            "agents are not isolated: a program that one runs could answer these itself (claw doctor)"
        );
    }
    Ok(())
}

/// Returns the table of requests for a terminal width.
fn table(pending: &[Pending], now_ms: i64, width: usize) -> Table {
    let mut table = Table::new(&[
        Column::Left("id"),
        Column::Left("session"),
        Column::Left("kind"),
        Column::Right("expires"),
        Column::Left("request"),
    ]);
    let names = requests::short_names(pending);
    let name_width = names.iter().map(|name| name.chars().count()).max();
    // The other columns, and the spaces between them.
    let others = name_width.unwrap_or(0) + 8 + 11 + 7 + 10;
    let rest = width.saturating_sub(others).max(20);
    for (one, name) in pending.iter().zip(names) {
        let asked = &one.interaction;
        let expires = asked.expires_at_ms.map(|at_ms| left(at_ms - now_ms));
        table.row([
            name,
            short(one.session),
            words::cut(asked.kind.as_str(), 11),
            expires.unwrap_or_default(),
            requests::summary(asked, rest),
        ]);
    }
    table
}

/// Returns the remaining time in a short form.
fn left(ms: i64) -> String {
    match ms / 1000 {
        ..=0 => "now".to_owned(),
        seconds @ 1..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use claw_server::SessionId;
    use claw_server::event::InteractionKind;
    use serde_json::json;

    use super::super::requests::tests::request;
    use super::*;

    #[test]
    fn a_list_fits_into_the_terminal() {
        let long = "a long command ".repeat(20);
        let asked = [
            (
                "toolu_01AbCdEfGhIj",
                InteractionKind::Permission,
                "Bash",
                json!({"command": long}),
            ),
            (
                "toolu_01AbCdEfXyZz",
                InteractionKind::Plan,
                "ExitPlanMode",
                json!({"plan": "x"}),
            ),
            ("ask-7", InteractionKind::Dialog, "", json!({})),
        ];
        let mut pending = Vec::new();
        for (index, (id, kind, tool, input)) in asked.into_iter().enumerate() {
            let mut interaction = request(id, kind, tool, &input);
            interaction.expires_at_ms = (index != 1).then_some(90_000 * (index as i64 + 1));
            let session = SessionId::from(u128::MAX - index as u128);
            let one = json!({"session": session, "interaction": interaction, "isolated": true});
            pending.push(serde_json::from_value::<Pending>(one).unwrap());
        }
        let text = table(&pending, 1000, 80).to_string();
        let text = anstream::adapter::strip_str(&text).to_string();
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        insta::assert_snapshot!(text);
    }
}
