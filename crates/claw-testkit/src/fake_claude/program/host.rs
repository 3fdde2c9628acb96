//! The state and output that the threads share.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::flags::Flags;
use super::frames;
use super::ids::Ids;
use super::output::{Output, lock};
use super::session_file::SessionFile;
use super::state::{Answer, Flow, Next, Open, Prompt, State};
use crate::fake_claude::script::FakeScript;

/// The state of one run of the program.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) script: FakeScript,
    script_folder: PathBuf,
    pub(super) flags: Flags,
    pub(super) cwd: String,
    pub(super) ids: Ids,
    pub(super) out: Output,
    /// Whether frames are printed: with other formats only the end is.
    frames: bool,
    reports_state: Option<bool>,
    state: Mutex<State>,
    changed: Condvar,
    file: Mutex<SessionFile>,
}

impl Host {
    pub(super) fn new(flags: Flags, script: FakeScript, script_folder: PathBuf) -> Self {
        let state = State {
            mode: flags.value("--permission-mode").unwrap_or("default").into(),
            model: flags.value("--model").unwrap_or(frames::MODEL).into(),
            reported: "idle",
            ..State::default()
        };
        let wants = |name| env::var_os(name).is_some_and(|value| value == "1");
        let reports_state = if wants("CLAUDE_CODE_SDK_READS_SESSION_STATE") {
            Some(true)
        } else {
            wants("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS").then_some(false)
        };
        Self {
            frames: flags.value("--output-format") == Some("stream-json"),
            cwd: env::current_dir()
                .map(|cwd| cwd.to_string_lossy().into_owned())
                .unwrap_or_default(),
            script,
            script_folder,
            flags,
            ids: Ids::new(),
            out: Output::default(),
            reports_state,
            state: Mutex::new(state),
            changed: Condvar::new(),
            file: Mutex::new(SessionFile::default()),
        }
    }

    pub(super) fn set_file(&self, file: SessionFile) {
        *lock(&self.file) = file;
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub(super) fn file(&self) -> MutexGuard<'_, SessionFile> {
        lock(&self.file)
    }

    pub(super) fn session_id(&self) -> String {
        self.file().session_id.clone()
    }

    /// Wakes the other thread after a change of the state.
    pub(super) fn wake(&self) {
        self.changed.notify_all();
    }

    /// A path of the script.
    pub(super) fn resolve(&self, path: &Path) -> PathBuf {
        self.script_folder.join(path)
    }

    pub(super) fn prints_frames(&self) -> bool {
        self.frames
    }

    /// Appends a frame to the output buffer.
    pub(super) fn emit(&self, frame: &str) {
        if self.frames {
            self.out.line(frame);
        }
    }

    /// Prints a frame as soon as the pipe takes it, from the thread that must not wait.
    pub(super) fn emit_now(&self, frame: &str) {
        if self.frames {
            self.out.urgent(frame);
        }
    }

    /// A `system` frame.
    pub(super) fn system(&self, subtype: &str, members: Value) -> String {
        let mut frame = json!({
            "type": "system", "subtype": subtype,
            "uuid": self.ids.uuid(), "session_id": self.session_id(),
        });
        if let (Some(frame), Value::Object(members)) = (frame.as_object_mut(), members) {
            frame.extend(members);
        }
        frame.to_string()
    }

    pub(super) fn lifecycle(&self, prompt: &str, state: &str) -> String {
        frames::lifecycle(prompt, state, &self.ids.uuid(), &self.session_id())
    }

    /// Reports the session's state, if it changed and the host enabled reports.
    pub(super) fn report_state(&self, new: &'static str) {
        let changed = std::mem::replace(&mut self.state().reported, new) != new;
        if let (true, Some(host_only)) = (changed, self.reports_state) {
            let mut members = json!({"state": new});
            if host_only {
                members["sdk_host_only"] = json!(true);
            }
            self.emit_now(&self.system("session_state_changed", members));
        }
    }

    /// Takes a prompt from the host.
    pub(super) fn queue(&self, prompt: Prompt) {
        let uuid = prompt.uuid.clone();
        if !self.state().running {
            self.report_state("running");
        }
        if let Some(uuid) = uuid {
            self.emit_now(&self.lifecycle(&uuid, "queued"));
        }
        self.state().waiting.push_back(prompt);
        self.wake();
    }

    /// Waits for a prompt, the end of a task or the end of stdin.
    pub(super) fn next(&self) -> Next {
        let mut state = self.state();
        state.running = false;
        state.interrupted = false;
        // A session becomes idle only here, not while a prompt is being announced.
        let mut turn_ended = true;
        loop {
            if let Some(parked) = state.parked.take() {
                state.running = true;
                return Next::Parked(parked);
            }
            if !state.waiting.is_empty() {
                let count = if state.joined { state.waiting.len() } else { 1 };
                state.running = true;
                state.joined = true;
                return Next::Prompts(state.waiting.drain(..count).collect());
            }
            state.joined = false;
            let now = Instant::now();
            if let Some(at) = state.tasks.iter().position(|task| task.due <= now) {
                state.running = true;
                return Next::TaskEnded(state.tasks.remove(at));
            }
            let due = state.tasks.iter().map(|task| task.due).min();
            if std::mem::take(&mut turn_ended) {
                // A background shell does not keep a session from being idle.
                drop(state);
                self.report_state("idle");
                self.out.flush();
                state = self.state();
            } else if state.input_ended && !self.script.stubborn && due.is_none() {
                return Next::End;
            } else {
                state = self.wait(state, due.map(|due| due.saturating_duration_since(now)));
            }
        }
    }

    fn wait<'a>(
        &self,
        state: MutexGuard<'a, State>,
        limit: Option<Duration>,
    ) -> MutexGuard<'a, State> {
        match limit {
            None => self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner),
            Some(limit) => {
                self.changed
                    .wait_timeout(state, limit)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
        }
    }

    /// Whether the turn was interrupted, for loops that do not wait.
    pub(super) fn interrupted(&self) -> bool {
        self.state().interrupted
    }

    /// Waits for a time, or without limit until the turn is interrupted or stdin ends.
    pub(super) fn pause(&self, limit: Option<Duration>) -> Flow {
        self.out.flush();
        let until = limit.map(|limit| Instant::now() + limit);
        let mut state = self.state();
        loop {
            if state.interrupted {
                return Flow::Interrupted;
            }
            let left = match until {
                None if state.input_ended && !self.script.stubborn => return Flow::InputEnded,
                None => None,
                Some(until) => match until.checked_duration_since(Instant::now()) {
                    None | Some(Duration::ZERO) => return Flow::Next,
                    left => left,
                },
            };
            state = self.wait(state, left);
        }
    }

    /// Sends a request to the host and returns its id.
    pub(super) fn ask(&self, request: Value) -> String {
        let id = self.ids.uuid();
        let frame = json!({"type": "control_request", "request_id": id, "request": request});
        let text = frame.to_string();
        let open = Open {
            frame,
            answer: None,
        };
        self.state().open.insert(id.clone(), open);
        self.emit(&text);
        self.out.flush();
        id
    }

    /// Waits for the answer to a question.
    pub(super) fn answer_to(&self, id: &str, limit: Option<Duration>) -> Answer {
        let until = limit.map(|limit| Instant::now() + limit);
        let mut state = self.state();
        let answer = loop {
            match state.open.get_mut(id).map(|open| open.answer.take()) {
                None => break Answer::TakenBack,
                Some(Some(answer)) => break answer,
                Some(None) => {}
            }
            if state.interrupted {
                break Answer::Interrupted;
            }
            if state.input_ended && !self.script.stubborn {
                break Answer::Closed;
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                break Answer::TakenBack;
            }
            state = self.wait(state, left);
        };
        let was_open = state.open.remove(id).is_some();
        drop(state);
        if was_open && matches!(answer, Answer::Interrupted | Answer::TakenBack) {
            self.emit(&frames::cancel(id));
            self.out.flush();
        }
        answer
    }

    /// Takes an answer from the host; one to an unknown question is ignored, as in the CLI.
    pub(super) fn answered(&self, id: &str, answer: Answer) {
        if let Some(open) = self.state().open.get_mut(id) {
            open.answer = Some(answer);
        }
        self.wake();
    }

    /// Writes entries to the session's file, and mirrors them if the host enabled that.
    pub(super) fn persist(&self, entries: Vec<Value>) {
        let written = self.file().append(&entries);
        match written {
            Ok(Some(path)) if self.flags.has("--session-mirror") => {
                self.emit(&frames::mirror(&path, &entries));
            }
            Ok(_) => {}
            Err(error) => eprintln!("fake-claude: cannot write the session's file: {error}"),
        }
    }

    /// Counts a result.
    pub(super) fn count_result(&self, is_error: bool) -> u64 {
        let mut state = self.state();
        state.last_was_error = is_error;
        state.results += 1;
        state.results - 1
    }

    pub(super) fn print_unknown_session(&self, id: &str, text: &str) {
        self.emit(&frames::unknown_session(id, text, &self.ids.uuid()));
        self.out.flush();
    }

    /// Ends as the CLI does: 1 if the last result was an error.
    pub(super) fn exit_as_last_result(&self) -> ! {
        let failed = self.state().last_was_error;
        self.exit(i32::from(failed))
    }

    /// Writes the last entry of the session's file and ends.
    pub(super) fn exit(&self, code: i32) -> ! {
        let cost = self.file().cost_state();
        if let Some(entry) = cost {
            let entries = [entry];
            let written = self.file().append(&entries);
            if let (Ok(Some(path)), true) = (written, self.flags.has("--session-mirror")) {
                self.emit_now(&frames::mirror(&path, &entries));
            }
        }
        self.leave(code)
    }

    /// Ends at once. A host that does not read stdout delays it by 0.2 seconds at most.
    pub(super) fn leave(&self, code: i32) -> ! {
        for _ in 0..100 {
            if self.out.try_flush() {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        std::process::exit(code)
    }
}
