//! Sub-agents that begin, work, end or fail.

mod spoken;
mod words;

pub(super) use self::spoken::said;
pub(super) use self::words::is_agent;
use self::words::{LEAD, LINKS, brings_nothing, ends, fails, is_other_agent, sends, starts, works};
use crate::progress::parser::counters::{Counter, counters};
use crate::progress::parser::page::Page;
use crate::progress::parser::reading::{CLEAR_FORM, MENTION, ended, label, update};
use crate::progress::parser::refusals;
use crate::progress::parser::runners::Found;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

/// What a sentence says about sub-agents that are called so.
fn read(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    let at = tokens
        .iter()
        .position(|t| t.is_word() && is_agent(&t.low))?;
    read_at(tokens, at)
}

fn read_at(tokens: &[Token<'_>], at: usize) -> Option<ProseProgress> {
    let task = has_task(tokens, at);
    let end = if task { at + 1 } else { clause_end(tokens, at) };
    if is_other_agent(tokens, at) || is_not_done_here(tokens, at, end) {
        return None;
    }
    let place = counters(tokens).into_iter().find(|c| {
        // "Agent 2 of 5", "2 of 3 agents", "two of the three review agents"
        c.first == at + 1
            || (c.first == at + 2 && matches!(tokens[at + 1].kind, Kind::Sign(':' | '#')))
            || (c.after <= at && at <= c.after + 2)
            || in_brackets(tokens, c)
    });
    if task && place.is_none() {
        return begun(tokens, at, update(ProgressKind::Subagent, MENTION));
    }
    let beside = place.filter(|place| !in_brackets(tokens, place));
    let verb = verb_after(tokens, at, beside.map(|p| p.after));
    let mut found = update(ProgressKind::Subagent, MENTION);
    if let Some(place) = place {
        // "Agent 2 of 5" alone says which one has its turn.
        let which = place.first > at && beside.is_some();
        let still = words_after(tokens, at).any(|word| matches!(word, "still" | "noch" | "encore"));
        found.done = Some(place.done);
        found.total = Some(place.total);
        if !which && still && verb == Some(Verb::Works) {
            found.done = Some(place.total - place.done);
        }
        found.label = label_around(tokens, at);
        found.state = match verb {
            // One of several failed; the others go on.
            Some(Verb::Fails) if !which && place.done < place.total => ProgressState::Running,
            Some(Verb::Fails) => ProgressState::Failed,
            Some(Verb::Ends) if place.done >= place.total => {
                ended(tokens[at..].iter().any(|t| brings_nothing(&t.low)))
            }
            Some(_) => ProgressState::Running,
            None if which => ProgressState::Running,
            None => return None,
        };
        return Some(found);
    }
    if let Some(mut verb) = verb {
        let error = |t: &Token<'_>| brings_nothing(&t.low);
        if verb == Verb::Ends && tokens[at..].iter().any(error) {
            verb = Verb::Fails;
        }
        return said_of(tokens, at, verb, found);
    }
    waited_for(tokens, at).or_else(|| begun(tokens, at, found))
}

/// "Both agents have finished their searches": behind the agents, "their" means nobody else.
fn is_not_done_here(tokens: &[Token<'_>], at: usize, end: usize) -> bool {
    let (before, behind) = tokens[..end].split_at(at);
    let mut judged = before.to_vec();
    judged.extend(behind.iter().filter(|t| t.low != "their").cloned());
    refusals::is_not_done_here(&judged)
}

/// "I've started a sub-agent that traces every caller": what follows is what it was sent to do. An
/// agent "that crashed" or "that could help" is told apart from others by it.
fn has_task(tokens: &[Token<'_>], at: usize) -> bool {
    // "To start an agent that reads every file, call …" tells how.
    let how = tokens[0].low == "to";
    let sent = !how && tokens[..at].iter().any(|t| sends(&t.low));
    let [pronoun, verb, rest @ ..] = &tokens[at + 1..] else {
        return false;
    };
    let does = listed!(&verb.low, "is are") && rest.first().is_some_and(|t| works(&t.low));
    // "Starting an agent that reads every file is expensive" is said of starting one.
    let judges = |t: &Token<'_>| listed!(&t.low, "is takes costs means helps seems");
    let asks = |t: &Token<'_>| {
        listed!(
            &t.low,
            "whether what where which how when if because that and it"
        )
    };
    let clause = rest.iter().take_while(|t| !t.is_sign(','));
    let judged = tokens[0].low.ends_with("ing") && clause.take_while(|t| !asks(t)).any(judges);
    let told_apart = verb.low.ends_with("ed")
        || ends(&verb.low)
        || fails(&verb.low)
        || listed!(
            &verb.low,
            "is are was were has have had can could would should might may did ran got came went
            i i'd you we he she they"
        );
    let relative = listed!(&pronoun.low, "that which who") && verb.is_word();
    sent && relative && !judged && (does || !told_apart)
}

/// "Waiting for the review agent", "Still waiting on two agents".
fn waited_for(tokens: &[Token<'_>], at: usize) -> Option<ProseProgress> {
    let waits = tokens[..at]
        .iter()
        .position(|t| matches!(t.low.as_str(), "waiting" | "warte" | "wait"))?;
    let own = tokens[..waits]
        .iter()
        .filter(|t| t.is_word())
        .all(|t| LEAD.has(&t.low));
    let mut found = update(ProgressKind::Subagent, MENTION);
    found.total = number_before(tokens, at).filter(|&n| n > 1.0);
    found.label = label_around(tokens, at);
    (own && at - waits <= 6).then_some(found)
}

/// "(2 of 4)"
fn in_brackets(tokens: &[Token<'_>], place: &Counter) -> bool {
    let before = place.first.checked_sub(1).and_then(|at| tokens.get(at));
    let last = tokens[place.after..].iter().all(|t| t.is_sign('.'));
    (before.is_some_and(|t| t.is_sign(':')) && last)
        || before.is_some_and(|t| t.is_sign('('))
            && tokens.get(place.after).is_some_and(|t| t.is_sign(')'))
}

fn words_after<'a>(tokens: &'a [Token<'_>], at: usize) -> impl Iterator<Item = &'a str> {
    tokens[at..]
        .iter()
        .filter(|t| t.is_word())
        .map(|t| t.low.as_str())
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Verb {
    Ends,
    Fails,
    Works,
}

/// Conditions in a later clause are about something else.
fn clause_end(tokens: &[Token<'_>], at: usize) -> usize {
    let stops = |t: &Token<'_>| {
        matches!(
            t.kind,
            Kind::Sign(',' | ':' | '—' | '–' | '(' | '，' | '、')
        ) || listed!(
            &t.low,
            "to and for um und pour para per with on before because"
        )
    };
    tokens[at..]
        .iter()
        .position(stops)
        .map_or(tokens.len(), |stop| at + stop)
}

fn verb_after(tokens: &[Token<'_>], at: usize, place_end: Option<usize>) -> Option<Verb> {
    // Scripts without spaces may have it all in one word.
    let inside = tokens[at].low.as_str();
    if inside.chars().any(|c| c > '\u{2e80}') {
        if fails(inside) {
            return Some(Verb::Fails);
        }
        if ends(inside) {
            return Some(Verb::Ends);
        }
    }
    let mut next = (at + 1).max(place_end.unwrap_or(0));
    let mut linked = 0;
    let mut worked = None;
    let mut before = "";
    // "The agent for the docs is done."
    if tokens
        .get(next)
        .is_some_and(|t| listed!(&t.low, "for from für pour para per de du that which"))
    {
        let link = |t: &Token<'_>| {
            listed!(
                &t.low,
                "came has have is are was were ist sind hat haben est a ont sont ha han está están è sono"
            )
        };
        let verb = |t: &Token<'_>| link(t) || ends(&t.low) || fails(&t.low);
        let relative = listed!(&tokens[next].low, "that which");
        next += tokens[next..].iter().take(7).position(verb)?;
        // "The agent that was reading the modules came back": the second verb is told of it.
        let clause = tokens[next + 1..]
            .iter()
            .take_while(|t| t.is_word() || t.kind == Kind::Opaque);
        if relative && let Some(second) = clause.take(8).position(verb) {
            next += 1 + second;
        }
    }
    while let Some(token) = tokens.get(next) {
        match token.kind {
            // A name or a remark in brackets.
            Kind::Sign('(') => {
                next += tokens[next..].iter().position(|t| t.is_sign(')'))? + 1;
                continue;
            }
            Kind::Opaque => {}
            Kind::Sign('#' | '"' | '-' | '—' | ':' | '✓' | '✅') | Kind::Number(_)
                if linked == 0 => {}
            Kind::Word => {
                let low = token.low.as_str();
                if low == "not" || low == "never" {
                    return None;
                }
                if low == "failed" && tokens.get(next + 1).is_some_and(|t| t.low == "tests") {
                    return None;
                }
                if fails(low) {
                    return Some(Verb::Fails);
                }
                if ends(low) && !(low == "back" && linked == 0) {
                    return Some(Verb::Ends);
                }
                // "are on it", "are at work"
                let busy = matches!(
                    (before, low),
                    ("on", "it" | "this" | "that") | ("at", "work" | "it")
                );
                before = low;
                if works(low) || busy {
                    // "is running" works only after a form of "to be", or at once: "Agent running".
                    worked = worked.or(Some(Verb::Works));
                } else if low.chars().any(|c| c > '\u{2e80}') {
                    // Scripts without spaces: the verb may be far inside one word.
                } else if !LINKS.has(low) {
                    return worked.or_else(|| linked_verb(&tokens[next..]));
                }
                linked += 1;
            }
            _ => return worked,
        }
        next += 1;
        if linked > 6 {
            break;
        }
    }
    worked
}

/// "… in charge of the translation has stopped": a form of "to be" or "to have", and then an end.
fn linked_verb(tokens: &[Token<'_>]) -> Option<Verb> {
    let clause = tokens
        .iter()
        .position(|t| matches!(t.kind, Kind::Sign(',' | ';' | ':' | '—')));
    let list: Vec<&str> = tokens[..clause.unwrap_or(tokens.len())]
        .iter()
        .filter(|t| t.is_word())
        .map(|t| t.low.as_str())
        .take(9)
        .collect();
    // "The agent I sent out came back"
    if let Some(back) = list
        .windows(2)
        .find(|pair| listed!(pair[0], "came reported") && pair[1] == "back")
    {
        return ends(back[1]).then_some(Verb::Ends);
    }
    // "The agent responsible for the frontend died with …"
    let alone = list.iter().enumerate().skip(1).find(|(at, word)| {
        let next = list.get(at + 1);
        (listed!(**word, "died crashed finished returned") || **word == "failed")
            && next.is_none_or(|next| listed!(*next, "with after at because on in again too"))
    });
    if let Some((_, word)) = alone {
        return Some(if fails(word) { Verb::Fails } else { Verb::Ends });
    }
    let link = list.iter().position(|word| {
        listed!(
            *word,
            "has have is are was were ist sind hat haben est a ont sont s'est se ha han está è"
        )
    })?;
    let mut verbs = list[link + 1..].iter().take(3);
    verbs.find_map(|word| {
        let over = ends(word).then_some(Verb::Ends);
        fails(word).then_some(Verb::Fails).or(over)
    })
}

/// How many agents are meant by the words before.
fn number_before(tokens: &[Token<'_>], at: usize) -> Option<f64> {
    let before = tokens[..at].iter().rev().take(5);
    let number = before
        .take_while(|t| t.is_word() || t.digits().is_some() || t.kind == Kind::Opaque)
        .find_map(Token::number);
    // Numbers that stand against the word: 三个代理.
    number.or_else(|| {
        let word = tokens.get(at)?.low.chars();
        word.take_while(|c| !matches!(c, '代' | 'エ'))
            .find_map(super::numbers::han)
    })
}

fn said_of(
    tokens: &[Token<'_>],
    at: usize,
    verb: Verb,
    mut found: ProseProgress,
) -> Option<ProseProgress> {
    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
    // "An agent has finished when …" is said of agents in general.
    let general = (0..=3).any(|back| {
        at.checked_sub(back + 1)
            .and_then(|at| tokens.get(at))
            .is_some_and(|t| {
                listed!(
                    &t.low,
                    "an a any each every no whether which that until als wie un une jeder
                    kein"
                )
            })
    });
    let several = tokens[at].low.ends_with('s')
        || matches!(
            tokens[at].low.as_str(),
            "agenten" | "unteragenten" | "agenti" | "агенты" | "агентов" | "агента"
        );
    let number = number_before(tokens, at);
    let bare_plural = several && at == 0;
    let started_before = tokens[..at].iter().any(|t| starts(&t.low));
    // "A sub-agent is searching the docs" is said of one.
    let linked = tokens
        .get(at + 1)
        .is_some_and(|t| matches!(t.low.as_str(), "is" | "are" | "has" | "ist" | "est" | "hat"));
    let one = linked
        && (0..=2).any(|back| {
            at.checked_sub(back + 1)
                .and_then(|at| tokens.get(at))
                .is_some_and(|t| matches!(t.low.as_str(), "a" | "an" | "un" | "une" | "ein"))
        });
    if bare_plural || (general && !started_before && !one) {
        return None;
    }
    if started_before && verb == Verb::Works {
        return begun(tokens, at, found);
    }
    let named = before.is_some() || at == 0;
    if !named || (started_before && general) {
        return begun(tokens, at, found);
    }
    found.label = label_around(tokens, at);
    found.total = number.filter(|&n| n > 1.0);
    // "The first of my four agents has returned"
    let nth = tokens[..at].windows(2).find_map(|pair| {
        let nth = super::numbers::ordinal(&pair[0].low)?;
        (pair[1].low == "of").then_some(nth)
    });
    if let Some(nth) = nth.filter(|nth| verb == Verb::Ends && number.is_some_and(|n| *nth < n)) {
        found.done = Some(nth);
        return Some(found);
    }
    found.state = match verb {
        Verb::Ends => ended(false),
        Verb::Fails => ended(true),
        Verb::Works => ProgressState::Running,
    };
    if found.state != ProgressState::Running {
        found.done = found.total;
    }
    // "Agent 1 is done, agents 2 and 3 are still running."
    let others = tokens[at..]
        .iter()
        .any(|t| matches!(t.low.as_str(), "still" | "noch" | "encore"));
    if others && verb == Verb::Ends {
        found.state = ProgressState::Running;
        found.done = None;
    }
    Some(found)
}

/// "I'll launch 3 agents", "Launching a sub-agent": only when nothing else comes before the verb.
fn begun(tokens: &[Token<'_>], at: usize, mut found: ProseProgress) -> Option<ProseProgress> {
    let runs_on = |t: &Token<'_>| t.low.chars().any(|c| c > '\u{2e80}');
    let start = tokens[..at]
        .iter()
        .position(|t| t.is_word() && starts(&t.low) && !runs_on(t));
    let after = tokens[at..]
        .iter()
        .position(|t| t.is_word() && starts(&t.low) && runs_on(t));
    let start = match (start, after) {
        (Some(start), _) => start,
        // The verb comes last, or in one word with the agents.
        (None, Some(_)) => at,
        (None, None) => {
            let one_word = tokens[..=at].iter().any(|t| runs_on(t) && starts(&t.low));
            let german = tokens[at..]
                .iter()
                .any(|t| matches!(t.low.as_str(), "gestartet" | "los" | "lanzado"));
            if !(one_word || german) {
                return None;
            }
            at
        }
    };
    // What comes before the verb, back to the last comma.
    let from = tokens[..start]
        .iter()
        .rposition(|t| matches!(t.kind, Kind::Sign(',' | ':' | '，' | '、' | '—')))
        .map_or(0, |at| at + 1);
    let own = tokens[from..start]
        .iter()
        .filter(|t| t.is_word() && !runs_on(t))
        .all(|t| LEAD.has(&t.low) || t.number().is_some());
    if !own && start < at {
        return None;
    }
    let word = tokens[start].low.as_str();
    let between = &tokens[start + 1..at.max(start + 1)];
    // "Use the Explore agent" is advice; "let me use", "using" is not.
    let bare = start == from
        && listed!(
            word,
            "use run ask have call hand give send start launch spawn put begin invoke
            deploy dispatch delegate"
        );
    // "I have two agents": having is not beginning.
    let having = word == "have"
        && !between.is_empty()
        && !tokens[from..start]
            .iter()
            .any(|t| matches!(t.low.as_str(), "i'll" | "let" | "will"));
    if (bare && !tokens[at].low.is_empty() && from == 0) || having || between.len() > 9 {
        return None;
    }
    if between.iter().any(|t| {
        matches!(
            t.low.as_str(),
            "tests" | "that" | "which" | "because" | "like" | "of"
        )
    }) {
        return None;
    }
    let runs_on_after = tokens
        .get(at + 1)
        .and_then(Token::digits)
        .filter(|_| runs_on(&tokens[at]));
    let number = number_before(tokens, at).or(runs_on_after);
    found.total = number.filter(|&n| n > 1.0);
    found.label = label_around(tokens, at);
    Some(found)
}

/// The word that says which agent it is.
fn label_around(tokens: &[Token<'_>], at: usize) -> Option<String> {
    let before = tokens.get(at.checked_sub(1)?)?;
    let is_name = before.is_word()
        && before.number().is_none()
        && !listed!(
            &before.low,
            "the a an all both another one my der die le les el los new of more first
            second third last parallel"
        );
    is_name.then(|| label(before.text)).flatten()
}

/// What a line of a tool's output says: there it must be all that the line says.
pub(super) fn printed(page: &Page<'_>) -> Option<Found> {
    let (line, update) = page.last(|line| {
        let tokens = &line.tokens;
        let from = tokens
            .iter()
            .position(|t| t.is_word() || t.digits().is_some())?;
        // "Done (12 tool uses · 34.1k tokens · 1m 2s)"
        let closing =
            line.text[tokens[from].at..].starts_with("Done (") && line.text.contains(" tool use");
        if closing {
            let mut found = update(ProgressKind::Subagent, CLEAR_FORM);
            found.state = ended(false);
            return Some(found);
        }
        let agent = tokens
            .iter()
            .position(|t| t.is_word() && is_agent(&t.low))?;
        let near = agent <= from + 5;
        // "Agent: Mozilla/5.0": a field of a header.
        let field = tokens.get(agent + 1).is_some_and(|t| t.is_sign(':'));
        let quoted = tokens.get(agent + 1).is_some_and(|t| t.is_sign('"'));
        let plain = without_name(tokens, agent, quoted);
        (near && !field).then(|| read(&plain)).flatten()
    })?;
    Some(Found { line, update })
}

/// The tokens without the quoted name after the agent.
fn without_name<'a>(tokens: &[Token<'a>], agent: usize, quoted: bool) -> Vec<Token<'a>> {
    let mut plain = tokens.to_vec();
    if quoted && let Some(end) = tokens[agent + 2..].iter().position(|t| t.is_sign('"')) {
        plain.drain(agent + 1..agent + 3 + end);
    }
    // "Subagent explorer finished"
    if let [name, verb, ..] = &tokens[agent + 1..]
        && (name.is_word() || name.kind == Kind::Opaque)
        && !LINKS.has(&name.low)
        && verb.is_word()
        && (ends(&verb.low) || fails(&verb.low) || listed!(&verb.low, "started running"))
        && tokens[..agent].iter().all(|t| !t.is_word())
        && !(ends(&name.low) || fails(&name.low) || works(&name.low))
    {
        plain.remove(agent + 1);
    }
    plain
}
