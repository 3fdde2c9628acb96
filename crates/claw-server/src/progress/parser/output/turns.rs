//! Steps that differ in kind may have tests among them.

use super::updates::is_test;
use crate::progress::ProgressKind;
use crate::progress::parser::counters::counters;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::runners::Found;
use crate::progress::parser::tokens::Kind;
use crate::progress::parser::vocabulary::is_step;

/// How far back other steps are looked for.
const LOOK_BACK: usize = 40;

/// More than so many in a row are alike.
const MOST: f64 = 20.0;

/// "(4/5) switching traffic ... ok" and then "(5/5) smoke test ... ok": what is counted are steps.
pub(in crate::progress::parser) fn is_step_among_others(page: &Page<'_>, found: &Found) -> bool {
    let total = found.update.total;
    let few = total.is_some_and(|total| total <= MOST);
    if found.update.kind != ProgressKind::TestRun || !few {
        return false;
    }
    // What has a name and not a title can be a test, whatever it is called.
    let titled = |line: &PageLine<'_>| {
        let mut words = line
            .tokens
            .iter()
            .filter(|t| t.is_word() || t.kind == Kind::Opaque);
        words.all(|t| t.kind != Kind::Opaque && !is_test(t))
    };
    let other = |line: &PageLine<'_>| in_front(line) == total && !line.shown && titled(line);
    let before = &page.lines[found.line.saturating_sub(LOOK_BACK)..found.line];
    in_front(&page.lines[found.line]) == total && before.iter().any(other)
}

/// The total of a place with which the line begins, in brackets or with its step: "Phase 2/5".
fn in_front(line: &PageLine<'_>) -> Option<f64> {
    let place = counters(&line.tokens).into_iter().next()?;
    let boxed = line.text.starts_with(['[', '(']);
    let named = line.tokens.first().is_some_and(|t| is_step(&t.low));
    ((boxed || named) && place.first == 1).then_some(place.total)
}
