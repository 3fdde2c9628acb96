//! Parses answers that a person types.

use claw_gateway::Answer;
use claw_server::event::{Interaction, InteractionKind};
use claw_server::registry::{PermissionResponse, QuestionAnswer, Remember};
use claw_server::{AskUserQuestionsRequest, Question, QuestionType};

/// The reason that the agent receives if the person types none.
pub(super) const DENIED: &str = "The user denied this";

/// The replies to one request so far. A request with several questions has one reply for each.
#[derive(Debug)]
pub(super) struct Replies {
    kind: InteractionKind,
    questions: Vec<Question>,
    answers: Vec<QuestionAnswer>,
}

/// The meaning of a typed line.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    /// The answer is complete.
    Answer(Answer),
    /// The next question follows.
    Next,
    /// The line is not an answer.
    Unclear,
}

impl Replies {
    pub(super) fn to(interaction: &Interaction) -> Self {
        let questions = match interaction.kind {
            InteractionKind::Question => {
                AskUserQuestionsRequest::of_interaction(interaction).questions
            }
            _ => Vec::new(),
        };
        Self {
            kind: interaction.kind.clone(),
            questions,
            answers: Vec::new(),
        }
    }

    /// Returns the prompt for the next reply.
    pub(super) fn prompt(&self) -> String {
        match &self.kind {
            InteractionKind::Permission => {
                "Allow? y: yes, a: also later in this session, n: no, n REASON".to_owned()
            }
            InteractionKind::Plan => "Carry it out? y: yes, n: no, n REASON".to_owned(),
            InteractionKind::Question => {
                let (at, of) = (self.answers.len() + 1, self.questions.len());
                format!("Answer {at} of {of}: a number, text, or n to decline")
            }
            _ => "Only another client can answer this. n: decline it".to_owned(),
        }
    }

    /// Parses a typed line.
    pub(super) fn read(&mut self, line: &str) -> Reply {
        let line = line.trim();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let is_no = matches!(word, "n" | "no");
        let reason = match rest.trim() {
            "" => DENIED,
            reason => reason,
        };
        match (&self.kind, word) {
            (InteractionKind::Permission | InteractionKind::Plan, _) if is_no => {
                Reply::Answer(Answer::Permission(PermissionResponse::deny(reason)))
            }
            (_, _) if is_no && (rest.is_empty() || self.questions.is_empty()) => {
                Reply::Answer(Answer::Decline(reason.to_owned()))
            }
            (InteractionKind::Question, _) => self.answer(line),
            (InteractionKind::Permission | InteractionKind::Plan, "y" | "yes")
                if rest.is_empty() =>
            {
                Reply::Answer(Answer::Permission(PermissionResponse::allow()))
            }
            (InteractionKind::Permission, "a" | "always") if rest.is_empty() => {
                let always = PermissionResponse::allow().remember(Remember::Session);
                Reply::Answer(Answer::Permission(always))
            }
            _ => Reply::Unclear,
        }
    }

    fn answer(&mut self, line: &str) -> Reply {
        let Some(question) = self.questions.get(self.answers.len()) else {
            return Reply::Unclear;
        };
        if line.is_empty() {
            return Reply::Unclear;
        }
        let options = question.options.as_deref().unwrap_or_default();
        let numbers = line.split(',').map(|number| {
            let number: usize = number.trim().parse().ok()?;
            options.get(number.checked_sub(1)?).cloned()
        });
        let chosen: Option<Vec<String>> = numbers.collect();
        let is_single = question.question_type != QuestionType::MultiChoice;
        let answer = match chosen {
            Some(chosen) if is_single && chosen.len() > 1 => return Reply::Unclear,
            Some(chosen) => QuestionAnswer::choices(question.id.as_str(), chosen),
            None => QuestionAnswer::text(question.id.as_str(), line),
        };
        self.answers.push(answer);
        match self.answers.len() < self.questions.len() {
            true => Reply::Next,
            false => Reply::Answer(Answer::Questions(std::mem::take(&mut self.answers))),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::requests::tests::request;
    use super::*;

    fn permission(line: &str) -> Reply {
        let asked = request(
            "t",
            InteractionKind::Permission,
            "Bash",
            &json!({"command": "ls"}),
        );
        Replies::to(&asked).read(line)
    }

    #[test]
    fn only_a_clear_yes_allows() {
        let allow = Reply::Answer(Answer::Permission(PermissionResponse::allow()));
        assert_eq!(permission("y"), allow);
        assert_eq!(permission(" yes "), allow);
        let always = PermissionResponse::allow().remember(Remember::Session);
        assert_eq!(permission("a"), Reply::Answer(Answer::Permission(always)));
        let deny = |reason| Reply::Answer(Answer::Permission(PermissionResponse::deny(reason)));
        assert_eq!(permission("n"), deny(DENIED));
        assert_eq!(permission("no use ls -l"), deny("use ls -l"));
        for line in [
            "",
            "Y",
            "yy",
            "y but not here",
            "always ask",
            "fix the tests",
            "1",
        ] {
            assert_eq!(permission(line), Reply::Unclear, "{line:?}");
        }
    }

    #[test]
    fn a_plan_has_no_grant_and_other_kinds_can_only_be_declined() {
        let plan = request("t", InteractionKind::Plan, "ExitPlanMode", &json!({}));
        assert_eq!(Replies::to(&plan).read("a"), Reply::Unclear);
        let dialog = request("t", InteractionKind::Dialog, "", &json!({}));
        assert_eq!(Replies::to(&dialog).read("y"), Reply::Unclear);
        let declined = Reply::Answer(Answer::Decline("not now".to_owned()));
        assert_eq!(Replies::to(&dialog).read("n not now"), declined);
    }

    #[test]
    fn questions_are_answered_one_after_the_other() {
        let one = |text: &str, multi: bool| {
            json!({"question": text, "header": "", "multiSelect": multi,
            "options": [{"label": "A", "description": ""}, {"label": "B", "description": ""}]})
        };
        let input = json!({"questions": [one("x", false), one("y", true), one("z", false)]});
        let asked = request("t", InteractionKind::Question, "AskUserQuestion", &input);
        let mut replies = Replies::to(&asked);
        assert_eq!(replies.read("1,2"), Reply::Unclear);
        assert_eq!(replies.read("2"), Reply::Next);
        assert_eq!(replies.read("1, 2"), Reply::Next);
        let answers = vec![
            QuestionAnswer::choice("t:0", "B"),
            QuestionAnswer::choices("t:1", ["A", "B"]),
            QuestionAnswer::text("t:2", "no idea"),
        ];
        assert_eq!(
            replies.read("no idea"),
            Reply::Answer(Answer::Questions(answers))
        );
        let declined = Reply::Answer(Answer::Decline(DENIED.to_owned()));
        assert_eq!(Replies::to(&asked).read("n"), declined);
    }
}
