//! A host that is about to be killed: starts a session, sends a prompt, and waits.
//!
//! `host CLI [die_with_parent]`; the environment is passed on. Prints the CLI's process id.

use rusty_claw::{Options, Session};
use sdk_bench::Failure;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(cli) = args.first() else {
        return Err("usage: host CLI [die_with_parent]".into());
    };
    let options = Options::new()
        .cli_path(cli)
        .allowed_tools(["Bash"])
        .die_with_parent(args.get(1).is_some_and(|word| word == "die_with_parent"));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let (session, _messages) = Session::start(options).await?;
        let turn = session.send("go").await?;
        println!("{}", session.pid().unwrap_or_default());
        // Whoever started this kills it before.
        Err(format!("the turn came to its end: {}", turn.await).into())
    })
}
