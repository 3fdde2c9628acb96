//! The CLI's environment.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use super::Options;
use super::check::bad;
use crate::error::StartError;

/// The CLI's environment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    clear: bool,
    /// What the program said, in its order; the last word counts.
    said: Vec<(OsString, Option<OsString>)>,
    client_app: Option<String>,
    max_retries: Option<u32>,
    stream_hold: Option<Duration>,
    question_preview: Option<QuestionPreview>,
}

/// How the model draws the previews that go with a question's choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuestionPreview {
    /// Markdown, for a fixed-width box.
    Markdown,
    /// A piece of HTML that stands for itself, for hosts that show web pages.
    Html,
}

impl Options {
    /// A variable of the CLI's environment. Added to what it inherits; the last value wins, also
    /// over the variables that this library sets by itself.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment
            .said
            .push((name.into(), Some(value.into())));
        self
    }

    /// A variable that the CLI does not inherit, or that this library does not set.
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.environment.said.push((name.into(), None));
        self
    }

    /// Lets the CLI inherit nothing of this process's environment. What was and will be set with
    /// [`Options::env`] stays. Remember `PATH` and `HOME`.
    pub fn env_clear(mut self) -> Self {
        self.environment.clear = true;
        self
    }

    /// What the program calls itself, `name/version`. The CLI adds it to the user agent of its
    /// calls to the model.
    pub fn client_app(mut self, name: impl Into<String>) -> Self {
        self.environment.client_app = Some(name.into());
        self
    }

    /// How often the CLI tries a failed call to the model again. 10 unless set, which can take
    /// minutes.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.environment.max_retries = Some(retries);
        self
    }

    /// How long the CLI gathers pieces of text before it prints them as one, when partial
    /// messages are on. Unless set it prints each piece as it comes. A quarter of a second makes
    /// about a twentieth of the messages of it, with the same text.
    pub fn stream_hold(mut self, hold: Duration) -> Self {
        self.environment.stream_hold = Some(hold);
        self
    }

    /// How the model draws the previews that go with a question's choices. Markdown unless set.
    pub fn question_preview(mut self, format: QuestionPreview) -> Self {
        self.environment.question_preview = Some(format);
        self
    }
}

impl Environment {
    pub(super) fn clear(&self) -> bool {
        self.clear
    }

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
            // It travels in a header.
            if app.is_empty() || app.contains(|c: char| c.is_control() || !c.is_ascii()) {
                return Err(bad(
                    "client_app",
                    "must be printable ASCII such as my-app/1.0.0",
                ));
            }
        }
        Ok(())
    }

    /// What to set and what to remove. `checkpoints` is whether the CLI keeps copies of files
    /// before it changes them; `inherited` says whether the CLI would inherit a variable.
    pub(super) fn variables(
        &self,
        checkpoints: bool,
        inherited: &dyn Fn(&str) -> bool,
    ) -> Vec<(OsString, Option<OsString>)> {
        let mut ours: Vec<(&str, Option<String>)> = Vec::new();
        // A host that embeds us may have a name of its own.
        if self.clear || !inherited("CLAUDE_CODE_ENTRYPOINT") {
            ours.push(("CLAUDE_CODE_ENTRYPOINT", Some("sdk-rs".to_owned())));
        }
        // The CLI says when it is idle; the turn ledger listens.
        ours.push(("CLAUDE_CODE_SDK_READS_SESSION_STATE", Some("1".to_owned())));
        // A CLI that refuses to start says why in a `result`, which is better than a guess at
        // what it printed on standard error.
        ours.push(("CLAUDE_CODE_STARTUP_FAILURE_RESULTS", Some("1".to_owned())));
        if !self.clear {
            // Meant for this process, not for a child that may be a Node program.
            ours.push(("NODE_OPTIONS", None));
            ours.push(("DEBUG", None));
        }
        if checkpoints {
            ours.push((
                "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING",
                Some("true".to_owned()),
            ));
        }
        if let Some(app) = &self.client_app {
            ours.push(("CLAUDE_AGENT_SDK_CLIENT_APP", Some(app.clone())));
        }
        if let Some(retries) = self.max_retries {
            ours.push(("CLAUDE_CODE_MAX_RETRIES", Some(retries.to_string())));
        }
        if let Some(hold) = self.stream_hold {
            ours.push((
                "CLAUDE_CODE_STREAM_EVENT_HOLD_MS",
                Some(hold.as_millis().to_string()),
            ));
        }
        if let Some(format) = self.question_preview {
            let format = match format {
                QuestionPreview::Markdown => "markdown",
                QuestionPreview::Html => "html",
            };
            ours.push((
                "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT",
                Some(format.to_owned()),
            ));
        }
        let ours = ours
            .into_iter()
            .filter(|(name, _)| !self.said.iter().any(|(said, _)| said == name))
            .map(|(name, value)| (OsString::from(name), value.map(OsString::from)));
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
