//! Tool calls and their results.

use std::borrow::Cow;

use askama::Template;

use super::block::Block;
use super::{diff, numbers};
use crate::entry::{Part, TELLING};
use crate::export::user_text::preview;
use crate::members::{self, Members};

/// Changes with more lines are folded.
const OPEN_LINES: usize = 40;

const CHANGES_FILES: [&str; 4] = ["Edit", "MultiEdit", "Write", "NotebookEdit"];

/// The arguments of these tools that a change shows.
const CHANGE_ARGUMENTS: [&str; 8] = [
    "file_path",
    "notebook_path",
    "old_string",
    "new_string",
    "content",
    "new_source",
    "edits",
    "replace_all",
];

/// A folded call or result, up to its end tags. A subagent may follow inside of it.
#[derive(Debug, Default, Template)]
#[template(path = "tool.html")]
pub(super) struct Tool<'p> {
    pub(super) class: &'static str,
    pub(super) name: Cow<'p, str>,
    pub(super) about: Cow<'p, str>,
    /// The numbers of added and removed lines.
    pub(super) change: Option<(usize, usize)>,
    pub(super) note: Option<&'static str>,
    pub(super) is_open: bool,
    pub(super) blocks: Vec<Block<'p>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Answer<'e> {
    pub(super) content: Option<&'e str>,
    pub(super) is_error: bool,
    pub(super) structured: Option<&'e str>,
}

impl<'e> Answer<'e> {
    /// The id of the call, and the answer, if the part is one.
    pub(super) fn of<'p>(part: &'p Part<'e>) -> Option<(Option<&'p str>, Self)> {
        let &Part::Answer {
            ref call,
            content,
            is_error,
            structured,
        } = part
        else {
            return None;
        };
        let answer = Self {
            content,
            is_error,
            structured,
        };
        Some((call.as_deref(), answer))
    }

    pub(super) fn agent_id(&self) -> Option<Cow<'e, str>> {
        Members::read(self.structured?)?.string("agentId")
    }

    pub(super) fn blocks(&self) -> Vec<Block<'e>> {
        let class = if self.is_error { "out err" } else { "out" };
        let content = self.content.unwrap_or("\"\"");
        if let Some(text) = members::string(content) {
            return vec![match text.trim() {
                "" => Block::line("dim", "No output"),
                _ => Block::output(class, text),
            }];
        }
        if !content.starts_with('[') {
            return vec![Block::json(content)];
        }
        let blocks = members::list(content).into_iter();
        let block = |json: &'e str| match Part::of_block(json) {
            Part::Text(text) => Block::output(class, text),
            Part::Image { media_type, data } => Block::image(media_type.as_deref(), data),
            Part::Other { kind, .. } => Block::other(&kind, json),
            _ => Block::json(json),
        };
        blocks.map(block).collect()
    }
}

impl<'p> Tool<'p> {
    /// A call with its result. Paths are shown relative to `cwd`.
    pub(super) fn of_call(call: &Call<'p>, answer: Option<Answer<'p>>, cwd: &str) -> Self {
        let (argument, about) = call.about();
        let relative = about.strip_prefix(cwd).and_then(|p| p.strip_prefix('/'));
        let about = match relative.filter(|_| !cwd.is_empty()) {
            Some(relative) => relative.to_owned(),
            None => about,
        };
        let is_error = answer.is_some_and(|answer| answer.is_error);
        let patch = call.patch(answer.as_ref());
        let count = |class: &str| patch.iter().filter(|line| line.class == class).count();
        let mut change = (count("i"), count("d"));
        if change == (0, 0) && &*call.name == "Write" {
            // A new file has no hunks.
            let content = call.input.string("content").unwrap_or_default();
            change.0 = content.lines().count();
        }
        let is_known = answer.is_some_and(|answer| answer.structured.is_some());
        let is_changed = is_known && !is_error && call.changes_files() && change != (0, 0);
        let (mut blocks, is_open) = call.arguments(argument, patch);
        // The CLI only confirms what the arguments show.
        let is_confirmed = call.changes_files() || &*call.name == "TodoWrite";
        if let Some(answer) = answer.filter(|answer| answer.is_error || !is_confirmed) {
            blocks.extend(answer.blocks());
        }
        Self {
            class: if is_error { "tool err" } else { "tool" },
            name: call.name.clone(),
            about: about.into(),
            change: is_changed.then_some(change),
            note: match answer {
                Some(answer) => answer.is_error.then_some("failed"),
                None => Some("no result"),
            },
            is_open: is_open && !is_error,
            blocks,
        }
    }

    pub(super) fn plain(
        class: &'static str,
        name: impl Into<Cow<'p, str>>,
        about: &'p str,
        blocks: Vec<Block<'p>>,
    ) -> Self {
        Self {
            class,
            name: name.into(),
            about: about.into(),
            blocks,
            ..Self::default()
        }
    }
}

pub(crate) struct Call<'e> {
    pub(crate) name: Cow<'e, str>,
    pub(crate) input: Members<'e>,
    /// The arguments if they are not an object.
    odd_input: Option<&'e str>,
}

impl<'e> Call<'e> {
    pub(crate) fn new(name: Option<Cow<'e, str>>, input: Option<&'e str>) -> Self {
        let members = input.and_then(Members::read);
        Self {
            name: name.unwrap_or(Cow::Borrowed("a tool without a name")),
            odd_input: input.filter(|_| members.is_none()),
            input: members.unwrap_or_default(),
        }
    }

    /// The argument that describes the call best, and its start on one line.
    pub(crate) fn about(&self) -> (Option<&'static str>, String) {
        for name in TELLING {
            if let Some(text) = self.input.string(name) {
                return (Some(name), preview(&text, 140));
            }
        }
        if &*self.name == "TodoWrite" {
            let items = self.list("todos").len();
            return (Some("todos"), format!("{items} items"));
        }
        (None, String::new())
    }

    fn changes_files(&self) -> bool {
        CHANGES_FILES.contains(&&*self.name)
    }

    /// The values of an argument that is a list.
    fn list(&self, name: &str) -> Vec<&'e str> {
        members::list(self.input.get(name).unwrap_or_default())
    }

    /// The hunks of a change that the CLI kept.
    fn patch(&self, answer: Option<&Answer<'e>>) -> Vec<diff::DiffLine<'e>> {
        let structured = answer.and_then(|answer| answer.structured);
        let structured = structured.filter(|_| self.changes_files());
        let kept = structured.and_then(Members::read).unwrap_or_default();
        diff::patch(kept.get("structuredPatch").unwrap_or_default())
    }

    /// The blocks of the arguments, and whether to unfold them. `about` is the argument that the
    /// summary shows.
    fn arguments(
        &self,
        about: Option<&str>,
        patch: Vec<diff::DiffLine<'e>>,
    ) -> (Vec<Block<'e>>, bool) {
        let string = |name: &str| self.input.string(name);
        match (&*self.name, string("command"), string("plan")) {
            ("Bash" | "PowerShell", Some(command), _) => {
                let what = string("description").map(|what| Block::line("dim", what));
                let mut blocks: Vec<Block<'e>> = what.into_iter().collect();
                blocks.push(Block::output("cmd", command));
                blocks.extend(self.others(&["command", "description", "timeout"]));
                (blocks, false)
            }
            ("TodoWrite", ..) => (vec![self.todos()], true),
            ("ExitPlanMode", _, Some(plan)) => (vec![Block::markdown(plan)], true),
            ("AskUserQuestion", ..) if self.input.get("questions").is_some() => {
                let mut blocks: Vec<Block<'e>> =
                    self.list("questions").into_iter().map(question).collect();
                blocks.extend(self.others(&["questions"]));
                (blocks, true)
            }
            _ if self.changes_files() => {
                let (mut blocks, lines) = self.change(patch);
                blocks.extend(self.others(&CHANGE_ARGUMENTS));
                (blocks, (1..=OPEN_LINES).contains(&lines))
            }
            _ => {
                let mut blocks: Vec<Block<'e>> =
                    self.odd_input.map(Block::json).into_iter().collect();
                // The summary shows all of a short argument.
                let whole = about.filter(|name| {
                    let text = string(name).unwrap_or_default();
                    text.len() <= 100 && !text.contains(['\n', '\t', '"', '\\'])
                });
                blocks.extend(self.others(whole.as_slice()));
                (blocks, false)
            }
        }
    }

    /// The change of a file, by the CLI's hunks or else by the arguments, and its number of lines.
    fn change(&self, patch: Vec<diff::DiffLine<'e>>) -> (Vec<Block<'e>>, usize) {
        let lines = patch.iter().filter(|line| line.class != "gap").count();
        if lines > 0 {
            return (vec![Block::Diff(patch)], lines);
        }
        let edits = self.list("edits").into_iter().filter_map(Members::read);
        let (mut blocks, mut count) = (Vec::new(), 0);
        for edit in std::iter::once(self.input.clone()).chain(edits) {
            if let (Some(old), Some(new)) = (edit.string("old_string"), edit.string("new_string")) {
                let lines = diff::replacement(&old, &new);
                count += lines.len();
                blocks.push(Block::Diff(lines));
            }
        }
        let written = self.input.string("content");
        if let Some(written) = written.or_else(|| self.input.string("new_source")) {
            count += numbers::lines(&written);
            blocks.push(Block::output("code new", written));
        }
        (blocks, count)
    }

    fn todos(&self) -> Block<'e> {
        let todos = self.list("todos").into_iter().map(|item| {
            let item = Members::read(item).unwrap_or_default();
            let (class, sign) = match item.string("status").as_deref() {
                Some("completed") => ("done", "☑"),
                Some("in_progress") => ("now", "◧"),
                _ => ("", "☐"),
            };
            (class, sign, item.string("content").unwrap_or_default())
        });
        Block::Todos(todos.collect())
    }

    /// All arguments but these.
    fn others(&self, shown: &[&str]) -> Option<Block<'e>> {
        let others = self
            .input
            .all()
            .filter(|(name, _)| !shown.contains(&&***name));
        let others = others.map(|(name, value)| {
            let value = match members::string(value) {
                Some(text) if text.len() < 200 && !text.contains('\n') => Block::Plain(text),
                Some(text) => Block::output("out", text),
                None => Block::json(value),
            };
            (name.clone().into_owned(), value)
        });
        let others: Vec<(String, Block<'e>)> = others.collect();
        (!others.is_empty()).then_some(Block::Members(others))
    }
}

fn question(json: &str) -> Block<'_> {
    let question = Members::read(json).unwrap_or_default();
    let options = members::list(question.get("options").unwrap_or_default());
    let options = options.into_iter().map(|option| {
        let option = Members::read(option).unwrap_or_default();
        let label = option.string("label").unwrap_or_default();
        (label, option.string("description"))
    });
    Block::Question {
        text: question.string("question").unwrap_or_default(),
        options: options.collect(),
    }
}
