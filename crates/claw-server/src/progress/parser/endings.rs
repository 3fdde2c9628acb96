//! How something ended, as the lines behind its last number tell.

mod levels;
mod lists;
mod signs;

use self::levels::{heads_failures, stops_at};
use self::signs::{Sign, is_row_of_failures, sign, stops_everything};
use crate::progress::parser::counters::counters;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::runners::Found;
use crate::progress::{ProgressKind, ProgressState};

/// How many lines before the last one are looked at for things that failed.
const LOOK_BACK: usize = 200;

/// The state of a count, a share or a step, with what is printed behind it.
pub(super) fn of_work(page: &Page<'_>, found: &Found) -> ProgressState {
    let update = &found.update;
    let whole = match (update.done, update.total, update.percent) {
        (Some(done), Some(total), _) => done >= total,
        (_, _, Some(percent)) => percent >= 100.0,
        _ => false,
    };
    match update.state {
        ProgressState::Running => of_running(page, found, whole),
        ProgressState::Finished if fails_after_all(page, found) => ProgressState::Failed,
        state => state,
    }
}

fn of_running(page: &Page<'_>, found: &Found, whole: bool) -> ProgressState {
    let step = found.update.kind == ProgressKind::Step;
    let here = page.lines[found.line].text;
    // A bar has no newline: what ends it is printed right behind it.
    let tail = here.rsplit([']', '…']).next().unwrap_or("");
    let tail = tail.rsplit("...").next().unwrap_or("").trim();
    let dies_here = stops_at(here) || [here, tail].into_iter().any(stops_everything);
    let dies_here = dies_here && !goes_on_after(here);
    let mut failed = exit_code_in_front(page) || dies_here;
    for line in page.lines.iter().skip(found.line + 1) {
        match sign(line.text) {
            Some(Sign::Failed) => failed = true,
            Some(Sign::SomeFailed) if whole => failed = true,
            Some(Sign::Leaves) if !whole => failed = true,
            // Whatever went wrong, it is tried again.
            Some(Sign::GoesOn) => failed = false,
            Some(Sign::Over) if whole && !failed => return ProgressState::Finished,
            Some(Sign::Closed) if (whole || !step) && !failed => return ProgressState::Finished,
            _ => {}
        }
    }
    if failed {
        ProgressState::Failed
    } else {
        ProgressState::Running
    }
}

/// All of it was done, and then it turned out that it was not good: the next line says so, or a
/// later one that can only be about the whole.
fn fails_after_all(page: &Page<'_>, found: &Found) -> bool {
    let rest = page.lines.iter().skip(found.line + 1);
    let mut rest = rest.filter(|line| !line.text.is_empty());
    let mut first = true;
    let broken = rest.any(|line| {
        let sign = sign(line.text);
        let next = first && matches!(sign, Some(Sign::Failed));
        first = false;
        next || matches!(sign, Some(Sign::SomeFailed)) || stops_everything(line.text)
    });
    // rclone counts its errors above its files.
    let above = &page.lines[found.line.saturating_sub(3)..found.line];
    let counted = above.iter().any(|line| is_row_of_failures(line.text));
    broken || counted || failed_before(page, found) || exit_code_in_front(page)
}

/// What went wrong in the line did not stop it.
fn goes_on_after(text: &str) -> bool {
    matches!(sign(text), Some(Sign::GoesOn | Sign::Skips))
}

/// The line says that all that was done before it is over.
pub(super) fn closes(text: &str) -> bool {
    sign(text) == Some(Sign::Closed)
}

/// The line says that something is over, for good or for bad.
pub(super) fn tells_end(text: &str) -> bool {
    !matches!(sign(text), None | Some(Sign::GoesOn | Sign::Skips))
}

/// "[2/3] lint FAILED" and then "[3/3] docs ok": one of them failed, and all have had their turn.
fn failed_before(page: &Page<'_>, found: &Found) -> bool {
    let before = page.lines[..found.line].iter().rev().take(LOOK_BACK);
    before.filter(|line| !line.shown).any(|line| {
        let last = line.text.rsplit(' ').next().unwrap_or("");
        let failed = matches!(last, "FAILED" | "FAIL" | "failed" | "✗" | "✘" | "✖" | "❌");
        let total = found.update.total;
        failed
            && counters(&line.tokens)
                .iter()
                .any(|place| Some(place.total) == total)
    })
}

/// A test run that is under way, and something behind it says that it is no more. What a test
/// prints itself may have any words, so only few signs count.
pub(super) fn stops_tests(page: &Page<'_>, found: &Found) -> bool {
    let mut rest = page.lines.iter().skip(found.line + 1);
    // What a test printed can be the output of another runner.
    let open = found.update.done < found.update.total;
    let shows_failed =
        |line: &PageLine<'_>| heads_failures(line.text, !open) && line.indent == 0 && !line.shown;
    rest.any(|line| stops_everything(line.text) || shows_failed(line)) || exit_code_in_front(page)
}

/// `Exit code 2` as the first line: how the tool that runs commands begins when one failed.
fn exit_code_in_front(page: &Page<'_>) -> bool {
    let first = page.lines.iter().find(|line| !line.text.is_empty());
    first.is_some_and(|line| {
        let code = line.text.strip_prefix("Exit code ");
        code.is_some_and(|code| code.parse::<i32>().is_ok_and(|code| code != 0))
    })
}
