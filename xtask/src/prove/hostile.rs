//! Hostile lines.
//!
//! They are read in a process of their own, because a line that exhausts the stack ends the
//! process: then the line counts as a panic, and another process goes on behind it.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use claw_testkit::hostile::{self, Expect, HostileLine};
use rusty_claw_protocol::Line;

use super::figure::Figure;

const HUGE: usize = 64 << 20;
/// Each seed breaks the lines in other places.
const SEEDS: u64 = 10;
/// Nested text must not eat the stack, also not the small one that threads get.
const STACK: usize = 2 << 20;

/// What can go wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Panicked,
    NotDecoded,
    Wrong,
    /// Read, but not within its time: whoever sends such lines stops the session.
    Slow,
}

impl Fault {
    const ALL: [Self; 4] = [Self::Panicked, Self::NotDecoded, Self::Wrong, Self::Slow];
}

/// How long a line may take: far more than any honest line needs, and linear in its length.
fn budget(bytes: usize, is_debug: bool) -> Duration {
    let released = Duration::from_secs(2) + Duration::from_secs_f64(bytes as f64 / 1e6);
    // Code that was not optimised is slow in a way that says nothing.
    if is_debug { released * 20 } else { released }
}

/// Which lines to read in this process; used by the proof itself.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(long)]
    seed: u64,
    /// How many lines to leave out at the beginning.
    #[arg(long)]
    from: usize,
}

/// What the processes found.
#[derive(Debug, Default)]
struct Found {
    kinds: usize,
    lines: usize,
    faults: Vec<(Fault, String)>,
}

pub(crate) fn figure(quick: bool) -> Result<Figure> {
    let found = all_lines(if quick { SEEDS / 10 } else { SEEDS })?;
    let count = |wanted: Fault| {
        found
            .faults
            .iter()
            .filter(|(fault, _)| *fault == wanted)
            .count()
    };
    Ok(Figure::new(
        "hostile lines (at least 80 mutations and a 64 MB line): panics / failures / wrong type or lost end of turn",
        "0 / 0 / 0",
    )
    .measured(
        format!(
            "{} / {} / {} ({} mutations)",
            count(Fault::Panicked),
            count(Fault::NotDecoded) + count(Fault::Slow),
            count(Fault::Wrong),
            found.kinds
        ),
        found.faults.is_empty() && found.kinds >= 80 && found.lines > found.kinds,
    )
    .note(format!("{} lines in all: every mutation with several seeds, and one of 64 MB; read on a stack of 2 MB", found.lines))
    .note("a line that takes longer than 2 s and 1 s for each megabyte is a failure (20 times that in a debug build)")
    .list("faults", found.faults.iter().map(|(fault, name)| format!("{fault:?}: {name}"))))
}

fn all_lines(seeds: u64) -> Result<Found> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let mut found = Found::default();
    for seed in 0..seeds.max(1) {
        let before = found.lines;
        loop {
            let output = Command::new(&program)
                .args(["prove", "hostile-lines", "--seed", &seed.to_string()])
                .args(["--from", &(found.lines - before).to_string()])
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .output()
                .context("cannot start the process that reads hostile lines")?;
            if found.take(&String::from_utf8_lossy(&output.stdout))? {
                break;
            }
        }
    }
    Ok(found)
}

impl Found {
    /// Takes in what a process printed; whether it came to its end.
    fn take(&mut self, printed: &str) -> Result<bool> {
        let before = self.lines;
        let mut reading = None;
        for line in printed.lines() {
            let (what, rest) = line.split_once('\t').unwrap_or((line, ""));
            match what {
                "kinds" => self.kinds = rest.parse().context("not a number of kinds")?,
                "reads" => {
                    self.lines += 1;
                    reading = Some(rest.to_owned());
                }
                "end" => return Ok(true),
                "ok" => reading = None,
                fault => {
                    let fault = Fault::ALL
                        .into_iter()
                        .find(|known| format!("{known:?}") == fault)
                        .with_context(|| format!("a process printed `{line}`"))?;
                    self.faults.push((fault, rest.to_owned()));
                    reading = None;
                }
            }
        }
        ensure!(
            self.lines > before,
            "a process that reads hostile lines did not start"
        );
        if let Some(name) = reading {
            self.faults
                .push((Fault::Panicked, format!("{name} (the process died)")));
        }
        Ok(false)
    }
}

/// Reads the lines and prints what becomes of each.
pub(crate) fn run(args: &Args) -> Result<()> {
    let (seed, from) = (args.seed, args.from);
    let worker = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || read_lines(seed, from))
        .context("cannot start a thread")?;
    worker.join().map_err(|_| {
        anyhow::anyhow!("the thread that read hostile lines panicked outside of a line")
    })?
}

fn read_lines(seed: u64, from: usize) -> Result<()> {
    let mut out = std::io::stdout();
    let mut batch = hostile::lines(seed);
    writeln!(out, "kinds\t{}", batch.len())?;
    if seed == 0 {
        batch.push(hostile::huge_line(HUGE));
    }
    let watch = Watch::start()?;
    for line in batch.into_iter().skip(from) {
        let name = format!("{}, seed {seed}", line.name.replace(['\t', '\n'], " "));
        // Flushed before the line is read, so that it is known which one ended the process.
        writeln!(out, "reads\t{name}")?;
        out.flush()?;
        let budget = budget(line.bytes.len(), cfg!(debug_assertions));
        watch.expect_by(&name, budget * 2);
        match fault(&line, budget) {
            Some(fault) => writeln!(out, "{fault:?}\t{name}")?,
            None => writeln!(out, "ok")?,
        }
    }
    watch.rest();
    writeln!(out, "end")?;
    Ok(())
}

/// Ends the process when a line is never done, so that the next process can go on behind it.
#[derive(Debug, Clone, Default)]
struct Watch(Arc<Mutex<Option<(String, Instant)>>>);

impl Watch {
    fn start() -> Result<Self> {
        let watch = Self::default();
        let seen = watch.clone();
        std::thread::Builder::new()
            .spawn(move || {
                loop {
                    std::thread::sleep(Duration::from_millis(100));
                    if let Some(name) = seen.overdue(Instant::now()) {
                        println!("{:?}\t{name}", Fault::Slow);
                        std::process::exit(1);
                    }
                }
            })
            .context("cannot start a thread")?;
        Ok(watch)
    }

    fn expect_by(&self, name: &str, time: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((name.to_owned(), Instant::now() + time));
    }

    fn rest(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn overdue(&self, now: Instant) -> Option<String> {
        let waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, end) = waiting.as_ref()?;
        (now > *end).then(|| name.clone())
    }
}

fn fault(line: &HostileLine, budget: Duration) -> Option<Fault> {
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let decoded = Line::decode(line.bytes.clone());
        if decoded.raw().as_bytes() != line.bytes {
            return Some(Fault::NotDecoded);
        }
        match (&line.expect, decoded.message()) {
            (Expect::Message { .. }, None) => Some(Fault::NotDecoded),
            (
                Expect::Message {
                    message_type,
                    is_final,
                },
                Some(message),
            ) => {
                let same = message.message_type() == message_type
                    && message.is_final() == *is_final
                    && (line.subtype.is_none() || message.subtype() == line.subtype.as_deref());
                (!same).then_some(Fault::Wrong)
            }
            (Expect::NotJson, None) => None,
            (Expect::NotJson, Some(_)) => Some(Fault::Wrong),
        }
    }));
    let slow = (start.elapsed() > budget).then_some(Fault::Slow);
    outcome.unwrap_or(Some(Fault::Panicked)).or(slow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_dies_while_it_reads_is_a_panic() {
        let mut found = Found::default();
        let printed = "kinds\t9\nreads\ta\nok\nreads\tb\nWrong\tb\nreads\tc\n";
        assert!(!found.take(printed).unwrap());
        assert_eq!((found.kinds, found.lines), (9, 3));
        let faults: Vec<Fault> = found.faults.iter().map(|(fault, _)| *fault).collect();
        assert_eq!(faults, [Fault::Wrong, Fault::Panicked]);
        assert!(found.take("kinds\t9\nreads\td\nok\nend\n").unwrap());
        assert_eq!((found.lines, found.faults.len()), (4, 2));
        assert!(found.take("").is_err());
    }

    #[test]
    fn a_line_that_is_not_what_was_expected_is_a_fault() {
        let line = |bytes: &str, expect: Expect| HostileLine {
            name: String::new(),
            bytes: bytes.as_bytes().to_vec(),
            expect,
            subtype: None,
        };
        let fault = |line: &HostileLine| fault(line, Duration::MAX);
        let result = |is_final| Expect::Message {
            message_type: "result".to_owned(),
            is_final,
        };
        let text = r#"{"type":"result","subtype":"success"}"#;
        assert_eq!(fault(&line(text, result(true))), None);
        assert_eq!(fault(&line(text, result(false))), Some(Fault::Wrong));
        assert_eq!(fault(&line(text, Expect::NotJson)), Some(Fault::Wrong));
        assert_eq!(fault(&line("x", result(true))), Some(Fault::NotDecoded));
        assert_eq!(fault(&line("x", Expect::NotJson)), None);
    }

    #[test]
    fn a_line_with_another_subtype_is_wrong() {
        let mut line = HostileLine {
            name: String::new(),
            bytes: br#"{"type":"result","subtype":"success"}"#.to_vec(),
            expect: Expect::Message {
                message_type: "result".to_owned(),
                is_final: true,
            },
            subtype: Some("success".to_owned()),
        };
        assert_eq!(fault(&line, Duration::MAX), None);
        line.subtype = Some("error_max_turns".to_owned());
        assert_eq!(fault(&line, Duration::MAX), Some(Fault::Wrong));
    }

    #[test]
    fn a_slow_line_is_a_fault_and_budgets_grow_with_the_line() {
        let line = HostileLine {
            name: String::new(),
            bytes: b"x".to_vec(),
            expect: Expect::NotJson,
            subtype: None,
        };
        assert_eq!(fault(&line, Duration::ZERO), Some(Fault::Slow));
        assert_eq!(budget(0, false), Duration::from_secs(2));
        assert_eq!(budget(64_000_000, false), Duration::from_secs(66));
        assert!(budget(0, true) > budget(0, false));
        let mut found = Found::default();
        assert!(!found.take("kinds\t9\nreads\ta\nSlow\ta\n").unwrap());
        assert_eq!(found.faults, [(Fault::Slow, "a".to_owned())]);
    }

    #[test]
    fn a_line_that_is_never_done_is_overdue() {
        let watch = Watch::default();
        let now = Instant::now();
        assert_eq!(watch.overdue(now), None);
        watch.expect_by("a", Duration::ZERO);
        assert_eq!(
            watch.overdue(now + Duration::from_secs(1)).as_deref(),
            Some("a")
        );
        watch.rest();
        assert_eq!(watch.overdue(now + Duration::from_secs(1)), None);
    }
}
