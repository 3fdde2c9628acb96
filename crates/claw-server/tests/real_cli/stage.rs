//! A session of the real CLI in a controller, with two front ends.

use std::sync::Arc;
use std::time::Duration;

use claw_server::event::{InputMode, LifecycleState};
use claw_server::interactions::AnswerRefused;
use claw_server::registry::PermissionResponse;
use claw_server::{
    Controller, ControllerBuilder, EventLog, Input, MemoryLog, PageLimit, SessionClosed,
    SessionEvent, SessionId, SessionSetup, UiMessage,
};
use claw_testkit::real_cli::{ToolResult, World};
use claw_testkit::{ApiRequest, Turn};
use rusty_claw::Options;
use rusty_claw::permission::PermissionMode;
use tokio::sync::mpsc;

use crate::front_end::{FrontEnd, TIMEOUT};
use crate::story;

/// The time that a running turn has to end when its session is closed.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

/// A session before it is opened: it asks for permissions, and nothing else is special.
pub(crate) struct Prepared {
    pub(crate) world: World,
    pub(crate) options: Options,
    pub(crate) builder: ControllerBuilder,
    pub(crate) sinks: Vec<mpsc::Sender<UiMessage>>,
}

impl Prepared {
    /// Prepares a session in which the model answers with these turns.
    pub(crate) async fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        let world = World::with(turns).await.unwrap();
        Self {
            options: options(&world),
            world,
            builder: Controller::builder(),
            sinks: Vec::new(),
        }
    }

    pub(crate) async fn open(self) -> Stage {
        let (log, builder) = with_log(self.builder);
        let controller = builder.build();
        let (phone, phone_sink) = FrontEnd::holding(1024);
        let (desktop, desktop_sink) = FrontEnd::holding(1024);
        let mut setup = SessionSetup::new(self.options)
            .folder(self.world.project())
            .sink(phone_sink)
            .sink(desktop_sink);
        for sink in self.sinks {
            setup = setup.sink(sink);
        }
        let session = controller.open(setup).await.unwrap();
        Stage {
            world: self.world,
            log,
            controller,
            session,
            phone,
            desktop,
        }
    }
}

/// Options of a session that asks for permissions.
pub(crate) fn options(world: &World) -> Options {
    let options = Options::new()
        .cli_path(world.binary())
        .cwd(world.project())
        .env_clear()
        .permission_mode(PermissionMode::Default);
    let environment = world.environment().into_iter();
    environment.fold(options, |options, (name, value)| options.env(name, value))
}

pub(crate) fn with_log(builder: ControllerBuilder) -> (Arc<MemoryLog>, ControllerBuilder) {
    let log = Arc::new(MemoryLog::keeping(64 << 20));
    let builder = builder.log(Arc::clone(&log) as Arc<dyn EventLog>);
    (log, builder)
}

/// A running session, its front ends and its environment.
pub(crate) struct Stage {
    pub(crate) world: World,
    log: Arc<MemoryLog>,
    pub(crate) controller: Controller,
    pub(crate) session: SessionId,
    pub(crate) phone: FrontEnd,
    pub(crate) desktop: FrontEnd,
}

impl Stage {
    /// Opens a session in which the model answers with these turns.
    pub(crate) async fn open(turns: impl IntoIterator<Item = Turn>) -> Self {
        Prepared::new(turns).await.open().await
    }

    /// Opens a session and sends its first prompt.
    pub(crate) async fn start(turns: impl IntoIterator<Item = Turn>) -> Self {
        let stage = Self::open(turns).await;
        stage.send("go").await;
        stage
    }

    pub(crate) async fn send(&self, text: &str) {
        self.send_as(text, InputMode::Queue).await;
    }

    pub(crate) async fn send_as(&self, text: &str, mode: InputMode) {
        let input = Input::text(self.session, text).mode(mode);
        self.controller.input(input).await.unwrap();
    }

    /// Answers a permission after the phone has received it.
    pub(crate) async fn answer(&mut self, call: &str, response: PermissionResponse) {
        self.phone.asked(call).await;
        self.respond(call, response).await.unwrap();
    }

    /// Answers a permission.
    pub(crate) async fn respond(
        &self,
        call: &str,
        response: PermissionResponse,
    ) -> Result<(), AnswerRefused> {
        let registry = self.controller.permissions();
        registry.respond(self.session, &id(call), response).await
    }

    /// Waits for the end of a turn at both front ends.
    pub(crate) async fn ended(&mut self, turn: u64, stop: &str) {
        for front in [&mut self.phone, &mut self.desktop] {
            let ended = front.completed(turn).await;
            assert_eq!(ended.as_str(), stop, "turn {turn}: {}", front.seen());
        }
    }

    /// The requests for messages that reached the model.
    pub(crate) fn requests(&self) -> Vec<ApiRequest> {
        self.world.message_requests()
    }

    /// The text of the last prompt in each request.
    pub(crate) fn prompts(&self) -> Vec<String> {
        let requests = self.requests();
        requests.iter().map(ApiRequest::last_user_text).collect()
    }

    /// The messages of the last request, as JSON.
    pub(crate) fn conversation(&self) -> String {
        let last = self.requests().pop().expect("a request");
        last.body["messages"].to_string()
    }

    /// The result of a call that the model received, in the last request that has it.
    pub(crate) fn result(&self, call: &str) -> ToolResult {
        self.world.tool_result(&id(call)).unwrap()
    }

    /// The model received a result that contains this text.
    pub(crate) fn succeeded(&self, call: &str, text: &str) {
        let ToolResult {
            failed, text: all, ..
        } = self.result(call);
        assert!(!failed && all.contains(text), "{all}");
    }

    /// The model received a failure that contains this text.
    pub(crate) fn failed(&self, call: &str, text: &str) {
        let ToolResult {
            failed, text: all, ..
        } = self.result(call);
        assert!(failed && all.contains(text), "{all}");
    }

    /// The last request to the model contains these texts.
    pub(crate) fn model_received(&self, parts: &[&str]) {
        contains(&self.conversation(), parts);
    }

    /// Waits until a tool has made a file.
    pub(crate) async fn until_file(&self, name: &str) {
        eventually(name, || async { self.world.has_file(name).then_some(()) }).await;
    }

    pub(crate) async fn events(&self) -> Vec<Arc<SessionEvent>> {
        let log = self.log.read(self.session, 0, PageLimit::ALL).await;
        log.unwrap()
    }

    /// The events in words, separated by commas.
    pub(crate) async fn story(&self) -> String {
        story::story(&self.events().await).join(", ")
    }

    /// The log has these lines in this order, among others.
    pub(crate) async fn story_has(&self, lines: &[&str]) {
        let story = story::story(&self.events().await);
        let places = lines
            .iter()
            .map(|line| story.iter().position(|told| told == line));
        let places: Option<Vec<usize>> = places.collect();
        assert!(places.is_some_and(|places| places.is_sorted()), "{story:?}");
    }

    /// The lines of the log about interactions, separated by commas.
    pub(crate) async fn interactions(&self) -> String {
        let mut story = story::story(&self.events().await);
        story.retain(|line| line.starts_with("asked") || line.starts_with("answered"));
        story.join(", ")
    }

    /// The lines of the log about inputs, separated by commas.
    pub(crate) async fn inputs(&self) -> String {
        story::inputs(&self.events().await).join(", ")
    }

    /// Both front ends show this.
    pub(crate) fn saw(&self, wanted: &str) {
        assert_eq!(self.phone.seen(), wanted);
        assert_eq!(self.desktop.seen(), wanted);
    }

    /// Closes the session, which must end well, with this in its log.
    pub(crate) async fn end_as(mut self, story: &str) {
        let closed = self.shut(GRACE).await;
        assert_eq!(closed.state, LifecycleState::Closed, "{closed:?}");
        assert_eq!(closed.cut_off_turn, None, "{closed:?}");
        let story = format!("starting, ready, {story}, closed");
        assert_eq!(self.story().await, story);
    }

    /// Closes the session after one turn with one call that `who` answered.
    pub(crate) async fn end_with_one_call(self, call: &str, who: &str) {
        let story = format!(
            "turn 1 began, called {call}, asked {call}, answered {call} by {who}, \
             result {call}, turn 1 ended: Succeeded"
        );
        self.end_as(&story).await;
    }

    /// Shuts the controller down and checks the invariants of a session.
    pub(crate) async fn shut(&mut self, grace: Duration) -> Arc<SessionClosed> {
        let closed = only(self.controller.shutdown(grace).await);
        self.check().await;
        let last = self.events().await.last().map(|event| event.sequence);
        assert_eq!(last, Some(closed.sequence), "{closed:?}");
        assert_eq!(closed.sinks_behind, 0, "{closed:?}");
        closed
    }

    /// Checks the invariants of a session that is over.
    pub(crate) async fn check(&mut self) {
        self.phone.rest().await;
        self.desktop.rest().await;
        story::check(&self.events().await, &[&self.phone, &self.desktop]);
    }
}

/// Fails unless a text contains all parts.
pub(crate) fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} in {text}");
    }
}

pub(crate) fn only<T>(mut list: Vec<T>) -> T {
    assert_eq!(list.len(), 1);
    list.remove(0)
}

/// The id of a call; the stories leave its prefix away.
pub(crate) fn id(call: &str) -> String {
    format!("toolu_{call}")
}

/// Waits until `look` returns a value.
pub(crate) async fn eventually<T, F: Future<Output = Option<T>>>(
    what: &str,
    mut look: impl FnMut() -> F,
) -> T {
    let found = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let found = tokio::time::timeout(TIMEOUT, found).await;
    found.unwrap_or_else(|_| panic!("it never came true: {what}"))
}
