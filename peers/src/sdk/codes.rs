//! One row of the fault table, with `claude-codes`: its asynchronous client.

use std::time::{Duration, Instant};

use anyhow::Result;
use claude_codes::{AsyncClient, ClaudeCliBuilder, ClaudeOutput};
use claw_bench::sdk::driver::{Call, drive};

pub(super) const PROGRAM: &str = "faults-codes";

pub(super) fn main(args: &[String]) -> Result<()> {
    drive(args, run)
}

async fn run(call: Call) -> Result<&'static str> {
    if call.is("permission_") {
        // The caller reads the question and writes the answer: there is no callback to break.
        return Ok("not offered");
    }
    let builder = ClaudeCliBuilder::new().command(&call.cli);
    let mut client = AsyncClient::from_builder(builder).await?;
    let mut stream = client.query_stream("go").await?;
    let (is_drop, is_interrupt) = (call.is("drop_handle"), call.is("interrupt_"));
    let mut count = 0;
    while let Some(output) = stream.next().await {
        count += 1;
        let output = output?;
        call.tally.frame(&serde_json::to_value(&output)?);
        if matches!(output, ClaudeOutput::Result(_)) {
            call.tally.stop_clock();
            return Ok("ok");
        }
        if (is_drop || is_interrupt) && matches!(output, ClaudeOutput::Assistant(_)) {
            break;
        }
        call.rest(count).await;
    }
    if is_drop {
        return Ok("dropped");
    }
    if !is_interrupt {
        return Ok("ends");
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let asked = Instant::now();
    client.interrupt().await?;
    // The receipt is one of the messages, behind all that are unread.
    loop {
        let output = client.receive().await?;
        call.tally.frame(&serde_json::to_value(&output)?);
        match output {
            ClaudeOutput::ControlResponse(_) => call.tally.receipt(asked),
            ClaudeOutput::Result(_) => return Ok("interrupted"),
            _ => {}
        }
    }
}
