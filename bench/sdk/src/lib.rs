//! What the fault drivers share: they count messages and report in one line of JSON.
//!
//! A driver is called as `driver CLI ROW SECONDS`. It runs one query, prints its report and waits
//! for the end of its standard input, so that the processes it has left can be listed.

mod played;

use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

pub use played::play_one_turn;

/// Any error.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The arguments of a driver.
#[derive(Debug, Clone)]
pub struct Call {
    /// The program that plays the CLI.
    pub cli: PathBuf,
    /// The row of the table.
    pub row: String,
    /// After this time the driver reports a hang.
    pub limit: Duration,
}

impl Call {
    /// Reads the command line.
    pub fn read() -> Result<Self, Failure> {
        let args: Vec<String> = std::env::args().skip(1).collect();
        let [cli, row, seconds] = args.as_slice() else {
            return Err("usage: driver CLI ROW SECONDS".into());
        };
        Ok(Self {
            cli: cli.into(),
            row: row.clone(),
            limit: Duration::from_secs(seconds.parse()?),
        })
    }
}

/// Counts what a query delivers.
#[derive(Debug, Clone)]
pub struct Tally(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    began: Instant,
    messages: u64,
    /// The last number in a text such as `message 17 of 3000`.
    number: u64,
    ordered: bool,
    notes: Map<String, Value>,
    reported: bool,
}

impl Tally {
    /// Starts to count. Reports a hang if nothing was reported within the limit.
    pub fn start(limit: Duration) -> Self {
        let tally = Self(Arc::new(Mutex::new(State {
            began: Instant::now(),
            messages: 0,
            number: 0,
            ordered: true,
            notes: Map::new(),
            reported: false,
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
        state.messages += 1;
        if let Some(number) = text.and_then(number) {
            state.ordered &= number == state.number + 1;
            state.number = number;
        }
    }

    /// A message as JSON; only messages of the turn count.
    pub fn frame(&self, frame: &Value) {
        match frame["type"].as_str() {
            Some("assistant") => {
                self.message(frame["message"]["content"][0]["text"].as_str());
            }
            Some("result" | "from_the_future") => self.message(None),
            _ => {}
        }
    }

    /// Adds a value to the report.
    pub fn note(&self, name: &str, value: impl Into<Value>) {
        self.state().notes.insert(name.to_owned(), value.into());
    }

    /// Sets the time to report, instead of the time of the report.
    pub fn stop_clock(&self) {
        let mut state = self.state();
        if !state.notes.contains_key("ms") {
            let ms = state.began.elapsed().as_secs_f64() * 1e3;
            state.notes.insert("ms".to_owned(), ms.into());
        }
    }

    /// Prints the report, once.
    pub fn report(&self, outcome: &str, error: Option<String>) {
        self.stop_clock();
        let mut state = self.state();
        if state.reported {
            return;
        }
        state.reported = true;
        let mut report = std::mem::take(&mut state.notes);
        report.insert("outcome".to_owned(), outcome.into());
        report.insert("messages".to_owned(), state.messages.into());
        report.insert("ordered".to_owned(), state.ordered.into());
        let error = error.map(|error| error.chars().take(200).collect::<String>());
        report.insert("error".to_owned(), json!(error));
        report.insert("peak_kib".to_owned(), peak_kib().into());
        println!("{}", Value::Object(report));
    }
}

/// The 17 of `message 17 of 3000`.
fn number(text: &str) -> Option<u64> {
    let rest = text.strip_prefix("message ")?;
    rest.split(' ').next()?.parse().ok()
}

/// The peak memory of this process.
pub fn peak_kib() -> u64 {
    status_kib("VmHWM:")
}

/// The current memory of this process.
pub fn resident_kib() -> u64 {
    status_kib("VmRSS:")
}

fn status_kib(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let value = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = value.map(|value| value.trim().trim_end_matches(" kB").trim().parse());
    kib.and_then(Result::ok).unwrap_or_default()
}

/// Runs a driver's query and waits for the end of standard input.
pub fn drive<F>(query: impl FnOnce(Call, Tally) -> F) -> Result<(), Failure>
where
    F: Future<Output = Result<&'static str, Failure>>,
{
    let call = Call::read()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let tally = Tally::start(call.limit);
    let result = tally.clone();
    runtime.spawn_blocking(move || {
        // Also if the query never returns.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    match runtime.block_on(query(call, tally)) {
        Ok(outcome) => result.report(outcome, None),
        Err(error) => result.report("error", Some(error.to_string())),
    }
    loop {
        std::thread::park();
    }
}
