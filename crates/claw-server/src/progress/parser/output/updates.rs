//! What a place in a line of a tool means: its kind, its share and how it stands.

use super::label_of;
use crate::progress::parser::counters::{Counter, Share, counters};
use crate::progress::parser::page::PageLine;
use crate::progress::parser::reading::{CLEAR_FORM, ended, update};
use crate::progress::parser::subagents::is_agent;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::{is_failure, is_over, is_step, is_thing, is_work_verb};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

pub(super) fn place_update(
    line: &PageLine<'_>,
    place: &Counter,
    shares: &[Share],
    from: usize,
) -> ProseProgress {
    let tokens = &line.tokens;
    let unit_before = tokens[..place.first].iter().rev().find(|t| t.is_word());
    let step = unit_before.is_some_and(|t| is_step(&t.low)) || is_action(line, place, from);
    let kind = if step {
        ProgressKind::Step
    } else {
        ProgressKind::Count
    };
    // "Stage 2 of 3: test" is a stage.
    let stage = unit_before.is_some_and(|t| listed!(&t.low, "stage phase step"));
    let tests = (counts_tests(tokens, place) || tallies_verdicts(&tokens[place.after..])) && !stage;
    let named = tokens[place.after..].iter().find(|t| t.is_word());
    let agents = named.into_iter().chain(unit_before);
    let agents = agents.clone().any(|t| is_agent(&t.low));
    let kind = match (tests, agents) {
        (true, _) => ProgressKind::TestRun,
        (_, true) => ProgressKind::Subagent,
        _ => kind,
    };
    let mut found = update(kind, CLEAR_FORM);
    found.done = Some(place.done);
    found.total = Some(place.total);
    found.percent = shares
        .iter()
        .find(|share| belongs(tokens, share, place))
        .map(|share| share.percent)
        .or_else(|| share_without_sign(tokens, place));
    found.label = label_of(line, place.first, place.after);
    // A step that has its turn is not over; the last of like things is.
    let one = |t: &Token<'_>| t.is_word() && is_thing(&t.low) && !t.low.ends_with('s');
    let item = step || tests || tokens[..place.first].last().is_some_and(one);
    let full = place.done >= place.total
        && (!item
            || found.percent == Some(100.0)
            || says_over(tokens, place.after)
            || is_good_at_end(line))
        && !part_goes_on(shares, place);
    if full || line.text.contains("FINISHED") {
        found.state = ProgressState::Finished;
    }
    // "6 successful, 8 total" is said at the end.
    let summed_up = place.unit.and_then(|at| tokens.get(at));
    if summed_up.is_some_and(|t| listed!(&t.low, "successful succeeded")) {
        found.state = ended(place.done < place.total);
    }
    // "aborted at record 812 of 2000"
    let stopped_at = tokens[..place.first].windows(2).any(|pair| {
        is_failure(&pair[0].low) && matches!(pair[1].low.as_str(), "at" | "on" | "after" | "in")
    });
    let gave_up = agents && tokens[..place.first].iter().any(|t| is_failure(&t.low));
    let failed = tokens.get(place.after).is_some_and(|t| is_failure(&t.low));
    if stopped_at
        || gave_up
        || failed
        || ends_with_failures(tokens, place)
        || (step || place.done >= place.total)
            && (fails_at_end(line) || fails_behind(tokens, place))
    {
        found.state = ProgressState::Failed;
    }
    found
}

/// "[3/3] deploy ... failed (exit 1)", and not "0 failed"
fn fails_behind(tokens: &[Token<'_>], place: &Counter) -> bool {
    let mut counted = false;
    tokens[place.after..].iter().any(|token| {
        let fails = is_failure(&token.low) || listed!(&token.low, "error fail timeout corrupt");
        let fails = token.is_word() && fails && !counted;
        counted = token.digits().is_some() || listed!(&token.low, "no not");
        fails
    })
}

/// "500/500 images, 3 failed", "97 of 100 records, 3 failed", "Finished with errors: 38 of 40": all
/// have had their turn, and not all are good.
fn ends_with_failures(tokens: &[Token<'_>], place: &Counter) -> bool {
    let fails = |t: &Token<'_>| {
        listed!(
            &t.low,
            "failed failures failure errors error invalid rejected"
        )
    };
    let rest = &tokens[place.after..];
    let number = rest.windows(2).find_map(|pair| {
        pair[0].digits().filter(|_| fails(&pair[1])).or_else(|| {
            let named = pair[1].is_sign(':') || pair[1].is_sign('=');
            let at = rest.iter().position(|t| t.at == pair[1].at)?;
            (fails(&pair[0]) && named)
                .then(|| rest.get(at + 1)?.digits())
                .flatten()
        })
    });
    // "120/120 modules, 2 with errors"
    let with = rest
        .windows(3)
        .find(|three| three[1].low == "with" && fails(&three[2]));
    let number = number.or_else(|| with.and_then(|three| three[0].digits()));
    let failed = number.filter(|&n| n > 0.0);
    let said_over = tokens[..place.first].iter().any(|t| is_over(&t.low));
    let with_errors = tokens[..place.first]
        .windows(2)
        .any(|pair| pair[0].low == "with" && fails(&pair[1]));
    // "4/7 steps succeeded; 1 failed"
    let summed_up = failed.is_some() && says_over(tokens, place.after);
    (said_over && with_errors)
        || summed_up
        || failed
            .is_some_and(|failed| place.done >= place.total || place.done + failed == place.total)
}

/// A word for a test, or the name of one.
pub(super) fn is_test(token: &Token<'_>) -> bool {
    let named = token.kind == Kind::Opaque
        && (token.text.starts_with("test_")
            || token.text.contains("_test.")
            || token.text.contains(".test.")
            || token.text.contains(".spec."));
    named
        || matches!(
            token.low.as_str(),
            "test" | "tests" | "testing" | "spec" | "specs" | "suite"
        )
}

/// What is counted are tests that run: they are named right beside the place.
fn counts_tests(tokens: &[Token<'_>], place: &Counter) -> bool {
    let around = place.first.saturating_sub(2)..tokens.len().min(place.after + 2);
    let first = tokens
        .iter()
        .find(|t| t.is_word() || t.kind == Kind::Opaque);
    tokens[around].iter().any(is_test)
        || first.is_some_and(|t| t.kind == Kind::Opaque && is_test(t))
}

/// "19/57 33% filtered: 12, failed: 1, error: 0": only tests are told apart into those that failed
/// and those that broke.
fn tallies_verdicts(rest: &[Token<'_>]) -> bool {
    let counted = |names: &[&str]| {
        rest.windows(3).any(|three| {
            let named = names.contains(&three[0].low.as_str());
            named && three[1].is_sign(':') && three[2].digits().is_some()
        })
    };
    counted(&["failed", "failures"])
        && counted(&["error", "errors"])
        && counted(&["filtered", "skipped", "passed"])
}

/// A counter in front of actions that differ in kind: `[2/4] Fetching packages...`,
/// `#6 [3/4] RUN npm ci`.
fn is_action(line: &PageLine<'_>, place: &Counter, from: usize) -> bool {
    let boxed = line.tokens.get(from).is_some_and(|t| t.is_sign('['))
        && place.first > from
        && !line.tokens[from.min(place.first)..place.first]
            .iter()
            .any(|t| t.is_sign(']'));
    let dots = line.text.ends_with("...") || line.text.ends_with('…');
    let named_stage = place.first > from + 1;
    let numbered = line.text.trim_start().starts_with('#');
    boxed && (dots || named_stage || numbered) && place.total <= 20.0
}

/// "progress: 88.12 (3301128704 / 3746060288)"
fn share_without_sign(tokens: &[Token<'_>], place: &Counter) -> Option<f64> {
    let before = &tokens[..place.first];
    let named = before.iter().position(|t| t.low == "progress")?;
    let percent = before[named..].iter().find_map(Token::digits)?;
    let same = (place.done / place.total * 100.0 - percent).abs() <= 1.5;
    same.then_some(percent)
}

pub(super) fn says_same(share: &Share, place: &Counter) -> bool {
    (place.done / place.total * 100.0 - share.percent).abs() <= 1.5
}

/// A share belongs to a place when it stands before it or says the same, or says the same as the
/// size right behind the place: "[4/9 files][1.9 GiB/3.9 GiB] 48% Done".
fn belongs(tokens: &[Token<'_>], share: &Share, place: &Counter) -> bool {
    let sizes = counters(tokens).into_iter();
    let mut sizes = sizes.filter(|other| other.size && other.first <= place.after + 3);
    // cppcheck weighs its files: "19/44 files checked 46% done"
    let said_done = tokens.get(share.after).is_some_and(|t| is_over(&t.low));
    share.first < place.first
        || said_done
        || says_same(share, place)
        || place.total == 1.0
        || sizes.any(|size| says_same(share, &size))
}

/// The last one is begun, and its own share is not full.
fn part_goes_on(shares: &[Share], place: &Counter) -> bool {
    shares
        .iter()
        .any(|share| share.first > place.first && share.percent < 100.0)
}

/// "Stage 2/2: deploy ✗", "step 3 of 5: migrate ... error"
fn fails_at_end(line: &PageLine<'_>) -> bool {
    matches!(
        last_word(line.text),
        "✗" | "✘" | "✖" | "❌" | "error" | "ERROR" | "FAIL" | "fail"
    )
}

/// "Stage 2/2: deploy ✓", "step 5 of 5: restart ... ok", "Stage 3/3  verify  OK (01:55)"
fn is_good_at_end(line: &PageLine<'_>) -> bool {
    let last = last_word(line.text);
    // "Sending mail 10 of 10 ... sent"
    let past = is_work_verb(last) && !last.ends_with("ing");
    past || matches!(
        last,
        "✓" | "✔" | "✅" | "ok" | "OK" | "[ok]" | "[OK]" | "PASS" | "pass" | "passed" | "PASSED"
    )
}

/// The last word, but for how long it took.
fn last_word(text: &str) -> &str {
    let mut words = text.split_whitespace().rev();
    let is_time = |word: &str| {
        let bare = word.trim_matches(['(', ')', '[', ']', ',']);
        let unit = bare.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ':'));
        let timed = bare.contains(':') || unit.starts_with(['s', 'm', 'h', 'µ']);
        bare.starts_with(|c: char| c.is_ascii_digit()) && unit.len() <= 4 && timed
    };
    words
        .find(|word| !is_time(word) && *word != "in")
        .unwrap_or("")
}

fn says_over(tokens: &[Token<'_>], from: usize) -> bool {
    tokens[from..]
        .iter()
        .any(|t| t.is_word() && is_over(&t.low))
}
