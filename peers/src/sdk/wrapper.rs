//! One row of the fault table, with `claude-wrapper`: a duplex session, as its guide recommends.

use std::time::{Duration, Instant};

use anyhow::Result;
use claude_wrapper::Claude;
use claude_wrapper::duplex::{
    DuplexOptions, DuplexSession, InboundEvent, PermissionDecision, PermissionHandler,
    PermissionRequest,
};
use claw_bench::sdk::driver::{Call, Tally, drive};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

pub(super) const PROGRAM: &str = "faults-wrapper";

pub(super) fn main(args: &[String]) -> Result<()> {
    drive(args, run)
}

async fn run(call: Call) -> Result<&'static str> {
    let tally = &call.tally;
    let claude = Claude::builder().binary(&call.cli).build()?;
    let plain = DuplexOptions::default();
    let options = match call.row.as_str() {
        "permission_never" => {
            plain.on_permission(PermissionHandler::new(|_| std::future::pending()))
        }
        "permission_panics" => plain.on_permission(PermissionHandler::new(panics)),
        _ => plain,
    };
    let session = DuplexSession::spawn(&claude, options).await?;
    let mut events = session.subscribe();
    if call.is("drop_handle") {
        let mut send = Box::pin(session.send("go"));
        loop {
            tokio::select! {
                turn = &mut send => { turn?; return Ok("ok") }
                event = events.recv() => if let Ok(InboundEvent::Assistant(_)) = event {
                    tally.message(None);
                    return Ok("dropped");
                },
            }
        }
    }
    if call.is("slow_reader") || call.is("flood") {
        let read = async {
            for count in 1.. {
                match events.recv().await {
                    Ok(event) => take(&event, tally),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => break,
                }
                call.rest(count).await;
            }
        };
        let turn = tokio::select! {
            () = read => return Ok("ends"),
            turn = session.send("go") => turn?,
        };
        // What the turn itself holds is complete; the subscriber is the one that was slow.
        loop {
            match events.try_recv() {
                Ok(event) => take(&event, tally),
                Err(TryRecvError::Lagged(_)) => {}
                Err(_) => break,
            }
        }
        tally.frame(&turn.result);
        session.close().await?;
        return Ok("ok");
    }
    let is_interrupt = call.is("interrupt_");
    let interrupt = async {
        if is_interrupt {
            tokio::time::sleep(Duration::from_millis(1500)).await;
            let asked = Instant::now();
            session.interrupt().await?;
            tally.receipt(asked);
        }
        anyhow::Ok(())
    };
    let (turn, interrupted) = tokio::join!(session.send("go"), interrupt);
    interrupted?;
    let turn = turn.inspect_err(|_| {
        // If the turn fails, the subscriber has received the earlier messages.
        while let Ok(event) = events.try_recv() {
            take(&event, tally);
        }
    })?;
    turn.events.iter().for_each(|event| tally.frame(event));
    tally.frame(&turn.result);
    tally.stop_clock();
    let closed = session.close().await;
    if is_interrupt {
        // The CLI may end with an error after a turn that was stopped; the row is not about it.
        return Ok("interrupted");
    }
    closed?;
    Ok("ok")
}

async fn panics(_: PermissionRequest) -> PermissionDecision {
    panic!("the callback has a fault of its own")
}

fn take(event: &InboundEvent, tally: &Tally) {
    if let InboundEvent::Assistant(frame) | InboundEvent::Other(frame) = event {
        tally.frame(frame);
    }
}
