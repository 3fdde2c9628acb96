//! The façade, from outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod allow_rules;
mod attach;
mod blocking;
mod callbacks;
#[cfg(unix)]
mod cli_probe;
mod debug_privacy;
mod document_examples;
mod ending;
mod fixtures;
mod limits;
mod long_lines;
mod many_requests;
mod mcp;
#[cfg(unix)]
mod messages_to_people;
mod peer;
mod pool;
mod reinitialize;
mod session;
mod start_limiter;
mod store;
mod text_stream;
mod tracing_privacy;
#[cfg(unix)]
mod transport_child;
#[cfg(unix)]
mod transport_host;
mod transport_in_memory;
#[cfg(target_os = "linux")]
mod transport_launcher;
#[cfg(unix)]
mod turn_stream;
