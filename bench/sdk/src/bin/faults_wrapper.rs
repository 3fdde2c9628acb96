//! One row of the fault table, with `claude-wrapper`: a duplex session, as its guide recommends.

use std::time::{Duration, Instant};

use claude_wrapper::Claude;
use claude_wrapper::duplex::{
    DuplexOptions, DuplexSession, InboundEvent, PermissionDecision, PermissionHandler,
};
use sdk_bench::{Call, Failure, Tally, drive};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

fn main() -> Result<(), Failure> {
    drive(run)
}

async fn run(call: Call, tally: Tally) -> Result<&'static str, Failure> {
    let claude = Claude::builder().binary(&call.cli).build()?;
    let options = match call.row.as_str() {
        "permission_never" => {
            DuplexOptions::default().on_permission(PermissionHandler::new(|_| {
                std::future::pending::<PermissionDecision>()
            }))
        }
        "permission_panics" => {
            DuplexOptions::default().on_permission(PermissionHandler::new(panics))
        }
        _ => DuplexOptions::default(),
    };
    let session = DuplexSession::spawn(&claude, options).await?;
    let mut events = session.subscribe();
    match call.row.as_str() {
        "drop_handle" | "drop_handle_stubborn" => {
            let mut send = Box::pin(session.send("go"));
            loop {
                tokio::select! {
                    turn = &mut send => { turn?; return Ok("ok") }
                    event = events.recv() => if let Ok(InboundEvent::Assistant(_)) = event {
                        tally.message(None);
                        break;
                    },
                }
            }
            drop(send);
            Ok("dropped")
        }
        "slow_reader_3003" | "flood_100000" => {
            let every = if call.row == "flood_100000" { 100 } else { 1 };
            let mut count = 0_u64;
            let read = async {
                loop {
                    match events.recv().await {
                        Ok(event) => take(&event, &tally),
                        Err(RecvError::Lagged(lost)) => tally.note("lagged", lost),
                        Err(RecvError::Closed) => break,
                    }
                    count += 1;
                    if count.is_multiple_of(every) {
                        tokio::time::sleep(Duration::from_millis(2)).await;
                    }
                }
            };
            let turn = tokio::select! {
                () = read => return Ok("ends"),
                turn = session.send("go") => turn?,
            };
            // What the turn itself holds is complete; the subscriber is the one that was slow.
            tally.note("in_turn", turn.events.len());
            loop {
                match events.try_recv() {
                    Ok(event) => take(&event, &tally),
                    Err(TryRecvError::Lagged(lost)) => tally.note("lagged", lost),
                    Err(_) => break,
                }
            }
            tally.frame(&turn.result);
            session.close().await?;
            Ok("ok")
        }
        "interrupt_unread_3000" | "interrupt_unread_10000" => {
            let interrupt = async {
                tokio::time::sleep(Duration::from_millis(1500)).await;
                let asked = Instant::now();
                let receipt = session.interrupt().await;
                tally.note("receipt_ms", asked.elapsed().as_secs_f64() * 1e3);
                receipt
            };
            let (turn, receipt) = tokio::join!(session.send("go"), interrupt);
            receipt?;
            let turn = turn?;
            turn.events.iter().for_each(|event| tally.frame(event));
            tally.frame(&turn.result);
            tally.stop_clock();
            // The CLI may end with an error after a turn that was stopped; the row is not about it.
            let _ = session.close().await;
            Ok("interrupted")
        }
        _ => {
            // If the turn fails, the subscriber has received the earlier messages.
            let turn = match session.send("go").await {
                Ok(turn) => turn,
                Err(error) => {
                    while let Ok(event) = events.try_recv() {
                        take(&event, &tally);
                    }
                    return Err(error.into());
                }
            };
            turn.events.iter().for_each(|event| tally.frame(event));
            tally.frame(&turn.result);
            tally.stop_clock();
            session.close().await?;
            Ok("ok")
        }
    }
}

#[expect(clippy::panic, reason = "the row is about a callback that panics")]
async fn panics(_: claude_wrapper::duplex::PermissionRequest) -> PermissionDecision {
    panic!("the callback has a fault of its own")
}

fn take(event: &InboundEvent, tally: &Tally) {
    if let InboundEvent::Assistant(frame) | InboundEvent::Other(frame) = event {
        tally.frame(frame);
    }
}
