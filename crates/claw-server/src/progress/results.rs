//! What calls ask for, and what their results say of lists.

use rusty_claw_protocol::Json;
use rusty_claw_protocol::messages::{ToolInput, ToolResultContent};
use rusty_claw_protocol::tool::{ToolOutputView, ToolView};

use super::lanes::Asks;
use super::limits::shortened;
use super::lists::Lists;
use super::tracker::Taker;

/// The tools whose inputs say how far something is, or what their results are about.
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

/// Programs that show what was there before: files, hits, differences.
const SHOW: [&str; 14] = [
    "cat", "bat", "less", "more", "head", "nl", "zcat", "grep", "egrep", "fgrep", "rg", "ag",
    "zgrep", "diff",
];
const GIT_SHOWS: [&str; 5] = ["log", "show", "diff", "blame", "grep"];
/// Programs behind a pipe that leave it at that.
const SIFT: [&str; 12] = [
    "grep", "head", "tail", "sort", "uniq", "cut", "tr", "sed", "awk", "wc", "nl", "cat",
];

/// The result of a call.
pub(super) struct ToolResult<'a> {
    /// What the model reads.
    pub(super) text: &'a ToolResultContent,
    /// What the tool returned; the messages of a subagent do not have it.
    pub(super) output: Option<&'a Json>,
    pub(super) is_error: bool,
}

/// What a call is given, when that says how far something is.
pub(super) fn view(name: &str, input: &ToolInput) -> Option<ToolView> {
    READ.iter()
        .any(|read| read.eq_ignore_ascii_case(name))
        .then(|| input.view(name))
}

/// What a command printed is about, by its call or its task. The id may be the model's.
pub(super) fn output_subject(of: &str) -> String {
    shortened(format!("output/{of}"))
}

/// What a call is for.
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
            state: asked.status,
        },
        Some(ToolView::TaskList(_)) => Asks::ListTasks,
        Some(ToolView::EnterPlanMode(_)) => Asks::EnterPlan,
        Some(ToolView::ExitPlanMode(_)) => Asks::ExitPlan,
        _ => Asks::Other,
    }
}

/// Whether a command does nothing but show what was there before, so that what it prints is not
/// about work that is done now. Where that is not plain, what it prints is read.
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

/// A result that says what became of a list whose points have ids.
pub(super) fn list(lists: &mut Lists, asks: Asks, result: &ToolResult<'_>, taker: &mut Taker<'_>) {
    if result.is_error {
        return;
    }
    let turn = taker.subjects.turns();
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
                true => lists.updated(&id, text, active, state.as_ref(), turn),
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
        taker.take(update, why);
    }
}

/// The number that a text begins with, behind a mark.
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
