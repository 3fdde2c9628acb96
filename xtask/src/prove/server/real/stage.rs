//! A session of the real CLI in a controller, with two front ends.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_server::event::LifecycleState;
use claw_server::registry::PermissionResponse;
use claw_server::{
    Controller, ControllerBuilder, EventLog, Input, MemoryLog, PageLimit, SessionClosed,
    SessionEvent, SessionSetup,
};
use claw_testkit::ApiRequest;
use rusty_claw::Options;
use rusty_claw::permission::PermissionMode;

use super::front_end::FrontEnd;
use super::story;
use crate::cli_package::CliPackage;
use crate::prove::sdk::{ToolResult, World};

/// How long anything may take that happens by itself.
pub(super) const PATIENCE: Duration = Duration::from_secs(25);
/// How long what runs may take when a session is closed.
pub(super) const GRACE: Duration = Duration::from_secs(10);

/// A running session, those who look at it, and the world it runs in.
pub(super) struct Stage {
    pub(super) world: World,
    pub(super) log: Arc<MemoryLog>,
    pub(super) controller: Controller,
    pub(super) session: i64,
    pub(super) phone: FrontEnd,
    pub(super) desktop: FrontEnd,
}

impl Stage {
    /// A session that asks, with nothing special about it.
    pub(super) async fn open(world: World) -> Result<Self> {
        let options = asking(&world);
        Self::open_with(world, options, |builder| builder, |setup| setup).await
    }

    pub(super) async fn open_with(
        world: World,
        options: Options,
        build: impl FnOnce(ControllerBuilder) -> ControllerBuilder,
        with: impl FnOnce(SessionSetup) -> SessionSetup,
    ) -> Result<Self> {
        let log = Arc::new(MemoryLog::keeping(64 << 20));
        let builder = Controller::builder().log(Arc::clone(&log) as Arc<dyn EventLog>);
        let controller = build(builder).build();
        let (phone, phone_sink) = FrontEnd::new();
        let (desktop, desktop_sink) = FrontEnd::new();
        let setup = SessionSetup::new(options)
            .folder(world.project())
            .sink(phone_sink)
            .sink(desktop_sink);
        let session = controller.open(with(setup)).await?;
        Ok(Self {
            world,
            log,
            controller,
            session,
            phone,
            desktop,
        })
    }

    /// Sends a text.
    pub(super) async fn say(&self, text: &str) -> Result<()> {
        self.controller
            .input(Input::text(self.session, text))
            .await?;
        Ok(())
    }

    /// Answers a permission when the phone has seen it.
    pub(super) async fn answer(&self, call: &str, response: PermissionResponse) -> Result<()> {
        self.phone.asked(call).await?;
        let registry = self.controller.permissions();
        Ok(registry.respond(self.session, call, response).await?)
    }

    /// Waits for the end of a turn at both front ends, and says how it ended.
    pub(super) async fn completed(&self, turn: u64) -> Result<String> {
        let stop = self.phone.completed(turn).await?;
        let other = self.desktop.completed(turn).await?;
        ensure!(
            stop == other,
            "turn {turn} ended as {stop:?} and as {other:?}"
        );
        Ok(stop.as_str().to_owned())
    }

    /// The requests for messages that reached the model.
    pub(super) fn asked(&self) -> Vec<ApiRequest> {
        asked(&self.world)
    }

    /// What the model was told of a call, in the last request that has it.
    pub(super) fn told(&self, call: &str) -> Result<ToolResult> {
        ToolResult::of(&self.asked(), call)
    }

    /// The last request for a message, as text.
    pub(super) fn last_asked(&self) -> String {
        let last = self.asked().pop();
        last.map(|request| request.body["messages"].to_string())
            .unwrap_or_default()
    }

    /// Whether a file is in the project.
    pub(super) fn made(&self, name: &str) -> bool {
        self.world.project().join(name).exists()
    }

    /// Waits until a file is in the project: a tool runs.
    pub(super) async fn until_made(&self, name: &str) -> Result<()> {
        let made = async {
            while !self.made(name) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let made = tokio::time::timeout(PATIENCE, made).await;
        made.with_context(|| format!("{name} was never made"))
    }

    /// The events so far.
    pub(super) async fn events(&self) -> Result<Vec<Arc<SessionEvent>>> {
        Ok(self.log.read(self.session, 0, PageLimit::ALL).await?)
    }

    /// The events so far, in words.
    pub(super) async fn story(&self) -> Result<Vec<String>> {
        Ok(story::story(&self.events().await?))
    }

    /// Closes the session, which must end well, and looks at what must be true of every session.
    /// Between its beginning and its end the log must say this.
    pub(super) async fn end_as(self, told: &[&str]) -> Result<()> {
        let closed = self.shut(GRACE).await?;
        ensure!(
            closed.state == LifecycleState::Closed && closed.cut_off_turn.is_none(),
            "the session did not end well: {closed:?}"
        );
        let story = self.story().await?;
        let middle = story
            .strip_prefix(&["starting".to_owned(), "ready".to_owned()][..])
            .and_then(|story| story.strip_suffix(&["closed".to_owned()][..]));
        ensure!(
            middle.is_some_and(|middle| middle == told),
            "the log says {story:?}"
        );
        Ok(())
    }

    /// Shuts the controller down, and looks at what must be true of every session.
    pub(super) async fn shut(&self, grace: Duration) -> Result<Arc<SessionClosed>> {
        let mut closed = self.controller.shutdown(grace).await;
        ensure!(closed.len() == 1, "{} sessions ended", closed.len());
        let closed = closed.pop().context("no session ended")?;
        self.lawful().await?;
        let last = self.events().await?.last().map(|event| event.sequence);
        ensure!(
            last == Some(closed.sequence) && closed.sinks_behind == 0,
            "the report does not fit the log, which ends with {last:?}: {closed:?}"
        );
        Ok(closed)
    }

    /// Looks at what must be true of every session that is over.
    pub(super) async fn lawful(&self) -> Result<()> {
        self.phone.over().await?;
        self.desktop.over().await?;
        story::lawful(&self.events().await?, &[&self.phone, &self.desktop])
    }

    /// What both front ends saw.
    pub(super) fn saw(&self, wanted: &[&str]) -> Result<()> {
        for front in [&self.phone, &self.desktop] {
            let seen = front.seen();
            ensure!(seen == wanted, "a front end saw {seen:?}");
        }
        Ok(())
    }
}

/// A world in which the model says this.
pub(super) async fn world(
    cli: &CliPackage,
    turns: impl IntoIterator<Item = claw_testkit::Turn>,
) -> Result<World> {
    let world = World::new(cli).await?;
    for turn in turns {
        world.api.turn(turn);
    }
    Ok(world)
}

/// Options of a session that asks.
pub(super) fn asking(world: &World) -> Options {
    world.options().permission_mode(PermissionMode::Default)
}

/// The requests for messages that reached the model.
pub(super) fn asked(world: &World) -> Vec<ApiRequest> {
    let mut requests = world.api.requests();
    requests.retain(|request| request.path == "/v1/messages");
    requests
}
