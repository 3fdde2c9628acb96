//! A long session: the recorded turn of the CLI again and again, with new ids and outputs.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use claw_server::event::{
    AcceptedInput, Fact, InputId, Interaction, InteractionAnswer, InteractionId, InteractionKind,
    Lifecycle, LifecycleState, SessionEvent,
};
use claw_server::{EventBuilder, Json, Output};

use crate::process::repository;

/// A recording with four calls of the model, three tools and two permissions.
const RECORDING: &str = "testdata/cli/2.1.325/perm_allow/stdout.ndjson";
/// What a tool prints, next to what the CLI prints about it.
const TOOL_OUTPUT: &str = "(Bash completed with no output)";
/// The longest output of a tool, in lines.
const OUTPUT_LINES: u64 = 76;

/// Builds the events of a session turn by turn.
pub(super) struct LongSession {
    lines: Vec<String>,
    builder: EventBuilder,
    output: Output,
    turns: u64,
}

impl LongSession {
    pub(super) fn new(epoch: u64) -> Result<Self> {
        let text = std::fs::read_to_string(repository(RECORDING))?;
        let is_of_turn = |line: &&str| !line.starts_with(r#"{"type":"control_response""#);
        let lines = text.lines().filter(is_of_turn).map(str::to_owned);
        let mut session = Self {
            lines: lines.collect(),
            builder: EventBuilder::new(epoch),
            output: Output::default(),
            turns: 0,
        };
        session.fact(Fact::Lifecycle(Lifecycle::new(LifecycleState::Ready)));
        Ok(session)
    }

    /// Returns the events of the next turn.
    pub(super) fn turn(&mut self) -> Result<Vec<Arc<SessionEvent>>> {
        self.turns += 1;
        let turn = self.turns;
        let id = InputId::new(format!("in_{turn}"));
        let mut input = AcceptedInput::new(id.clone(), Json::from_text_value("Do the next step."));
        input.key = Some(format!("key-{turn}"));
        let accepted = self.builder.accepted(self.now_ms(), input);
        self.output.events.push(accepted);
        self.builder.sent(id);
        for line in self.lines.clone() {
            let line = line
                .replace("toolu_", &format!("toolu_{turn}_"))
                .replace("msg_", &format!("msg_{turn}_"));
            if line.starts_with(r#"{"type":"control_request""#) {
                self.permission(&line)?;
            } else {
                let line = line.replacen(TOOL_OUTPUT, &self.tool_output(), 1);
                let at_ms = self.now_ms();
                self.builder.line(at_ms, line.as_str(), &mut self.output);
            }
        }
        let events = self.output.events.drain(..);
        Ok(events.map(Arc::new).collect())
    }

    /// A permission that is answered.
    fn permission(&mut self, line: &str) -> Result<()> {
        let request = Json::from_text(line)?.get("request");
        let request = request.context("a request has no body")?;
        let id = InteractionId::new(format!("p_{}", self.builder.sequence()));
        let kind = InteractionKind::Permission;
        let interaction = Interaction::new(id.clone(), kind, request);
        self.fact(Fact::InteractionOpened(interaction));
        let mut answer = InteractionAnswer::new(id, Json::from_text(r#"{"behavior":"allow"}"#)?);
        answer.key = Some(format!("answer-{}", self.builder.sequence()));
        self.fact(Fact::InteractionAnswered(answer));
        Ok(())
    }

    fn fact(&mut self, fact: Fact) {
        let event = self.builder.fact(self.now_ms(), fact);
        self.output.events.push(event);
    }

    /// Output of a tool whose length differs from call to call.
    fn tool_output(&self) -> String {
        let lines = self.builder.sequence() * 7 % OUTPUT_LINES;
        (0..lines)
            .map(|line| format!("src/module_{line}.rs:{line}: let value = read(input)?;\\n"))
            .collect()
    }

    fn now_ms(&self) -> i64 {
        self.builder.sequence().cast_signed() * 700
    }
}
