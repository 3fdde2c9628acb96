//! Prompts that the CLI will send to itself. They are lost when its process ends.

use rusty_claw_protocol::Line;
use rusty_claw_protocol::messages::{CommandState, ContentBlock, Message};
use rusty_claw_protocol::tool::ToolView;

const TOOLS: [&str; 3] = ["CronCreate", "CronDelete", "ScheduleWakeup"];

/// Counts the scheduled prompts of a process. The CLI does not report them, so this follows the
/// calls of the tools that schedule them.
#[derive(Debug, Default)]
pub(super) struct ScheduledPrompts {
    recurring: usize,
    once: usize,
    has_wakeup: bool,
}

impl ScheduledPrompts {
    pub(super) fn any(&self) -> bool {
        self.count() > 0
    }

    pub(super) fn count(&self) -> usize {
        self.recurring + self.once + usize::from(self.has_wakeup)
    }

    pub(super) fn line(&mut self, line: &Line) {
        match line.message() {
            Some(Message::Assistant(said)) => {
                for block in said.message.content.iter() {
                    if let ContentBlock::ToolUse { name, input, .. } = block
                        && TOOLS.contains(&&**name)
                    {
                        self.called(&input.view(name));
                    }
                }
            }
            // A scheduled prompt has started.
            Some(Message::CommandLifecycle(said))
                if said.wakeup_source.is_some() && said.state == CommandState::Started =>
            {
                match self.has_wakeup {
                    true => self.has_wakeup = false,
                    false => self.once = self.once.saturating_sub(1),
                }
            }
            Some(Message::ConversationReset(_)) => *self = Self::default(),
            _ => {}
        }
    }

    fn called(&mut self, call: &ToolView) {
        match call {
            // A durable prompt is in a file, and a later process sends it.
            ToolView::CronCreate(input) if input.durable == Some(true) => {}
            ToolView::CronCreate(input) if input.recurring == Some(false) => self.once += 1,
            ToolView::CronCreate(_) => self.recurring += 1,
            ToolView::CronDelete(_) if self.once > 0 => self.once -= 1,
            ToolView::CronDelete(_) => self.recurring = self.recurring.saturating_sub(1),
            ToolView::ScheduleWakeup(input) => self.has_wakeup = input.stop != Some(true),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(lines: &[&str]) -> usize {
        let mut scheduled = ScheduledPrompts::default();
        for line in lines {
            scheduled.line(&Line::decode(*line));
        }
        scheduled.count()
    }

    fn call(name: &str, input: &str) -> String {
        format!(
            r#"{{"type":"assistant","message":{{"role":"assistant","content":[{{"type":"tool_use",
            "id":"t","name":"{name}","input":{input}}}]}}}}"#
        )
    }

    #[test]
    fn prompts_are_scheduled_until_they_are_sent_or_removed() {
        let recurring = call("CronCreate", r#"{"cron":"* * * * *","prompt":"p"}"#);
        let once = call(
            "CronCreate",
            r#"{"cron":"* * * * *","prompt":"p","recurring":false}"#,
        );
        let durable = call(
            "CronCreate",
            r#"{"cron":"* * * * *","prompt":"p","durable":true}"#,
        );
        let removed = call("CronDelete", r#"{"id":"x"}"#);
        let wakeup = call("ScheduleWakeup", r#"{"delaySeconds":60,"prompt":"p"}"#);
        let stopped = call("ScheduleWakeup", r#"{"stop":true}"#);
        let other = call("Bash", r#"{"command":"ls"}"#);
        let sent = r#"{"type":"command_lifecycle","command_uuid":"c","state":"started",
            "wakeup_source":"schedule_wakeup"}"#;
        for (lines, expected) in [
            (vec![other.as_str(), &durable], 0),
            (vec![&recurring], 1),
            (vec![&recurring, sent], 1),
            (vec![&recurring, &removed], 0),
            (vec![&once, sent], 0),
            (vec![&wakeup], 1),
            (vec![&wakeup, &wakeup], 1),
            (vec![&wakeup, sent], 0),
            (vec![&wakeup, &stopped], 0),
            (vec![&recurring, &once, &wakeup], 3),
        ] {
            assert_eq!(count(&lines), expected, "{lines:?}");
        }
    }
}
