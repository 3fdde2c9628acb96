//! Counters and percentages in the output of tools.

use std::sync::LazyLock;

use super::form::{Pattern, Table, found, number};
use super::found::Found;
use super::screen::Screen;
use crate::progress::ProgressKind::{self, Count, Percent};
use crate::progress::ProseProgress;

const FORMS: &str = include_str!("output/forms.tsv");
static TABLE: LazyLock<Table<ProgressKind>> = LazyLock::new(|| Table::new(FORMS));

/// Prefixes of a line that are not part of its pattern.
static LEAD: Pattern =
    Pattern::new(r"^\s*(?:(?:==>|>>>|->|»|→|[✓✔⚠•*]|(?:VERBOSE|NOTE|remote|INFO):|\[INFO\]) *)*");

/// Words of a line that counts something other than work: attempts, pages, parts of a run, and
/// questions to the user.
static REFUSED: Pattern = Pattern::new(concat!(
    r"(?i)\b(?:attempt|retry|retries|try|page|shard|slide|chapter|lesson|question|option|tip|example|track|poll)[ :#(]*{n}(?:/| of )",
    r"|\b(?:expected|actual|used|usage|limit|coverage|covered|score|rate:|hit|quota|using|showing|listing|",
    r"limiting|sampling|limited|would|dry.run|listening|battery|missing|ignoring|keeping|retrying|deflated|stored|nothing|",
    r"accuracy|precision|recall|memory|swap|ram|cpu|gpu|disk|enabled|scenario|total [0-9]+|with [0-9]+(?:/| of )[0-9]+|warning|stars)\b",
    r"|ing tests\b|\btest_\w+(?: ?\.\.\.|:| ok\b)|: (?:PASS|FAIL|STARTED)\b|^tests?:|^\[ \] ",
    r"|pass@|\?\s*$|^[+-] |^=>|^[0-9]+[.)] |^[\w./-]+\.\w+[:-][0-9]+[:-]",
));

/// A counter or a percentage anywhere in a line.
static ANY: Pattern = Pattern::new(r"{done}(?: ?/ ?| of | out of ){total}|{percent} ?%");

static SHARE: Pattern = Pattern::new(r"{percent} ?%");

/// How many lines back to look for a lower value of the same counter.
const REACH: usize = 200;

fn bare(line: &str) -> &str {
    LEAD.after(line).trim_end()
}

/// The last line with a counter. If a counter or percentage of no known pattern follows, the result
/// is unclear.
pub(super) fn read(screen: &Screen, lines: &[&str]) -> Option<Found> {
    if let Some(epoch) = epoch(lines) {
        return Some(epoch);
    }
    for (index, line) in lines.iter().enumerate().rev() {
        let line = bare(line);
        if !line.contains(|c: char| c.is_ascii_digit()) || REFUSED.matches(line) {
            continue;
        }
        if let Some(found) = at(screen, lines, index) {
            return whole(lines, found);
        }
        if ANY.matches(line) {
            return None;
        }
    }
    None
}

/// "Epoch 3/10" followed by the batches of that epoch: the epochs are the whole.
fn epoch(lines: &[&str]) -> Option<Found> {
    for (index, line) in lines.iter().enumerate().rev() {
        let line = bare(line);
        if line.starts_with("Epoch")
            && let Some((form, captures)) = TABLE.find(line)
            && form.name == "step n of m"
        {
            return found(index, form.tag, &captures);
        }
    }
    None
}

/// A percentage or a size below a counter that has not reached its total belongs to a part of the
/// work.
fn whole(lines: &[&str], part: Found) -> Option<Found> {
    let above = lines[..=part.line].iter().enumerate().rev().take(REACH);
    for (index, line) in above {
        let line = bare(line);
        if line.starts_with("Epoch  ") {
            return None;
        }
        let Some((form, captures)) = TABLE.find(line) else {
            continue;
        };
        let is_counter = form.tag != Percent && captures.name("whole").is_none();
        if is_counter && index < part.line && is_part(&part, lines) {
            let counter = found(index, form.tag, &captures)?;
            let is_whole = counter.update.done == counter.update.total;
            return Some(if is_whole { part } else { counter });
        }
    }
    Some(part)
}

fn is_part(found: &Found, lines: &[&str]) -> bool {
    let form = TABLE.find(bare(lines[found.line]));
    let is_size = form.is_some_and(|(_, captures)| captures.name("whole").is_some());
    found.update.kind == Percent || is_size
}

/// The timestamp at the start of a log line.
static TIME: Pattern = Pattern::new(
    r"^\[?(?:[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ])?[0-9]{2}:[0-9]{2}:[0-9]{2}[0-9.,+:Z]*\]?\s+",
);

fn at(screen: &Screen, lines: &[&str], index: usize) -> Option<Found> {
    let line = bare(lines[index]);
    // A line with a timestamp may be from an old log, unless its counter increases.
    let form = TABLE.find(line).filter(|_| !TIME.matches(line));
    let mut found = match form {
        Some((form, captures)) => {
            let unit = |name| captures.name(name).map(|unit| unit.as_str());
            if unit("unit").is_some_and(|part| unit("whole") != Some(part)) {
                return None;
            }
            // A percentage beside a counter may belong to a part of the work.
            if form.tag == Percent && counters(line) > 0 {
                return None;
            }
            let found = found(index, form.tag, &captures)?;
            // The summary of a build in which some tasks failed.
            if form.name == "tasks of a build" && found.update.done != found.update.total {
                return None;
            }
            found
        }
        None => moved(screen, lines, index)?,
    };
    share(line, &mut found.update)?;
    Some(found)
}

/// Adds the percentage beside a counter, if it belongs to the counter. Two percentages, or an
/// unrelated one beside a size, make the line unclear.
fn share(line: &str, update: &mut ProseProgress) -> Option<()> {
    let shares = SHARE.all(line);
    let shares = shares.filter_map(|share| number(&share, "percent"));
    let shares: Vec<f64> = shares.collect();
    if let (Some(done), Some(total)) = (update.done, update.total) {
        let computed = done / total * 100.0;
        let of_this = |share: &&f64| **share <= 100.0 && (computed - **share).abs() <= 1.0;
        update.percent = shares.iter().find(of_this).copied();
    }
    (shares.len() < 2).then_some(())
}

fn counters(line: &str) -> usize {
    let counters = ANY.all(line);
    counters
        .filter(|captures| captures.name("done").is_some())
        .count()
}

/// A counter or percentage in a line, with the text before and the word after it.
struct Place {
    done: f64,
    total: Option<f64>,
    around: String,
}

fn place(line: &str) -> Option<Place> {
    let line = TIME.after(line);
    let captures = ANY.captures(line)?;
    let all = captures.get(0)?;
    let words = |text: &str| {
        let digits = |c: char| if c.is_ascii_digit() { '0' } else { c };
        text.chars()
            .map(digits)
            .collect::<String>()
            .replace("00", "0")
    };
    let (before, behind) = (line[..all.start()].trim_end(), &line[all.end()..]);
    let behind = behind.split_whitespace().next().unwrap_or("");
    let letters = |text: &str| text.contains(char::is_alphabetic);
    let is_quoted = before.matches('"').count() % 2 == 1;
    let is_table = is_quoted || before.contains(['|', '\'', ';', '`']);
    let is_alone = line[..all.start()].is_empty()
        || [" ", "\t", " (", " [", ": [", "="]
            .iter()
            .any(|end| line[..all.start()].ends_with(end));
    let is_named = letters(before) || (before.is_empty() && letters(behind));
    let is_share = captures.name("percent").is_some();
    let is_work = before.contains("ing") || before.to_lowercase().contains("progress");
    let is_bare = behind.is_empty() && !before.contains(['(', '[', '=']);
    let is_gauge = if is_share {
        !is_work
    } else {
        is_bare && !is_work
    };
    if is_table || !is_alone || !is_named || is_gauge {
        return None;
    }
    Some(Place {
        done: number(&captures, "done").or_else(|| number(&captures, "percent"))?,
        total: number(&captures, "total"),
        around: format!("{}|{}", words(before), words(behind)),
    })
}

/// A line of any form whose counter is higher than in an earlier line with the same text.
fn moved(screen: &Screen, lines: &[&str], index: usize) -> Option<Found> {
    let line = TIME.after(bare(lines[index]));
    let here = place(line)?;
    let is_foreign = |c: char| c.is_alphabetic() && !c.is_ascii();
    if counters(line) > 1 || lines.iter().any(|line| line.contains(is_foreign)) {
        return None;
    }
    let from = screen.unbroken_from(index).max(index.saturating_sub(REACH));
    let mut above = lines[from..index]
        .iter()
        .rev()
        .filter_map(|line| place(bare(line)));
    let same = |place: &Place| place.around == here.around && place.total == here.total;
    let moves = screen.is_redrawn(index)
        || above
            .find(same)
            .is_some_and(|before| before.done < here.done);
    if !moves {
        return None;
    }
    let kind = if here.total.is_some() { Count } else { Percent };
    found(index, kind, &ANY.captures(line)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::parser::tests::check_rows;

    #[test]
    fn each_row_matches_its_texts() {
        check_rows("output", (&TABLE, FORMS), bare);
    }
}
