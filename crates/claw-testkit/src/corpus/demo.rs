//! A small library of sessions that a person can read: for trying things out, and for pictures.
//!
//! The conversations are written down in `demo/sessions.json`; here they become lines as the CLI
//! writes them. Times count back from a moment of the caller's choice.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use super::generate::CorpusError;
use super::line::{api_id, new_uuid, uuid_text};
use super::shapes::VERSION;
use crate::calendar;
use crate::dice::Dice;

const SESSIONS: &str = include_str!("../../demo/sessions.json");

/// A conversation as it is written down.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Demo {
    project: String,
    branch: String,
    title: String,
    minutes_ago: i64,
    model: String,
    turns: Vec<Turn>,
    /// The last line is cut in the middle, as after a loss of power.
    #[serde(default)]
    torn: bool,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Turn {
    Prompt {
        you: String,
        /// The user went back and wrote this instead of the last prompt.
        #[serde(default)]
        instead: bool,
    },
    Answer {
        answer: Vec<Block>,
    },
}

#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Block {
    Think {
        think: String,
    },
    Say {
        say: String,
    },
    Call {
        call: String,
        input: Value,
        /// A call without a result was never answered.
        result: Option<Value>,
        #[serde(default)]
        error: bool,
        /// What the CLI keeps beside the result for itself.
        detail: Option<Value>,
        /// What the subagent did that was started by the call.
        #[serde(default)]
        agent: Vec<Turn>,
    },
}

/// Writes the demo under `out/.claude/projects`, as of `now_ms` after 1970, and returns the session
/// files.
///
/// # Errors
/// If a file cannot be written.
pub fn write_demo(out: &Path, now_ms: i64) -> Result<Vec<PathBuf>, CorpusError> {
    let demos: Vec<Demo> = serde_json::from_str(SESSIONS).map_err(|error| CorpusError::Write {
        path: "demo/sessions.json".into(),
        source: error.into(),
    })?;
    let mut dice = Dice::new(7);
    let mut files = Vec::new();
    for session in &demos {
        let mut scribe = Scribe::new(session, now_ms, &mut dice);
        scribe.turns(&session.turns);
        files.push(scribe.finish(out)?);
    }
    Ok(files)
}

/// Writes the lines of one conversation, or of a subagent in it.
struct Scribe<'a> {
    demo: &'a Demo,
    dice: &'a mut Dice,
    id: String,
    agent: Option<String>,
    lines: Vec<Value>,
    /// Files of subagents: id, lines, and its metadata.
    agents: Vec<(String, Vec<Value>, Value)>,
    leaf: Option<String>,
    /// The parent of the last prompt.
    before_prompt: Option<String>,
    clock_ms: i64,
    context: u64,
}

impl<'a> Scribe<'a> {
    fn new(demo: &'a Demo, now_ms: i64, dice: &'a mut Dice) -> Self {
        Self {
            demo,
            id: uuid_text(new_uuid(dice)),
            dice,
            agent: None,
            lines: Vec::new(),
            agents: Vec::new(),
            leaf: None,
            before_prompt: None,
            clock_ms: now_ms - demo.minutes_ago * 60_000,
            context: 14_000,
        }
    }

    fn turns(&mut self, turns: &[Turn]) {
        for turn in turns {
            match turn {
                Turn::Prompt { you, instead } => self.prompt(you, *instead),
                Turn::Answer { answer } => self.answer(answer),
            }
        }
    }

    fn prompt(&mut self, text: &str, instead: bool) {
        self.clock_ms += 40_000;
        if instead {
            self.leaf = self.before_prompt.clone();
        }
        self.before_prompt = self.leaf.clone();
        let mut members = json!({"message": {"role": "user", "content": text}});
        if self.agent.is_none() {
            members["promptSource"] = "typed".into();
            members["permissionMode"] = "default".into();
        }
        self.chained("user", members);
    }

    fn answer(&mut self, blocks: &[Block]) {
        let message = api_id("msg_01", self.dice.wide());
        let request = api_id("req_01", self.dice.wide());
        let calls: Vec<String> = blocks
            .iter()
            .map(|_| api_id("toolu_01", self.dice.wide()))
            .collect();
        let stop = match blocks.last() {
            Some(Block::Call { .. }) => "tool_use",
            _ => "end_turn",
        };
        let usage = self.usage(blocks);
        let mut called = Vec::new();
        for (at, block) in blocks.iter().enumerate() {
            self.clock_ms += 4_000;
            let content = match block {
                Block::Think { think } => {
                    json!({"type": "thinking", "thinking": think, "signature": "c2lnbmVk"})
                }
                Block::Say { say } => json!({"type": "text", "text": say}),
                Block::Call { call, input, .. } => {
                    json!({"type": "tool_use", "id": calls[at], "name": call, "input": input})
                }
            };
            let line = self.chained("assistant", json!({
                "message": {
                    "id": message, "type": "message", "role": "assistant", "model": self.demo.model,
                    "content": [content], "stop_reason": stop, "stop_sequence": null, "usage": usage,
                },
                "apiBlockIndex": at,
                "requestId": request,
            }));
            called.push(line);
        }
        for (at, block) in blocks.iter().enumerate() {
            self.result(block, &calls[at], &called[at]);
        }
    }

    /// The parent of a result is the line of its call, also if several run at once.
    fn result(&mut self, block: &Block, call: &str, line: &str) {
        let Block::Call {
            input,
            result: Some(result),
            error,
            detail,
            agent,
            ..
        } = block
        else {
            return;
        };
        if !agent.is_empty() {
            self.delegate(agent, call, input);
        }
        self.clock_ms += 3_000;
        let mut content = json!({"tool_use_id": call, "type": "tool_result", "content": result});
        if *error {
            content["is_error"] = true.into();
        }
        let mut members = json!({
            "message": {"role": "user", "content": [content]},
            "sourceToolAssistantUUID": line,
        });
        if let Some(detail) = detail {
            members["toolUseResult"] = detail.clone();
        }
        self.leaf = Some(line.to_owned());
        self.chained("user", members);
    }

    fn delegate(&mut self, turns: &[Turn], call: &str, input: &Value) {
        let id = format!("a{:016x}", self.dice.next());
        let mut scribe = Scribe {
            demo: self.demo,
            dice: &mut *self.dice,
            id: self.id.clone(),
            agent: Some(id.clone()),
            lines: Vec::new(),
            agents: Vec::new(),
            leaf: None,
            before_prompt: None,
            clock_ms: self.clock_ms,
            context: 6_000,
        };
        scribe.turns(turns);
        let (lines, clock_ms) = (scribe.lines, scribe.clock_ms);
        self.clock_ms = clock_ms;
        let beside = json!({
            "agentType": input["subagent_type"], "description": input["description"],
            "toolUseId": call, "spawnDepth": 1, "finished": true,
        });
        self.agents.push((id, lines, beside));
    }

    /// Tokens in the proportions of a real conversation: most of the context comes from the cache.
    fn usage(&mut self, blocks: &[Block]) -> Value {
        let text: usize = blocks
            .iter()
            .map(|block| match block {
                Block::Think { think } => think.len(),
                Block::Say { say } => say.len(),
                Block::Call { input, .. } => input.to_string().len() + 60,
            })
            .sum();
        let written = self.dice.size(1800, 0.8, 200, 20_000) as u64;
        let read = self.context;
        self.context += written;
        json!({
            "input_tokens": self.dice.between(3, 30), "cache_creation_input_tokens": written,
            "cache_read_input_tokens": read, "output_tokens": text / 3 + 30,
            "service_tier": "standard",
            "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0},
        })
    }

    /// Adds a line below the last one and returns its id.
    fn chained(&mut self, kind: &str, members: Value) -> String {
        let uuid = uuid_text(new_uuid(self.dice));
        let mut line = json!({
            "parentUuid": self.leaf, "isSidechain": self.agent.is_some(), "type": kind,
        });
        if let Some(agent) = &self.agent {
            line["agentId"] = agent.clone().into();
        }
        let rest = json!({
            "uuid": uuid, "timestamp": calendar::timestamp(self.clock_ms), "userType": "external",
            "entrypoint": "cli", "cwd": format!("/home/user/{}", self.demo.project),
            "sessionId": self.id, "version": VERSION, "gitBranch": self.demo.branch,
        });
        if let Value::Object(line) = &mut line {
            for part in [members, rest] {
                line.extend(part.as_object().cloned().unwrap_or_default());
            }
        }
        self.lines.push(line);
        self.leaf = Some(uuid.clone());
        uuid
    }

    fn finish(mut self, out: &Path) -> Result<PathBuf, CorpusError> {
        let title = json!({"type": "ai-title", "aiTitle": self.demo.title, "sessionId": self.id});
        self.lines.insert(1, title);
        let project = out
            .join(".claude/projects")
            .join(format!("-home-user-{}", self.demo.project));
        let path = project.join(&self.id).with_extension("jsonl");
        let mut text = text_of(&self.lines);
        if self.demo.torn {
            text.truncate(text.len() - 90);
        }
        write(&path, &text)?;
        let modified = std::time::UNIX_EPOCH
            + std::time::Duration::from_millis(u64::try_from(self.clock_ms).unwrap_or_default());
        fs::File::options()
            .append(true)
            .open(&path)
            .and_then(|file| file.set_modified(modified))
            .map_err(|source| CorpusError::Write {
                path: path.clone(),
                source,
            })?;
        for (id, lines, beside) in &self.agents {
            let file = project
                .join(&self.id)
                .join(format!("subagents/agent-{id}.jsonl"));
            write(&file, &text_of(lines))?;
            write(&file.with_extension("meta.json"), &beside.to_string())?;
        }
        Ok(path)
    }
}

fn text_of(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn write(path: &Path, text: &str) -> Result<(), CorpusError> {
    path.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(path, text))
        .map_err(|source| CorpusError::Write {
            path: path.to_owned(),
            source,
        })
}
