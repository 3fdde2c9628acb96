//! Text that breaks careless readers.

use super::super::scenario::Scenario;
use super::super::script::{bash, blocks, call, say, text_block, tool};
use serde_json::json;

/// Separators, controls, an emoji, directions and joiners.
const ODD: &str = "LS:\u{2028} PS:\u{2029} NEL:\u{85} nul:\u{0} esc:\u{1b} emoji:\u{1f600} bidi:\u{202e} zwj:\u{200d} bom:\u{feff}";

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario::new("unicode", "odd characters in the prompt, the model's text and a tool's output")
            .flags("--replay-user-messages")
            .session_id(204)
            .api([
                blocks([
                    text_block(&format!("A:{ODD}")),
                    tool("u", "Bash", json!({"command": r"printf 'LS:\342\200\250 nul:\000 bad:\377\376 cr:\r esc:\033[31m lone:\355\240\200 end\n'", "description": "odd output"})),
                ]),
                say(&format!("B:{ODD}")),
            ])
            .init()
            .ask(format!("go {ODD}"))
            .keep_sessions()
            .quick(),
        Scenario::new("unicode_lone_surrogates", "half surrogates in the model's text")
            .api([
                say("").raw(["high \\ud83d and ", "low \\ude00 halves"]),
                say("Odd, that."),
            ])
            .init()
            .ask("go")
            .ask("again")
            .keep_sessions(),
        Scenario::new("unicode_split_emoji", "an emoji cut in two by stream events")
            .partial()
            .api([say("").raw(["smile \\ud83d", "\\ude00 done"])])
            .init()
            .ask("go"),
        Scenario::new("unicode_lone_surrogate_tool", "half a surrogate in the input of a tool, and in a prompt")
            .partial()
            .api([
                call("lone", "Bash", json!({"command": "x"})).raw([r#"{\"command\": \"echo "#, r#"\ud83d\""#, "}"]),
                say("Done."),
                say("Seen."),
            ])
            .init()
            .ask("go")
            .raw(b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"half \\ud83d a smile\"}}\n")
            .until("result"),
        Scenario::new("unicode_truncation", "long emoji texts where the CLI shortens")
            .flags("--allowedTools Bash")
            .api([
                bash("e1", "for i in $(seq 9000); do printf '\u{1f600}'; done"),
                call("e2", "Bash", json!({"command": "for i in 1 2 3 4; do sleep 1; done", "description": "\u{1f600}".repeat(150)})),
                say("Smiles."),
            ])
            .init()
            .ask("\u{1f600}".repeat(300))
            .long_text(),
        Scenario::new("unicode_names", "file and folder names beyond ASCII, with blanks")
            .flags("--permission-mode acceptEdits")
            .file("/home/user/project/caf\u{e9} \u{1f600}.txt", "hello\n")
            .api([
                call("r", "Read", json!({"file_path": "/home/user/project/caf\u{e9} \u{1f600}.txt"})),
                call("w", "Write", json!({"file_path": "/home/user/project/\u{4f60}\u{597d}.txt", "content": "\u{4f60}\u{597d}\n"})),
                say("Both read and written."),
            ])
            .init()
            .ask("go"),
    ]
}
