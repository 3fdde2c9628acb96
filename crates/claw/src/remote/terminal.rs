//! A session in the terminal: frames are printed, and typed lines are answers and inputs.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use claw_gateway::client::{Client, EventsMessage, Followed, NewInput};
use claw_gateway::{AnswerOutcome, DialectName, Frame};
use claw_server::SessionId;
use claw_server::event::{InteractionId, InteractionKind};
use serde::Serialize;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use super::awaited::{Awaited, Outcome};
use super::replies::{Replies, Reply};
use super::screen::Screen;
use crate::printer::{Printer, style};

/// A line that is typed within this time after a request appears is not its answer: the person may
/// have meant the previous request.
const REACTION: Duration = Duration::from_millis(500);

/// Why the terminal no longer follows a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The awaited input has an outcome.
    Outcome(Outcome),
    /// The session has ended.
    Closed,
    /// The person has detached.
    Detached,
}

/// How typed lines are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typed {
    /// Nothing is read.
    Nothing,
    /// Answers to requests.
    Answers,
    /// Answers while a request waits, else inputs.
    Inputs,
}

/// The request that the person is asked to answer.
struct Asking {
    id: InteractionId,
    replies: Replies,
    since: Instant,
}

/// A line of `--json` after a lost connection: discard the frames since `after` last increased.
#[derive(Serialize)]
struct Resync {
    session: SessionId,
    after: u64,
    resync: bool,
}

pub(super) struct Terminal<'a> {
    pub(super) client: &'a Client,
    pub(super) session: SessionId,
    pub(super) printer: &'a mut Printer,
    pub(super) json: bool,
    pub(super) screen: Screen,
    pub(super) typed: Typed,
    /// The last event that was stored at the start. Requests up to it may already be answered.
    pub(super) last: u64,
    asking: Option<Asking>,
    /// The turn that the person has interrupted.
    interrupted: Option<u64>,
}

impl<'a> Terminal<'a> {
    pub(super) fn new(client: &'a Client, session: SessionId, printer: &'a mut Printer) -> Self {
        Self {
            client,
            session,
            printer,
            json: false,
            screen: Screen::new(),
            typed: Typed::Nothing,
            last: 0,
            asking: None,
            interrupted: None,
        }
    }

    /// Follows the session from a cursor on.
    pub(super) async fn follow(
        &mut self,
        after: u64,
        mut awaited: Option<Awaited>,
    ) -> anyhow::Result<End> {
        self.screen.start(after);
        if after > 0 && !self.json {
            for pending in self.client.pending(Some(self.session)).await? {
                let text = self.screen.waiting(&pending.interaction);
                self.print(&text)?;
            }
        }
        let mut interrupts = signal(SignalKind::interrupt())?;
        let mut lines = (self.typed != Typed::Nothing).then(read_lines);
        let mut frames = self.client.follow(self.session, DialectName::Events, after);
        self.ask()?;
        loop {
            tokio::select! {
                item = frames.next() => match item {
                    None => return Ok(End::Closed),
                    Some(Ok(Followed::Frame(frame))) => {
                        if let Some(end) = self.frame(&frame, awaited.as_mut())? {
                            return Ok(end);
                        }
                    }
                    Some(Ok(Followed::Lost { after, reason })) => self.lost(after, &reason)?,
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Err(error.into()),
                },
                // Lines are read only after the stored events: an earlier line cannot answer what
                // follows.
                line = next_line(&mut lines), if self.is_live() => match line {
                    Some(line) => self.line(&line).await?,
                    // Ctrl-D.
                    None if std::io::stdin().is_terminal() => return Ok(End::Detached),
                    None => lines = None,
                },
                _ = interrupts.recv() => {
                    if self.interrupt().await? {
                        return Ok(End::Detached);
                    }
                }
            }
        }
    }

    fn frame(
        &mut self,
        frame: &Frame,
        awaited: Option<&mut Awaited>,
    ) -> anyhow::Result<Option<End>> {
        let message: EventsMessage = serde_json::from_str(frame.message.get())?;
        let text = self.screen.message(&message);
        match self.json {
            true => self.printer.json(frame)?,
            false => self.printer.raw_display(&text)?,
        }
        self.printer.flush()?;
        self.ask()?;
        let outcome = awaited.and_then(|awaited| awaited.message(&message));
        let is_closed = self.screen.is_closed() && self.is_live();
        let closed = is_closed.then_some(End::Closed);
        Ok(outcome.map(End::Outcome).or(closed))
    }

    /// Whether all events that were stored at the start are printed.
    fn is_live(&self) -> bool {
        self.screen.sequence() >= self.last
    }

    fn lost(&mut self, after: u64, reason: &str) -> anyhow::Result<()> {
        if self.json {
            let (session, resync) = (self.session, true);
            self.printer.json(&Resync {
                session,
                after,
                resync,
            })?;
            return Ok(self.printer.flush()?);
        }
        self.note(&format!("connection lost ({reason}): resuming"))
    }

    /// Prompts for the oldest request that waits.
    fn ask(&mut self) -> anyhow::Result<()> {
        if !self.is_live() {
            return Ok(());
        }
        let oldest = self.screen.open().first();
        let asked = self.asking.as_ref().map(|asking| &asking.id);
        if asked == oldest.map(|oldest| &oldest.id) {
            return Ok(());
        }
        let Some(oldest) = oldest.cloned() else {
            self.asking = None;
            return Ok(());
        };
        let asking = Asking {
            id: oldest.id.clone(),
            replies: Replies::to(&oldest),
            since: Instant::now(),
        };
        let prompt = match self.typed {
            Typed::Nothing => match oldest.kind {
                InteractionKind::Permission | InteractionKind::Plan => {
                    format!("waits for an answer: claw approve {}", oldest.id)
                }
                _ => format!("waits for an answer: claw attach {}", self.session),
            },
            _ => asking.replies.prompt(),
        };
        self.asking = Some(asking);
        match self.json {
            true => Ok(()),
            false => self.note(&prompt),
        }
    }

    /// Handles a typed line.
    async fn line(&mut self, line: &str) -> anyhow::Result<()> {
        let Some(asking) = &mut self.asking else {
            return self.input(line).await;
        };
        if std::io::stdin().is_terminal() && asking.since.elapsed() < REACTION {
            let prompt = asking.replies.prompt();
            return self.note(&format!("this request has just appeared. {prompt}"));
        }
        match asking.replies.read(line) {
            Reply::Answer(answer) => {
                let id = asking.id.to_string();
                match self.client.answer(self.session, &id, &answer).await {
                    // The session's event reports it.
                    Ok(AnswerOutcome::Won) => Ok(()),
                    Ok(AnswerOutcome::Lost { by }) => self.note(&format!("{by} answered first")),
                    Ok(_) => self.note("the agent no longer waits for this"),
                    Err(error) => self.note(&format!("not answered: {error}")),
                }
            }
            Reply::Next | Reply::Unclear => {
                let prompt = asking.replies.prompt();
                self.note(&prompt)
            }
        }
    }

    async fn input(&mut self, line: &str) -> anyhow::Result<()> {
        if self.typed != Typed::Inputs || line.trim().is_empty() {
            return Ok(());
        }
        let input = NewInput::text(line);
        if std::io::stdin().is_terminal() {
            self.screen.sent(&input.key);
        }
        match self.client.input(self.session, &input).await {
            Ok(_) => Ok(()),
            Err(error) => self.note(&format!("not sent: {error}")),
        }
    }

    /// Interrupts the running turn. Returns `true` if there is nothing to interrupt.
    async fn interrupt(&mut self) -> anyhow::Result<bool> {
        let turn = self.screen.turn();
        let Some(turn) = turn.filter(|turn| self.interrupted != Some(*turn)) else {
            return Ok(true);
        };
        self.interrupted = Some(turn);
        match self.client.interrupt(self.session, turn).await {
            Ok(_) => self.note("interrupting the turn; press Ctrl-C again to detach")?,
            Err(error) => self.note(&format!("not interrupted: {error}"))?,
        }
        Ok(false)
    }

    fn print(&mut self, text: &str) -> anyhow::Result<()> {
        self.printer.raw_display(&text)?;
        Ok(self.printer.flush()?)
    }

    /// Prints a line that is not part of the session.
    fn note(&mut self, text: &str) -> anyhow::Result<()> {
        if !self.json {
            let start = self.screen.interrupted();
            self.print(start)?;
        }
        let faint = style::FAINT;
        anstream::eprintln!("{faint}{}{faint:#}", crate::words::plain(text));
        Ok(())
    }
}

/// Reads lines in a thread: standard input cannot be read without blocking.
fn read_lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

async fn next_line(lines: &mut Option<mpsc::UnboundedReceiver<String>>) -> Option<String> {
    match lines {
        Some(lines) => lines.recv().await,
        None => std::future::pending().await,
    }
}
