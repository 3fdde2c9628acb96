//! Reads the text of an agent, in English.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::form::{Form, Table, found, number, occurs, pattern};
use super::{Found, checklist, subagents};
use crate::progress::ProgressKind::{Count, Percent, Step, TestRun};
use crate::progress::{ProgressState, ProseProgress};

/// Patterns of one sentence. The group `left` is the number of failed tests, `passed` the number of
/// passed ones.
pub(super) const FORMS: &[Form] = &[
    subagents::ENDED,
    subagents::MENTION,
    Form {
        name: "test n of m",
        kind: TestRun,
        pattern: r"(?i)^(?:now |still |currently |i'm )*(?:running |executing |on )?test {done}{of}{total}(?:$|[.:,;!…]| ?[-–—✅✓]| (?:is |now |has |is now )?(?:done|complete|completed|finished|running|in progress|started|committed)\b)",
    },
    Form {
        name: "step n of m",
        kind: Step,
        pattern: r"(?i)^(?:(?:now|currently|starting|beginning|next|on to|moving on to|we're on|i'm on|i'm at|this is|working on)[:,]? )*(?P<label>step|phase|stage|part|task|milestone) {done!}{of}{total!}(?:$|[.:,;!…]| ?[-–—✅✓]| (?:is |now |has |is now )?(?:done|complete|completed|finished|running|in progress|started|committed)\b)",
    },
    Form {
        name: "all tests pass",
        kind: TestRun,
        pattern: r"(?i)\ball {total} (?:[\w-]+ )?tests (?:are |now |have )*(?:pass|passed|passing|green)\b",
    },
    Form {
        name: "n of m tests pass",
        kind: TestRun,
        pattern: r"(?i)(?:^|: ){passed}(?: of (?:the )?|/){total} tests (?:are |now |have )*(?:pass|passed|passing|green)\b",
    },
    Form {
        name: "verdicts of tests",
        kind: TestRun,
        pattern: r"(?i)(?:^|[:,] |\b(?:with|reports) ){passed} (?:tests )?passed(?:,| and|, and) {left} failed(?:(?:,| and|, and) {also} (?:skipped|ignored|pending))?\b",
    },
    Form {
        name: "work in hand",
        kind: Count,
        pattern: r"(?i)^(?:now |still |currently |i'm )*(?P<label>[a-z]+ing (?:on |through )?(?:the )?(?:[\w-]*[a-rt-z] )?){done}{of}{total}\b",
    },
    Form {
        name: "work done",
        kind: Count,
        pattern: r"(?i)^(?:so far,? )?(?:i've|i have) (?:now |already |so far )?(?P<label>(?:[a-z]+(?:ed|en|ead|un)|gone|done)(?: through)?) {done!}{of}{total!}\b",
    },
    Form {
        name: "work done so far",
        kind: Count,
        pattern: r"(?i)(?:^|: ){done!} of (?:the )?{total!} .*\bso far\b",
    },
    Form {
        name: "share done",
        kind: Percent,
        pattern: r"(?i)^(?P<label>the [\w -]+) is (?:now |about |already |currently |roughly )*{percent} ?(?:%|percent) (?:done|complete|completed|finished|through)\b",
    },
];

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::new(FORMS));

/// Code, quotations and emphasis.
static MARKS: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern("`[^`]*`|\"[^\"]*\"|“[^”]*”|[*_#]+"));

/// Words of sentences that do not report current work: conditions, plans, negations, other times,
/// other people, questions, and numbers that do not change with the work.
static REFUSED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:if|would|could|should|might|may|once|when|until|unless|before|yesterday|earlier|previous\w*|ago|",
        r"example|e\.g|says?|said|shows?|showed|prints?|log|logs|docs|readme|comment|ticket|issue|he|she|they|his|",
        r"her|their|team|teams|ci|users?|customers?|not|never|page|attempt|retry|coverage|score|option|question|",
        r"last (?:night|week|month|time|run|year)|will need|found|seen|noticed|plan|planned|you|your|used|spent|needed|colleague|usually|each|every)\b|n't\b|\?\s*$|/[0-9]+ of\b",
    ))
});

/// A counter of any kind.
static COUNTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)\b{done!}(?: ?/ ?| of (?:the |my )?| out of (?:the )?){total!}\b")
});

/// The counted things are tests.
static TESTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)\b(?:tests?|specs?|suites?)\b"));

/// The work stopped or something failed.
static STOPPED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:failed|fails|stopped|crashed|aborted|broke|gave up|cancelled|stuck|died|error|timed out)\b",
    )
});

/// The work is complete.
static ENDED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:done|complete|completed|finished|pass|passed|passing|green|ready)\b|[✅✓✔]")
});

/// The last sentence or list that reports progress.
pub(super) fn read(lines: &[&str]) -> Option<ProseProgress> {
    let sentences = sentences(lines);
    let mut said = None;
    for (index, (line, sentence)) in sentences.iter().enumerate().rev() {
        if let Some((form, captures)) = TABLE.find(sentence) {
            let counters = COUNTER.as_ref()?.find_iter(sentence).count();
            let is_of_tests = form.kind == Count && occurs(&TESTS, sentence)
                || form.kind == TestRun && sentence.contains("so far");
            if occurs(&REFUSED, sentence) || counters > 1 || is_of_tests {
                return None;
            }
            let behind = sentences[index..]
                .iter()
                .map(|(_, sentence)| sentence.as_str());
            said = update(*line, form, &captures, behind);
            break;
        }
        // If a counter of no known pattern follows a known one, the result is unclear.
        if occurs(&COUNTER, sentence) {
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
        let Some(marks) = MARKS.as_ref() else {
            continue;
        };
        let plain = marks.replace_all(line, "").replace('’', "'");
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

/// The update of a sentence, which is the first of `behind`.
fn update<'s>(
    line: usize,
    form: &Form,
    captures: &Captures<'_>,
    behind: impl Iterator<Item = &'s str>,
) -> Option<Found> {
    let mut found = found(line, form, captures)?;
    let update = &mut found.update;
    update.confidence = 0.8;
    let (mut is_stopped, mut has_ended) = (false, false);
    for sentence in behind {
        is_stopped |= occurs(&STOPPED, sentence);
        has_ended |= occurs(&ENDED, sentence);
    }
    let passed = number(captures, "passed");
    let left = number(captures, "left").or_else(|| Some(update.total? - passed?));
    if form.kind == TestRun && (passed.is_some() || update.done.is_none()) {
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
    let is_whole = match (update.done, update.total) {
        (Some(done), Some(total)) => done >= total,
        _ => update.percent == Some(100.0),
    };
    update.state = match (is_whole, has_ended) {
        _ if is_stopped => return None,
        (true, true) => ProgressState::Finished,
        (true, false) => return None,
        (false, _) => ProgressState::Running,
    };
    Some(found)
}

#[cfg(test)]
mod tests;
