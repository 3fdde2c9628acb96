//! One row of the fault table, with `rusty_claw`.

use std::time::{Duration, Instant};

use anyhow::Result;
use rusty_claw::messages::{ContentBlock, Message};
use rusty_claw::permission::{PermissionAnswer, PermissionAsk};
use rusty_claw::{Line, MessageStream, Options, Session, TurnOutcome, query};

use super::driver::{Call, Tally, drive};

/// Short limits, for the rows that reach them.
const START_TIMEOUT: Duration = Duration::from_secs(2);
const PERMISSION_TIMEOUT: Duration = Duration::from_secs(1);

/// The driver.
pub(super) fn main(args: &[String]) -> Result<()> {
    drive(args, run)
}

async fn run(call: Call) -> Result<&'static str> {
    let tally = &call.tally;
    let plain = Options::new().cli_path(&call.cli);
    let options = match call.row.as_str() {
        "query_exit_before_result" => return exit_in_query(plain, tally).await,
        "initialize_never" => plain.start_timeout(START_TIMEOUT),
        "permission_panics" => plain.can_use_tool(panics),
        "permission_never" => plain
            .permission_timeout(PERMISSION_TIMEOUT)
            .can_use_tool(|_: PermissionAsk| std::future::pending::<PermissionAnswer>()),
        _ => plain,
    };
    let (session, mut messages) = Session::start(options).await?;
    let turn = session.send("go").await?;
    let is_drop = call.is("drop_handle");
    if is_drop || call.is("interrupt_") {
        let read = read_to_first_text(&mut messages, tally).await;
        if is_drop {
            return Ok("dropped");
        }
        interrupt(&session, &call, read).await?;
    }
    let mut count = 0;
    while let Some(line) = messages.next().await {
        take(&line, tally);
        count += 1;
        if line.message().is_some_and(Message::is_final) {
            break;
        }
        call.rest(count).await;
    }
    let outcome = turn.await;
    tally.stop_clock();
    session.close().await;
    Ok(report(outcome, tally))
}

async fn panics(_: PermissionAsk) -> PermissionAnswer {
    panic!("the callback has a fault of its own")
}

/// A lost process is an error, not the end of the messages.
async fn exit_in_query(options: Options, tally: &Tally) -> Result<&'static str> {
    let mut query = query("go", options).await?;
    while let Some(received) = query.next().await {
        take(&Line::Message(received?), tally);
    }
    Ok(report(query.outcome().await, tally))
}

/// Interrupts a turn once as many messages are unread as the name of the row says.
async fn interrupt(session: &Session, call: &Call, read: u64) -> Result<()> {
    let wanted = call.row.rsplit('_').next().unwrap_or_default().parse()?;
    let unread = || session.lane_counts().delivered - read;
    // The row fails if they do not arrive in time.
    for _ in 0..600 {
        if unread() >= wanted {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    call.tally.note("unread", unread());
    let asked = Instant::now();
    session.interrupt().await?;
    call.tally.receipt(asked);
    Ok(())
}

/// Returns the number of lines.
async fn read_to_first_text(messages: &mut MessageStream, tally: &Tally) -> u64 {
    let mut read = 0;
    while let Some(line) = messages.next().await {
        read += 1;
        take(&line, tally);
        if matches!(line.message(), Some(Message::Assistant(_))) {
            break;
        }
    }
    read
}

/// Counts a line, and records what a row needs of it.
fn take(line: &Line, tally: &Tally) {
    let Line::Message(received) = line else {
        tally.note("not_json", line.raw().to_text());
        return;
    };
    match &received.message {
        Message::Assistant(_) => {
            let block = received.message.content_blocks().first();
            let text = block.and_then(ContentBlock::as_text);
            if text.is_some_and(|text| text.contains('\u{fffd}')) {
                tally.note("replaced", text);
                tally.note("raw_byte_kept", received.raw.as_bytes().contains(&0xff));
            }
            tally.message(text);
        }
        Message::Result(_) => tally.message(None),
        Message::Unknown(unknown) => {
            tally.note("unknown", unknown.name.as_str());
            tally.message(None);
        }
        _ => {}
    }
}

fn report(outcome: TurnOutcome, tally: &Tally) -> &'static str {
    let name = outcome.name();
    if !outcome.is_success() {
        tally.report(name, Some(outcome.to_string()));
    }
    name
}
