//! Measures the figures of the server crate that need a release build.
//!
//! ```text
//! server-bench decisions | slow_sink | sessions | speed
//! ```
//!
//! Records the figures of the group; see [`claw_testkit::figure`]. `CLAW_QUICK` selects smaller
//! sizes, and omits times.

#[path = "../../src/corpus.rs"]
mod corpus;
mod decisions;
mod load;
mod load_program;
#[path = "../../src/rounds.rs"]
mod rounds;
mod speed;

use claw_testkit::figure::{quick, record};
use sdk_bench::Failure;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let figures = match args[..] {
        // A time means something only on an idle machine, and not in a quick run.
        ["decisions" | "speed"] if quick() => Vec::new(),
        ["decisions"] => vec![decisions::figure()],
        ["speed"] => vec![speed::figure()?],
        ["slow_sink"] => vec![load::slow_sink()?],
        ["sessions"] => vec![load::sessions()?],
        [load::PROGRAM, ref args @ ..] => return load_program::run(args),
        _ => return Err("usage: server-bench decisions | slow_sink | sessions | speed".into()),
    };
    record(args[0], figures);
    Ok(())
}
