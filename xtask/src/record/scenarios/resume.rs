//! Sessions continued: resumed, forked, moved, damaged.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::json;

use super::super::scenario::{Answer, Scenario, session};
use super::super::script::{Ending, bash, call, say};

/// A finished session of two turns that others continue.
fn base(id: u32) -> Scenario {
    Scenario::new("base", "a session of two turns")
        .session_id(id)
        .api([say("Zebra noted."), say("Still noted.")])
        .init()
        .ask_as(1, "remember zebra")
        .capture("first", "assistant", "uuid")
        .ask_as(2, "still?")
}

/// A resume of the base session that answers one prompt.
fn resumed(name: &'static str, about: &'static str) -> Scenario {
    Scenario::new(name, about)
        .after(base(101))
        .resume(101)
        .api([say("Zebra.")])
        .init()
        .ask_as(3, "what was it?")
}

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut all = places();
    all.extend(damaged());
    all.extend(crashed());
    all.extend(mirrors());
    all
}

/// The session file of the base session, whatever its folder is called.
fn base_file(home: &Path) -> Result<PathBuf> {
    let projects = home.join(".claude/projects");
    for folder in std::fs::read_dir(&projects)? {
        let file = folder?.path().join(format!("{}.jsonl", session(101)));
        if file.exists() {
            return Ok(file);
        }
    }
    anyhow::bail!("the base session left no file under {}", projects.display())
}

fn lines(home: &Path) -> Result<(PathBuf, Vec<String>)> {
    let file = base_file(home)?;
    let text = std::fs::read_to_string(&file)?;
    Ok((file, text.lines().map(str::to_owned).collect()))
}

fn places() -> Vec<Scenario> {
    let fork = |name, about| {
        Scenario::new(name, about)
            .after(base(101))
            .resume(101)
            .flags("--fork-session")
            .api([say("Zebra.")])
            .init()
            .ask_as(3, "what was it?")
            .keep_sessions()
    };
    vec![
        resumed("resume_same_place", "plain resume")
            .keep_sessions()
            .quick(),
        Scenario::new("resume_continue", "--continue")
            .after(base(101))
            .flags("--continue")
            .api([say("Zebra.")])
            .init()
            .ask("what was it?"),
        fork("resume_fork", "--fork-session"),
        fork(
            "resume_fork_with_id",
            "--fork-session with an id of its own",
        )
        .session_id(102),
        resumed("resume_session_at", "--resume-session-at the first answer")
            .flags("--resume-session-at $first")
            .keep_sessions(),
        resumed("resume_other_cwd", "resume from another folder")
            .cwd("/home/user/other")
            .file("/home/user/other/x", ""),
        resumed(
            "resume_moved_config_dir",
            "the session file copied to a fresh config folder",
        )
        .env("CLAUDE_CONFIG_DIR", "/home/user/.claude-new")
        .prepare(|home| {
            let folder = home.join(".claude-new/projects/anywhere");
            std::fs::create_dir_all(&folder)?;
            std::fs::copy(
                base_file(home)?,
                folder.join(format!("{}.jsonl", session(101))),
            )?;
            Ok(std::fs::remove_dir_all(home.join(".claude"))?)
        }),
        Scenario::new("resume_by_path", "--resume with the path of a session file")
            .after(base(101))
            .flags("--resume /home/user/copy.jsonl")
            .prepare(|home| Ok(std::fs::copy(base_file(home)?, home.join("copy.jsonl")).map(drop)?))
            .api([say("Zebra.")])
            .init()
            .ask("what was it?"),
        resumed(
            "resume_project_dir_name",
            "CLAUDE_CODE_PROJECT_DIR_NAME and another entrypoint",
        )
        .env("CLAUDE_CODE_PROJECT_DIR_NAME", "tenant-42")
        .env("CLAUDE_CODE_ENTRYPOINT", "sdk-rs")
        .keep_sessions(),
        Scenario::new("resume_unknown", "resume of an id that does not exist")
            .resume(999)
            .init_async()
            .until("result")
            .exits(1),
        Scenario::new("resume_not_uuid", "resume of something that is no id")
            .flags("--resume not-a-uuid")
            .init_async()
            .until("result")
            .exits(1),
        Scenario::new(
            "resume_session_at_unknown",
            "--resume-session-at of a message that does not exist",
        )
        .after(base(101))
        .resume(101)
        .flags("--resume-session-at 0a0a0a0a-0000-4000-8000-00000000dead")
        .init_async()
        .until("result")
        .exits(1),
        Scenario::new("resume_id_in_use", "--session-id of a session that exists")
            .after(base(101))
            .session_id(101)
            .exits(1),
    ]
}

fn damaged() -> Vec<Scenario> {
    let torn = |name, about, prepare: super::super::scenario::Prepare| {
        resumed(name, about).prepare(prepare)
    };
    vec![
        torn(
            "resume_torn_last_line",
            "the last assistant line is cut in half",
            |home| {
                let (file, mut lines) = lines(home)?;
                let last = lines
                    .iter()
                    .rposition(|l| l.contains("\"type\":\"assistant\""))
                    .context("no assistant line")?;
                let half = lines[last].len() / 2;
                lines.truncate(last + 1);
                lines[last].truncate(half);
                Ok(std::fs::write(file, lines.join("\n"))?)
            },
        )
        .keep_sessions(),
        torn(
            "resume_torn_garbage",
            "a garbage line in the middle",
            |home| {
                let (file, mut lines) = lines(home)?;
                lines.insert(lines.len() / 2, "}{ this is no json".to_owned());
                Ok(std::fs::write(file, lines.join("\n") + "\n")?)
            },
        ),
        torn("resume_torn_nul_tail", "NUL bytes at the end", |home| {
            let file = base_file(home)?;
            let mut bytes = std::fs::read(&file)?;
            bytes.extend([0; 512]);
            Ok(std::fs::write(file, bytes)?)
        }),
        torn(
            "resume_torn_missing_parent",
            "the first prompt is gone",
            |home| {
                let (file, mut lines) = lines(home)?;
                let first = lines
                    .iter()
                    .position(|l| l.contains("\"type\":\"user\""))
                    .context("no user line")?;
                lines.remove(first);
                Ok(std::fs::write(file, lines.join("\n") + "\n")?)
            },
        ),
        Scenario::new("resume_torn_empty", "an empty session file")
            .after(base(101))
            .resume(101)
            .prepare(|home| Ok(std::fs::write(base_file(home)?, "")?))
            .init_async()
            .until("result")
            .exits(1),
    ]
}

/// Killed while text streams.
fn killed_midstream() -> Scenario {
    Scenario::new("sigkill_midstream", "SIGKILL while text streams")
        .session_id(101)
        .partial()
        .api([say(&"word ".repeat(40))
            .chunks(20)
            .pace(5)
            .ending(Ending::Hang(12))])
        .init()
        .say_as(1, "first")
        .until_text("stream_event", "text_delta")
        .saved("\"content\":\"first\"")
        .signal("KILL")
        .killed(9)
        .keep_sessions()
}

/// Killed while a tool runs.
fn killed_midtool() -> Scenario {
    Scenario::new("sigkill_midtool", "SIGKILL while Bash runs")
        .session_id(101)
        .asks_host()
        .api([bash("k", "for i in 1 2 3 4 5; do sleep 1; done")])
        .init()
        .say_as(1, "first")
        .until("system/task_started")
        .saved("\"id\":\"toolu_k\"")
        .signal("KILL")
        .killed(9)
        .keep_sessions()
}

/// Killed while a permission prompt is open.
fn killed_permission() -> Scenario {
    Scenario::new("sigkill_permission", "SIGKILL while a prompt is open")
        .session_id(101)
        .asks_host()
        .api([bash("k", "touch it")])
        .answers("can_use_tool", [Answer::Hold])
        .init()
        .say_as(1, "first")
        .until("control_request/can_use_tool")
        .saved("\"id\":\"toolu_k\"")
        .signal("KILL")
        .killed(9)
}

fn crashed() -> Vec<Scenario> {
    let after = |name, about, crash: Scenario| {
        Scenario::new(name, about)
            .after(crash)
            .resume(101)
            .asks_host()
            .api([say("Where were we?")])
            .init()
            .ask_as(3, "go on")
            .keep_sessions()
    };
    vec![
        killed_midstream(),
        killed_midtool(),
        killed_permission(),
        after(
            "resume_after_sigkill_midstream",
            "resume after SIGKILL in mid-stream",
            killed_midstream(),
        ),
        after(
            "resume_after_sigkill_midtool",
            "resume after SIGKILL in a tool",
            killed_midtool(),
        ),
        after(
            "resume_after_sigkill_permission",
            "resume after SIGKILL with an open prompt",
            killed_permission(),
        ),
        Scenario::new(
            "resume_interrupted_turn",
            "CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1 runs the cut-off turn again",
        )
        .after(killed_midtool())
        .resume(101)
        .env("CLAUDE_CODE_RESUME_INTERRUPTED_TURN", "1")
        .api([say("I continue."), say("And on.")])
        .init()
        .until("result")
        .ask_as(3, "go on"),
    ]
}

fn mirrors() -> Vec<Scenario> {
    let agent = json!({"description": "report", "prompt": "SUBPROMPT report", "subagent_type": "general-purpose", "run_in_background": false});
    vec![
        Scenario::new("session_mirror", "--session-mirror, with a subagent")
            .session_id(601)
            .flags("--session-mirror")
            .api([
                call("m", "Agent", agent),
                say("The report.").when("SUBPROMPT"),
                say("Reported."),
                say("Zebra."),
            ])
            .init()
            .ask("remember zebra")
            .ask("second")
            .keep_sessions()
            .quick(),
        resumed("session_mirror_resume", "--session-mirror with --resume")
            .flags("--session-mirror"),
        Scenario::new(
            "session_mirror_fork",
            "--session-mirror with --fork-session: the copied history is mirrored",
        )
        .after(base(101))
        .resume(101)
        .flags("--fork-session --session-mirror")
        .api([say("Zebra.")])
        .init()
        .ask("what was it?"),
        Scenario::new(
            "session_no_persistence",
            "--no-session-persistence leaves no file",
        )
        .flags("--no-session-persistence")
        .api([say("Hi.")])
        .init()
        .ask("hello"),
        Scenario::new(
            "session_writes_lost",
            "the disk of the config folder is full: said so at the end",
        )
        .session_id(701)
        .config_dir_kib(96)
        .api([say("One."), say("Two.")])
        .init()
        .ask("one")
        .ask("two"),
    ]
}
