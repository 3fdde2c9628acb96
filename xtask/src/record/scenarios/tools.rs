//! Tools that need no permission question: files, shells, summaries, progress.

use serde_json::json;

use super::super::scenario::Scenario;
use super::super::script::{bash, blocks, call, say, text_block, tool};

/// The bytes of a one-pixel PNG.
const PIXEL_PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0,
    1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0d, 0x49, 0x44, 0x41, 0x54,
    0x78, 0xda, 0x63, 0x64, 0xf8, 0xcf, 0x50, 0x0f, 0, 0x03, 0x86, 0x01, 0x80, 0x5a, 0x34, 0x7d,
    0x6b, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario::new("tools_files", "Read text, image and missing file, Edit, Write, failing Bash, bad calls, ToolSearch")
            .flags("--permission-prompt-tool stdio --permission-mode acceptEdits")
            .file("/home/user/project/a.txt", "alpha\nbeta\n")
            .file("/home/user/project/pic.png", PIXEL_PNG)
            .api([
                blocks([
                    tool("r1", "Read", json!({"file_path": "/home/user/project/a.txt"})),
                    tool("r2", "Read", json!({"file_path": "/home/user/project/pic.png"})),
                    tool("r3", "Read", json!({"file_path": "/home/user/project/missing.txt"})),
                ]),
                blocks([
                    tool("e1", "Edit", json!({"file_path": "/home/user/project/a.txt", "old_string": "beta", "new_string": "gamma"})),
                    tool("w1", "Write", json!({"file_path": "/home/user/project/new.txt", "content": "hello\n"})),
                ]),
                call("w2", "Write", json!({"file_path": "/home/user/project/new.txt", "content": "bye\n"})),
                blocks([
                    tool("b1", "Bash", json!({"command": "echo out; echo err >&2; exit 3", "description": "fails"})),
                    tool("x1", "NoSuchTool", json!({"x": 1})),
                    tool("x2", "Read", json!({"bogus": true})),
                ]),
                call("ts", "ToolSearch", json!({"query": "select:WebFetch,CronList", "max_results": 5})),
                say("All done."),
            ])
            .init()
            .ask("go")
            .keep_sessions()
            .quick(),
        Scenario::new("tools_notebook_cron_skill", "NotebookEdit, CronCreate, CronList, CronDelete, Skill")
            .flags("--permission-prompt-tool stdio --permission-mode acceptEdits")
            .file("/home/user/project/n.ipynb", r#"{"cells":[{"id":"c1","cell_type":"code","source":"1+1","metadata":{},"outputs":[],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":5}"#)
            .file("/home/user/project/.claude/skills/greet/SKILL.md", "---\nname: greet\ndescription: Greets people.\n---\nGreet the person.\n")
            .api([
                call("r", "Read", json!({"file_path": "/home/user/project/n.ipynb"})),
                call("ts", "ToolSearch", json!({"query": "select:NotebookEdit,CronCreate,CronList,CronDelete", "max_results": 5})),
                call("ne", "NotebookEdit", json!({"notebook_path": "/home/user/project/n.ipynb", "cell_id": "c1", "new_source": "2+2"})),
                call("cc", "CronCreate", json!({"cron": "0 9 1 1 *", "prompt": "say hi", "recurring": true})),
                call("cl", "CronList", json!({})),
                call("sk", "Skill", json!({"skill": "greet"})),
                say("All done."),
            ])
            .init()
            .ask("go"),
        Scenario::new("tools_bash_slow", "a foreground Bash of five seconds becomes a task")
            .flags("--allowedTools Bash")
            .partial()
            .api([bash("s", "for i in 1 2 3 4 5; do echo tick $i; sleep 1; done"), say("Good morning.")])
            .init()
            .ask("go"),
        Scenario::new("tools_progress", "a foreground Bash of 33 seconds: heartbeats")
            .flags("--allowedTools Bash")
            .api([bash("s", "for i in $(seq 33); do echo tick $i; sleep 1; done"), say("Good morning.")])
            .init()
            .ask("go")
            .within(90),
        Scenario::new("tools_summary_auth_status", "summaries of tool use; --enable-auth-status")
            .flags("--enable-auth-status")
            .env("CLAUDE_CODE_EMIT_TOOL_USE_SUMMARIES", "1")
            .api([
                bash("1", "ls"),
                say("Nothing there.").after(300),
                say("Listed files").when("Label:"),
                say("More."),
            ])
            .init()
            .say("go")
            .until("tool_use_summary")
            .until("result")
            .ask("more"),
        Scenario::new("tools_bash_large_output", "output beyond the limit goes to a file")
            .flags("--allowedTools Bash")
            .api([bash("big", "seq 1 9000"), say("Many numbers.")])
            .init()
            .ask("go")
            .long_text()
            .keep_sessions(),
        Scenario::new("tools_no_background", "run_in_background where background tasks are disabled")
            .flags("--allowedTools Bash")
            .env("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1")
            .api([call("bg", "Bash", json!({"command": "echo hi", "run_in_background": true})), say("It did not work.")])
            .init()
            .ask("go"),
        Scenario::new("tools_limited", "--tools with two tools; a call of one that is not there")
            .flags("--tools Bash,Read")
            .api([
                blocks([text_block("Writing."), tool("w", "Write", json!({"file_path": "/home/user/project/x", "content": "x"}))]),
                say("I cannot write."),
            ])
            .init()
            .ask("go"),
        Scenario::new("tools_git", "commits, branches and a push of the model's own")
            .flags("--allowedTools Bash")
            .file("/home/user/.gitconfig", "[user]\nname = Somebody\nemail = somebody@example.com\n[init]\ndefaultBranch = main\n")
            .api([
                bash("g1", "git init -q --bare /home/user/remote.git && git init -q && git remote add origin /home/user/remote.git && touch a && git add a && git commit -m first"),
                bash("g2", "git checkout -q -b side && git commit -q --allow-empty -m second && git checkout -q main && git merge side"),
                bash("g3", "git push -u origin main"),
                say("Pushed."),
            ])
            .init()
            .ask("go")
            .control("get_workspace_diff", json!({})),
        Scenario::new("tools_read_many", "Read with offset, of a folder, of a large file")
            .file("/home/user/project/long.txt", (1..3000).map(|n| format!("line {n}\n")).collect::<String>())
            .api([
                blocks([
                    tool("r1", "Read", json!({"file_path": "/home/user/project/long.txt", "offset": 10, "limit": 5})),
                    tool("r2", "Read", json!({"file_path": "/home/user/project"})),
                    tool("r3", "Read", json!({"file_path": "/home/user/project/long.txt", "offset": 10, "limit": 5})),
                ]),
                say("Read."),
            ])
            .init()
            .ask("go"),
    ]
}
