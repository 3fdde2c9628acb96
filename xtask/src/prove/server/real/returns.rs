//! A front end that is cut off and comes again.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_server::registry::PermissionResponse;
use claw_server::{SequencedMessage, UiMessage, UiProjection};
use claw_testkit::Turn;
use tokio::sync::mpsc;

use super::super::reconnecting::{Client, same};
use super::stage::{GRACE, PATIENCE, Stage, world};
use crate::cli_package::CliPackage;
use crate::prove::sdk::bash;

/// A front end that follows the rule, on one connection after the other.
struct Tablet {
    client: Client<UiMessage>,
    messages: mpsc::Receiver<SequencedMessage<UiMessage>>,
    /// How many messages it threw away.
    thrown: usize,
}

impl Tablet {
    fn new() -> Self {
        Self {
            client: Client::new(),
            messages: mpsc::channel(1).1,
            thrown: 0,
        }
    }

    /// Connects; a connection that it had is gone first, with all that was on its way.
    async fn connect(&mut self, stage: &Stage) -> Result<()> {
        self.messages.close();
        let had = self.client.messages().count();
        let after = self.client.cut();
        self.thrown += had - self.client.messages().count();
        let (sink, messages) = mpsc::channel(16);
        let dialect = UiProjection::new(stage.session);
        let controller = &stage.controller;
        controller
            .resume(stage.session, after, dialect, sink)
            .await?;
        self.messages = messages;
        Ok(())
    }

    /// Takes messages up to one of a kind.
    async fn until(&mut self, what: &str, fits: impl Fn(&UiMessage) -> bool) -> Result<()> {
        let found = async {
            while let Some(said) = self.messages.recv().await {
                let is_it = fits(&said.message);
                self.client.take(said);
                if is_it {
                    return true;
                }
            }
            false
        };
        let found = tokio::time::timeout(PATIENCE, found).await;
        ensure!(
            found.with_context(|| format!("the tablet never saw: {what}"))?,
            "the connection ended before: {what}"
        );
        Ok(())
    }
}

pub(super) async fn in_a_text_and_in_a_tool(cli: CliPackage) -> Result<String> {
    let slow = Turn::text("One two three four five six seven eight nine ten.")
        .chunk_chars(4)
        .delay_between(Duration::from_millis(150));
    let waits = "touch began; while [ ! -e go ]; do sleep 0.1; done";
    let turns = [slow, bash("a", waits), Turn::text("Done.")];
    let stage = Stage::open(world(&cli, turns).await?).await?;
    let mut tablet = Tablet::new();
    tablet.connect(&stage).await?;
    stage.say("count").await?;
    let is_text = |message: &UiMessage| matches!(message, UiMessage::TextChunk { .. });
    tablet.until("some text", is_text).await?;
    tablet.until("more text", is_text).await?;
    tablet.connect(&stage).await?;
    ensure!(
        tablet.thrown >= 2,
        "it was not cut off in the middle of a text"
    );
    tablet
        .until("the end of turn 1", |message| message.name() == "Complete")
        .await?;

    stage.say("work").await?;
    let yes = PermissionResponse::allow().by("phone");
    stage.answer("toolu_a", yes).await?;
    stage.until_made("began").await?;
    tablet
        .until("the end of the prompt", |message| {
            message.name() == "PromptResolved"
        })
        .await?;
    // The tool runs while nobody is there.
    tablet.messages.close();
    std::fs::write(stage.world.project().join("go"), "")?;
    stage.completed(2).await?;
    tablet.connect(&stage).await?;
    tablet
        .until("the end of the tool", |message| {
            message.name() == "ToolCompleted"
        })
        .await?;
    stage.shut(GRACE).await?;
    while let Some(said) = tablet.messages.recv().await {
        tablet.client.take(said);
    }
    let stayed = stage.phone.heard();
    let stayed: Vec<&UiMessage> = stayed.iter().collect();
    same(&tablet.client, &stayed)
        .map_err(|fault| anyhow::anyhow!("not what one has who stayed: {fault}"))?;
    ensure!(
        stage.phone.seen() == stage.desktop.seen(),
        "the others differ"
    );
    Ok(format!(
        "cut off in a text and in a tool, it threw {} messages away, came again twice, and shows what one shows who stayed",
        tablet.thrown
    ))
}
