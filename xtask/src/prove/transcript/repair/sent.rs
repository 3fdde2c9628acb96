//! What the model was sent, mark by mark.

use std::collections::HashMap;
use std::fmt;

use serde_json::Value;

/// A mark that the model was sent: who said it, as what, and for a result which call it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Said {
    role: String,
    kind: String,
    mark: String,
    answers: Option<String>,
}

impl Said {
    pub(in super::super) fn mark(&self) -> &str {
        &self.mark
    }

    /// The same, said in other words.
    pub(in super::super) fn with_mark(&self, mark: &str) -> Self {
        Self {
            mark: mark.to_owned(),
            ..self.clone()
        }
    }

    /// The same behind a damage that destroyed some marks: nothing when it is one of them. A result
    /// whose call is gone can only be told as text, since the API takes it as nothing else.
    pub(in super::super) fn without(mut self, destroyed: &[&str]) -> Option<Self> {
        let is_destroyed = |mark: &str| destroyed.contains(&mark);
        if self.answers.as_deref().is_some_and(is_destroyed) {
            self.answers = None;
            self.kind = "text".to_owned();
        }
        (!is_destroyed(&self.mark)).then_some(self)
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.role, self.kind, self.mark)?;
        match &self.answers {
            Some(call) => write!(f, " for {call}"),
            None => Ok(()),
        }
    }
}

/// Puts what a person's turn tells as text behind the results in it, where the API wants it: of
/// three calls one of which is lost, the text of the third result stands last.
pub(in super::super) fn results_first(said: &mut [Said]) {
    let is = |said: &Said, kind: &str| said.role == "user" && said.kind == kind;
    for first in (0..said.len().saturating_sub(1)).rev() {
        let mut at = first;
        while at + 1 < said.len() && is(&said[at], "text") && is(&said[at + 1], "tool_result") {
            said.swap(at, at + 1);
            at += 1;
        }
    }
}

/// All marks in a list of messages, in the order in which the model sees them.
pub(in super::super) fn said(messages: &[Value], marks: &[impl AsRef<str>]) -> Vec<Said> {
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
            all.extend(found.into_iter().map(|mark| Said {
                role: role.to_owned(),
                kind: kind.to_owned(),
                mark,
                answers: answers.cloned(),
            }));
        }
    }
    all
}

/// The words of all strings in a value that are marks.
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

/// How much of what was expected arrived, in its order; and what else did.
pub(in super::super) fn compared(expected: &[Said], sent: &[Said]) -> Compared {
    // The longest list that is in both.
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
            compared.more.push(sent[column].clone());
            column += 1;
        }
    }
    compared
}

/// Where two lists differ. What stands elsewhere is both missing and too much.
#[derive(Debug, Default)]
pub(in super::super) struct Compared {
    pub(in super::super) missing: Vec<Said>,
    pub(in super::super) more: Vec<Said>,
}

impl Compared {
    pub(in super::super) fn is_same(&self) -> bool {
        self.missing.is_empty() && self.more.is_empty()
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |said: &[Said]| {
            let said: Vec<String> = said.iter().map(Said::to_string).collect();
            said.join(", ")
        };
        write!(
            f,
            "lacks [{}], has besides [{}]",
            list(&self.missing),
            list(&self.more)
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
    fn marks_are_listed_with_who_said_them_and_what_they_answer() {
        let list: Vec<String> = said(&messages(), &MARKS)
            .iter()
            .map(Said::to_string)
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
    fn order_doubles_roles_and_answers_are_told_apart() {
        let whole = said(&messages(), &MARKS);
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
            assert!(!compared(&whole, &said(&other, &MARKS)).is_same(), "{from}");
        }
        let mut swapped = whole.clone();
        swapped.swap(1, 2);
        let found = compared(&whole, &swapped);
        assert_eq!((found.missing.len(), found.more.len()), (1, 1));
    }

    #[test]
    fn what_was_destroyed_is_not_expected() {
        let whole = said(&messages(), &MARKS).into_iter();
        let left: Vec<String> = whole
            .filter_map(|said| said.without(&["callA", "resb"]))
            .map(|said| said.to_string())
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
    fn a_result_told_as_text_stands_behind_the_others() {
        let whole = said(&messages(), &MARKS).into_iter();
        let mut left: Vec<Said> = whole.filter_map(|said| said.without(&["callA"])).collect();
        results_first(&mut left);
        let left: Vec<String> = left.iter().map(Said::to_string).collect();
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
