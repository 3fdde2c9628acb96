//! How far a run of tests is: how many it starts, and what is judged one by one.

use super::Found;
use super::closing::closing;
use super::marks::{
    is_judged, is_test_verdict, names_test, names_test_file, names_tests, verdict_of,
};
use super::rows::Row;
use super::vocabulary::{Class, class, is_time};
use crate::progress::ProseProgress;
use crate::progress::parser::counters::{Counter, counters, shares};
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::{ended, label, tests_running};
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::words::listed;

/// `Running 45 tests`, and the verdicts of single tests behind it.
pub(super) fn begun(page: &Page<'_>) -> Option<Found> {
    let (start, total) = page.last(start_of)?;
    // What a runner shows behind its summary it has shown before.
    if closing(page)
        .is_some_and(|summary| summary.line > start && summary.update.total > Some(total))
    {
        return None;
    }
    let rest = page.between(start + 1, page.lines.len());
    let broken = !page.unbroken(start, page.lines.len().saturating_sub(1));
    let judged: Vec<usize> = (0..rest.len())
        .filter(|&at| !rest[at].shown && verdict_of(&rest[at]).is_some())
        .collect();
    // What is indented further is a part of a test.
    let indent = judged.first().map_or(0, |&at| rest[at].indent);
    let own = judged.iter().filter(|&&at| rest[at].indent <= indent);
    let done = own.count();
    let end = judged.last().map_or(start, |at| start + 1 + at);
    let update = tests_running((!broken).then_some(done as f64), Some(total));
    Some(Found::new(end, update))
}

/// How many tests a line says are about to run.
fn start_of(line: &PageLine<'_>) -> Option<f64> {
    titled_start(line).or_else(|| worded_start(line))
}

/// `Acceptance Tests (12) -----------`: the title of what follows.
fn titled_start(line: &PageLine<'_>) -> Option<f64> {
    let noun = line.tokens.iter().take(3).position(is_noun)?;
    let [open, number, close, rule @ ..] = &line.tokens[noun + 1..] else {
        return None;
    };
    let boxed = open.is_sign('(') && close.is_sign(')');
    let ruled = rule.len() > 3 && rule.iter().all(|t| t.is_sign('-') || t.is_sign('─'));
    (boxed && ruled).then(|| number.digits()).flatten()
}

/// `Running 45 tests`, `Will run 36 of 36 specs`, `Starting test, 24 test cases`.
fn worded_start(line: &PageLine<'_>) -> Option<f64> {
    let tokens = after_title(&line.tokens);
    // "Run starting. Expected test count is: 212"
    let expected = tokens.windows(3).any(|three| {
        three[0].low == "expected" && three[1].low == "test" && three[2].low == "count"
    });
    if expected {
        return tokens.last()?.digits();
    }
    let [verb, rest @ ..] = tokens else {
        return None;
    };
    let rest = match (verb.low.as_str(), rest) {
        ("will", [run, rest @ ..]) if run.low == "run" => rest,
        ("running" | "starting" | "executing" | "launching" | "found" | "discovered", rest) => rest,
        _ => return None,
    };
    // What it starts may be named before its number.
    let lead = rest
        .iter()
        .take(3)
        .position(|t| t.is_sign(',') || t.is_sign(':'));
    let rest = &rest[lead.map_or(0, |lead| lead + 1)..];
    let total = rest.first()?.digits().filter(|&total| total > 0.0)?;
    let place = counters(rest).into_iter().find(|c| c.first == 0);
    let after = &rest[place.map_or(1, |place| place.after)..];
    let noun = after.iter().take(2).position(is_noun)?;
    // "Running 30s test"
    after.first().filter(|t| !is_time(&t.low))?;
    let judged = tokens
        .iter()
        .any(|t| matches!(class(&t.low), Class::Passed | Class::Failed));
    let plain = after
        .get(noun + 1)
        .is_none_or(|t| class(&t.low) != Class::Other);
    // Where tests are looked for, what follows the number may be a list.
    let found = listed!(verb.low.as_str(), "found discovered");
    let short = tokens.len() <= if found { 7 } else { 20 };
    (short && !judged && plain && !(found && line.text.ends_with(':'))).then_some(total)
}

fn is_noun(token: &Token<'_>) -> bool {
    token.is_word() && class(&token.low) == Class::Tests
}

/// `[==========] tests: Running 3 test(s).` without what stands in front.
fn after_title<'a, 'b>(tokens: &'a [Token<'b>]) -> &'a [Token<'b>] {
    let is_lead = |t: &Token<'_>| matches!(t.kind, Kind::Sign(_) | Kind::Opaque);
    let from = tokens.iter().take_while(|t| is_lead(t)).count();
    let tokens = &tokens[from..];
    match tokens {
        [name, colon, rest @ ..] if name.is_word() && colon.is_sign(':') => rest,
        [name, what, colon, rest @ ..]
            if name.is_word() && what.kind == Kind::Opaque && colon.is_sign(':') =>
        {
            rest
        }
        [name, close, rest @ ..] if name.is_word() && close.is_sign(']') => rest,
        all => all,
    }
}

/// `12/57 Test #12: name .... Passed`, `[15/120] login.spec.ts`, `4 / 12 tests; Testing //cart`:
/// a place, and a sign that it is one of tests.
pub(super) fn counted(page: &Page<'_>) -> Option<Found> {
    let (at, (place, sure)) = page.last(place_of)?;
    let mut update = placed(page, at, place);
    let share = shares(&page.lines[at].tokens).into_iter().last();
    update.percent = share
        .filter(|_| is_nameless(&page.lines[at]))
        .map(|share| share.percent);
    let by_page = || is_nameless(&page.lines[at]) && names_tests(page);
    let by_start = || {
        page.last(start_of)
            .is_some_and(|(_, total)| total == place.1)
    };
    (sure || by_start() || by_page()).then(|| Found::new(at, update))
}

/// The place that a line gives to a test, and whether it can be nothing else.
fn place_of(line: &PageLine<'_>) -> Option<((f64, f64), bool)> {
    let places = counters(&line.tokens);
    let place = places.iter().find(|place| !place.size)?;
    let row = Row::of(line).unwrap_or_default();
    let found = |place: &Counter, sure: bool| Some(((place.done, place.total), sure));
    // "203/940: 8 running, 201 passed, 2 failed"
    if row.not_now && row.kinds() > 1 && !row.of_others {
        return found(place, row.as_tests);
    }
    // "[312 / 340] 4 / 12 tests; Testing //cart": the actions are not counted.
    let of_tests = |place: &&Counter| {
        let next = line.tokens.get(place.after);
        next.is_some_and(|t| t.low == "tests") && place.first > 0
    };
    let going_on = line.text.contains("Testing ") || line.text.contains("running");
    if let Some(place) = places.iter().find(of_tests).filter(|_| going_on) {
        return found(place, true);
    }
    // "2 of 17 failed" is how all of them ended.
    let judges = row.kinds() > 0 || row.of_others;
    let closes = row.kinds() > 1 || (judges && row.leftover == 0);
    // How often one test was tried.
    let tries = ["FLAKY", "TRY", "RETRY"];
    let tries = tries.iter().any(|word| line.text.starts_with(word));
    if closes || tries {
        return None;
    }
    if is_judged(line) {
        let sure = is_test_verdict(line) || is_timed(line) || names_test(line.text);
        return found(place, sure);
    }
    if is_nameless(line) {
        return found(place, false);
    }
    names_test_file(line.text).then(|| found(place, true))?
}

/// A bar that says nothing of what it counts: the page tells.
fn is_nameless(line: &PageLine<'_>) -> bool {
    let drawn = ["==", "##", "██", "[=", "|="];
    let word =
        |t: &Token<'_>| t.is_word() && !listed!(&t.low, "eta time elapsed s m h remaining left");
    drawn.iter().any(|part| line.text.contains(part)) && !line.tokens.iter().any(word)
}

/// Tests that are judged one by one, where nothing says how many there are.
pub(in crate::progress::parser) fn judged(page: &Page<'_>) -> Option<Found> {
    let (at, ()) = page.last(|line| judges_one(line).then_some(()))?;
    let mut update = tests_running(None, None);
    update.label = label(page.lines[at].text);
    let rest = &page.lines[at + 1..];
    if rest
        .iter()
        .any(|line| line.text.starts_with("BUILD SUCCESS"))
    {
        update.state = ended(false);
    } else if rest.iter().any(|line| line.text.starts_with("BUILD FAIL")) {
        update.state = ended(true);
    }
    Some(Found::new(at, update))
}

/// `Test Case '-[CartTests testAdd]' passed (0.003 seconds).`, `test_add (tests.Cart) ... ok`,
/// `CartTest > adds PASSED`, `PASS src/cart.test.ts`: forms that only verdicts of tests have.
fn judges_one(line: &PageLine<'_>) -> bool {
    let text = line.text;
    let cased = text.starts_with("Test Case '") && text.contains("' ");
    let method = text.starts_with("test_") && text.contains(") ... ");
    let last = text.rsplit(' ').next().unwrap_or("");
    let class = text.contains(" > ") && listed!(last, "PASSED FAILED SKIPPED");
    let file = text.starts_with("PASS ") || text.starts_with("FAIL ");
    cased || method || class && !text.starts_with('>') || file && names_test_file(text)
}

/// `3/12 shop:unit / cart  OK  0.02s`: a verdict with a time behind it.
fn is_timed(line: &PageLine<'_>) -> bool {
    let verdict = |word: &str| listed!(word, "OK FAIL SKIP TIMEOUT EXPECTEDFAIL ERROR");
    let mut words = line
        .text
        .split_whitespace()
        .skip_while(|word| !verdict(word));
    let time = words.nth(1).unwrap_or("");
    time.starts_with(|c: char| c.is_ascii_digit()) && time.ends_with('s')
}

/// `[✓118/x2/↓4]`: marks with their numbers, and no total.
pub(super) fn marked(page: &Page<'_>) -> Option<Found> {
    let (at, done) = page.last(|line| {
        let inner = line.text.strip_prefix("[✓")?.split_once(']')?.0;
        let numbers = inner.split('/').map(|part| {
            let digits = part.trim_start_matches(|c: char| !c.is_ascii_digit());
            digits.parse::<u32>().ok().map(f64::from)
        });
        numbers.sum::<Option<f64>>()
    })?;
    Some(Found::new(at, tests_running(Some(done), None)))
}

/// `.....F....  63 / 180 ( 35%)`: a row of dots with its place.
pub(super) fn dotted(page: &Page<'_>) -> Option<Found> {
    let (at, (done, total, percent)) = page.last(|line| {
        is_dots(line.text).then_some(())?;
        let place = counters(&line.tokens).into_iter().last()?;
        let share = shares(&line.tokens).into_iter().last();
        Some((place.done, place.total, share.map(|share| share.percent)))
    })?;
    let mut update = placed(page, at, (done, total));
    update.percent = percent;
    Some(Found::new(at, update))
}

/// A place in the tests; the last one is the end.
fn placed(page: &Page<'_>, at: usize, (done, total): (f64, f64)) -> ProseProgress {
    let mut update = tests_running(Some(done), Some(total));
    let text = page.lines[at].text;
    update.label = text
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphabetic))
        .max_by_key(|word| word.len())
        .and_then(label);
    if done >= total && is_judged(&page.lines[at]) {
        let failed = page.between(0, at + 1).iter().any(|line| {
            let dots = line.text.split(' ').next().unwrap_or("");
            (is_dots(line.text) && dots.contains(['F', 'E'])) || verdict_of(line) == Some(true)
        });
        update.state = ended(failed);
    }
    update
}

/// One sign for each test.
fn is_dots(text: &str) -> bool {
    let dots = text.split(' ').next().unwrap_or("");
    dots.contains('.') && dots.chars().all(|c| ".FEWRSIDNTUsixXpP*".contains(c))
}
