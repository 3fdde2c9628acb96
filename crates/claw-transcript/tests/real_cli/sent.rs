//! The marks in the messages that the model received.

use std::collections::HashMap;
use std::fmt;

use serde_json::Value;

/// A mark that the model received: in which role, in which kind of block, and, in a result, for
/// which call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    role: String,
    kind: String,
    mark: String,
    answers: Option<String>,
}

impl Mark {
    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    /// The same with another mark.
    pub(crate) fn with_mark(&self, mark: &str) -> Self {
        Self {
            mark: mark.to_owned(),
            ..self.clone()
        }
    }

    /// The same after a damage that destroyed some marks; `None` if it is one of them. A result
    /// without its call becomes a text, because the API rejects the result.
    pub(crate) fn without(mut self, destroyed: &[&str]) -> Option<Self> {
        let is_destroyed = |mark: &str| destroyed.contains(&mark);
        if self.answers.as_deref().is_some_and(is_destroyed) {
            self.answers = None;
            self.kind = "text".to_owned();
        }
        (!is_destroyed(&self.mark)).then_some(self)
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.role, self.kind, self.mark)?;
        match &self.answers {
            Some(call) => write!(f, " for {call}"),
            None => Ok(()),
        }
    }
}

/// Moves the texts of a user message behind its results, where the API requires them.
pub(crate) fn results_first(marks: &mut [Mark]) {
    let is = |mark: &Mark, kind: &str| mark.role == "user" && mark.kind == kind;
    for first in (0..marks.len().saturating_sub(1)).rev() {
        let mut at = first;
        while at + 1 < marks.len() && is(&marks[at], "text") && is(&marks[at + 1], "tool_result") {
            marks.swap(at, at + 1);
            at += 1;
        }
    }
}

/// All marks in a list of messages, in the order in which the model sees them.
pub(crate) fn marks(messages: &[Value], marks: &[impl AsRef<str>]) -> Vec<Mark> {
    let mut calls: HashMap<&str, String> = HashMap::new();
    let mut all = Vec::new();
    for message in messages {
        let role = message["role"].as_str().unwrap_or_default();
        let content = &message["content"];
        let blocks = content
            .as_array()
            .map_or(std::slice::from_ref(content), Vec::as_slice);
        for block in blocks {
            let kind = block["type"].as_str().unwrap_or("text");
            let found = marks_in(block, marks);
            if let (Some(id), Some(mark)) = (block["id"].as_str(), found.first()) {
                calls.insert(id, mark.clone());
            }
            let answers = block["tool_use_id"].as_str().and_then(|id| calls.get(id));
            all.extend(found.into_iter().map(|mark| Mark {
                role: role.to_owned(),
                kind: kind.to_owned(),
                mark,
                answers: answers.cloned(),
            }));
        }
    }
    all
}

/// The marks among the words of all strings in a value.
fn marks_in(value: &Value, marks: &[impl AsRef<str>]) -> Vec<String> {
    match value {
        Value::String(text) => {
            let words = text.split(|c: char| !c.is_ascii_alphanumeric());
            let known = words.filter(|word| marks.iter().any(|mark| mark.as_ref() == *word));
            known.map(str::to_owned).collect()
        }
        Value::Array(items) => items
            .iter()
            .flat_map(|item| marks_in(item, marks))
            .collect(),
        Value::Object(members) => {
            let members = members.values();
            members.flat_map(|member| marks_in(member, marks)).collect()
        }
        _ => Vec::new(),
    }
}

/// Compares two lists of marks by their longest common subsequence.
pub(crate) fn compared(expected: &[Mark], sent: &[Mark]) -> Compared {
    // Lengths of the longest common subsequences of the rests.
    let width = sent.len() + 1;
    let mut lengths = vec![0_usize; (expected.len() + 1) * width];
    for (row, wanted) in expected.iter().enumerate().rev() {
        for (column, got) in sent.iter().enumerate().rev() {
            let at = row * width + column;
            lengths[at] = if wanted == got {
                lengths[at + width + 1] + 1
            } else {
                lengths[at + width].max(lengths[at + 1])
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut compared = Compared::default();
    while row < expected.len() || column < sent.len() {
        let at = row * width + column;
        let both = row < expected.len() && column < sent.len();
        if both && expected[row] == sent[column] {
            (row, column) = (row + 1, column + 1);
        } else if column == sent.len() || (both && lengths[at + width] >= lengths[at + 1]) {
            compared.missing.push(expected[row].clone());
            row += 1;
        } else {
            compared.additional.push(sent[column].clone());
            column += 1;
        }
    }
    compared
}

/// The differences of two lists. A mark in another position is both missing and additional.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    pub(crate) missing: Vec<Mark>,
    pub(crate) additional: Vec<Mark>,
}

impl Compared {
    pub(crate) fn is_same(&self) -> bool {
        self.missing.is_empty() && self.additional.is_empty()
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |marks: &[Mark]| {
            let marks: Vec<String> = marks.iter().map(Mark::to_string).collect();
            marks.join(", ")
        };
        write!(
            f,
            "missing [{}], additional [{}]",
            list(&self.missing),
            list(&self.additional)
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const MARKS: [&str; 5] = ["saidP1", "callA", "resa", "callB", "resb"];

    fn messages() -> Vec<Value> {
        let call = |id: &str, mark: &str| {
            json!({"type": "tool_use", "id": id, "name": "Bash",
                "input": {"command": "x", "description": mark}})
        };
        let result = |id: &str, mark: &str| {
            json!({"type": "tool_result", "tool_use_id": id,
                "content": [{"type": "text", "text": mark}]})
        };
        vec![
            json!({"role": "user", "content": "\nsaidP1 and saidP12"}),
            json!({"role": "assistant", "content": [call("a", "callA"), call("b", "callB")]}),
            json!({"role": "user", "content": [result("a", "resa"), result("b", "resb")]}),
        ]
    }

    #[test]
    fn marks_are_listed_with_their_role_and_their_call() {
        let list: Vec<String> = marks(&messages(), &MARKS)
            .iter()
            .map(Mark::to_string)
            .collect();
        assert_eq!(
            list,
            [
                "user text saidP1",
                "assistant tool_use callA",
                "assistant tool_use callB",
                "user tool_result resa for callA",
                "user tool_result resb for callB",
            ]
        );
    }

    #[test]
    fn order_duplicates_roles_and_calls_are_compared() {
        let whole = marks(&messages(), &MARKS);
        assert!(compared(&whole, &whole).is_same());
        let text = serde_json::to_string(&messages()).unwrap();
        for (from, to) in [
            ("saidP1 ", "saidP1 saidP1 "),
            ("\"assistant\"", "\"user\""),
            ("\"tool_use_id\":\"a\"", "\"tool_use_id\":\"b\""),
            ("resa", "resb"),
            ("callB", "nothing"),
        ] {
            assert!(text.contains(from), "{from}");
            let other: Vec<Value> = serde_json::from_str(&text.replace(from, to)).unwrap();
            assert!(
                !compared(&whole, &marks(&other, &MARKS)).is_same(),
                "{from}"
            );
        }
        let mut swapped = whole.clone();
        swapped.swap(1, 2);
        let found = compared(&whole, &swapped);
        assert_eq!((found.missing.len(), found.additional.len()), (1, 1));
    }

    #[test]
    fn destroyed_marks_are_not_expected() {
        let whole = marks(&messages(), &MARKS).into_iter();
        let left: Vec<String> = whole
            .filter_map(|mark| mark.without(&["callA", "resb"]))
            .map(|mark| mark.to_string())
            .collect();
        assert_eq!(
            left,
            [
                "user text saidP1",
                "assistant tool_use callB",
                "user text resa",
            ]
        );
    }

    #[test]
    fn result_without_a_call_is_text_behind_the_results() {
        let whole = marks(&messages(), &MARKS).into_iter();
        let mut left: Vec<Mark> = whole.filter_map(|mark| mark.without(&["callA"])).collect();
        results_first(&mut left);
        let left: Vec<String> = left.iter().map(Mark::to_string).collect();
        assert_eq!(
            left,
            [
                "user text saidP1",
                "assistant tool_use callB",
                "user tool_result resb for callB",
                "user text resa",
            ]
        );
    }
}
