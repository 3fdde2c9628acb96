//! Steps with tools, and subagents.

use std::fmt::Write as _;

use super::super::line::api_id;
use super::super::text::{json, prose, push_json, source, word};
use super::{Session, Style, Subagent, pick_model};
use crate::dice::{Dice, uuid_text};

/// A tool call and its result, as JSON.
struct Call {
    id: u128,
    name: &'static str,
    input: String,
    content: String,
    structured: String,
}

impl Session<'_> {
    /// Thinking, text, tool calls and their results.
    pub(super) fn step(&mut self) {
        let mut blocks = Vec::new();
        if self.dice.per_mille(350) {
            blocks.push(self.thinking());
        }
        if self.dice.per_mille(450) {
            let bytes = self.dice.size(160, 0.9, 10, 3000);
            let text = json(&prose(&mut self.dice, bytes));
            blocks.push(format!(r#"{{"type":"text","text":{text}}}"#));
        }
        let count = if self.dice.per_mille(800) {
            1
        } else {
            self.dice.between(2, 5)
        };
        let calls: Vec<_> = (0..count).map(|_| self.call()).collect();
        blocks.extend(calls.iter().map(|call| {
            let id = api_id("toolu_01", call.id);
            let (name, input) = (call.name, &call.input);
            format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}"#)
        }));
        let ids = self.answer(blocks, r#""tool_use""#, false);
        if !self.style.clean && self.dice.per_mille(2) {
            return;
        }
        // The parent of each result is its call; the last result continues the chain.
        let own_lines = &ids[ids.len() - count..];
        for (call, line) in calls.into_iter().zip(own_lines).rev() {
            self.leaf = Some(*line);
            let failed = self.dice.per_mille(40);
            let (content, structured) = if failed {
                let error = prose(&mut self.dice, 80);
                (
                    format!("{},\"is_error\":true", json(&error)),
                    json(&format!("Error: {error}")),
                )
            } else {
                (call.content, call.structured)
            };
            self.result(call.id, *line, &content, &structured);
        }
    }

    fn result(&mut self, call: u128, line: u128, content: &str, structured: &str) {
        let mut head = String::with_capacity(content.len() + 200);
        // Writing to a string cannot fail.
        let _ = write!(
            head,
            r#""type":"user","message":{{"role":"user","content":[{{"tool_use_id":"{}","type":"tool_result","content":{content}}}]}},"#,
            api_id("toolu_01", call)
        );
        let mut tail = String::with_capacity(structured.len() + 200);
        let _ = write!(tail, r#","toolUseResult":{structured}"#);
        if self.style.modern {
            let _ = write!(
                tail,
                r#","sourceToolAssistantUUID":"{}","permissionDecision":{{"decision":"accept","source":"config","reasonType":"mode"}}"#,
                uuid_text(line)
            );
        }
        self.chained("user", &head, &tail);
    }

    fn thinking(&mut self) -> String {
        let bytes = self.dice.size(500, 0.9, 30, 6000);
        let thinking = json(&prose(&mut self.dice, bytes));
        let bytes = self.dice.size(400, 0.5, 100, 2000);
        let signature = base64(&mut self.dice, bytes);
        format!(r#"{{"type":"thinking","thinking":{thinking},"signature":"{signature}"}}"#)
    }

    fn call(&mut self) -> Call {
        let id = self.dice.wide();
        let dice = &mut self.dice;
        let file = format!("/home/u/src/{}/src/{}.py", self.project, word(dice));
        let (name, input, content, structured) = match dice.between(0, 1000) {
            0..450 => {
                let command = json(&prose(dice, 60));
                let about = json(&prose(dice, 25));
                let bytes = dice.size(900, 1.6, 0, 30_000);
                let output = json(source(dice, bytes));
                (
                    "Bash",
                    format!(r#"{{"command":{command},"description":{about}}}"#),
                    output.clone(),
                    format!(
                        r#"{{"stdout":{output},"stderr":"","interrupted":false,"isImage":false}}"#
                    ),
                )
            }
            450..700 => {
                let bytes = dice.size(5000, 1.1, 100, 60_000);
                let text = source(dice, bytes);
                let lines = text.split('\n').count();
                (
                    "Read",
                    format!(r#"{{"file_path":"{file}"}}"#),
                    numbered(text),
                    format!(
                        r#"{{"type":"text","file":{{"filePath":"{file}","content":{},"numLines":{lines},"startLine":1,"totalLines":{lines}}}}}"#,
                        json(text)
                    ),
                )
            }
            700..850 => {
                let bytes = dice.size(300, 0.8, 20, 4000);
                let old = source(dice, bytes);
                let bytes = dice.size(350, 0.8, 20, 4000);
                let new = source(dice, bytes);
                let bytes = dice.size(6000, 1.0, 500, 60_000);
                let original = json(source(dice, bytes));
                let patch = patch(old, new);
                let (old, new) = (json(old), json(new));
                (
                    "Edit",
                    format!(
                        r#"{{"file_path":"{file}","old_string":{old},"new_string":{new},"replace_all":false}}"#
                    ),
                    format!(r#""The file {file} was changed.""#),
                    format!(
                        r#"{{"filePath":"{file}","oldString":{old},"newString":{new},"originalFile":{original},"structuredPatch":[{patch}],"userModified":false,"replaceAll":false}}"#
                    ),
                )
            }
            850..920 => {
                let bytes = dice.size(3000, 1.0, 50, 60_000);
                let text = json(source(dice, bytes));
                (
                    "Write",
                    format!(r#"{{"file_path":"{file}","content":{text}}}"#),
                    format!(r#""The file {file} was written.""#),
                    format!(
                        r#"{{"type":"create","filePath":"{file}","content":{text},"structuredPatch":[],"originalFile":null}}"#
                    ),
                )
            }
            920..975 => {
                let pattern = word(dice);
                let bytes = dice.size(800, 1.2, 0, 20_000);
                let output = json(source(dice, bytes));
                (
                    "Grep",
                    format!(r#"{{"pattern":"{pattern}","output_mode":"content"}}"#),
                    output.clone(),
                    format!(
                        r#"{{"mode":"content","numFiles":0,"filenames":[],"content":{output}}}"#
                    ),
                )
            }
            _ => {
                let piece = base64(dice, 64);
                let image = piece.repeat(dice.size(1200, 0.8, 100, 12_000));
                (
                    "Read",
                    format!(r#"{{"file_path":"/home/u/src/{}/shot.png"}}"#, self.project),
                    format!(
                        r#"[{{"type":"image","source":{{"type":"base64","data":"{image}","media_type":"image/png"}}}}]"#
                    ),
                    r#"{"type":"image"}"#.to_owned(),
                )
            }
        };
        Call {
            id,
            name,
            input,
            content,
            structured,
        }
    }

    /// The model hands a task to a subagent, which works in a file of its own.
    pub(super) fn delegate(&mut self) {
        let call = self.dice.wide();
        let task = json(&prose(&mut self.dice, 400));
        let about = json(&prose(&mut self.dice, 20));
        let tool = if self.style.modern { "Agent" } else { "Task" };
        let blocks = vec![
            r#"{"type":"text","text":"Somebody else shall look."}"#.to_owned(),
            format!(
                r#"{{"type":"tool_use","id":"{}","name":"{tool}","input":{{"description":{about},"prompt":{task},"subagent_type":"general-purpose"}}}}"#,
                api_id("toolu_01", call)
            ),
        ];
        let ids = self.answer(blocks, r#""tool_use""#, false);
        let agent = format!("a{:016x}", self.dice.number());
        let (session, report) = self.subagent(&agent, &task);
        self.now_ms = session.now_ms;
        for (own, spent) in self.spent.iter_mut().zip(session.spent) {
            own.add(&spent);
        }
        self.subagents.push(Subagent {
            id: agent.clone(),
            call: api_id("toolu_01", call),
            session,
        });
        let report = json(&report);
        let line = ids.last().copied().unwrap_or_default();
        self.result(
            call,
            line,
            &format!(r#"[{{"type":"text","text":{report}}}]"#),
            // Its usage is in the result and in its own lines.
            &format!(
                r#"{{"status":"completed","prompt":{task},"agentId":"{agent}","agentType":"general-purpose","content":[{{"type":"text","text":{report}}}],"totalDurationMs":657,"totalTokens":12000,"totalToolUseCount":3,"usage":{{"input_tokens":1000,"cache_creation_input_tokens":0,"cache_read_input_tokens":10000,"output_tokens":1000}}}}"#
            ),
        );
    }

    fn subagent(&mut self, agent: &str, task: &str) -> (Self, String) {
        let dice = Dice::new(self.dice.number());
        let style = Style { ..self.style };
        let mut sub = Self::new(dice, self.shapes, &self.project, self.now_ms, style);
        sub.id.clone_from(&self.id);
        sub.version = self.version;
        sub.agent = Some(agent.to_owned());
        sub.turn = 1;
        sub.prompt_id.clone_from(&self.prompt_id);
        sub.model = pick_model(&mut sub.dice);
        sub.chained(
            "user",
            &format!(r#""type":"user","message":{{"role":"user","content":{task}}},"#),
            "",
        );
        if style.modern {
            let shapes = self.shapes;
            shapes
                .opening
                .iter()
                .take(5)
                .for_each(|shape| sub.attach(shape));
        }
        for _ in 0..sub.dice.between(2, 14) {
            sub.step();
        }
        let report = sub.answer_text(900, r#""end_turn""#, false);
        (sub, report)
    }
}

/// A text with line numbers, as the `Read` tool returns it.
fn numbered(text: &str) -> String {
    let mut numbered = String::with_capacity(text.len() + text.len() / 4);
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            numbered.push('\n');
        }
        // Writing to a string cannot fail.
        let _ = write!(numbered, "{:>6}→{line}", at + 1);
    }
    json(&numbered)
}

fn patch(old: &str, new: &str) -> String {
    let mut lines = String::new();
    let removed = old.split('\n').map(|line| ('-', line));
    let added = new.split('\n').map(|line| ('+', line));
    for (sign, line) in removed.chain(added) {
        if !lines.is_empty() {
            lines.push(',');
        }
        push_json(&mut lines, &format!("{sign}{line}"));
    }
    let (before, after) = (old.split('\n').count(), new.split('\n').count());
    format!(
        r#"{{"oldStart":1,"oldLines":{before},"newStart":1,"newLines":{after},"lines":[{lines}]}}"#
    )
}

fn base64(dice: &mut Dice, length: usize) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(length + 10);
    while text.len() < length {
        let mut bits = dice.number();
        for _ in 0..10 {
            text.push(char::from(ALPHABET[(bits % 64) as usize]));
            bits /= 64;
        }
    }
    text.truncate(length);
    text
}
