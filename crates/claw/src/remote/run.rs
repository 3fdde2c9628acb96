//! `claw run`

use std::io::{IsTerminal as _, Read as _};
use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use clap::ValueHint;
use claw_gateway::SessionSpec;
use claw_gateway::client::NewInput;

use super::awaited::{Awaited, Outcome};
use super::terminal::{End, Terminal, Typed};
use super::{RemoteArgs, find_session, short};
use crate::exit::Status;
use crate::printer::{Printer, style};

/// Send a prompt to a new session, and print the answer as it is written.
///
/// You answer the agent's requests in the terminal. Without a terminal, each request is printed
/// with the command that answers it. The session remains and can be continued.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 the turn completed, 1 it failed or was interrupted, 3 an error, 130 detached with
Ctrl-C: the turn goes on.

Examples:
  claw run 'Why does the test fail?'
  git diff | claw run 'Review this change'    standard input follows the prompt
  claw run --session 4f0c 'And the other?'    continue a session
  claw run --mode acceptEdits --folder ~/src/app 'Fix the typo in README.md'
  claw run --json 'Hello' | jq .message       frames of the dialect events, for programs")]
pub(crate) struct RunArgs {
    /// The prompt. Standard input is added to it, unless it is a terminal.
    prompt: Option<String>,
    /// The folder in which the agent works, on the machine of the gateway. The current folder by
    /// default.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, conflicts_with = "session")]
    folder: Option<PathBuf>,
    /// The model, such as opus.
    #[arg(long, value_name = "MODEL", conflicts_with = "session")]
    model: Option<String>,
    /// The permission mode, such as plan or acceptEdits.
    #[arg(long, value_name = "MODE", conflicts_with = "session")]
    mode: Option<String>,
    /// Continue this session, by its id or the start of it.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    #[command(flatten)]
    remote: RemoteArgs,
}

impl RunArgs {
    fn prompt(&self) -> anyhow::Result<String> {
        let mut parts: Vec<String> = self.prompt.iter().cloned().collect();
        let mut stdin = std::io::stdin();
        if !stdin.is_terminal() {
            let mut text = String::new();
            let read = stdin.read_to_string(&mut text);
            read.context("cannot read the prompt from standard input")?;
            parts.extend(Some(text).filter(|text| !text.trim().is_empty()));
        }
        ensure!(
            parts.iter().any(|part| !part.trim().is_empty()),
            "there is no prompt: claw run 'What does this project do?'"
        );
        Ok(parts.join("\n\n"))
    }

    fn spec(&self) -> anyhow::Result<SessionSpec> {
        let folder = self.folder.clone().unwrap_or_default();
        let folder = std::path::absolute(match folder.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => folder,
        })?;
        let mut spec = SessionSpec::new(folder);
        spec.model = self.model.clone();
        spec.permission_mode = self.mode.as_deref().map(Into::into);
        Ok(spec)
    }
}

pub(super) async fn run(args: RunArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let prompt = args.prompt()?;
    let client = args.remote.client()?;
    let (session, last) = match &args.session {
        Some(name) => {
            let session = find_session(&client, name).await?;
            (session.id, session.last)
        }
        None => (client.create(&args.spec()?).await?.id, 0),
    };
    let input = NewInput::text(&prompt);
    client.input(session, &input).await?;

    let json = args.remote.json;
    let has_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let mut terminal = Terminal::new(&client, session, printer);
    terminal.json = json;
    terminal.typed = match has_terminal && !json {
        true => Typed::Answers,
        false => Typed::Nothing,
    };
    terminal.screen.sent(&input.key);
    let ended = terminal.follow(last, Some(Awaited::new(&input.key))).await;
    if !json {
        let (faint, id) = (style::FAINT, short(session));
        anstream::eprintln!("{faint}to continue: claw run --session {id} 'PROMPT'{faint:#}");
    }
    Ok(match ended? {
        End::Outcome(Outcome::Completed) => Status::Fine,
        End::Outcome(Outcome::Failed) | End::Closed => Status::Found(1),
        End::Detached => Status::Found(130),
    })
}
