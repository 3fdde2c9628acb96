//! One row of the fault table, with `rusty_claw`.

use std::time::{Duration, Instant};

use rusty_claw::messages::{ContentBlock, Message};
use rusty_claw::permission::{PermissionAnswer, PermissionAsk};
use rusty_claw::{Line, MessageStream, Options, Session, TurnOutcome, query};
use sdk_bench::{Call, Failure, Tally, drive};

/// Short limits, for the rows that reach them.
const START_TIMEOUT: Duration = Duration::from_secs(2);
const PERMISSION_TIMEOUT: Duration = Duration::from_secs(1);

fn main() -> Result<(), Failure> {
    drive(run)
}

async fn run(call: Call, tally: Tally) -> Result<&'static str, Failure> {
    let options = Options::new().cli_path(&call.cli);
    match call.row.as_str() {
        "initialize_never" => {
            let options = options.start_timeout(START_TIMEOUT);
            whole_turn(options, &tally, |_| None).await
        }
        "slow_reader_3003" => {
            let each = |_| Some(Duration::from_millis(2));
            whole_turn(options, &tally, each).await
        }
        "flood_100000" => {
            let hundredth = |count: u64| {
                count
                    .is_multiple_of(100)
                    .then_some(Duration::from_millis(2))
            };
            whole_turn(options, &tally, hundredth).await
        }
        "permission_never" => {
            let options = options
                .permission_timeout(PERMISSION_TIMEOUT)
                .can_use_tool(|_: PermissionAsk| std::future::pending::<PermissionAnswer>());
            whole_turn(options, &tally, |_| None).await
        }
        "permission_panics" => {
            let options = options.can_use_tool(panics);
            whole_turn(options, &tally, |_| None).await
        }
        "drop_handle" | "drop_handle_stubborn" => {
            let (session, mut messages) = Session::start(options).await?;
            let _turn = session.send("go").await?;
            read_to_first_text(&mut messages, &tally).await;
            Ok("dropped")
        }
        "interrupt_unread_3000" => interrupt(options, &tally, 3_000).await,
        "interrupt_unread_10000" => interrupt(options, &tally, 10_000).await,
        "query_exit_before_result" => exit_in_query(options, &tally).await,
        _ => whole_turn(options, &tally, |_| None).await,
    }
}

#[expect(clippy::panic, reason = "the row is about a callback that panics")]
async fn panics(_: PermissionAsk) -> PermissionAnswer {
    panic!("the callback has a fault of its own")
}

/// One prompt, all its messages, its outcome, the end. `rest` is how long the reader sleeps after
/// so many messages.
async fn whole_turn(
    options: Options,
    tally: &Tally,
    rest: impl Fn(u64) -> Option<Duration>,
) -> Result<&'static str, Failure> {
    let (session, mut messages) = Session::start(options).await?;
    let turn = session.send("go").await?;
    let mut count = 0;
    while let Some(line) = messages.next().await {
        take(&line, tally);
        count += 1;
        if line.message().is_some_and(Message::is_final) {
            break;
        }
        if let Some(rest) = rest(count) {
            tokio::time::sleep(rest).await;
        }
    }
    let outcome = turn.await;
    tally.stop_clock();
    let closed = session.close().await;
    tally.note("closed_by", closed.by.to_string());
    Ok(report(outcome, tally))
}

/// A lost process is an error, not the end of the messages.
async fn exit_in_query(options: Options, tally: &Tally) -> Result<&'static str, Failure> {
    let mut query = query("go", options).await?;
    while let Some(received) = query.next().await {
        let received = received?;
        take(&Line::Message(received), tally);
    }
    Ok(report(query.outcome().await, tally))
}

/// Interrupts a turn of which almost nothing was read, then reads it.
async fn interrupt(options: Options, tally: &Tally, unread: u64) -> Result<&'static str, Failure> {
    let (session, mut messages) = Session::start(options).await?;
    let turn = session.send("go").await?;
    let read = read_to_first_text(&mut messages, tally).await;
    // The row fails if they do not arrive in time.
    for _ in 0..600 {
        if session.lane_counts().delivered - read >= unread {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tally.note("unread", session.lane_counts().delivered - read);
    let asked = Instant::now();
    session.interrupt().await?;
    tally.note("receipt_ms", asked.elapsed().as_secs_f64() * 1e3);
    while let Some(line) = messages.next().await {
        take(&line, tally);
        if line.message().is_some_and(Message::is_final) {
            break;
        }
    }
    let outcome = turn.await;
    tally.stop_clock();
    session.close().await;
    Ok(report(outcome, tally))
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
            let text = received.message.content_blocks().first().and_then(text);
            if text.is_some_and(|text| text.contains('\u{fffd}')) {
                tally.note("replaced", text);
                let raw = received.raw.as_bytes();
                tally.note("raw_byte_kept", raw.contains(&0xff));
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

fn text(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::Text { text, .. } => Some(text),
        _ => None,
    }
}

fn report(outcome: TurnOutcome, tally: &Tally) -> &'static str {
    let name = outcome.name();
    if !outcome.is_success() {
        tally.report(name, Some(outcome.to_string()));
    }
    name
}
