//! Reads the text of an agent, in English.

use std::sync::LazyLock;

use regex::Captures;

use super::checklist;
use super::form::{Pattern, Table, found, number};
use super::found::Found;
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

const FORMS: &str = include_str!("prose/forms.tsv");
static TABLE: LazyLock<Table<ProgressKind>> = LazyLock::new(|| Table::new(FORMS));

/// Code, quotations and emphasis.
static MARKS: Pattern = Pattern::new("`[^`]*`|\"[^\"]*\"|“[^”]*”|[*_#]+");

/// Words of sentences that do not report current work: conditions, plans, negations, other times,
/// other people, questions, and numbers that do not change with the work.
static REFUSED: Pattern = Pattern::new(concat!(
    r"(?i)\b(?:if|would|could|should|might|may|once|when|until|unless|before|yesterday|earlier|previous\w*|ago|",
    r"example|e\.g|says?|said|shows?|showed|prints?|log|logs|docs|readme|comment|ticket|issue|he|she|they|his|",
    r"her|their|team|teams|ci|users?|customers?|not|never|page|attempt|retry|coverage|score|option|question|",
    r"last (?:night|week|month|time|run|year)|will need|found|seen|noticed|plan|planned|you|your|used|spent|needed|colleague|usually|each|every)\b|n't\b|\?\s*$|/[0-9]+ of\b",
));

/// A counter of any kind.
static COUNTER: Pattern =
    Pattern::new(r"(?i)\b{done!}(?: ?/ ?| of (?:the |my )?| out of (?:the )?){total!}\b");

/// The counted things are tests.
static TESTS: Pattern = Pattern::new(r"(?i)\b(?:tests?|specs?|suites?)\b");

/// The work stopped or something failed.
static STOPPED: Pattern = Pattern::new(
    r"(?i)\b(?:failed|fails|stopped|crashed|aborted|broke|gave up|cancelled|stuck|died|error|timed out)\b",
);

/// The work is complete.
static ENDED: Pattern = Pattern::new(
    r"(?i)\b(?:done|complete|completed|finished|pass|passed|passing|green|ready)\b|[✅✓✔]",
);

/// The last sentence or list that reports progress.
pub(super) fn read(lines: &[&str]) -> Option<ProseProgress> {
    let sentences = sentences(lines);
    let mut said = None;
    for (index, (line, sentence)) in sentences.iter().enumerate().rev() {
        if let Some((form, captures)) = TABLE.find(sentence) {
            let counters = COUNTER.all(sentence).count();
            let is_of_tests = form.tag == ProgressKind::Count && TESTS.matches(sentence)
                || form.tag == ProgressKind::TestRun && sentence.contains("so far");
            if REFUSED.matches(sentence) || counters > 1 || is_of_tests {
                return None;
            }
            let behind = sentences[index..]
                .iter()
                .map(|(_, sentence)| sentence.as_str());
            said = update(*line, form.tag, &captures, behind);
            break;
        }
        // If a counter of no known pattern follows a known one, the result is unclear.
        if COUNTER.matches(sentence) {
            break;
        }
    }
    let listed = checklist::said(lines);
    let last = match (said, listed) {
        (Some(said), Some(listed)) if said.line > listed.line => said,
        (_, Some(listed)) => listed,
        (said, None) => said?,
    };
    Some(last.update)
}

/// The sentences outside code and quotations, each with its line.
fn sentences(lines: &[&str]) -> Vec<(usize, String)> {
    let mut sentences = Vec::new();
    let mut is_code = false;
    for (index, line) in lines.iter().enumerate() {
        let line = line.trim();
        if line.starts_with("```") {
            is_code = !is_code;
        }
        if is_code || line.starts_with(['>', '|', '`']) || line.contains("’t") {
            continue;
        }
        let plain = MARKS.removed_from(line).replace('’', "'");
        let plain = plain.trim_start_matches(['-', '•', ' ', '\t', '✅', '⏳', '→', ':']);
        let mut rest = plain;
        while let Some(end) = [". ", "! ", "? "]
            .iter()
            .filter_map(|end| rest.find(end))
            .min()
        {
            let (sentence, behind) = rest.split_at(end + 1);
            sentences.push((index, sentence.trim().to_owned()));
            rest = behind;
        }
        if !rest.trim().is_empty() {
            sentences.push((index, rest.trim().to_owned()));
        }
    }
    sentences
}

/// Returns the update that a sentence reports. `behind` yields that sentence and those after it.
fn update<'s>(
    line: usize,
    kind: ProgressKind,
    captures: &Captures<'_>,
    behind: impl Iterator<Item = &'s str>,
) -> Option<Found> {
    let mut found = found(line, kind, captures)?;
    let update = &mut found.update;
    update.confidence = 0.8;
    let (mut is_stopped, mut has_ended) = (false, false);
    for sentence in behind {
        is_stopped |= STOPPED.matches(sentence);
        has_ended |= ENDED.matches(sentence);
    }
    let passed = number(captures, "passed");
    let left = number(captures, "left").or_else(|| Some(update.total? - passed?));
    if kind == ProgressKind::TestRun && (passed.is_some() || update.done.is_none()) {
        let also = number(captures, "also").unwrap_or(0.0);
        update.total = update.total.or_else(|| Some(passed? + left? + also));
        update.done = update.total;
        update.state = match left {
            Some(left) if left > 0.0 => ProgressState::Failed,
            Some(left) if left < 0.0 => return None,
            _ => ProgressState::Finished,
        };
        return Some(found);
    }
    let is_whole = found.is_whole();
    found.update.state = match (is_whole, has_ended) {
        _ if is_stopped => return None,
        (true, true) => ProgressState::Finished,
        (true, false) => return None,
        (false, _) => ProgressState::Running,
    };
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::parser::tests::check_rows;

    #[test]
    fn each_row_matches_its_texts() {
        check_rows("prose", (&TABLE, FORMS), |line| line);
    }
}
