//! Measures the figures of the store that need a release build.
//!
//! ```text
//! store-bench open
//! ```
//!
//! Records the figures of the group; see [`claw_testkit::figure`]. `CLAW_QUICK` selects smaller
//! sizes.

mod long_session;
mod open;

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
        _ => return Err("usage: store-bench open".into()),
    };
    record(args[0], figures);
    Ok(())
}
