//! How it ended, as the sentences behind the last number tell.

use super::{verbs, words};
use crate::progress::parser::numbers::Notation;
use crate::progress::parser::reading::ended;
use crate::progress::parser::tokens::{Token, tokens};
use crate::progress::parser::vocabulary::{is_failure, is_over};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

/// What some sentences tell about an end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Aftermath {
    /// "It failed with …", "I've stopped there".
    stopped: bool,
    /// Something could not be done.
    failed: bool,
    /// The speaker is done with it.
    over: bool,
    /// It is tried again, or the rest is still to come.
    goes_on: bool,
    /// "I've restarted it", "Resuming": and nothing went wrong since.
    resumed: bool,
    /// "the other two are done".
    rest_done: bool,
    /// "the remaining three failed".
    rest_failed: bool,
    /// "3 of them failed".
    some_failed: bool,
    /// "Done.", as a sentence of its own.
    closed: bool,
}

impl Aftermath {
    pub(super) fn of<'a>(sentences: impl Iterator<Item = &'a str>, notation: Notation) -> Self {
        let mut found = Self::default();
        for (index, sentence) in sentences.enumerate() {
            let tokens = tokens(sentence, notation);
            found.stopped |= clauses(&tokens).any(|clause| stops(clause) || breaks_down(clause));
            found.some_failed |= some_failed(&tokens);
            found.failed |= has_failed(&tokens);
            found.over |= is_done_with(&tokens);
            found.closed |= index > 0 && words(&tokens).count() <= 2 && words(&tokens).any(is_over);
            found.rest_done |= is_rest_done(&tokens);
            found.rest_failed |= is_rest_failed(&tokens);
            found.resumed = resumes(&tokens).unwrap_or(found.resumed);
            found.goes_on |= words(&tokens).any(goes_on);
        }
        found
    }

    /// The state of a number that was told before; `earlier` is what was said before it.
    pub(super) fn judge(self, update: &mut ProseProgress, earlier: &Self) {
        let open = update.state == ProgressState::Running;
        let of_agents = update.kind == ProgressKind::Subagent;
        let part = match (update.done, update.total) {
            (Some(done), Some(total)) => done < total,
            _ => false,
        };
        if open && of_agents && part && self.rest_done {
            update.done = update.total;
            update.state = ended(self.failed);
        }
        let counted = matches!(update.kind, ProgressKind::Count | ProgressKind::Step);
        if counted && update.state == ProgressState::Finished && self.some_failed {
            update.state = ProgressState::Failed;
        }
        if open && counted && (self.closed || self.over) && !part && update.done.is_some() {
            update.state = ProgressState::Finished;
        }
        if counted && part && self.resumed && update.state == ProgressState::Failed {
            update.state = ProgressState::Running;
        }
        let rest_failed = part && self.rest_failed;
        let over = (self.over || earlier.over) && self.failed && part;
        let open = update.state == ProgressState::Running;
        let goes_on = self.goes_on || self.resumed;
        if open && !of_agents && !goes_on && (self.stopped || over || rest_failed) {
            update.state = ProgressState::Failed;
        }
    }

    /// The state of a list with something open in it.
    pub(super) fn judge_list(self, update: &mut ProseProgress) {
        if update.state == ProgressState::Running && self.stopped && !self.goes_on {
            update.state = ProgressState::Failed;
        }
    }
}

/// The parts of a sentence between its commas and its "and"s.
fn clauses<'a, 'b>(tokens: &'a [Token<'b>]) -> impl Iterator<Item = &'a [Token<'b>]> {
    tokens.split(|t| t.is_sign(',') || listed!(&t.low, "and so but und et y"))
}

/// "3 of them failed", "12 de ellos han fallado".
fn some_failed(tokens: &[Token<'_>]) -> bool {
    tokens.windows(3).enumerate().any(|(at, three)| {
        let some = three[0].number().is_some_and(|n| n > 0.0)
            && listed!(&three[1].low, "of von d'entre de")
            && listed!(
                &three[2].low,
                "them those these which ihnen denen ellos ellas elles eux"
            );
        some && words(&tokens[at + 3..])
            .take(3)
            .any(|word| is_failure(word) || listed!(word, "fallaron fallado échoué"))
    })
}

/// "It failed with …", "That crashed", "I've stopped", "I gave up".
fn stops(tokens: &[Token<'_>]) -> bool {
    let mut rest = words(tokens).skip_while(|word| {
        listed!(
            *word,
            "so then but and unfortunately sadly sorry therefore here"
        )
    });
    let subject = rest.next().is_some_and(|word| {
        listed!(
            word,
            "it this that i i've i'm we we've es das ich cela j'ai everything"
        )
    });
    if !subject {
        return false;
    }
    let rest: Vec<&str> = rest.take(5).collect();
    if verbs::stops(rest.iter().copied().filter(|word| !is_failure(word))) {
        return true;
    }
    let verb = rest
        .iter()
        .take(3)
        .position(|word| is_failure(word) || listed!(*word, "stopping aborting abbreche breche"));
    verb.is_some_and(|verb| {
        let after = rest.get(verb + 1).copied();
        // "I've stopped the server": something else was stopped.
        after.is_none_or(|word| !listed!(word, "the a my our your his her its both all"))
    })
}

/// "… and then the connection broke": what the work stood on is gone.
fn breaks_down(tokens: &[Token<'_>]) -> bool {
    let list: Vec<&str> = words(tokens).take(9).collect();
    let ["then", "the" | "my" | "our", ground @ ..] = list.as_slice() else {
        return false;
    };
    let named = ground.iter().take(2).position(|word| {
        listed!(
            *word,
            "connection network server link wifi vpn disk process machine container host session
            shell database service power kernel vm instance pod tunnel proxy socket"
        )
    });
    named.is_some_and(|at| {
        let behind = &ground[at + 1..];
        verbs::stops(behind.iter().copied())
            || behind
                .first()
                .is_some_and(|word| listed!(*word, "dropped vanished disappeared"))
    })
}

/// Something could not be done; "none failed" says the opposite.
fn has_failed(tokens: &[Token<'_>]) -> bool {
    let list: Vec<&str> = words(tokens).collect();
    let none_failed = |at: usize| list.get(at + 1).is_some_and(|next| is_failure(next));
    let unable = |(at, word): (usize, &&str)| is_unable(word) && !none_failed(at);
    verbs::has_failure(words(tokens)) || list.iter().enumerate().any(unable)
}

/// Words with which somebody says that something cannot be done.
fn is_unable(word: &str) -> bool {
    listed!(
        word,
        "couldn't can't cannot unreadable corrupt corrupted truncated refuses refused rejected
        rejects broken unable timeout limit nothing damaged"
    )
}

/// "I'm done with it", "so I finished without them": the speaker says that it is over.
fn is_done_with(tokens: &[Token<'_>]) -> bool {
    let list: Vec<&str> = words(tokens).collect();
    let later = |word: &&str| {
        listed!(
            *word,
            "once when until if will nearly almost not sobald wenn bis"
        )
    };
    if list.iter().any(later) {
        return false;
    }
    // "The sweep is finished"
    let job_over = list.windows(3).any(|three| {
        verbs::is_worker(three[0])
            && listed!(three[1], "is are has now ist sind est hat")
            && is_over(three[2])
    });
    let end = |three: &[&str]| matches!(three, ["that's" | "was" | "is", "the", "end" | "last"]);
    job_over
        || list.windows(3).any(end)
        || list.windows(3).any(|three| {
            listed!(
                three[0],
                "i i'm i've we we're we've run batch pass it's ich bin"
            ) && three[1..].iter().any(|word| is_over(word))
        })
}

/// "the other two are done", "the rest came back".
fn is_rest_done(tokens: &[Token<'_>]) -> bool {
    let mut list = words(tokens).skip_while(|word| {
        !listed!(
            *word,
            "other others rest remaining anderen übrigen autres otros altri"
        )
    });
    list.next().is_some()
        && list
            .take(4)
            .any(|word| is_over(word) || listed!(word, "back returned zurück"))
        && !words(tokens).any(|word| listed!(word, "not still once when until"))
}

/// "for the remaining three the service answered 403, so those failed".
fn is_rest_failed(tokens: &[Token<'_>]) -> bool {
    let mut rest = words(tokens).skip_while(|word| {
        !listed!(
            *word,
            "other others rest remaining those last anderen übrigen autres otros altri"
        )
    });
    rest.any(|word| is_failure(word) || is_unable(word))
}

/// The last of what went wrong and what was taken up again.
fn resumes(tokens: &[Token<'_>]) -> Option<bool> {
    let mut negated = false;
    words(tokens)
        .filter_map(|word| {
            negated |= listed!(
                word,
                "not can't cannot couldn't without instead before if once"
            );
            let again = listed!(
                word,
                "resuming resumed restarting restarted retrying rerunning continuing re-running"
            );
            let resumed = (again && !negated).then_some(true);
            is_failure(word).then_some(false).or(resumed)
        })
        .last()
}

/// It is tried again, or there is more to come.
fn goes_on(word: &str) -> bool {
    listed!(
        word,
        "again retrying retry resuming resume restarting restart reconnecting continuing continue continues
        rerunning meanwhile weiter nochmal erneut continúo reintento relance"
    )
}
