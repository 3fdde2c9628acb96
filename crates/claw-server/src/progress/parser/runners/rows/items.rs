//! A line of a summary as numbers, words with a meaning, and cuts between its parts.

use crate::progress::parser::counters::{Counter, counters};
use crate::progress::parser::runners::vocabulary::{Class, class, is_time};
use crate::progress::parser::tokens::{Kind, Token};

/// A part of a line.
#[derive(Debug)]
pub(super) enum Item<'a> {
    Number { value: f64, whole: Option<f64> },
    Word(Class, &'a str),
    Open,
    Close,
    Cut,
}

/// The parts of a line, and whether it has a time.
pub(super) fn items<'a>(tokens: &'a [Token<'_>]) -> (Vec<Item<'a>>, bool) {
    let tokens = without_program(tokens);
    let mut timed = false;
    let places = counters(tokens);
    let mut items = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let next = tokens.get(at + 1);
        at += 1;
        match token.kind {
            Kind::Number(value) => {
                if next.is_some_and(|t| t.is_sign('%')) {
                    at += 1;
                } else if value.fract() != 0.0 {
                    // A time, whatever its unit.
                    timed = true;
                } else if next.is_some_and(|t| t.is_word() && is_time(&t.low)) {
                    timed = true;
                    at += 1;
                } else if let Some(place) = places.iter().find(|c| c.first + 1 == at) {
                    at = place.after;
                    place_items(tokens, place, &mut items);
                } else {
                    items.push(Item::Number { value, whole: None });
                }
            }
            Kind::Word if token.low == "and" => items.push(Item::Cut),
            Kind::Word => match class_of(token, next) {
                Some(class) => items.push(Item::Word(class, &token.low)),
                None => items.push(Item::Number {
                    value: 0.0,
                    whole: None,
                }),
            },
            Kind::Opaque => match named_number(token.text) {
                Some((name, value)) => {
                    let qualified = matches!(
                        items.last(),
                        Some(Item::Word(Class::Expected | Class::Unexpected, _))
                    );
                    if !qualified {
                        items.push(Item::Cut);
                    }
                    items.push(Item::Word(class(&name.to_lowercase()), name));
                    items.push(Item::Number { value, whole: None });
                    items.push(Item::Cut);
                }
                None if is_stamp(token.text) => {}
                None => items.push(Item::Word(Class::Unknown, token.text)),
            },
            // "12 of 12 (100%) tests"
            Kind::Sign('(') if is_share(&tokens[at..]) => at += 3,
            // "test(s)", "success(es)"
            Kind::Sign('(') if is_ending(&tokens[at..]) => at += 2,
            Kind::Sign('(') => items.push(Item::Open),
            Kind::Sign(')') => items.push(Item::Close),
            // "[  PASSED  ] 43 tests": the verdict is of the number.
            Kind::Sign('[') if is_verdict_box(&tokens[at..]) => {
                items.push(Item::Cut);
                items.push(Item::Word(class(&tokens[at].low), &tokens[at].low));
                at += 2;
            }
            Kind::Sign(':' | '=') if next.is_some_and(|t| t.digits().is_some()) => {}
            Kind::Sign('#' | '*' | '~' | '✓' | '✔' | '✗' | '✘' | '✖') => {}
            Kind::Sign(_) => items.push(Item::Cut),
        }
    }
    (items, timed)
}

/// Some of the words have this meaning.
pub(super) fn has<'a, 'b: 'a>(
    mut items: impl Iterator<Item = &'a Item<'b>>,
    wanted: Class,
) -> bool {
    items.any(|item| matches!(item, Item::Word(class, _) if *class == wanted))
}

/// It tells what a number beside it is.
fn says_class(item: &Item<'_>) -> bool {
    !matches!(
        item,
        Item::Number { .. }
            | Item::Word(
                Class::Filler | Class::Unknown | Class::Over | Class::NotNow,
                _
            )
            | Item::Word(_, "ran" | "executed" | "all")
    )
}

pub(super) fn is_filler(item: &Item<'_>) -> bool {
    matches!(item, Item::Word(Class::Filler, _))
}

pub(super) fn says(items: &[Item<'_>]) -> bool {
    items.iter().any(says_class)
}

/// Whether the numbers of a part stand before their words: the word right beside a number tells,
/// and where both sides have one, what the part begins or ends with.
pub(super) fn number_first(items: &[Item<'_>], numbers: &[usize]) -> bool {
    let beside = |at: usize| {
        let before = items[..at].iter().rev().find(|item| !is_filler(item));
        let after = items[at + 1..].iter().find(|item| !is_filler(item));
        (
            before.is_some_and(says_class),
            after.is_some_and(says_class),
        )
    };
    let sides: Vec<(bool, bool)> = numbers.iter().map(|&at| beside(at)).collect();
    if sides.contains(&(false, true)) {
        true
    } else if sides.contains(&(true, false)) {
        false
    } else {
        let last = numbers.len() - 1;
        let behind = items[numbers[last] + 1..].iter();
        numbers[0] == 0 || last > 0 && has(behind, Class::Passed)
    }
}

/// "[doctest] test cases: 12" without the name of the program.
fn without_program<'a, 'b>(tokens: &'a [Token<'b>]) -> &'a [Token<'b>] {
    match tokens {
        [open, name, close, rest @ ..]
            if open.is_sign('[')
                && name.is_word()
                && close.is_sign(']')
                && !is_verdict_box(&tokens[1..]) =>
        {
            rest
        }
        all => all,
    }
}

/// "1 tests failed out of 57": the words between the two numbers belong to it.
fn place_items<'a>(tokens: &'a [Token<'_>], place: &Counter, items: &mut Vec<Item<'a>>) {
    items.push(Item::Number {
        value: place.done,
        whole: Some(place.total),
    });
    let inside = &tokens[place.first..place.after];
    let words = inside
        .iter()
        .filter(|t| t.is_word() && t.number().is_none());
    for word in words {
        items.push(Item::Word(class(&word.low), &word.low));
    }
}

/// What the word says; "no" before a verdict is the number nought.
fn class_of(token: &Token<'_>, next: Option<&Token<'_>>) -> Option<Class> {
    let fails = next.is_some_and(|t| t.is_word() && class(&t.low) == Class::Failed);
    (token.low != "no" || !fails).then(|| class(&token.low))
}

/// `failures=2`
fn named_number(text: &str) -> Option<(&str, f64)> {
    let (name, number) = text.split_once('=')?;
    let is_name = name.chars().all(char::is_alphabetic) && !name.is_empty();
    let value = number.parse::<u32>().ok()?;
    is_name.then_some((name, f64::from(value)))
}

/// A date, a time, a version: nothing but digits and what joins them.
fn is_stamp(text: &str) -> bool {
    let joins = |c: char| matches!(c, ':' | '-' | '.' | ',' | '+' | 'T' | 'Z' | 's' | 'm');
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || joins(c))
}

/// `100%)`
fn is_share(tokens: &[Token<'_>]) -> bool {
    matches!(tokens, [number, percent, close, ..]
        if number.digits().is_some() && percent.is_sign('%') && close.is_sign(')'))
}

/// `s)`, `es)`
fn is_ending(tokens: &[Token<'_>]) -> bool {
    matches!(tokens, [word, close, ..]
        if matches!(word.low.as_str(), "s" | "es" | "en" | "e") && !word.spaced && close.is_sign(')'))
}

/// `PASSED  ] 43`
fn is_verdict_box(tokens: &[Token<'_>]) -> bool {
    matches!(tokens, [word, close, number, ..] if word.is_word() && close.is_sign(']')
        && number.digits().is_some()
        && matches!(class(&word.low), Class::Passed | Class::Failed | Class::Skipped))
}
