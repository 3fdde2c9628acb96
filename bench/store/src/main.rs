//! Measures the figures of the store that need a release build.
//!
//! ```text
//! store-bench GROUP
//! ```
//!
//! Records the figures of the group; see [`claw_testkit::figure`]. `CLAW_QUICK` selects smaller
//! sizes.

mod jetstream;
mod long_session;
mod open;
mod sqlite;

use claw_testkit::figure::record;

/// Any error.
type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let figures = match args[..] {
        ["open"] => runtime.block_on(open::figures())?,
        ["append-sqlite"] => runtime.block_on(sqlite::append::figures())?,
        ["visible-sqlite"] => runtime.block_on(sqlite::visible::figures())?,
        ["replay-sqlite"] => runtime.block_on(sqlite::replay::figures())?,
        ["scale-sqlite"] => runtime.block_on(sqlite::scale::figures())?,
        ["followers"] => runtime.block_on(sqlite::followers::figures())?,
        ["erased"] => runtime.block_on(sqlite::erased::figures())?,
        ["append-jetstream"] => runtime.block_on(jetstream::append::figures())?,
        ["visible-jetstream"] => runtime.block_on(jetstream::visible::figures())?,
        ["scale-jetstream"] => runtime.block_on(jetstream::scale::figures())?,
        // Processes that the figures start.
        ["follow", path, ref sessions @ ..] => {
            return runtime.block_on(sqlite::visible::follow(path, sessions));
        }
        ["attach", path, sessions] => {
            return runtime.block_on(sqlite::scale::attach(path, sessions));
        }
        ["attach-jetstream", url, sessions] => {
            return runtime.block_on(jetstream::scale::attach(url, sessions));
        }
        _ => return Err("usage: store-bench GROUP".into()),
    };
    for figure in &figures {
        println!("{}: {} (bar: {})", figure.name, figure.measured, figure.bar);
        figure.notes.iter().for_each(|note| println!("  {note}"));
    }
    record(args[0], figures);
    Ok(())
}
