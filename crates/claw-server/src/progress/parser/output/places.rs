//! "[12/340] CC foo.o", "Processed 300/1000 records": places in a line of a tool.

use super::evidence::{Evidence, is_cell, is_refused, tries_again};
use super::updates::{is_test, says_same};
use crate::progress::parser::counters::{Counter, shares};
use crate::progress::parser::page::PageLine;
use crate::progress::parser::subagents::is_agent;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::{
    is_over, is_printed_noun, is_step, is_steps, is_thing, is_work_verb, opens_work,
};
use crate::progress::parser::words::listed;

/// How many tokens may stand between the verb and the place.
const FAR: usize = 14;

/// A line with more tokens tells a story.
const LONG: usize = 28;

/// Whether the line alone tells that the place is one in work.
pub(super) fn place_is_work(
    line: &PageLine<'_>,
    place: &Counter,
    from: usize,
    evidence: &Evidence,
) -> bool {
    let seen = Seen::new(line, place, from);
    // "Done: 73% (320/437, 117 left)", drawn again and again
    let own_share = || {
        shares(seen.tokens)
            .iter()
            .any(|share| says_same(share, place))
    };
    // git says how long it has to go, which else is no work.
    let rewrites = line.text.starts_with("Rewrite ");
    if rewrites || (line.redrawn && own_share()) {
        return true;
    }
    // What is worked on may be disks, pages or users.
    let acts = seen
        .marks()
        .is_some_and(|t| t.is_word() && opens_work(&t.low));
    if (evidence.refused && !acts && !seen.titles_step()) || seen.is_value() {
        return false;
    }
    if line.redrawn {
        return true;
    }
    if let Some(unit) = seen.step_before() {
        return seen.step_is_work(unit);
    }
    evidence.bar
        || evidence.rate
        || seen.is_one_of_things()
        || seen.marks().is_some()
        || (evidence.opened && seen.is_opened())
        || seen.is_summed_up()
        || seen.is_size_with_share()
        || seen.has_share_in_front()
        || seen.stands_first()
}

/// A place and what stands around it.
struct Seen<'a, 'b> {
    tokens: &'a [Token<'b>],
    place: &'a Counter,
    from: usize,
    /// Between what decorates the line and the place.
    lead: &'a [Token<'b>],
    rest: &'a [Token<'b>],
}

impl<'a, 'b> Seen<'a, 'b> {
    fn new(line: &'a PageLine<'b>, place: &'a Counter, from: usize) -> Self {
        let tokens = line.tokens.as_slice();
        Self {
            tokens,
            place,
            from,
            lead: &tokens[from.min(place.first)..place.first],
            rest: &tokens[place.after..],
        }
    }

    /// The token so many before the place.
    fn before(&self, back: usize) -> Option<&'a Token<'b>> {
        let at = self.place.first.checked_sub(back)?;
        self.tokens.get(at)
    }

    fn after(&self) -> Option<&'a Token<'b>> {
        self.rest.first()
    }

    /// An operand, a cell, an address, or how many of them are in some state.
    fn is_value(&self) -> bool {
        let signs = |t: &Token<'_>| {
            matches!(
                t.kind,
                Kind::Sign('=' | '*' | '+' | '@' | '"' | '\'' | '`' | '$')
            )
        };
        let in_state = |t: &Token<'_>| {
            listed!(
                &t.low,
                "vus exited crashed restarted unhealthy down offline outdated busy idle affected
                vulnerable up online agree"
            )
        };
        let bound = |t: &Token<'_>| listed!(&t.low, "with using across only");
        is_cell(&self.tokens[..self.place.first], self.rest)
            || self.is_aside()
            || self
                .before(1)
                .is_some_and(|t| signs(t) || bound(t) || tries_again(t))
            || self.after().is_some_and(|t| t.is_sign('=') || in_state(t))
    }

    /// "draw calls: 1412 (batched 3/4)": more about a value that has a name.
    fn is_aside(&self) -> bool {
        let open = self.lead.iter().rposition(|t| t.is_sign('('));
        let value = open.and_then(|open| self.lead[..open].split_last());
        let described = self.before(1).is_some_and(Token::is_word);
        let closes = self.after().is_some_and(|t| t.is_sign(')'));
        described
            && closes
            && value.is_some_and(|(value, name)| {
                value.digits().is_some() && name.last().is_some_and(|t| t.is_sign(':'))
            })
    }

    /// "Step 3/9 : RUN apk add --no-cache": what the step is may have any words.
    fn titles_step(&self) -> bool {
        let unit = self.before(1);
        unit.is_some_and(|t| t.is_word() && is_step(&t.low))
            && self
                .after()
                .is_some_and(|t| t.is_sign(':') || self.is_dash(t))
            && !is_refused(&self.tokens[..self.place.after])
    }

    /// "Step 2 of 5 – users are read", and not "Round 2 of 5 - Score 2:1".
    fn is_dash(&self, token: &Token<'_>) -> bool {
        let dash = matches!(token.kind, Kind::Sign('-' | '–' | '—' | '→'));
        let titled = self.rest.get(1).is_some_and(|t| t.is_word() && t.spaced);
        let numbered = |t: &Token<'_>| t.text.contains(|c: char| c.is_ascii_digit());
        dash && token.spaced && titled && !self.rest.iter().any(numbered)
    }

    /// Where the word is in "Step 2/7", "Epoch [3/10]", "Step: 2/7".
    fn step_before(&self) -> Option<usize> {
        let names = |back: usize| {
            let word = self.before(back).filter(|t| t.is_word());
            word.is_some_and(|t| is_step(&t.low) || is_test(t))
        };
        let opens = |t: &Token<'_>| matches!(t.kind, Kind::Sign('[' | '(' | ':' | '#' | '：'));
        if names(1) {
            return Some(self.place.first - 1);
        }
        let apart = self.before(1).is_some_and(opens) && names(2);
        apart.then(|| self.place.first - 2)
    }

    /// Only words of work stand before the step.
    fn step_is_work(&self, unit: usize) -> bool {
        let lead = self.tokens[self.from.min(unit)..unit].iter();
        let mut lead =
            lead.filter(|t| t.is_word() || t.kind == Kind::Opaque || t.digits().is_some());
        let of_something = self.after();
        let of_something =
            of_something.is_some_and(|t| matches!(t.low.as_str(), "of" | "in" | "from"));
        let quote = unit.checked_sub(1).and_then(|at| self.tokens.get(at));
        let quoted = !self.tokens[unit].spaced
            && quote.is_some_and(|t| matches!(t.kind, Kind::Sign('"' | '\'' | '`' | '=')));
        let short = lead.clone().count() <= 2;
        let of_work =
            |t: &Token<'_>| opens_work(&t.low) || is_printed_noun(&t.low) || is_step(&t.low);
        short && !of_something && !quoted && lead.all(of_work)
    }

    /// "Batch 3/8: 1,200 rows written", "Image 3 of 4: kernel.img"
    fn is_one_of_things(&self) -> bool {
        let thing = self
            .before(1)
            .is_some_and(|t| t.is_word() && is_thing(&t.low));
        let told = |t: &Token<'_>| t.is_sign(':') || listed!(&t.low, "ok failed done started");
        let of_document = self.before(1);
        let of_document = of_document.is_some_and(|t| listed!(&t.low, "table line page screen"));
        thing && !of_document && self.lead.len() == 1 && self.after().is_some_and(told)
    }

    /// "[12/340] CC foo.o", "(3/12): foo.rpm", "[build 4/6] RUN", "[ 42% 12/45] Compiling": a place
    /// in brackets in front, and the first word of what it is about.
    fn marks(&self) -> Option<&'a Token<'b>> {
        let (open, stage) = self.lead.split_first()?;
        let opens = matches!(open.kind, Kind::Sign('[' | '('));
        let share = stage.last().is_some_and(|t| t.is_sign('%'));
        let named = stage.iter().all(|t| t.is_word() || t.kind == Kind::Opaque);
        let named = stage.len() <= 2 && (named || share);
        let closes = |t: &Token<'_>| matches!(t.kind, Kind::Sign(']' | ')'));
        let close = self.rest.iter().position(closes)?;
        // "[3/12 files]" may say of what.
        let plain = close == 0 || self.rest[0].is_word();
        let next = self.rest.get(close + 1);
        let operator = next.is_some_and(|t| matches!(t.kind, Kind::Sign('*' | '+' | '=')));
        let mut about = self.rest[close..].iter();
        let about = about.find(|t| t.is_word() || t.kind == Kind::Opaque);
        about.filter(|_| opens && named && plain && !operator)
    }

    /// "Generating static pages (12/45)", "Processed 300/1000 records", "Progress: 45/100"
    fn is_opened(&self) -> bool {
        let opens = |t: &Token<'_>| {
            t.is_word() && (is_work_verb(&t.low) || is_printed_noun(&t.low) || t.low == "waiting")
        };
        // Any other verb needs things that are alike: "Frobbing 3/8 files".
        let unit = self.rest.iter().find(|t| t.is_word());
        let of_things = unit.is_none_or(|t| is_thing(&t.low) || is_agent(&t.low));
        let last = self.lead.last();
        let bound = last.is_some_and(|t| listed!(&t.low, "to by for in as"));
        let of_things = of_things && !bound;
        let mut behind = self.tokens[self.place.first..self.place.after]
            .iter()
            .chain(self.rest.iter().take(3));
        let before = self.lead.iter().any(opens)
            || (of_things && self.lead.iter().any(|t| opens_work(&t.low)));
        let far = self.lead.len() > FAR || self.lead.iter().any(|t| t.is_sign(';'));
        !far && (before || behind.any(|t| tells_work(t) && !tells_finding(t)))
    }

    /// "Build Summary: 4/7 steps succeeded"
    fn is_summed_up(&self) -> bool {
        let titled = self.lead.len() <= 4 && self.lead.last().is_none_or(|t| t.is_sign(':'));
        let unit = self.after().filter(|t| t.is_word());
        let unit = unit.is_some_and(|t| is_thing(&t.low) || is_steps(&t.low));
        titled && unit && self.rest.get(1).is_some_and(|t| is_over(&t.low))
    }

    /// "8812416/41230771 kB (21%)"
    fn is_size_with_share(&self) -> bool {
        let share = self.rest.get(..3).is_some_and(|three| {
            three[0].is_sign('(') && three[1].digits().is_some() && three[2].is_sign('%')
        });
        self.lead.is_empty() && self.place.size && share
    }

    /// nextflow: "process > ALIGN (2) [ 40%] 2 of 5"
    fn has_share_in_front(&self) -> bool {
        let sign = |back: usize, sign: char| self.before(back).is_some_and(|t| t.is_sign(sign));
        let number = self.before(3).is_some_and(|t| t.digits().is_some());
        sign(1, ']') && sign(2, '%') && number && !self.place.stroke
    }

    /// "12/30 files", "300 of 1000 rows done"
    fn stands_first(&self) -> bool {
        let rest: Vec<&Token<'_>> = self.rest.iter().filter(|t| t.is_word()).collect();
        let unit = self.place.unit.map(|at| &self.tokens[at]);
        let thing = rest.first().copied().is_some_and(|t| is_thing(&t.low))
            || unit.is_some_and(|t| is_thing(&t.low))
            || (self.place.size && rest.is_empty());
        let alone = thing && rest.len() <= 1;
        let verb = rest.iter().take(4).any(|t| tells_work(t));
        let found = rest.iter().any(|t| tells_finding(t));
        self.place.first == self.from && !found && (alone || verb) && self.tokens.len() < LONG
    }
}

fn tells_work(token: &Token<'_>) -> bool {
    is_work_verb(&token.low) && !is_thing(&token.low)
}

/// "39 of 40 files already formatted", "264 of 1204 symbols were not resolved": what was found.
fn tells_finding(token: &Token<'_>) -> bool {
    listed!(
        &token.low,
        "already were was are is not need needs would documented covered typed annotated"
    )
}
