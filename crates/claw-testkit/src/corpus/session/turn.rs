//! Turns: a prompt, steps, an answer.

use super::super::line::Line;
use super::super::text::{json, prose};
use super::Session;
use crate::calendar;
use crate::dice::uuid_text;

impl Session<'_> {
    /// A whole turn.
    pub(in super::super) fn take_turn(&mut self) {
        self.turn += 1;
        self.prompt_id = uuid_text(self.dice.uuid());
        let bytes = self.dice.size(140, 1.2, 3, 8000);
        let prompt = prose(&mut self.dice, bytes);
        let modern = self.style.modern;
        let uuid = self.dice.uuid();
        if modern {
            self.open_turn(uuid);
        }
        let turn = self.turn;
        let tail = if modern {
            format!(
                r#","permissionMode":"acceptEdits","promptSource":"typed","turnOrigin":"human","turnPosition":{{"promptIndex":0,"turnIndex":{turn}}}"#
            )
        } else {
            String::new()
        };
        let head = format!(
            r#""type":"user","message":{{"role":"user","content":{}}},"#,
            json(&prompt)
        );
        let pause = self.dice.size(20_000, 1.2, 500, 3_600_000);
        self.chained_as(uuid, pause, "user", &head, &tail);
        if modern && turn == 1 {
            let shapes = self.shapes;
            shapes.opening.iter().for_each(|shape| self.attach(shape));
        }
        let steps = if self.style.small {
            self.dice.between(0, 2)
        } else {
            self.dice.size(5, 0.9, 0, 60)
        };
        for _ in 0..steps {
            if !self.style.small && self.dice.per_mille(30) {
                self.delegate();
            } else {
                self.step();
            }
        }
        if self.dice.per_mille(30) {
            self.answer_text(60, "null", true);
            self.chained(
                "user",
                r#""type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]},"#,
                "",
            );
            self.interrupted += 1;
        } else {
            let bytes = self.dice.size(700, 0.8, 20, 6000);
            self.answer_text(bytes, r#""end_turn""#, false);
        }
        if modern {
            self.close_turn(&prompt);
        }
    }

    fn open_turn(&mut self, prompt: u128) {
        self.state("mode", r#""mode":"normal""#);
        self.state("permission-mode", r#""permissionMode":"acceptEdits""#);
        self.state("atis-latch", r#""atis":"""#);
        let (uuid, timestamp) = (uuid_text(prompt), calendar::timestamp(self.now_ms));
        // Only this line has no session.
        let text = format!(
            r#"{{"type":"file-history-snapshot","messageId":"{uuid}","snapshot":{{"messageId":"{uuid}","trackedFileBackups":{{}},"timestamp":"{timestamp}"}},"isSnapshotUpdate":false}}"#
        );
        self.lines.push(Line::state(text, self.now_ms));
    }

    fn close_turn(&mut self, prompt: &str) {
        if self.dice.per_mille(80) {
            let shapes = self.shapes;
            self.attach(&shapes.snapshot);
        }
        self.chained(
            "system",
            r#""type":"system","subtype":"turn_duration","durationMs":1000,"messageCount":5,"#,
            r#","isMeta":false"#,
        );
        let leaf = self.leaf.map_or_else(String::new, uuid_text);
        let start: String = prompt.chars().take(200).collect();
        self.state(
            "last-prompt",
            &format!(r#""lastPrompt":{},"leafUuid":"{leaf}""#, json(&start)),
        );
        self.cost_state();
    }

    /// Whether it is time for a compaction.
    pub(in super::super) fn is_full(&self) -> bool {
        self.context > 150_000
    }
}
