//! The CLI's environment.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use claw_transcript::{SessionLibrary, TranscriptError};

use super::check::bad;
use super::fields::{Environment, Options, QuestionPreview};
use crate::error::StartError;

impl Options {
    /// Sets a variable in the CLI's environment, in addition to those that it inherits. The last
    /// value wins, also over variables that this library sets.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment
            .said
            .push((name.into(), Some(value.into())));
        self
    }

    /// Removes a variable that the CLI would inherit, or that this library would set.
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.environment.said.push((name.into(), None));
        self
    }

    /// Lets the CLI inherit nothing of this process's environment. Variables of [`Options::env`]
    /// are kept, whether set before or after. Remember `PATH` and `HOME`.
    pub fn env_clear(mut self) -> Self {
        self.environment.clear = true;
        self
    }

    /// The name of the program, as `name/version`. The CLI adds it to the user agent of its API
    /// requests.
    pub fn client_app(mut self, name: impl Into<String>) -> Self {
        self.environment.client_app = Some(name.into());
        self
    }

    /// How often the CLI retries a failed API request. 10 by default, which can take minutes.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.environment.max_retries = Some(retries);
        self
    }

    /// How long the CLI buffers text deltas before it prints them as one, if partial messages are
    /// on. By default it prints each delta at once. A quarter of a second reduces the number of
    /// messages to about a twentieth, with the same text.
    pub fn stream_hold(mut self, hold: Duration) -> Self {
        self.environment.stream_hold = Some(hold);
        self
    }

    /// The format of previews for the choices of a question. Markdown by default.
    pub fn question_preview(mut self, format: QuestionPreview) -> Self {
        self.environment.question_preview = Some(format);
        self
    }
}

impl Options {
    /// Returns the session files of a CLI with these options, for all working folders.
    ///
    /// # Errors
    /// Returns an error if neither `CLAUDE_CONFIG_DIR` nor the home folder is set for the CLI.
    pub fn session_library(&self) -> Result<SessionLibrary, TranscriptError> {
        let Environment { said, clear, .. } = &self.environment;
        SessionLibrary::from_vars(|name| {
            let mut said = said.iter().rev();
            match said.find(|(key, _)| *key == *OsStr::new(name)) {
                Some((_, value)) => value.clone(),
                None if *clear => None,
                None => std::env::var_os(name),
            }
        })
    }
}

impl Environment {
    pub(super) fn check(&self) -> Result<(), StartError> {
        for (name, value) in &self.said {
            let bytes = name.as_encoded_bytes();
            if bytes.is_empty() || bytes.contains(&b'=') || bytes.contains(&0) {
                return Err(bad(
                    "env",
                    format!("{name:?} cannot be the name of a variable"),
                ));
            }
            if value
                .as_deref()
                .is_some_and(|value| value.as_encoded_bytes().contains(&0))
            {
                return Err(bad(
                    "env",
                    format!("the value of {name:?} holds a NUL byte"),
                ));
            }
        }
        if let Some(app) = &self.client_app {
            // It is sent in a header.
            if app.is_empty() || app.contains(|c: char| c.is_control() || !c.is_ascii()) {
                return Err(bad(
                    "client_app",
                    "must be printable ASCII such as my-app/1.0.0",
                ));
            }
        }
        Ok(())
    }

    /// Returns the variables to set and to remove. `checkpoints` is whether the CLI backs up files
    /// before it changes them; `inherited` returns whether the CLI would inherit a variable.
    pub(super) fn variables(
        &self,
        checkpoints: bool,
        inherited: &dyn Fn(&str) -> bool,
    ) -> Vec<(OsString, Option<OsString>)> {
        let text = |value: &str| Some(value.to_owned());
        // An embedding host may have set its own name.
        let is_unnamed = self.clear || !inherited("CLAUDE_CODE_ENTRYPOINT");
        let preview = self.question_preview.map(|format| match format {
            QuestionPreview::Markdown => text("markdown"),
            QuestionPreview::Html => text("html"),
        });
        let retries = self.max_retries.map(|retries| Some(retries.to_string()));
        let hold = self
            .stream_hold
            .map(|hold| Some(hold.as_millis().to_string()));
        // `None` leaves a variable as it is, `Some(None)` removes it.
        let ours = [
            ("CLAUDE_CODE_ENTRYPOINT", is_unnamed.then(|| text("sdk-rs"))),
            // The CLI reports when it is idle, which the turn ledger needs.
            ("CLAUDE_CODE_SDK_READS_SESSION_STATE", Some(text("1"))),
            // A CLI that refuses to start prints the reason in a `result`, so that it need not be
            // guessed from standard error.
            ("CLAUDE_CODE_STARTUP_FAILURE_RESULTS", Some(text("1"))),
            // Meant for this process, not for a child that may be a Node program.
            ("NODE_OPTIONS", (!self.clear).then_some(None)),
            ("DEBUG", (!self.clear).then_some(None)),
            (
                "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING",
                checkpoints.then(|| text("true")),
            ),
            (
                "CLAUDE_AGENT_SDK_CLIENT_APP",
                self.client_app.clone().map(Some),
            ),
            ("CLAUDE_CODE_MAX_RETRIES", retries),
            ("CLAUDE_CODE_STREAM_EVENT_HOLD_MS", hold),
            ("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT", preview),
        ];
        let ours = ours
            .into_iter()
            .filter(|(name, _)| !said_in(&self.said, OsStr::new(name)))
            .filter_map(|(name, value)| Some((OsString::from(name), value?.map(OsString::from))));
        let said = self
            .said
            .iter()
            .enumerate()
            .filter_map(|(at, (name, value))| {
                let later = &self.said[at + 1..];
                (!said_in(later, name)).then(|| (name.clone(), value.clone()))
            });
        ours.chain(said).collect()
    }
}

fn said_in(said: &[(OsString, Option<OsString>)], name: &OsStr) -> bool {
    said.iter().any(|(other, _)| other == name)
}
