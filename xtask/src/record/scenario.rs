//! What a scenario is: how the CLI is started, what the model says, what the host does.
//!
//! Paths are written as the recording shows them (`/home/user/project/…`); the driver maps them
//! into the run's own temporary folder and the recording maps them back.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use super::script::Reply;

/// One thing the host does.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Writes one frame.
    Send(Value),
    /// Writes bytes as they are.
    Raw(Vec<u8>),
    /// Waits for a frame after the last one that was waited for.
    Until(Pattern),
    /// Waits until the API has been asked this many times.
    Asked(usize),
    /// Sends a control request and waits for its reply.
    Control(Value),
    /// Answers the n-th held request.
    Release(usize, Answer),
    /// Remembers a string of the first frame of a kind for later `$name`s.
    Capture {
        name: &'static str,
        kind: &'static str,
        path: &'static str,
    },
    /// Remembers what stands in a request to the API, from one text to another, both included.
    CaptureAsked {
        name: &'static str,
        from: &'static str,
        to: &'static str,
    },
    /// Gives the API more answers, which may use what was captured.
    Api(Vec<Reply>),
    /// Waits until a session file holds this text; nothing on stdout tells of it.
    Saved(&'static str),
    /// Lets time pass, where no frame can be awaited.
    Sleep(Duration),
    /// Closes stdin.
    Close,
    /// Sends a signal by name.
    Signal(&'static str),
}

/// Which frame is waited for.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    /// `type` or `type/subtype`.
    pub(super) kind: &'static str,
    /// Text that must occur in the line.
    pub(super) text: Option<String>,
}

/// How the host answers a request of the CLI.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    /// With success and this payload.
    Reply(Value),
    /// With an error.
    Fail(&'static str),
    /// Not now: a later [`Step::Release`] may.
    Hold,
}

/// Edits the home folder before the CLI starts.
pub(super) type Prepare = fn(&Path) -> Result<()>;

/// One recording to be.
#[derive(Debug, Clone)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) args: Vec<String>,
    pub(super) bare_args: bool,
    pub(super) env: BTreeMap<&'static str, String>,
    pub(super) unset: Vec<&'static str>,
    pub(super) cwd: &'static str,
    pub(super) files: Vec<(&'static str, Vec<u8>)>,
    pub(super) api: Vec<Reply>,
    pub(super) steps: Vec<Step>,
    pub(super) answers: BTreeMap<&'static str, Vec<Answer>>,
    pub(super) after: Option<Box<Self>>,
    pub(super) prepare: Option<Prepare>,
    pub(super) sessions: bool,
    pub(super) quick: bool,
    pub(super) config_dir_kib: Option<u32>,
    pub(super) races: Vec<&'static str>,
    pub(super) long_text: bool,
    pub(super) exit: Exit,
    pub(super) timeout: Duration,
}

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// The user message id that a scenario writes as a small number.
pub(super) fn uuid(n: u32) -> String {
    format!("0a0a0a0a-0000-4000-8000-{n:012}")
}

/// The session id that a scenario writes as a small number.
pub(super) fn session(n: u32) -> String {
    format!("5e5e5e5e-2222-4222-8222-{n:012}")
}

/// The body of a user frame.
pub(super) fn user(content: impl Into<Value>) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": content.into()}, "parent_tool_use_id": null, "session_id": ""})
}

/// Allows a tool call as it is.
pub(super) fn allow() -> Answer {
    Answer::Reply(json!({"behavior": "allow"}))
}

/// Allows a tool call with changes.
pub(super) fn allow_with(more: Value) -> Answer {
    let mut reply = json!({"behavior": "allow"});
    merge(&mut reply, more);
    Answer::Reply(reply)
}

/// Denies a tool call.
pub(super) fn deny(message: &str) -> Answer {
    Answer::Reply(json!({"behavior": "deny", "message": message}))
}

/// Answers with this payload.
pub(super) fn reply(payload: Value) -> Answer {
    Answer::Reply(payload)
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}

impl Scenario {
    /// A scenario that starts the CLI in the project folder and does nothing yet.
    pub(super) fn new(name: &'static str, about: &'static str) -> Self {
        Self {
            name,
            about,
            args: Vec::new(),
            bare_args: false,
            env: BTreeMap::new(),
            unset: Vec::new(),
            cwd: "/home/user/project",
            files: Vec::new(),
            api: Vec::new(),
            steps: Vec::new(),
            answers: BTreeMap::new(),
            after: None,
            prepare: None,
            sessions: false,
            quick: false,
            config_dir_kib: None,
            races: Vec::new(),
            long_text: false,
            exit: Exit::Code(0),
            timeout: Duration::from_secs(60),
        }
    }

    /// Adds arguments behind the fixed ones, split at spaces.
    pub(super) fn flags(mut self, flags: &str) -> Self {
        self.args
            .extend(flags.split_whitespace().map(str::to_owned));
        self
    }

    /// Adds one argument as it is.
    pub(super) fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Starts without the fixed arguments.
    pub(super) fn without_fixed_args(mut self) -> Self {
        self.bare_args = true;
        self
    }

    /// The flags of a host that answers permission prompts.
    pub(super) fn asks_host(self) -> Self {
        self.flags("--permission-prompt-tool stdio --permission-mode default")
    }

    /// Prints stream events too.
    pub(super) fn partial(self) -> Self {
        self.flags("--include-partial-messages")
    }

    /// Fixes the session id.
    pub(super) fn session_id(self, n: u32) -> Self {
        self.arg("--session-id").arg(session(n))
    }

    /// Resumes a session.
    pub(super) fn resume(self, n: u32) -> Self {
        self.arg("--resume").arg(session(n))
    }

    /// Sets an environment variable.
    pub(super) fn env(mut self, name: &'static str, value: &str) -> Self {
        self.env.insert(name, value.to_owned());
        self
    }

    /// Leaves out a variable that is otherwise set.
    pub(super) fn unset(mut self, name: &'static str) -> Self {
        self.unset.push(name);
        self
    }

    /// Starts in another folder.
    pub(super) fn cwd(mut self, cwd: &'static str) -> Self {
        self.cwd = cwd;
        self
    }

    /// Puts a file in place.
    pub(super) fn file(mut self, path: &'static str, content: impl AsRef<[u8]>) -> Self {
        self.files.push((path, content.as_ref().to_vec()));
        self
    }

    /// What the model answers, in order.
    pub(super) fn api(mut self, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.api.extend(replies);
        self
    }

    /// How requests of one kind are answered, in order; then the driver's default takes over.
    /// The kind is a subtype such as `can_use_tool`, or `hook:` and the callback's id.
    pub(super) fn answers(
        mut self,
        kind: &'static str,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Self {
        self.answers.entry(kind).or_default().extend(answers);
        self
    }

    /// Runs in the home that another scenario left behind.
    pub(super) fn after(mut self, prelude: Self) -> Self {
        self.after = Some(Box::new(prelude));
        self
    }

    /// Changes the home before the start.
    pub(super) fn prepare(mut self, prepare: Prepare) -> Self {
        self.prepare = Some(prepare);
        self
    }

    /// Keeps the session files too.
    pub(super) fn keep_sessions(mut self) -> Self {
        self.sessions = true;
        self
    }

    /// Belongs to the tenth that `--quick` records.
    pub(super) fn quick(mut self) -> Self {
        self.quick = true;
        self
    }

    /// Frames of this kind race with the end of the process: they may or may not be printed.
    pub(super) fn races(mut self, kind: &'static str) -> Self {
        self.races.push(kind);
        self
    }

    /// Is about long texts, so that they are not cut.
    pub(super) fn long_text(mut self) -> Self {
        self.long_text = true;
        self
    }

    /// The config folder is on a disk of this size, which soon is full.
    pub(super) fn config_dir_kib(mut self, limit: u32) -> Self {
        self.config_dir_kib = Some(limit);
        self
    }

    /// Ends with this code.
    pub(super) fn exits(mut self, code: i32) -> Self {
        self.exit = Exit::Code(code);
        self
    }

    /// Ends by this signal.
    pub(super) fn killed(mut self, signal: i32) -> Self {
        self.exit = Exit::Signal(signal);
        self
    }

    /// May take this long.
    pub(super) fn within(mut self, seconds: u64) -> Self {
        self.timeout = Duration::from_secs(seconds);
        self
    }

    fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Sends `initialize` and waits for the reply.
    pub(super) fn init(self) -> Self {
        self.init_with(json!({}))
    }

    /// Sends `initialize` with fields and waits for the reply.
    pub(super) fn init_with(self, fields: Value) -> Self {
        self.control("initialize", fields)
    }

    /// Sends `initialize` with one callback for each hook event, named after it.
    pub(super) fn init_hooks(self, events: &[&str]) -> Self {
        let hooks: serde_json::Map<_, _> = events
            .iter()
            .map(|e| ((*e).to_owned(), json!([{"hookCallbackIds": [e]}])))
            .collect();
        self.init_with(json!({"hooks": hooks}))
    }

    /// Sends a prompt.
    pub(super) fn say(self, content: impl Into<Value>) -> Self {
        self.send(user(content))
    }

    /// Sends a prompt that carries an id.
    pub(super) fn say_as(self, n: u32, content: impl Into<Value>) -> Self {
        self.say_with(content, json!({"uuid": uuid(n)}))
    }

    /// Sends a prompt with more fields.
    pub(super) fn say_with(self, content: impl Into<Value>, more: Value) -> Self {
        let mut frame = user(content);
        merge(&mut frame, more);
        self.send(frame)
    }

    /// Sends a prompt and waits for the result.
    pub(super) fn ask(self, content: impl Into<Value>) -> Self {
        self.say(content).until("result")
    }

    /// Sends a prompt that carries an id and waits for the result.
    pub(super) fn ask_as(self, n: u32, content: impl Into<Value>) -> Self {
        self.say_as(n, content).until("result")
    }

    /// Sends one frame.
    pub(super) fn send(self, frame: Value) -> Self {
        self.step(Step::Send(frame))
    }

    /// Sends bytes as they are.
    pub(super) fn raw(self, bytes: impl AsRef<[u8]>) -> Self {
        self.step(Step::Raw(bytes.as_ref().to_vec()))
    }

    /// Waits for the next frame of a kind.
    pub(super) fn until(self, kind: &'static str) -> Self {
        self.step(Step::Until(Pattern { kind, text: None }))
    }

    /// Waits for the next frame of a kind that holds a text.
    pub(super) fn until_text(self, kind: &'static str, text: &str) -> Self {
        self.step(Step::Until(Pattern {
            kind,
            text: Some(text.to_owned()),
        }))
    }

    /// Waits until the API has been asked this many times.
    pub(super) fn asked(self, times: usize) -> Self {
        self.step(Step::Asked(times))
    }

    /// Sends a control request and waits for its reply.
    pub(super) fn control(self, subtype: &str, fields: Value) -> Self {
        let mut request = json!({"subtype": subtype});
        merge(&mut request, fields);
        self.step(Step::Control(request))
    }

    /// Sends a control request without waiting.
    pub(super) fn control_async(self, id: &str, subtype: &str, fields: Value) -> Self {
        let mut request = json!({"subtype": subtype});
        merge(&mut request, fields);
        self.send(json!({"type": "control_request", "request_id": id, "request": request}))
    }

    /// Answers the n-th held request.
    pub(super) fn release(self, n: usize, answer: Answer) -> Self {
        self.step(Step::Release(n, answer))
    }

    /// Remembers a value of the first frame of a kind.
    pub(super) fn capture(
        self,
        name: &'static str,
        kind: &'static str,
        path: &'static str,
    ) -> Self {
        self.step(Step::Capture { name, kind, path })
    }

    /// Remembers a part of what the API was asked.
    pub(super) fn capture_asked(
        self,
        name: &'static str,
        from: &'static str,
        to: &'static str,
    ) -> Self {
        self.step(Step::CaptureAsked { name, from, to })
    }

    /// Gives the API more answers.
    pub(super) fn then_api(self, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.step(Step::Api(replies.into_iter().collect()))
    }

    /// Sends `initialize` without waiting.
    pub(super) fn init_async(self) -> Self {
        self.control_async("r0", "initialize", json!({}))
    }

    /// Waits until a session file holds this text.
    pub(super) fn saved(self, text: &'static str) -> Self {
        self.step(Step::Saved(text))
    }

    /// Lets time pass.
    pub(super) fn pause(self, millis: u64) -> Self {
        self.step(Step::Sleep(Duration::from_millis(millis)))
    }

    /// Closes stdin here rather than at the end.
    pub(super) fn close(self) -> Self {
        self.step(Step::Close)
    }

    /// Sends a signal.
    pub(super) fn signal(self, name: &'static str) -> Self {
        self.step(Step::Signal(name))
    }
}
