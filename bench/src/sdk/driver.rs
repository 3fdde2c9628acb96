//! What the drivers of faults share: they count messages and report in one line of JSON.
//!
//! A driver is called with `CLI ROW SECONDS`. It runs one query, prints its report and waits for the
//! end of its standard input, so that the processes it has left can be listed.

use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::process::{peak_kib, runtime};

/// The arguments of a driver.
#[derive(Debug, Clone)]
pub struct Call {
    /// The program that plays the CLI.
    pub cli: PathBuf,
    /// The row of the table.
    pub row: String,
    /// Counts what the query delivers.
    pub tally: Tally,
}

impl Call {
    /// Whether the row has this prefix.
    pub fn is(&self, prefix: &str) -> bool {
        self.row.starts_with(prefix)
    }

    /// Sleeps as the reader of the row does after so many messages.
    pub async fn rest(&self, count: u64) {
        let every = match self.row.as_str() {
            "slow_reader_3003" => 1,
            "flood_100000" => 100,
            _ => return,
        };
        if count.is_multiple_of(every) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

/// What a driver prints.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Report {
    /// How the query ended: `hang` if it did not.
    pub outcome: String,
    /// The number of messages of the turn.
    pub messages: u64,
    /// Whether their numbers were in order.
    pub ordered: bool,
    /// The error that ended the query.
    pub error: Option<String>,
    /// How long it took.
    pub ms: f64,
    /// The most memory of the driver.
    pub peak_kib: u64,
    /// How long an interrupt took, from the call to the receipt.
    pub receipt_ms: Option<f64>,
    /// What else a row asks for.
    #[serde(flatten)]
    pub notes: Map<String, Value>,
}

/// Counts what a query delivers.
#[derive(Debug, Clone)]
pub struct Tally(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    began: Instant,
    report: Report,
    /// The last number in a text such as `message 17 of 3000`.
    number: u64,
    printed: bool,
}

impl Tally {
    /// Starts to count. Reports a hang if nothing was reported within the limit.
    fn start(limit: Duration) -> Self {
        let tally = Self(Arc::new(Mutex::new(State {
            began: Instant::now(),
            report: Report {
                ordered: true,
                ..Report::default()
            },
            number: 0,
            printed: false,
        })));
        let watched = tally.clone();
        std::thread::spawn(move || {
            std::thread::sleep(limit);
            watched.report("hang", None);
        });
        tally
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A message of the turn with this text, where it has one.
    pub fn message(&self, text: Option<&str>) {
        let mut state = self.state();
        state.report.messages += 1;
        if let Some(number) = text.and_then(number_in) {
            state.report.ordered &= number == state.number + 1;
            state.number = number;
        }
    }

    /// A message as JSON; only messages of the turn count.
    pub fn frame(&self, frame: &Value) {
        match frame["type"].as_str() {
            Some("assistant") => self.message(frame["message"]["content"][0]["text"].as_str()),
            Some("result" | "from_the_future") => self.message(None),
            _ => {}
        }
    }

    /// Adds a value to the report.
    pub fn note(&self, name: &str, value: impl Into<Value>) {
        self.state()
            .report
            .notes
            .insert(name.to_owned(), value.into());
    }

    /// The receipt of an interrupt that was requested at that time.
    pub fn receipt(&self, asked: Instant) {
        self.state().report.receipt_ms = Some(asked.elapsed().as_secs_f64() * 1e3);
    }

    /// Sets the time to report, instead of the time of the report.
    pub fn stop_clock(&self) {
        let mut state = self.state();
        if state.report.ms == 0.0 {
            state.report.ms = state.began.elapsed().as_secs_f64() * 1e3;
        }
    }

    /// Prints the report, once.
    pub fn report(&self, outcome: &str, error: Option<String>) {
        self.stop_clock();
        let mut state = self.state();
        if std::mem::replace(&mut state.printed, true) {
            return;
        }
        let report = Report {
            outcome: outcome.to_owned(),
            error: error.map(|error| error.chars().take(200).collect()),
            peak_kib: peak_kib(std::process::id()).unwrap_or_default(),
            ..std::mem::take(&mut state.report)
        };
        println!("{}", serde_json::to_string(&report).unwrap_or_default());
    }
}

/// The 17 of `message 17 of 3000`.
pub(crate) fn number_in(text: &str) -> Option<u64> {
    let rest = text.strip_prefix("message ")?;
    rest.split(' ').next()?.parse().ok()
}

/// Runs a driver's query, which returns its outcome, and waits for the end of standard input.
///
/// # Errors
/// Returns an error if the arguments are not `CLI ROW SECONDS`.
pub fn drive<F>(args: &[String], query: impl FnOnce(Call) -> F) -> Result<()>
where
    F: Future<Output = Result<&'static str>>,
{
    let [cli, row, seconds] = args else {
        bail!("usage: CLI ROW SECONDS");
    };
    let runtime = runtime()?;
    let tally = Tally::start(Duration::from_secs(seconds.parse()?));
    let call = Call {
        cli: cli.into(),
        row: row.clone(),
        tally: tally.clone(),
    };
    // Also if the query never returns.
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    match runtime.block_on(query(call)) {
        Ok(outcome) => tally.report(outcome, None),
        Err(error) => tally.report("error", Some(error.to_string())),
    }
    loop {
        std::thread::park();
    }
}
