//! Memory and attach time as the number of sessions grows.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use claw_store::{Live, Log as _};
use claw_testkit::figure::{Bar, Figure, quick};
use futures_util::StreamExt as _;

use super::loaded::{EVENTS, key, load};
use super::{ms, open, percentile, resident_kib, rounds, spread};
use crate::Failure;

/// How many sessions a process attaches to.
const ATTACHED: u64 = 500;

pub(crate) async fn figures() -> Result<Vec<Figure>, Failure> {
    let sizes: &[u64] = match quick() {
        true => &[500, 1_000],
        false => &[1_000, 10_000, 100_000],
    };
    let dir = tempfile::tempdir()?;
    let mut cases = Vec::new();
    for sessions in sizes {
        let path = dir.path().join(format!("{sessions}.db"));
        load(&path, *sessions).await?;
        cases.push((*sessions, path, Vec::new()));
    }
    for _ in 0..rounds() {
        for (sessions, path, runs) in &mut cases {
            runs.push(child(path, *sessions)?);
        }
    }
    let mut rows = Vec::new();
    let (mut medians, mut ratios) = (Vec::new(), Vec::new());
    for (sessions, _, runs) in &cases {
        let column = |index: usize| spread(&runs.iter().map(|run| run[index]).collect::<Vec<_>>());
        let (p50, p99, opened, attached) = (column(0)?, column(1)?, column(2)?, column(3)?);
        medians.push(p50.median);
        rows.push(format!(
            "{sessions} sessions: attach p50 {:.3} ms ({:.3}–{:.3}), p99 {:.2} ms; memory {:.1} MB after the start, {:.1} MB with {ATTACHED} followed sessions",
            p50.median, p50.min, p50.max, p99.median, opened.median / 1e3, attached.median / 1e3
        ));
    }
    let (first, last) = (&cases[0].2, &cases[cases.len() - 1].2);
    for (first, last) in first.iter().zip(last) {
        ratios.push(last[0] / first[0]);
    }
    let ratio = spread(&ratios)?;
    let name =
        "memory of engine and client, and attach time at 1,000 / 10,000 / 100,000 sessions: SQLite";
    let values: Vec<String> = medians.iter().map(|value| format!("{value:.2}")).collect();
    let text = format!(
        "{} ms, {:.2}× ({:.2}–{:.2}) from first to last",
        values.join(" / "),
        ratio.median,
        ratio.min,
        ratio.max
    );
    let figure = Figure::new(name, "printed; attach ≤ 2× from first to last");
    Ok(vec![
        figure
            .judged(text, ratio, Bar::AtMost(2.0))
            .list("sizes", rows)
            .note(format!("sessions of {EVENTS} events of 1 KB; attach: follow a session from the start until its first event; {} rounds, each in a process of its own with {ATTACHED} attachments spread over all sessions", rounds())),
    ])
}

/// Runs [`attach`] in a process of its own.
fn child(path: &Path, sessions: u64) -> Result<Vec<f64>, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    let command = command.arg("attach").arg(path).arg(sessions.to_string());
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let values = text.split_whitespace().map(str::parse);
    Ok(values.collect::<Result<Vec<f64>, _>>()?)
}

/// Attaches to sessions and prints the p50 and the p99 of the times in milliseconds, and the
/// resident KiB before and afterwards.
pub(crate) async fn attach(path: &str, sessions: &str) -> Result<(), Failure> {
    let sessions: u64 = sessions.parse()?;
    let store = open(&PathBuf::from(path)).await?;
    let opened = resident_kib()?;
    let (mut times, mut streams) = (Vec::new(), Vec::new());
    // The connections that read are opened and the statements compiled by the first ones.
    let warm_up = 20;
    for number in 0..ATTACHED.min(sessions) {
        let key = key(1 + number * sessions / ATTACHED.min(sessions))?;
        let start = Instant::now();
        let mut stream = store.follow(&key, 0).await?;
        match stream.next().await.ok_or("the stream has ended")?? {
            Live::Event(event) if event.sequence == 1 => {}
            live => return Err(format!("{live:?} comes first").into()),
        }
        if number >= warm_up {
            times.push(ms(start.elapsed()));
        }
        streams.push(stream);
    }
    let attached = resident_kib()?;
    let (p50, p99) = (percentile(&mut times, 0.5)?, percentile(&mut times, 0.99)?);
    println!("{p50} {p99} {opened} {attached}");
    Ok(())
}
