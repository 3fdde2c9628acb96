//! A scenario: how the CLI is started, what the API answers, what the host does.
//!
//! Scenarios are data: the files in `proofs/scenarios/`, one per family. Paths in them are those
//! that the recording shows (`/home/user/project/…`); the driver maps them into the temporary
//! folder of the run, and the recording maps them back.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::repository::{files_below, read, root};

/// A file of `proofs/scenarios/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    /// What the scenarios have in common, for the reader of the file.
    #[serde(rename = "about")]
    _about: String,
    /// Runs that others continue and that are not recorded themselves.
    #[serde(default)]
    preludes: Vec<Scenario>,
    scenarios: Vec<Scenario>,
}

/// One recording.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) about: String,
    /// Arguments behind the fixed ones.
    pub(super) args: Vec<String>,
    /// Starts the CLI without the fixed arguments.
    pub(super) bare_args: bool,
    /// Variables beside the fixed ones; `null` removes a fixed one.
    pub(super) env: BTreeMap<String, Option<String>>,
    /// The project, if nothing else.
    pub(super) cwd: Option<String>,
    /// Files to create, by path.
    pub(super) files: BTreeMap<String, Content>,
    /// Turns of the scripted API, in the notation of `claw_testkit::Turn`.
    pub(super) api: Vec<Value>,
    /// The turn for every request that no other turn answers.
    pub(super) fallback: Option<Value>,
    pub(super) steps: Vec<Step>,
    /// Answers to requests of the CLI, in order; then the driver's default answers.
    ///
    /// The key is a subtype such as `can_use_tool`, or `hook:` and the callback's id.
    pub(super) answers: BTreeMap<String, VecDeque<Answer>>,
    /// The scenario whose home folder this one continues in.
    pub(super) after: Option<String>,
    /// A shell script that runs in the home folder before the CLI starts.
    pub(super) prepare: Option<String>,
    /// Keeps the session files too.
    pub(super) sessions: bool,
    /// Belongs to the tenth that `--quick` records.
    pub(super) quick: bool,
    /// Puts the config folder on a file system of this size.
    pub(super) config_dir_kib: Option<u32>,
    /// Kinds of frames that race with the end of the process and may be missing.
    pub(super) races: Vec<String>,
    /// Does not cut long texts.
    pub(super) long_text: bool,
    pub(super) exit: Exit,
    /// A minute, if nothing else.
    pub(super) within_s: Option<u64>,
}

/// One thing the host does.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Step {
    /// Sends a prompt: its content, or an object with `content` and more fields of the frame.
    Say(Value),
    /// Sends a prompt and waits for the result.
    Ask(Value),
    /// Writes one frame.
    Send(Value),
    /// Writes bytes as they are.
    Raw(Content),
    /// Waits for a frame of this kind (`type` or `type/subtype`) after the last awaited one.
    Until(String),
    /// Waits for a frame of this kind that contains this text.
    UntilText(String, String),
    /// Waits until the API has received this many requests.
    Asked(usize),
    /// Sends a control request and waits for its reply.
    Control(Value),
    /// Answers the n-th held request.
    Release(usize, Answer),
    /// Stores a string of the first frame of a kind; later steps refer to it as `$name`.
    Capture {
        name: String,
        kind: String,
        path: String,
    },
    /// Stores a part of a request to the API, from one text to another, both included.
    CaptureAsked {
        name: String,
        from: String,
        to: String,
    },
    /// Adds turns to the API, which may use what was captured.
    Api(Vec<Value>),
    /// Waits until a session file contains this text.
    Saved(String),
    SleepMs(u64),
    /// Closes stdin.
    Close,
    /// Sends a signal by name.
    Signal(String),
}

/// Bytes of a file or of stdin.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Content {
    Text(String),
    /// Bytes that are not UTF-8: one character per byte.
    Latin1 {
        latin1: String,
    },
    /// A JSON value.
    Json {
        json: Value,
    },
    /// `line 1`, `line 2` and so on, this many.
    Numbered {
        numbered_lines: usize,
    },
}

impl Content {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let text: String = match self {
            Self::Text(text) => text.clone(),
            Self::Json { json } => json.to_string(),
            Self::Numbered { numbered_lines } => {
                let lines = 1..=*numbered_lines;
                lines.map(|n| format!("line {n}\n")).collect()
            }
            Self::Latin1 { latin1 } => {
                let byte = |c: char| u8::try_from(c).unwrap_or(b'?');
                return latin1.chars().map(byte).collect();
            }
        };
        text.into_bytes()
    }
}

/// How the host answers a request of the CLI.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// With success and this payload.
    Reply(Value),
    /// With an error.
    Fail(String),
    /// Only at a later [`Step::Release`].
    Hold,
}

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Exit {
    Code(i32),
    Signal(i32),
}

impl Default for Exit {
    fn default() -> Self {
        Self::Code(0)
    }
}

impl Scenario {
    /// The folder in which the CLI starts.
    pub(super) fn cwd(&self) -> &str {
        self.cwd.as_deref().unwrap_or("/home/user/project")
    }
}

/// The scenarios of all files, and the preludes that some of them continue.
#[derive(Debug)]
pub(super) struct Scenarios {
    pub(super) recorded: Vec<Scenario>,
    preludes: Vec<Scenario>,
}

impl Scenarios {
    /// Reads every file of `proofs/scenarios/`.
    pub(super) fn of_this_repository() -> Result<Self> {
        let (mut recorded, mut preludes) = (Vec::new(), Vec::new());
        for path in files_below(&root().join("proofs/scenarios")) {
            let family: Family = serde_json::from_str(&read(&path)?)
                .with_context(|| format!("{} is no list of scenarios", path.display()))?;
            recorded.extend(family.scenarios);
            preludes.extend(family.preludes);
        }
        let all = Self { recorded, preludes };
        let mut names = BTreeSet::new();
        for scenario in all.iter() {
            let name = &scenario.name;
            ensure!(!name.is_empty(), "a scenario has no name");
            ensure!(names.insert(name), "two scenarios are called {name}");
            all.chain(scenario)?;
        }
        Ok(all)
    }

    fn iter(&self) -> impl Iterator<Item = &Scenario> {
        self.recorded.iter().chain(&self.preludes)
    }

    /// A scenario and those that run before it in the same home folder, the first one first.
    pub(super) fn chain<'a>(&'a self, scenario: &'a Scenario) -> Result<Vec<&'a Scenario>> {
        let mut chain = vec![scenario];
        while let Some(before) = chain.last().and_then(|s| s.after.as_deref()) {
            let before = self
                .iter()
                .find(|s| s.name == before)
                .with_context(|| format!("{}: no scenario {before}", scenario.name))?;
            ensure!(
                chain.iter().all(|s| s.name != before.name),
                "{} runs after itself",
                before.name
            );
            chain.push(before);
        }
        chain.reverse();
        Ok(chain)
    }
}

/// Maps the paths of a scenario into the run's root and fills in captured values.
pub(super) struct Place<'a> {
    pub(super) root: &'a str,
    pub(super) vars: &'a BTreeMap<String, String>,
}

impl Place<'_> {
    pub(super) fn text(&self, text: &str) -> String {
        let text = text.replace("/home/user", &format!("{}/home/user", self.root));
        let fill = |text: String, (name, value): (&String, &String)| {
            text.replace(&format!("${name}"), value)
        };
        self.vars.iter().fold(text, fill)
    }
}

/// The user frame of a prompt; see [`Step::Say`].
pub(super) fn user_frame(prompt: &Value) -> Value {
    let content = prompt.get("content").unwrap_or(prompt);
    let mut frame = json!({
        "type": "user",
        "message": {"role": "user", "content": content},
        "parent_tool_use_id": null,
        "session_id": "",
    });
    if let (Some(more), Some(frame)) = (prompt.as_object(), frame.as_object_mut()) {
        let more = more.iter().filter(|(key, _)| *key != "content");
        frame.extend(more.map(|(key, value)| (key.clone(), value.clone())));
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_may_have_more_fields() {
        let frame = user_frame(&json!("hello"));
        assert_eq!(frame["message"]["content"], "hello");
        let frame = user_frame(&json!({"content": [], "uuid": "u"}));
        assert_eq!(frame["message"]["content"], json!([]));
        assert_eq!(frame["uuid"], "u");
        assert_eq!(frame.get("content"), None);
    }

    #[test]
    fn bytes_that_are_not_text_are_latin_1() {
        let content: Content = serde_json::from_str(r#"{"latin1": "a\u00ff"}"#).unwrap();
        assert_eq!(content.bytes(), b"a\xff");
    }
}
