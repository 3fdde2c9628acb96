//! What an agent says about its own work.

mod ordinals;
mod places;
mod shares;
mod tests;

use super::checklist;
use super::counters::counters;
use super::glance;
use super::numbers::{self, Notation};
use super::reading::{WORDED, update};
use super::refusals;
use super::runners::Found;
use super::sentences::{sentences, spoken_lines};
use super::subagents;
use super::tokens::{Kind, Token, tokens};
use super::vocabulary::{is_failure, is_over, is_steps, is_thing, is_work_noun};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProgressState, ProseProgress, TextOrigin};

/// The last thing that is said.
pub(super) fn read(lines: &[&str], notation: Notation) -> Option<ProseProgress> {
    let spoken = spoken_lines(lines);
    let mut last: Option<Found> = None;
    for (at, line) in spoken.iter().enumerate() {
        let line = line.trim();
        // Rows of a table compare things.
        if line.is_empty() || line.starts_with('|') {
            continue;
        }
        for sentence in sentences(line) {
            if last.is_none() && !glance::may_report(sentence) {
                continue;
            }
            let tokens = tokens(sentence, notation);
            if let Some(update) = said(&tokens, sentence) {
                last = Some(Found { line: at, update });
            } else if let Some(found) = &mut last
                && takes_back(&tokens)
            {
                found.update.state = ProgressState::Failed;
            }
        }
    }
    let spoken: Vec<&str> = spoken.iter().map(String::as_str).collect();
    let list = checklist::read(&spoken, TextOrigin::Prose);
    match (last, list) {
        (Some(last), Some(list)) if last.line > list.line => Some(last.update),
        (_, Some(list)) => Some(list.update),
        (last, None) => last.map(|found| found.update),
    }
}

/// What one sentence says.
pub(super) fn said(tokens: &[Token<'_>], sentence: &str) -> Option<ProseProgress> {
    // What is asked is not known.
    let asked = sentence.trim_end().ends_with(['?', '？']);
    if asked || tokens.is_empty() {
        return None;
    }
    clause(tokens, sentence).or_else(|| {
        // "The run is over: 57/57 tests passed."
        let colon = tokens.iter().rposition(|t| t.is_sign(':'))?;
        let (head, rest) = (&tokens[..colon], &tokens[colon + 1..]);
        let goes_on = words(head).any(continues)
            && (words(head).any(is_work_noun) || words(head).all(continues));
        let plain = (words(head).all(opens_report) || goes_on) && words(head).count() <= 8;
        let said = plain && !head.is_empty() && !refusals::is_elsewhere(head);
        let told = said.then(|| clause(rest, sentence)).flatten();
        // "The import is still running: 4,120 of 12,000 rows are in."
        told.or_else(|| (said && goes_on).then(|| counted(rest)).flatten())
    })
}

/// Words that may stand before a colon and what is reported after it.
fn opens_report(word: &str) -> bool {
    is_own(word)
        || is_over(word)
        || is_work_noun(word)
        || is_thing(word)
        || is_steps(word)
        || numbers::word(word).is_some()
        || listed!(
            word,
            "the half halfway way over result results news state of run suite my our
            where stand things check there was last one"
        )
}

/// A place among things, where it is known that work goes on.
fn counted(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    let place = counters(tokens).into_iter().next()?;
    let thing = words(&tokens[place.after..]).next();
    let own = words(&tokens[..place.first]).all(is_own);
    if !own || !thing.is_none_or(is_thing) || refusals::is_elsewhere(tokens) {
        return None;
    }
    let mut found = update(ProgressKind::Count, WORDED);
    found.done = Some(place.done);
    found.total = Some(place.total);
    Some(found)
}

/// Words that say that something has not ended.
fn continues(word: &str) -> bool {
    listed!(
        word,
        "running still going continues ongoing progressing läuft noch weiter encore continue
        sigue continúa todavía aún ancora continua ainda loopt nog ещё еще идет продолжается"
    )
}

fn clause(tokens: &[Token<'_>], sentence: &str) -> Option<ProseProgress> {
    let agents = subagents::read(tokens);
    if let Some(agents) = &agents
        && agents.total.is_none()
        && let Some(step) = places::read(tokens, sentence)
        && step.kind == ProgressKind::Step
    {
        // "Step 1 of 2: asking a subagent" counts steps, and says what this one is.
        return Some(step);
    }
    agents
        .or_else(|| tests::read(tokens))
        .or_else(|| places::read(tokens, sentence))
        .or_else(|| ordinals::read(tokens, sentence))
        .or_else(|| shares::read(tokens, sentence))
}

/// "It failed with …", "That crashed", after something was said to run.
fn takes_back(tokens: &[Token<'_>]) -> bool {
    let mut words = tokens.iter().filter(|t| t.is_word());
    let first = words.next().is_some_and(|t| {
        matches!(
            t.low.as_str(),
            "it" | "this" | "that" | "es" | "das" | "cela"
        )
    });
    first && words.take(3).any(|t| is_failure(&t.low))
}

/// The first token after `from` that starts a remark: what follows names the work and is not
/// judged.
fn remark_after(tokens: &[Token<'_>], from: usize) -> usize {
    let stops = |(at, t): (usize, &Token<'_>)| {
        matches!(
            t.kind,
            Kind::Sign(':' | '：' | '—' | '–' | '(' | '（' | '，')
        ) || (t.is_sign('-') && t.spaced && tokens.get(from + at + 1).is_some_and(|t| t.spaced))
    };
    tokens[from.min(tokens.len())..]
        .iter()
        .enumerate()
        .position(stops)
        .map_or(tokens.len(), |at| from + at)
}

/// The words of some tokens.
fn words<'a>(tokens: &'a [Token<'_>]) -> impl DoubleEndedIterator<Item = &'a str> + Clone {
    tokens
        .iter()
        .filter(|t| t.is_word())
        .map(|t| t.low.as_str())
}

/// Words with which somebody speaks of their own work.
fn is_own(word: &str) -> bool {
    listed!(
        word,
        "i i've i'm i'll i'd we we've we're have am are now so far already just and ok
        okay currently still then also about roughly around some nearly almost that's
        that is makes this it it's been has had good great done next up to here by at
        through with me let update status progress quick ich wir habe haben bisher jetzt
        nun bin sind schon inzwischen etwa j'ai je nous avons suis maintenant ai déjà he
        hemos ya ahora llevo ho abbiamo già ora eu já tenho agora foram ik heb nu al я
        мы уже сейчас теперь jag har jeg vi nå nu"
    )
}
