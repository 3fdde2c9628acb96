//! Where a part and the whole are shown on different lines, the whole wins.

use super::lead::after_decoration;
use super::line_update;
use crate::progress::parser::counters::counters;
use crate::progress::parser::endings;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::runners::Found;
use crate::progress::parser::vocabulary::{is_over, is_step};
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

/// How many lines may stand between the whole and its part.
const LOOK_BACK: usize = 30;

/// What the found line is a part of.
pub(super) fn whole_of(page: &Page<'_>, found: &Found) -> Option<ProseProgress> {
    if stands_under_steps(page, found.line) {
        return None;
    }
    let above = (found.line.saturating_sub(LOOK_BACK)..found.line).rev();
    let mut depth = page.lines[found.line].indent;
    let mut next_to_it = true;
    let mut unbroken = true;
    for at in above {
        let line = &page.lines[at];
        unbroken &= !line.text.is_empty();
        if line.text.is_empty() || line.shown {
            continue;
        }
        let holds = line.indent < depth;
        depth = depth.min(line.indent);
        let is_whole = (holds && heads(page, at))
            || (is_bar(page, found) && announces(line))
            || (unbroken && calls_itself_progress(line) && !has_a_name(&page.lines[found.line]))
            || stands_under_steps(page, at)
            || (next_to_it && is_bare(&page.lines[found.line]) && names_epoch(line));
        next_to_it = false;
        if is_whole && let Some(whole) = line_update(line).filter(is_place) {
            return Some(settled(whole, found));
        }
        if endings::tells_end(line.text) {
            break;
        }
    }
    None
}

/// The last part of the last whole is done.
fn settled(mut whole: ProseProgress, found: &Found) -> ProseProgress {
    if whole.done >= whole.total && found.update.state == ProgressState::Finished {
        whole.state = ProgressState::Finished;
    }
    whole
}

fn is_place(update: &ProseProgress) -> bool {
    update.total.is_some() && matches!(update.kind, ProgressKind::Count | ProgressKind::Step)
}

/// Everything below it is indented: it is the head of what is drawn.
fn heads(page: &Page<'_>, at: usize) -> bool {
    let below = page.lines[at + 1..].iter();
    let mut below = below.filter(|line| !line.text.is_empty());
    below.all(|line| line.indent > page.lines[at].indent)
}

/// A share or a size and nothing that counts like things: how far one of them is.
fn is_bar(page: &Page<'_>, found: &Found) -> bool {
    let sizes = || {
        let places = counters(&page.lines[found.line].tokens);
        places.iter().any(|place| place.size)
    };
    match found.update.kind {
        ProgressKind::Percent => true,
        ProgressKind::Count => sizes(),
        _ => false,
    }
}

/// "[download] Downloading item 6 of 14", "[2/5] model.bin": one of several has its turn, and
/// nothing is said yet of how it went.
fn announces(line: &PageLine<'_>) -> bool {
    let places = counters(&line.tokens);
    let [place] = places.as_slice() else {
        return false;
    };

    !place.size
        && !line.text.contains('%')
        && !line.redrawn
        && !line.tokens.iter().any(|t| t.is_word() && is_over(&t.low))
}

/// "Progress.....: 412000/880000", "overall progress: 2 out of 3 tasks": other numbers stand around
/// it.
fn calls_itself_progress(line: &PageLine<'_>) -> bool {
    let mut words = line.tokens.iter().filter(|t| t.is_word()).take(2);
    words.any(|t| t.low == "progress")
}

/// "[13/40] b.o", or it is called progress as well.
fn has_a_name(line: &PageLine<'_>) -> bool {
    line.text.starts_with(['[', '(']) || calls_itself_progress(line)
}

/// `37/100  6.21G  1.102` under `Epoch  GPU_mem  box_loss`: the first column counts the steps.
fn stands_under_steps(page: &Page<'_>, at: usize) -> bool {
    let places = counters(&page.lines[at].tokens);
    let first = places.first().is_some_and(|place| place.first == 0);
    let head = at.checked_sub(1).map_or("", |head| page.lines[head].text);
    let mut names = head.split_whitespace();
    let steps = names
        .next()
        .is_some_and(|name| is_step(&name.to_lowercase()));
    first && steps && names.next().is_some() && !head.contains(|c: char| c.is_ascii_digit())
}

/// "Epoch 3/10"
fn names_epoch(line: &PageLine<'_>) -> bool {
    line.tokens.first().is_some_and(|t| t.low == "epoch")
}

/// A number stands first and nothing says of what.
fn is_bare(line: &PageLine<'_>) -> bool {
    let from = after_decoration(&line.tokens);
    from == 0 && line.tokens.first().is_some_and(|t| t.digits().is_some())
}
