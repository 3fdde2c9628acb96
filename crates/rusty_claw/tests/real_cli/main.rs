//! The SDK on the real CLI, against a scripted Messages API.
//!
//! Each test is a group of figures of `cargo xtask prove sdk`, which installs the CLI.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod attach;
mod checks;
mod elicitations;
mod examples;
mod faults;
mod hooks;
mod messages;
mod moved;
mod options;
mod parked;
mod permissions;
mod sessions;
mod stage;
mod starts;
mod tools;
mod turns;
mod typescript;
mod verbs;

use std::path::{Path, PathBuf};

use anyhow::Result;
use claw_testkit::figure::{Figure, record};
use claw_testkit::real_cli::real_cli;

use self::stage::{Stage, done};

/// A file in `testdata/`.
fn testdata(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    root.join(name)
}

/// The declarations of the TypeScript SDK.
fn type_model() -> Result<serde_json::Value> {
    let file = format!("types/{}.json", real_cli().package_version);
    Ok(serde_json::from_slice(&std::fs::read(testdata(&file))?)?)
}

/// Defines a test that records figures: all groups, in the order of the page.
macro_rules! groups {
    ($($group:ident: $figures:expr;)+) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $group() -> Result<()> {
                let figures: Vec<Figure> = $figures;
                record(&stringify!($group).replace('_', "-"), figures);
                Ok(())
            }
        )+
    };
}

groups! {
    smoke: vec![one_prompt().await?];
    permissions: vec![permissions::figure().await];
    tools: vec![tools::figure().await];
    elicitations: vec![elicitations::figure().await];
    verbs: vec![verbs::figure().await?];
    hooks: vec![hooks::events().await?, hooks::obeyed().await];
    options: options::figures().await?;
    typescript: vec![typescript::figure()?];
    settings: vec![options::settings().await?];
    moved: vec![moved::figure().await];
    attach: vec![attach::figure().await];
    parked_calls: vec![parked::figure().await];
    faults_real: faults::figures().await;
    turns: vec![turns::figure().await?];
    starts: vec![starts::figure().await?];
    sessions: vec![sessions::keys().await?, sessions::resumed().await];
    messages: vec![messages::figure().await];
    examples: vec![examples::figure().await?];
}

async fn one_prompt() -> Result<Figure> {
    let stage = Stage::open([done()], |options| options).await?;
    let outcome = stage.ask("What is here?").await?;
    let closed = stage.session.close().await;
    let passed = outcome.text() == Some("Done.") && closed.exit.is_success();
    let measured = format!("{outcome}, closed by {} ({})", closed.by, closed.exit);
    Ok(Figure::new("one prompt, end to end", "answered, closed")
        .measured(measured, passed)
        .note(format!("closing took {:?}", closed.took)))
}
