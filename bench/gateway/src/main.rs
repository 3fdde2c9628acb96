//! Measures the figures of the gateway that need a release build.
//!
//! ```text
//! gateway-bench GROUP
//! ```
//!
//! Records the figures of the group; see [`claw_testkit::figure`]. The gateway runs in a process of
//! its own, on SQLite, with a stand-in for the CLI; the clients are in this one. All processes share
//! the processors of the machine. `CLAW_QUICK` selects smaller sizes.

mod bare;
mod client;
mod clients;
mod latency;
mod load;
mod peers;
mod percentiles;
mod processors;
mod served;
mod server;

use claw_testkit::figure::record;
use rustix::process::{Resource, getrlimit, setrlimit};

/// Any error.
type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    // Every client is a file descriptor in two processes.
    let mut files = getrlimit(Resource::Nofile);
    files.current = files.maximum;
    setrlimit(Resource::Nofile, files)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let figures = match args[..] {
        ["latency"] => runtime.block_on(latency::figures())?,
        ["load"] => runtime.block_on(load::figures())?,
        ["clients"] => runtime.block_on(clients::figures())?,
        ["peers"] => runtime.block_on(peers::figures())?,
        // The process that the figures start.
        [server::PROGRAM, folder] => return runtime.block_on(server::run(folder)),
        _ => return Err("usage: gateway-bench GROUP".into()),
    };
    for figure in &figures {
        println!("{}: {} (bar: {})", figure.name, figure.measured, figure.bar);
        figure.notes.iter().for_each(|note| println!("  {note}"));
    }
    record(args[0], figures);
    Ok(())
}
