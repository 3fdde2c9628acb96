//! The figures of the SDK.
//!
//! What is said of "the CLI" is measured on the real one, against a scripted Messages API; the
//! fake one is for faults and load.

mod attach;
mod check;
mod cost;
mod faults;
mod holder;
mod hooks;
mod moved;
mod options;
mod peers;
mod people;
mod permissions;
pub(crate) mod processes;
pub(crate) mod programs;
mod prompts;
mod stage;
mod starts;
mod tap;
mod tools;
mod turns;
mod typescript;
mod variants;
mod verbs;
mod world;

use anyhow::Result;

use super::area::{Area, Group};
use super::figure::Figure;
use super::sessions;
use crate::cli_package::{self, CliPackage};

pub(crate) use self::stage::{ToolResult, bash, call, lab};
pub(crate) use self::variants::Variants;
pub(crate) use self::world::World;

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A tenth of the rounds and sizes, for CI. The faults of other SDKs are left out; every other
    /// figure is measured.
    #[arg(long)]
    quick: bool,
    /// Only these groups of figures: see the list in the error for a wrong name.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Write the output to docs/proof/sdk.md.
    #[arg(long)]
    write: bool,
}

/// What several groups read.
pub(crate) struct Inputs {
    /// A tenth of rounds and sizes will do.
    pub(crate) quick: bool,
    pub(crate) cli: CliPackage,
    pub(crate) runtime: tokio::runtime::Runtime,
}

/// In the order of the table.
const GROUPS: &[(&str, Group<Inputs>)] = &[
    ("smoke", |inputs| {
        Ok(vec![inputs.runtime.block_on(smoke(inputs))?])
    }),
    ("permissions", permissions::measure),
    ("tools", tools::measure),
    ("prompts", prompts::measure),
    ("verbs", |inputs| {
        Ok(vec![inputs.runtime.block_on(verbs::figure(inputs))?])
    }),
    ("hooks", |inputs| {
        Ok(vec![
            inputs.runtime.block_on(hooks::events(inputs))?,
            inputs.runtime.block_on(hooks::obeyed(inputs))?,
        ])
    }),
    ("options", |inputs| {
        inputs.runtime.block_on(options::figures(inputs))
    }),
    ("typescript", typescript::measure),
    ("moved", moved::measure),
    ("attach", attach::measure),
    ("faults", faults::faults),
    ("faults-real", faults::faults_real),
    ("interrupt", faults::interrupt),
    ("turns", |inputs| {
        Ok(vec![inputs.runtime.block_on(turns::figure(inputs))?])
    }),
    ("starts", |inputs| {
        Ok(vec![inputs.runtime.block_on(starts::figure(inputs))?])
    }),
    ("fault-peers", faults::fault_peers),
    ("cost-start", cost::start),
    ("cost-turn", cost::turn),
    ("cost-messages", cost::messages),
    ("cost-idle", cost::idle),
    ("sessions", |inputs| sessions::measure(&inputs.cli)),
    ("people", people::measure),
    ("messages", people::measure_messages),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let area = Area {
        title: "The SDK, measured",
        command: "cargo xtask prove sdk --write",
        page: "docs/proof/sdk.md",
        groups: GROUPS,
    };
    let inputs = Inputs {
        quick: args.quick,
        cli: cli_package::ensure()?,
        runtime: tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?,
    };
    let stamp = format!(
        "CLI {}, npm package {}",
        cli_package::CLI_VERSION,
        cli_package::PACKAGE_VERSION
    );
    area.run(&inputs, &args.only, args.write, args.quick, &stamp)
}

/// One prompt, answered by the real CLI.
async fn smoke(inputs: &Inputs) -> Result<Figure> {
    let world = World::new(&inputs.cli).await?;
    world
        .api
        .turn(claw_testkit::Turn::text("There are two files."));
    let (session, messages) = rusty_claw::Session::start(world.options()).await?;
    drop(messages);
    let outcome = session.send("What is here?").await?.await;
    let closed = session.close().await;
    let answered = outcome.text() == Some("There are two files.");
    Ok(Figure::new("one prompt, end to end", "answered, closed")
        .measured(
            format!("{outcome}, closed by {} ({})", closed.by, closed.exit),
            answered && closed.exit.is_success(),
        )
        .note(format!("closing took {:?}", closed.took)))
}
