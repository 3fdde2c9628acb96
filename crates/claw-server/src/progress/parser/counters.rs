//! "5 of 20", "5/20", "45 %": the places in a line that say how far.

use super::tokens::{Kind, Token};
use crate::progress::parser::words::Words;

/// A place in a known number of things.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Counter {
    pub(super) done: f64,
    pub(super) total: f64,
    /// Its first token.
    pub(super) first: usize,
    /// The token after its last one.
    pub(super) after: usize,
    /// Written with a stroke.
    pub(super) stroke: bool,
    /// In units of size, which may have fractions.
    pub(super) size: bool,
    /// The token between the numbers that names what is counted, as in "3 files of 10".
    pub(super) unit: Option<usize>,
}

/// A share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Share {
    pub(super) percent: f64,
    /// Its first token.
    pub(super) first: usize,
    /// The token after its last one.
    pub(super) after: usize,
}

static SIZES: Words = Words::new("b kb mb gb tb kib mib gib tib byte bytes k m g ko mo go");

/// Words that stand between the place and the whole.
static OF: Words = Words::new(
    "of von vom der sur de des di dei degli delle dos das su van uit из z ze av af dari",
);

/// Words that may follow `OF` before the whole.
static ARTICLES: Words = Words::new(
    "the these those all my our about roughly total a den insgesamt diesen les los las un
    os as dei delle de mes das dos of",
);

fn is_size(token: &Token<'_>) -> bool {
    token.is_word() && SIZES.has(&token.low)
}

/// Every counter in a line, from left to right.
pub(super) fn counters(tokens: &[Token<'_>]) -> Vec<Counter> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match counter_at(tokens, at).or_else(|| whole_first_at(tokens, at)) {
            Some(counter) => {
                at = counter.after;
                found.push(counter);
            }
            None => at += 1,
        }
    }
    found
}

fn counter_at(tokens: &[Token<'_>], first: usize) -> Option<Counter> {
    let done = tokens[first].number()?;
    let glued_before = first > 0
        && !tokens[first].spaced
        && matches!(
            tokens[first - 1].kind,
            Kind::Sign('/' | '-' | '.' | ',' | '$' | '@' | '&' | '^' | '+' | '\\')
        );
    if glued_before {
        return None;
    }
    let mut at = first + 1;
    let left_size = tokens.get(at).filter(|t| is_size(t));
    at += usize::from(left_size.is_some());
    let mut unit = None;
    let joint = tokens.get(at)?;
    let stroke = matches!(joint.kind, Kind::Sign('/' | '／'));
    if !stroke {
        // Up to two words may name the things: "3 files out of 10".
        for _ in 0..2 {
            let token = tokens.get(at)?;
            if !token.is_word() || OF.has(&token.low) || token.low == "out" {
                break;
            }
            unit = unit.or(Some(at));
            at += 1;
        }
        // "Step 3 (of 5)"
        if tokens.get(at)?.is_sign('(') {
            at += 1;
        }
        if tokens.get(at)?.low == "out" {
            at += 1;
        }
        if !OF.has(&tokens.get(at)?.low) {
            return None;
        }
    }
    at += 1;
    if !stroke {
        for _ in 0..4 {
            let token = tokens.get(at)?;
            if token.number().is_none() && ARTICLES.has(&token.low) {
                at += 1;
            }
        }
    }
    // 第2步/共5步 is read elsewhere; "2/共5" is the same thing.
    if tokens.get(at)?.low == "共" {
        at += 1;
    }
    let whole = tokens.get(at)?;
    let total = whole.number()?;
    at += 1;
    let right_size = tokens.get(at).filter(|t| is_size(t));
    at += usize::from(right_size.is_some());
    if let (Some(left), Some(right)) = (left_size, right_size)
        && left.low != right.low
    {
        return None;
    }
    if left_size.is_some() && right_size.is_none() {
        return None;
    }
    let glued_after = tokens.get(at).is_some_and(|token| {
        !token.spaced && matches!(token.kind, Kind::Sign('/' | '-' | '_' | '%' | '\\' | '°'))
    });
    let words_with_stroke = stroke && (tokens[first].is_word() || whole.is_word());
    let size = right_size.is_some();
    let whole_numbers = done.fract() == 0.0 && total.fract() == 0.0;
    // 05/20 is a date, unless it is padded on purpose: "[05/20]", "005/120".
    let date = stroke
        && tokens[first].text.starts_with('0')
        && tokens[first].text.len() > 1
        && !(first > 0 && matches!(tokens[first - 1].kind, Kind::Sign('[' | '(')));
    if glued_after
        || words_with_stroke
        || date
        || total < 1.0
        || done > total
        || !(size || whole_numbers)
    {
        return None;
    }
    Some(Counter {
        done,
        total,
        first,
        after: at,
        stroke,
        size,
        unit,
    })
}

/// "第 2 步，共 5 步", "共 5 步中的第 2 步", "10개 중 3개", "10個中3個": the whole may come first.
fn whole_first_at(tokens: &[Token<'_>], first: usize) -> Option<Counter> {
    let left = tokens[first].digits()?;
    let mut at = first + 1;
    let mut joined = false;
    let mut second_is_whole = false;
    while let Some(token) = tokens.get(at).filter(|_| at <= first + 4) {
        if let Some(right) = token.digits() {
            let (done, total) = if second_is_whole {
                (left, right)
            } else {
                (right, left)
            };
            let whole = done.fract() == 0.0 && total.fract() == 0.0;
            let fits = joined && done <= total && total >= 1.0 && whole;
            return fits.then_some(Counter {
                done,
                total,
                first,
                after: at + 1,
                stroke: false,
                size: false,
                unit: (first + 1 < at).then_some(first + 1),
            });
        }
        let low = token.low.as_str();
        second_is_whole |= low.starts_with('共') || low.starts_with("全");
        joined |= second_is_whole
            || low.contains('中')
            || low.contains("うち")
            || low == "중"
            || low.ends_with('중')
            || low == "में";
        if !token.is_word()
            && !matches!(
                token.kind,
                Kind::Sign('，' | '、' | '/' | '／' | '(' | '（' | ',')
            )
        {
            return None;
        }
        at += 1;
    }
    None
}

/// Every share in a line, from left to right.
pub(super) fn shares(tokens: &[Token<'_>]) -> Vec<Share> {
    let mut found: Vec<Share> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some(percent) = token.digits() else {
            continue;
        };
        let is_percent = |token: &Token<'_>| {
            matches!(token.kind, Kind::Sign('%' | '％' | '٪'))
                || matches!(
                    token.low.as_str(),
                    "percent" | "prozent" | "pct" | "procent" | "процентов" | "процента"
                )
        };
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        // "pour cent", "por ciento", "per cent" are two words.
        let two_words = tokens
            .get(at + 1)
            .zip(tokens.get(at + 2))
            .is_some_and(|(a, b)| {
                matches!(
                    (a.low.as_str(), b.low.as_str()),
                    ("per" | "pour", "cent") | ("por", "ciento" | "cento") | ("per", "cento")
                )
            });
        let (first, after) = if tokens.get(at + 1).is_some_and(is_percent) {
            (at, at + 2)
        } else if two_words {
            (at, at + 3)
        } else if before.is_some_and(|t| t.is_sign('%') && t.spaced) && !token.spaced {
            // Turkish and Basque put the sign first.
            (at - 1, at + 1)
        } else {
            continue;
        };
        // qemu-img: "(61.04/100%)"
        if percent == 100.0
            && let [.., done, stroke] = &tokens[..first]
            && stroke.is_sign('/')
            && let Some(percent) = done.digits().filter(|done| *done <= 100.0)
        {
            found.push(Share {
                percent,
                first: first - 2,
                after,
            });
            continue;
        }
        let glued_before = first > 0
            && !tokens[first].spaced
            && matches!(
                tokens[first - 1].kind,
                Kind::Sign('-' | '.' | '+' | '/' | '$' | '<' | '>' | '–' | '%' | '±')
            );
        let goes_on = tokens.get(after).is_some_and(|t| {
            !t.spaced
                && matches!(
                    t.kind,
                    Kind::Word | Kind::Number(_) | Kind::Opaque | Kind::Sign('%' | '-' | '–' | '/')
                )
                && t.text.is_ascii()
        });
        if (0.0..=100.0).contains(&percent) && !glued_before && !goes_on {
            found.push(Share {
                percent,
                first,
                after,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::numbers::Notation;
    use super::super::tokens::tokens;
    use super::*;

    #[test]
    fn places_in_a_whole_are_found() {
        let cases: &[(&str, Option<(f64, f64)>)] = &[
            ("5 of 20", Some((5.0, 20.0))),
            ("5/20", Some((5.0, 20.0))),
            ("( 45/312)", Some((45.0, 312.0))),
            ("5 out of the 20", Some((5.0, 20.0))),
            ("12 files out of a total of 30", Some((12.0, 30.0))),
            ("five of nine", Some((5.0, 9.0))),
            ("1.250 von 5.000 Dateien", Some((1250.0, 5000.0))),
            ("2 500 fichiers sur 10 000", Some((2500.0, 10_000.0))),
            ("2 из 5", Some((2.0, 5.0))),
            ("第2步，共5步", Some((2.0, 5.0))),
            ("10개 중 3개", Some((3.0, 10.0))),
            ("10個中3個", Some((3.0, 10.0))),
            ("12.3/45.6 MB", Some((12.3, 45.6))),
            ("12.3 MiB / 45.6 MiB", Some((12.3, 45.6))),
            ("12.3MB/45.6MB", Some((12.3, 45.6))),
            ("512 kB / 45.6 MB", None),
            ("1.5/2.5", None),
            ("20 of 5", None),
            ("2026/03/04", None),
            ("05/20", None),
            ("[05/20]", Some((5.0, 20.0))),
            ("10.0.0.0/8", None),
            ("0/0", None),
            ("a/b/2/7", None),
        ];
        for (text, want) in cases {
            let line = tokens(text, Notation::of(text));
            let got = counters(&line).first().map(|c| (c.done, c.total));
            assert_eq!(got, *want, "{text}");
        }
    }

    #[test]
    fn shares_are_found() {
        let cases: &[(&str, Option<f64>)] = &[
            ("45%", Some(45.0)),
            ("45.5 %", Some(45.5)),
            ("45,5 % der Dateien", Some(45.5)),
            ("[ 45%]", Some(45.0)),
            ("45 percent", Some(45.0)),
            ("45 per cent", Some(45.0)),
            ("%45 tamam", Some(45.0)),
            ("(61.04/100%)", Some(61.04)),
            ("price % 5", None),
            ("translate(-50%)", None),
            ("110%", None),
            ("45%-50%", None),
            ("%d%%", None),
        ];
        for (text, want) in cases {
            let line = tokens(text, Notation::of(text));
            let got = shares(&line).first().map(|s| s.percent);
            assert_eq!(got, *want, "{text}");
        }
    }
}
