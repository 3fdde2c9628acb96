//! Interleaved rounds.

use std::error::Error;

use cpu_time::ProcessTime;
use serde_json::{Value, json};

use crate::corpus::{Corpus, Recorded};

/// How long and how often.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// How many times every contender is timed.
    pub(crate) rounds: usize,
    /// About how long one timing takes; the corpus is read as often as needed.
    pub(crate) millis: u64,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            rounds: 15,
            millis: 120,
        }
    }
}

impl Plan {
    /// Parses the arguments of a program. An argument that is not an option is a file.
    #[allow(dead_code)] // Not every program that includes this file has arguments.
    pub(crate) fn read(
        mut args: impl Iterator<Item = String>,
    ) -> Result<(Self, Vec<String>), Box<dyn Error>> {
        let mut plan = Self::default();
        let mut files = Vec::new();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--rounds" => {
                    plan.rounds = args.next().ok_or("--rounds needs a number")?.parse()?
                }
                "--millis" => {
                    plan.millis = args.next().ok_or("--millis needs a number")?.parse()?
                }
                _ => files.push(arg),
            }
        }
        if files.is_empty() {
            return Err("no files given: name the .ndjson files whose lines are to be read".into());
        }
        Ok((plan, files))
    }
}

/// One way to read a line.
pub(crate) struct Contender {
    name: &'static str,
    read: Box<dyn Fn(&[Recorded])>,
}

impl Contender {
    /// The loop is inside, so that the call per line is direct for every contender.
    pub(crate) fn new(name: &'static str, read: impl Fn(&Recorded) + 'static) -> Self {
        Self {
            name,
            read: Box::new(move |lines| lines.iter().for_each(&read)),
        }
    }

    /// One way to read all lines of a file.
    #[allow(dead_code)] // Not every program that includes this file has one.
    pub(crate) fn of_files(name: &'static str, read: impl Fn(&[Recorded]) + 'static) -> Self {
        let each = move |lines: &[Recorded]| lines.chunk_by(Recorded::is_beside).for_each(&read);
        Self {
            name,
            read: Box::new(each),
        }
    }

    /// Seconds on the processor for one pass over the corpus, averaged over `passes`.
    fn time(&self, corpus: &Corpus, passes: usize) -> f64 {
        let start = ProcessTime::now();
        for _ in 0..passes {
            (self.read)(corpus.lines());
        }
        start.elapsed().as_secs_f64() / passes as f64
    }
}

/// Times all contenders. Returns the seconds per pass of every round.
pub(crate) fn measure(plan: &Plan, corpus: &Corpus, contenders: &[Contender]) -> Value {
    // The first pass warms up and determines how many passes fill a round.
    let passes: Vec<usize> = contenders
        .iter()
        .map(|contender| {
            let wanted = plan.millis as f64 / 1000.0;
            (wanted / contender.time(corpus, 1)).ceil().clamp(1.0, 1e6) as usize
        })
        .collect();
    let mut seconds = vec![Vec::with_capacity(plan.rounds); contenders.len()];
    for round in 0..plan.rounds {
        for step in 0..contenders.len() {
            // Each round begins with another contender, so that none always follows the same one.
            let at = (round + step) % contenders.len();
            if let (Some(contender), Some(passes), Some(seconds)) =
                (contenders.get(at), passes.get(at), seconds.get_mut(at))
            {
                seconds.push(contender.time(corpus, *passes));
            }
        }
    }
    let seconds: serde_json::Map<String, Value> = contenders
        .iter()
        .zip(seconds)
        .map(|(contender, seconds)| (contender.name.to_owned(), json!(seconds)))
        .collect();
    json!({ "lines": corpus.len(), "bytes": corpus.bytes(), "seconds": seconds })
}
