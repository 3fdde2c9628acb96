//! The purposes of calls, and the results of list calls.

use rusty_claw_protocol::Json;
use rusty_claw_protocol::messages::{ToolInput, ToolResultContent};
use rusty_claw_protocol::tool::{ToolOutputView, ToolView};

use super::lanes::Asks;
use super::limits::shortened;
use super::lists::Lists;
use super::update_sink::UpdateSink;

/// Tools whose inputs report progress or determine what their results refer to.
const READ: [&str; 8] = [
    "TodoWrite",
    "ExitPlanMode",
    "EnterPlanMode",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "BashOutput",
    "TaskOutput",
];

/// Programs that only show existing content.
const SHOW: [&str; 14] = [
    "cat", "bat", "less", "more", "head", "nl", "zcat", "grep", "egrep", "fgrep", "rg", "ag",
    "zgrep", "diff",
];
const GIT_SHOWS: [&str; 5] = ["log", "show", "diff", "blame", "grep"];
/// Programs after a pipe that only filter.
const SIFT: [&str; 12] = [
    "grep", "head", "tail", "sort", "uniq", "cut", "tr", "sed", "awk", "wc", "nl", "cat",
];

pub(super) struct ToolResult<'a> {
    /// The text for the model.
    pub(super) text: &'a ToolResultContent,
    /// The structured output of the tool; missing in messages of subagents.
    pub(super) output: Option<&'a Json>,
    pub(super) is_error: bool,
}

/// The typed input of a call, if the tool is in [`READ`].
pub(super) fn view(name: &str, input: &ToolInput) -> Option<ToolView> {
    READ.iter()
        .any(|read| read.eq_ignore_ascii_case(name))
        .then(|| input.view(name))
}

/// The subject of a command's output, by its call or task. The id may come from the model.
pub(super) fn output_subject(of: &str) -> String {
    shortened(format!("output/{of}"))
}

pub(super) fn asks(id: &str, name: &str, input: &ToolInput, view: Option<ToolView>) -> Asks {
    let output = |what: &str| Asks::Output {
        subject: output_subject(what),
        is_all: false,
    };
    match view {
        None if name.eq_ignore_ascii_case("Bash") && only_shows(input) => Asks::Other,
        None if name.eq_ignore_ascii_case("Bash") => Asks::Output {
            subject: output_subject(id),
            is_all: true,
        },
        Some(ToolView::BashOutput(asked)) => output(&asked.bash_id),
        Some(ToolView::TaskOutput(asked)) => output(&asked.task_id),
        Some(ToolView::TaskCreate(asked)) => Asks::CreateTask {
            text: shortened(asked.subject),
            active: shortened(asked.active_form.unwrap_or_default()),
        },
        Some(ToolView::TaskUpdate(asked)) => Asks::UpdateTask {
            id: shortened(asked.task_id.into()),
            text: asked.subject.map(shortened),
            active: asked.active_form.map(shortened),
            state: asked.status.map(|state| state.as_str().to_owned()),
        },
        Some(ToolView::TaskList(_)) => Asks::ListTasks,
        Some(ToolView::EnterPlanMode(_)) => Asks::EnterPlan,
        Some(ToolView::ExitPlanMode(_)) => Asks::ExitPlan,
        _ => Asks::Other,
    }
}

/// Whether a command only shows existing content, so that its output does not report current work.
/// In doubt, the output is parsed.
fn only_shows(input: &ToolInput) -> bool {
    let command = input
        .json()
        .get("command")
        .and_then(|command| command.to_text());
    let Some(command) = command.map(|command| command.trim().replace("2>&1", "")) else {
        return false;
    };
    if command.contains(['\n', ';', '&', '`']) || command.contains("$(") {
        return false;
    }
    let mut parts = command.split('|').map(str::split_whitespace);
    let shows = parts.next().is_some_and(|mut words| match words.next() {
        Some("git") => words.next().is_some_and(|verb| GIT_SHOWS.contains(&verb)),
        Some(program) => SHOW.contains(&program),
        None => false,
    });
    shows && parts.all(|mut words| words.next().is_some_and(|program| SIFT.contains(&program)))
}

/// Applies the result of a call to the list with ids.
pub(super) fn list(
    lists: &mut Lists,
    asks: Asks,
    result: &ToolResult<'_>,
    sink: &mut UpdateSink<'_>,
) {
    if result.is_error {
        return;
    }
    let turn = sink.subjects.turns();
    let output = |name: &str| result.output.map(|output| ToolOutputView::of(name, output));
    let news = match asks {
        Asks::CreateTask { text, active } => {
            let id = match output("TaskCreate") {
                Some(ToolOutputView::TaskCreate(created)) => Some(created.task.id.into()),
                _ => number(&result.text.to_text(), "Task #"),
            };
            id.map(|id| lists.created(id, text, active, turn))
        }
        Asks::UpdateTask {
            id,
            text,
            active,
            state,
        } => {
            let is_done = match output("TaskUpdate") {
                Some(ToolOutputView::TaskUpdate(updated)) => updated.success,
                _ => number(&result.text.to_text(), "Updated task #").is_some_and(|of| of == id),
            };
            match is_done {
                true => lists.updated(&id, text, active, state.as_deref(), turn),
                false => None,
            }
        }
        Asks::ListTasks => match output("TaskList") {
            Some(ToolOutputView::TaskList(shown)) => lists.listed(shown.tasks, turn),
            _ => None,
        },
        _ => None,
    };
    if let Some((update, why)) = news {
        sink.take(update, why);
    }
}

fn number(text: &str, mark: &str) -> Option<String> {
    let rest = text.strip_prefix(mark)?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit());
    let number = &rest[..end.unwrap_or(rest.len())];
    (!number.is_empty()).then(|| number.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows(command: &str) -> bool {
        let json = Json::from_value(&serde_json::json!({ "command": command }));
        only_shows(&ToolInput::from(json))
    }

    #[test]
    fn what_only_shows_is_told_from_what_works() {
        for command in [
            "cat build.log",
            "grep -rn 'Running test' src",
            "cat build.log | grep passed | tail -5",
            "git log --oneline",
            "diff -u a b 2>&1 | head",
        ] {
            assert!(shows(command), "{command}");
        }
        for command in [
            "cargo test",
            "cargo test 2>&1 | tail -5",
            "cat hosts | xargs -n1 ping",
            "cat build.sh | sh",
            "cat a; cargo test",
            "cat a && make",
            "cat <<END\n[2/7] Linking\nEND",
            "cat $(make)",
            "tail -f build.log",
            "git clone x",
            "",
        ] {
            assert!(!shows(command), "{command}");
        }
    }
}
