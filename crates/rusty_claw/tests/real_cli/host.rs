//! A host that a test kills: it starts a session, sends a prompt and waits. Or the program that is
//! started after it.
//!
//! `host CLI [outlive|next]` or `host find`, which searches for the CLI. The environment is passed
//! on. With `outlive` the CLI is started without `die_with_parent`. Prints the CLI's process id:
//! `next` and `find` print it once the session has started, and then close the session; the others
//! print it once the prompt is sent.

use rusty_claw::{Options, Session};

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (options, how) = match args[..] {
        ["find"] => (Options::new(), "next"),
        [cli] => (Options::new().cli_path(cli), ""),
        [cli, how @ ("outlive" | "next")] => (Options::new().cli_path(cli), how),
        _ => return Err("usage: host CLI [outlive|next] | host find".into()),
    };
    let mut options = options.allowed_tools(["Bash"]);
    if how == "outlive" {
        options = options.die_with_parent(false);
    }
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let (session, _messages) = Session::start(options).await?;
        if how == "next" {
            println!("{}", session.pid().unwrap_or_default());
            session.close().await;
            return Ok(());
        }
        let turn = session.send("go").await?;
        println!("{}", session.pid().unwrap_or_default());
        // The test kills this program before.
        Err(format!("the turn came to its end: {}", turn.await).into())
    })
}
