//! Formats requests that wait for an answer.

use claw_gateway::Pending;
use claw_server::event::{Interaction, InteractionKind};
use claw_server::{AskUserQuestionsRequest, PermissionRequest, QuestionType};
use serde_json::Value;

use crate::words;

/// Returns an id without the prefix that all ids of tool calls have.
pub(super) fn name(id: &str) -> &str {
    let name = id.strip_prefix("toolu_01");
    let name = name.or_else(|| id.strip_prefix("toolu_"));
    name.filter(|name| !name.is_empty()).unwrap_or(id)
}

/// Returns unambiguous names of requests, which are as short as possible but at least 6 characters.
pub(super) fn short_names(pending: &[Pending]) -> Vec<String> {
    let names: Vec<&str> = pending
        .iter()
        .map(|one| name(one.interaction.id.as_str()))
        .collect();
    let longest = names.iter().map(|name| name.chars().count()).max();
    let cut = |length: usize| -> Vec<String> {
        let names = names.iter().map(|name| name.chars().take(length).collect());
        names.collect()
    };
    let differ = |names: &[String]| {
        let mut sorted = names.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        sorted.len() == names.len()
    };
    let lengths = 6..longest.unwrap_or(6).max(6);
    let found = lengths.map(cut).find(|names| differ(names));
    found.unwrap_or_else(|| cut(usize::MAX))
}

/// Whether a text is the id of a request, the start of its id, or the start of its short name.
pub(super) fn is_named(id: &str, text: &str) -> bool {
    !text.is_empty() && (id.starts_with(text) || name(id).starts_with(text))
}

/// Returns a request on one line.
pub(super) fn summary(interaction: &Interaction, width: usize) -> String {
    let text = match &interaction.kind {
        InteractionKind::Permission => {
            let request = PermissionRequest::of_interaction(interaction);
            let tool = interaction.tool_name.as_deref().unwrap_or("tool");
            format!("{tool} {}", request.target)
        }
        InteractionKind::Plan => "Carry out the plan?".to_owned(),
        InteractionKind::Question => {
            let asked = AskUserQuestionsRequest::of_interaction(interaction);
            let texts: Vec<&str> = asked
                .questions
                .iter()
                .map(|one| one.text.as_str())
                .collect();
            texts.join(" · ")
        }
        kind => {
            let message = interaction.request.get("message");
            let message = message.and_then(|message| message.to_text());
            format!("{kind} {}", message.unwrap_or_default())
        }
    };
    words::cut(&text, width)
}

/// Returns everything that an answer decides, on several lines. Nothing is truncated, and control
/// characters are escaped.
pub(super) fn details(interaction: &Interaction) -> Vec<String> {
    let mut lines = Vec::new();
    if interaction.kind == InteractionKind::Question {
        for question in AskUserQuestionsRequest::of_interaction(interaction).questions {
            push(&mut lines, "", &question.text);
            for (option, number) in question.options.iter().flatten().zip(1..) {
                push(&mut lines, &format!("  {number} "), option);
            }
            if question.question_type == QuestionType::MultiChoice {
                lines.push("  several: 1,2".to_owned());
            }
        }
        return lines;
    }
    let request = interaction.request.to_value();
    if interaction.kind == InteractionKind::Permission || interaction.kind == InteractionKind::Plan
    {
        let asked = PermissionRequest::of_interaction(interaction);
        let tool = interaction.tool_name.as_deref().unwrap_or("tool");
        push(&mut lines, "", &format!("{tool}: {}", asked.description));
        if let Some(reason) = &asked.reason {
            push(&mut lines, "  why: ", reason);
        }
    }
    let shown = match request.get("input") {
        Some(Value::Object(input)) => input.clone(),
        _ => request.as_object().cloned().unwrap_or_default(),
    };
    for (member, value) in &shown {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        push(&mut lines, &format!("  {}: ", escaped(member)), &text);
    }
    lines
}

/// Adds a text. Its later lines are indented like the first one.
fn push(lines: &mut Vec<String>, start: &str, text: &str) {
    let indent = " ".repeat(start.chars().count());
    let starts = std::iter::once(start).chain(std::iter::repeat(indent.as_str()));
    let texts = text.lines().chain(text.is_empty().then_some(""));
    lines.extend(
        starts
            .zip(texts)
            .map(|(start, line)| format!("{start}{}", escaped(line))),
    );
}

fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match words::steers(c) && c != '\t' {
            true => shown.extend(c.escape_unicode()),
            false => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
pub(super) mod tests {
    use claw_server::event::InteractionId;
    use serde_json::json;

    use super::*;

    pub(crate) fn request(
        id: &str,
        kind: InteractionKind,
        tool: &str,
        input: &Value,
    ) -> Interaction {
        let request = json!({"subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": id});
        let mut interaction = Interaction::new(InteractionId::new(id), kind, request.into());
        interaction.tool_name = Some(tool.to_owned());
        interaction.tool_use_id = Some(id.to_owned());
        interaction
    }

    #[test]
    fn nothing_of_a_request_is_hidden() {
        let command = format!("ls\n{}\u{1b}[8m rm -rf /\u{202e}", " ".repeat(300));
        let asked = request(
            "toolu_01A",
            InteractionKind::Permission,
            "Bash",
            &json!({"command": command, "timeout": 5, "od\u{7}d": ""}),
        );
        let shown = details(&asked).join("\n");
        insta::assert_snapshot!(shown.replace(&" ".repeat(300), "(300 spaces)"));
        assert!(summary(&asked, 60).chars().count() <= 60);
    }

    #[test]
    fn questions_are_shown_with_their_options() {
        let input = json!({"questions": [
            {"question": "Which database?", "header": "db", "multiSelect": false,
             "options": [{"label": "SQLite", "description": ""}, {"label": "Postgres", "description": ""}]},
            {"question": "Which extras?", "header": "x", "multiSelect": true,
             "options": [{"label": "Olives", "description": ""}, {"label": "Capers", "description": ""}]},
        ]});
        let asked = request(
            "toolu_01B",
            InteractionKind::Question,
            "AskUserQuestion",
            &input,
        );
        insta::assert_snapshot!(details(&asked).join("\n"));
        assert_eq!(summary(&asked, 80), "Which database? · Which extras?");
    }

    #[test]
    fn a_request_is_named_by_the_start_of_its_id() {
        assert_eq!(name("toolu_01AbCd"), "AbCd");
        assert_eq!(name("toolu_fake_1"), "fake_1");
        assert_eq!(name("other"), "other");
        for text in ["toolu_01Ab", "AbCd", "A"] {
            assert!(is_named("toolu_01AbCd", text), "{text}");
        }
        for text in ["", "bCd", "toolu_01B"] {
            assert!(!is_named("toolu_01AbCd", text), "{text}");
        }
    }
}
