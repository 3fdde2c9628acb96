//! What a tree keeps.

use std::io::Read;

use claw_transcript::SessionTree;

/// Turns of a session as the CLI writes them, made while they are read.
struct Turns {
    next: u32,
    last: u32,
    waiting: Vec<u8>,
    given: usize,
}

impl Turns {
    fn turn(&mut self) -> String {
        let first = self.next * 6;
        let uuid = |at: u32| format!("{at:08x}-0000-4000-8000-000000000000");
        let padding = "source text ".repeat(60);
        let contents = [
            (
                "user",
                format!(r#""message":{{"role":"user","content":"do {padding}"}}"#),
            ),
            (
                "attachment",
                format!(r#""attachment":{{"type":"date","text":"{padding}"}}"#),
            ),
            (
                "assistant",
                format!(
                    r#""requestId":"r{first}","message":{{"id":"msg_{first}","content":[{{"type":"text","text":"{padding}"}}]}}"#
                ),
            ),
            (
                "assistant",
                format!(
                    r#""requestId":"r{first}","message":{{"id":"msg_{first}","content":[{{"type":"tool_use","id":"toolu_{first}","name":"Read","input":{{"file_path":"/x"}}}}]}}"#
                ),
            ),
            (
                "user",
                format!(
                    r#""message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{first}","content":"{padding}"}}]}}"#
                ),
            ),
            (
                "assistant",
                format!(
                    r#""message":{{"id":"msg_{first}b","content":[{{"type":"text","text":"{padding}"}}]}}"#
                ),
            ),
        ];
        let mut lines = String::new();
        for (at, (kind, rest)) in (first..).zip(contents) {
            let parent = match at {
                0 => "null".to_owned(),
                at => format!("\"{}\"", uuid(at - 1)),
            };
            lines += &format!(
                r#"{{"parentUuid":{parent},"isSidechain":false,"type":"{kind}",{rest},"uuid":"{}","timestamp":"2026-01-01T00:00:00.000Z","sessionId":"s"}}"#,
                uuid(at)
            );
            lines.push('\n');
        }
        self.next += 1;
        lines
    }
}

impl Read for Turns {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.waiting.is_empty() && self.next < self.last {
            self.waiting = self.turn().into_bytes();
        }
        let length = into.len().min(self.waiting.len());
        into[..length].copy_from_slice(&self.waiting[..length]);
        self.waiting.drain(..length);
        self.given += length;
        Ok(length)
    }
}

#[test]
fn fifty_megabytes_of_session_take_little_for_each_message() {
    let turns = 11_000;
    let mut session = Turns {
        next: 0,
        last: turns,
        waiting: Vec::new(),
        given: 0,
    };
    let tree = SessionTree::of_reader(&mut session).expect("memory does not fail");
    assert!(session.given > 50_000_000, "{} bytes", session.given);
    assert_eq!(tree.len(), 4 * turns as usize);
    assert_eq!(tree.branches().len(), 1);
    let each = tree.memory() / tree.len();
    assert!(each < 200, "{each} bytes for each message");
}
