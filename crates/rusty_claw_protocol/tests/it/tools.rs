//! Views over what tools take and return.

use rusty_claw_protocol::Json;
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::tool::*;
use rusty_claw_protocol::wire::Wire;
use serde::Serialize;

use crate::samples::{Sample, check, same};

fn json(text: &str) -> Json {
    Json::from_text(text).unwrap()
}

/// Checks a sample as the type of an input.
fn check_as<T: Wire + Serialize>(_: &T, sample: &Sample) {
    check::<T>(sample);
}

/// Checks a sample as the type that its view has; panics on other variants.
macro_rules! check_as_viewed {
    ($view:expr, $sample:expr, $($variant:ident)+) => {
        match $view {
            $(ToolView::$variant(input) => check_as(input, $sample),)+
            ToolView::Mcp { input, .. } => assert_eq!(input.text(), $sample.value.get()),
            other => panic!("no type for {}: {other:?}", $sample.name),
        }
    };
}

/// Checks the sample of a tool's input: there is a view with a field for every member, and both the
/// view and a message with the input are written back.
pub(crate) fn check_input(sample: &Sample) {
    let tool = sample.name.strip_suffix("Input");
    let tool = tool.unwrap_or_else(|| panic!("{} is not the input of a tool", sample.name));
    // The type file calls these by another name than the model does.
    let (tool, view_name) = match tool.strip_prefix("File").unwrap_or(tool) {
        "Mcp" => ("mcp__lab__echo", "Mcp {".to_owned()),
        tool => (tool, format!("{tool}(")),
    };
    let input = json(sample.value.get());
    let view = ToolView::of(tool, &input);
    let shown = format!("{view:?}");
    assert!(shown.starts_with(&view_name), "{tool} is seen as {shown}");
    check_as_viewed!(
        &view, sample,
        Agent Artifact AskUserQuestion Bash ClaudeDesign CronCreate CronDelete CronList Edit
        EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep ListMcpResources Monitor
        NotebookEdit OfferChromeSetup Projects ProposeGoal ProposeSkills PushNotification Read
        ReadMcpResource ReadMcpResourceDir ReadNotifications RefreshMcpTools RemoteTrigger
        ReportFindings ScheduleWakeup SendFeedback ShowOnboardingRolePicker TaskCreate TaskGet
        TaskList TaskStop TaskUpdate TodoWrite WebFetch WebSearch Workflow Write
    );
    let written = view.to_json().unwrap().to_value();
    assert!(
        same(&written, &input.to_value()),
        "{tool} was written as {written}"
    );
    let line = serde_json::json!({"type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "tool_use", "id": "t", "name": tool, "input": input.to_value()}
    ]}});
    let message = Message::from_json(&line.to_string()).unwrap();
    let written = serde_json::to_value(&message).unwrap();
    assert!(same(&written, &line), "{tool} was written as {written}");
}

#[test]
fn tools_are_known_by_all_their_names() {
    let command = json(r#"{"command":"ls -la"}"#);
    assert_eq!(
        ToolView::of("bash", &command),
        ToolView::of("Bash", &command)
    );
    let agent = json(r#"{"description":"d","prompt":"p"}"#);
    for name in ["Agent", "Task", "task"] {
        assert!(
            matches!(ToolView::of(name, &agent), ToolView::Agent(_)),
            "{name}"
        );
    }
    let none = json("{}");
    for name in ["ListMcpResources", "ListMcpResourcesTool"] {
        assert!(matches!(
            ToolView::of(name, &none),
            ToolView::ListMcpResources(_)
        ));
    }
}

#[test]
fn mcp_tools_tell_server_and_tool() {
    let input = json(r#"{"text":"hi"}"#);
    assert_eq!(
        ToolView::of("mcp__lab__echo__twice", &input),
        ToolView::Mcp {
            server: "lab".into(),
            tool: "echo__twice".into(),
            input: input.clone(),
        }
    );
    assert_eq!(ToolView::of("mcp__lab", &input), ToolView::Other);
}

/// A check that looks at a view must not see an empty command where there was none.
#[test]
fn there_is_no_view_of_an_input_that_lacks_what_the_tool_requires() {
    for (tool, input) in [
        ("Bash", r#"{"description":"nothing to run"}"#),
        ("Bash", r#"{"command":["rm","-rf"]}"#),
        ("Bash", r#"{"command":null}"#),
        ("Bash", r#""ls""#),
        ("Read", r#"{"bogus":true}"#),
        ("Grep", r#"{"path":"."}"#),
        ("NoSuchTool", r#"{"x":1}"#),
    ] {
        assert_eq!(
            ToolView::of(tool, &json(input)),
            ToolView::Other,
            "{tool} {input}"
        );
    }
    let odd = json(r#"{"command":"ls","timeout":"soon","new":1}"#);
    let ToolView::Bash(bash) = ToolView::of("Bash", &odd) else {
        panic!("an optional member of a new shape is no reason to see nothing")
    };
    assert_eq!(bash.timeout, None);
    assert_eq!(bash.extra.len(), 2);
}

/// What the CLI printed for the common tools, shortened; each leads to a view of its tool with
/// nothing left over.
#[test]
fn reads_recorded_tool_outputs() {
    let outputs = [
        (
            "Bash",
            r#"{"stdout":"","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"backgroundTaskId":"b6plpgla6","backgroundedByUser":true}"#,
        ),
        (
            "Read",
            r#"{"type":"text","file":{"filePath":"/etc/hostname","content":"vm\n","numLines":2,"startLine":1,"totalLines":2}}"#,
        ),
        (
            "Read",
            r#"{"type":"image","file":{"base64":"iVBO","type":"image/png","originalSize":70,"dimensions":{"originalWidth":1,"originalHeight":1,"displayWidth":1,"displayHeight":1}}}"#,
        ),
        (
            "Edit",
            r#"{"filePath":"/home/user/project/a.txt","oldString":"v0","newString":"v1","originalFile":"v0\n","structuredPatch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-v0","+v1"]}],"userModified":false,"replaceAll":false}"#,
        ),
        (
            "Write",
            r#"{"type":"create","filePath":"/home/user/project/w.txt","content":"x","structuredPatch":[],"originalFile":null,"userModified":false}"#,
        ),
        (
            "Agent",
            r#"{"isAsync":true,"status":"async_launched","agentId":"ad51","description":"d","resolvedModel":"m","prompt":"SUBPROMPT","outputFile":"/tmp/ad51.output","canReadOutputFile":true,"canContinueAgent":true}"#,
        ),
        (
            "AskUserQuestion",
            r#"{"questions":[{"question":"Which color?","header":"Color","options":[{"label":"Red","description":"warm"}],"multiSelect":false}],"answers":{"Which color?":"Blue"}}"#,
        ),
        (
            "ExitPlanMode",
            r#"{"plan":null,"isAgent":false,"filePath":"/home/user/.claude/plans/go.md"}"#,
        ),
        (
            "ToolSearch",
            r#"{"matches":["Monitor","CronCreate"],"query":"select:Monitor,CronCreate","total_deferred_tools":13}"#,
        ),
        (
            "TodoWrite",
            r#"{"oldTodos":[],"newTodos":[{"content":"a","status":"pending","activeForm":"doing a"}]}"#,
        ),
        (
            "Monitor",
            r#"{"taskId":"bdz3","timeoutMs":20000,"persistent":false}"#,
        ),
        (
            "NotebookEdit",
            r#"{"new_source":"2+2","old_source":"1+1","cell_type":"code","language":"python","edit_mode":"replace","cell_id":"c1","error":"","notebook_path":"/n.ipynb","original_file":"{}","updated_file":"{}"}"#,
        ),
        (
            "CronList",
            r#"{"jobs":[{"id":"4664","cron":"0 9 1 1 *","humanSchedule":"0 9 1 1 *","prompt":"say hi","recurring":true,"durable":false,"nextFireAt":1798795800000}]}"#,
        ),
        ("Skill", r#"{"success":true,"commandName":"greet"}"#),
        (
            "WebSearch",
            r#"{"query":"q","results":[{"tool_use_id":"t","content":[{"title":"T","url":"u"}]},"in short"],"durationSeconds":1.5}"#,
        ),
        ("mcp__lab__echo", r#"[{"type":"text","text":"hi"}]"#),
        (
            "mcp__lab__structured",
            r#"{"content":"{\"a\":1}","_meta":{"k":"v"},"structuredContent":{"a":1}}"#,
        ),
        (
            "Read",
            r#""Error: File does not exist. Note: your current working directory is /home/user/project.""#,
        ),
    ];
    let mut seen = String::new();
    for (tool, output) in outputs {
        let view = ToolOutputView::of(tool, &json(output));
        assert_ne!(view, ToolOutputView::Other, "{tool} {output}");
        seen.push_str(&format!("{tool}: {view:?}\n"));
    }
    insta::assert_snapshot!(seen);
}

#[test]
fn there_is_no_view_of_an_output_of_a_new_shape() {
    for (tool, output) in [
        ("Bash", r#"{"stdout":1,"stderr":"","interrupted":false}"#),
        ("Bash", "[]"),
        ("Edit", "{}"),
        ("NoSuchTool", "{}"),
        ("mcp__lab__echo", "7"),
    ] {
        assert_eq!(
            ToolOutputView::of(tool, &json(output)),
            ToolOutputView::Other,
            "{tool} {output}"
        );
    }
}

#[test]
fn reads_the_report_of_a_subagent() {
    let output = r#"{"status":"completed","prompt":"SUBPROMPT2","agentId":"a612","agentType":"general-purpose","toolsUsed":["Bash"],"harnessNoteCount":1,"harnessTailCount":0,"harnessSectionHash":"1ffe","content":[{"type":"text","text":"Hello."}],"resolvedModel":"m","totalDurationMs":2935,"totalTokens":19,"totalToolUseCount":1,"usage":{"input_tokens":12,"output_tokens":7},"toolStats":{"readCount":0,"searchCount":0,"bashCount":1,"editFileCount":0,"linesAdded":0,"linesRemoved":0,"otherToolCount":0},"canContinueAgent":true}"#;
    let ToolOutputView::Agent(AgentOutput::Completed(done)) =
        ToolOutputView::of("Agent", &json(output))
    else {
        panic!("a subagent that is done")
    };
    assert_eq!(done.agent_type.as_deref(), Some("general-purpose"));
    assert_eq!(done.content.len(), 1);
    assert_eq!(done.usage.output_tokens, 7);
    assert_eq!(done.tool_stats.map(|stats| stats.bash_count), Some(1));
    assert!(done.extra.is_empty(), "{:?}", done.extra);
}
