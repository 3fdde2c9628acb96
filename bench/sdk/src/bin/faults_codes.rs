//! One row of the fault table, with `claude-codes`: its asynchronous client.

use std::time::{Duration, Instant};

use claude_codes::{AsyncClient, ClaudeCliBuilder, ClaudeOutput};
use sdk_bench::{Call, Failure, Tally, drive};

fn main() -> Result<(), Failure> {
    drive(run)
}

async fn run(call: Call, tally: Tally) -> Result<&'static str, Failure> {
    if call.row.starts_with("permission_") {
        // The caller reads the question and writes the answer: there is no callback to break.
        return Ok("not offered");
    }
    let builder = ClaudeCliBuilder::new().command(&call.cli);
    let mut client = AsyncClient::from_builder(builder).await?;
    let mut stream = client.query_stream("go").await?;
    let is_drop = call.row.starts_with("drop_handle");
    let is_interrupt = call.row.starts_with("interrupt_");
    let mut count = 0_u64;
    while let Some(output) = stream.next().await {
        count += 1;
        let output = output?;
        take(&output, &tally)?;
        if matches!(output, ClaudeOutput::Result(_)) {
            tally.stop_clock();
            return Ok("ok");
        }
        if (is_drop || is_interrupt) && matches!(output, ClaudeOutput::Assistant(_)) {
            break;
        }
        let is_hundredth = call.row == "flood_100000" && count.is_multiple_of(100);
        if call.row == "slow_reader_3003" || is_hundredth {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
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
        take(&output, &tally)?;
        match output {
            ClaudeOutput::ControlResponse(_) => {
                tally.note("receipt_ms", asked.elapsed().as_secs_f64() * 1e3);
            }
            ClaudeOutput::Result(_) => return Ok("interrupted"),
            _ => {}
        }
    }
}

fn take(output: &ClaudeOutput, tally: &Tally) -> Result<(), Failure> {
    tally.frame(&serde_json::to_value(output)?);
    Ok(())
}
