//! What an agent says about its own work.

mod aftermath;
mod doers;
mod ordinals;
mod places;
mod plans;
mod scene;
mod shares;
mod tests;
mod told;
mod verbs;

use self::aftermath::Aftermath;
use self::scene::Scene;
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
use super::vocabulary::{is_over, is_steps, is_thing, is_work_noun};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProgressState, ProseProgress, TextOrigin};

/// The last thing that is said.
pub(super) fn read(lines: &[&str], notation: Notation) -> Option<ProseProgress> {
    let spoken = spoken_lines(lines);
    let spoken: Vec<&str> = spoken.iter().map(String::as_str).collect();
    let planned = plans::lines(&spoken, notation);
    let mut all = Vec::new();
    for (at, line) in spoken.iter().enumerate() {
        let line = line.trim();
        // Rows of a table compare things.
        if !line.starts_with('|') {
            all.extend(sentences(line).into_iter().map(|sentence| (at, sentence)));
        }
    }
    let mut last: Option<(usize, Found)> = None;
    let mut scene = Scene::before(all.iter().map(|(_, sentence)| *sentence));
    for (index, &(line, sentence)) in all.iter().enumerate() {
        // "All are back" has no number, but means so many as were sent.
        if !glance::may_report(sentence) && scene.agents_sent.is_none() {
            continue;
        }
        let tokens = tokens(sentence, notation);
        scene.look_ahead(all.get(index + 1).map(|(_, next)| *next));
        let part = last.is_some() && scene::is_part_of_it(&tokens);
        if !part
            && !planned[line]
            && let Some(mut update) = said(&tokens, sentence, &scene)
        {
            scene.note_agents(&update);
            if let Some((_, before)) = &last {
                stays_over(&before.update, &mut update);
            }
            last = Some((index, Found { line, update }));
        }
        scene.take_in(&tokens);
    }
    let said = |all: &[(usize, &str)]| Aftermath::of(all.iter().map(|(_, text)| *text), notation);
    if let Some((index, found)) = &mut last {
        said(&all[*index..]).judge(&mut found.update, &said(&all[..*index]));
    }
    let mut list = checklist::read(&spoken, TextOrigin::Prose);
    if let Some(list) = &mut list {
        let after = all.partition_point(|(line, _)| *line <= list.line);
        said(&all[after..]).judge_list(&mut list.update);
    }
    match (last, list) {
        // "All three went well", behind a list of three: the list says more.
        (Some((_, last)), Some(list))
            if last.line > list.line
                && (last.update.kind != ProgressKind::Count
                    || last.update.total != list.update.total) =>
        {
            Some(last.update)
        }
        (_, Some(list)) => Some(list.update),
        (last, None) => last.map(|(_, found)| found.update),
    }
}

/// "All five steps are done. The last one, step 5 of 5, was a single line."
fn stays_over(before: &ProseProgress, update: &mut ProseProgress) {
    let same = before.total.is_some() && before.total == update.total;
    if same && update.done == update.total && before.state == ProgressState::Finished {
        update.state = before.state;
    }
}

/// What one sentence says.
fn said(tokens: &[Token<'_>], sentence: &str, scene: &Scene) -> Option<ProseProgress> {
    // What is asked is not known.
    let asked = sentence.trim_end().ends_with(['?', '？']);
    // "My suggestion: …"
    let planned = sentence
        .split_once(':')
        .is_some_and(|(head, _)| plans::names_plan(head));
    if asked || planned || tokens.is_empty() {
        return None;
    }
    clause(tokens, sentence, scene).or_else(|| {
        // "The run is over: 57/57 tests passed."
        let colon = tokens.iter().rposition(|t| t.is_sign(':'))?;
        let (head, rest) = (&tokens[..colon], &tokens[colon + 1..]);
        let goes_on = words(head).any(continues)
            && (words(head).any(is_work_noun) || words(head).all(continues));
        let plain = (words(head).all(opens_report) || goes_on) && words(head).count() <= 8;
        let said = plain && !head.is_empty() && !refusals::is_elsewhere(head);
        let told = said.then(|| clause(rest, sentence, scene)).flatten();
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

fn clause(tokens: &[Token<'_>], sentence: &str, scene: &Scene) -> Option<ProseProgress> {
    let agents = subagents::said(tokens, scene.agents, scene.agents_sent);
    if let Some(agents) = &agents
        && agents.total.is_none()
        && let Some(step) = places::read(tokens, sentence, scene)
        && step.kind == ProgressKind::Step
    {
        // "Step 1 of 2: asking a subagent" counts steps, and says what this one is.
        return Some(step);
    }
    agents
        .or_else(|| tests::read(tokens, scene))
        .or_else(|| places::read(tokens, sentence, scene))
        .or_else(|| ordinals::read(tokens, sentence))
        .or_else(|| shares::read(tokens, sentence))
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

/// Where the clause begins that the number stands in.
fn clause_start(said: &[Token<'_>]) -> usize {
    let stops = |t: &Token<'_>| {
        matches!(
            t.kind,
            Kind::Sign(',' | ':' | '：' | '—' | '–' | '(' | '，' | '、')
        ) || listed!(&t.low, "and but so und aber et mais y pero e ma и")
    };
    said.iter().rposition(stops).map_or(0, |at| at + 1)
}

/// Where the clause ends that goes on at `from`; a condition behind it still belongs to it.
fn clause_end(tokens: &[Token<'_>], from: usize) -> usize {
    let joins = |t: &Token<'_>| {
        t.is_sign(',')
            || listed!(
                &t.low,
                "and but because since so although und aber weil da et mais car y pero porque e ma"
            )
    };
    let condition =
        |t: &Token<'_>| listed!(&t.low, "if when unless once provided falls wenn sobald si");
    let from = from.min(tokens.len());
    tokens[from..]
        .iter()
        .enumerate()
        .position(|(at, t)| joins(t) && !tokens.get(from + at + 1).is_some_and(condition))
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
        "hm hmm ah oh well alright maybe perhaps unfortunately sadly sorry i i've i'm i'll we we've we're have am are now so far already just and ok
        okay currently still then also about roughly around some nearly almost that's
        that is makes this it it's been has had good great done next up to here damit by at
        through with me let update status progress quick ich wir habe haben bisher bislang finora jetzt
        nun bin sind schon inzwischen etwa j'ai je nous avons suis maintenant ai déjà he
        hemos ya ahora llevo ho abbiamo già ora eu já tenho agora foram ik heb nu al я
        мы уже сейчас теперь jag har jeg vi nå nu"
    )
}
