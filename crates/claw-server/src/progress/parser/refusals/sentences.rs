//! Sentences that are not about what is done here and now.

use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::words::Words;

/// What a sentence says is not what is done now: it is a condition, a plan, a wish, or past, or
/// about somebody else.
pub(in crate::progress::parser) fn is_elsewhere(head: &[Token<'_>]) -> bool {
    static DOCUMENTS: Words = Words::new(
        "tutorial readme documentation docs article book manual course wizard blog
        readme's video transcript changelog log logs badge screenshot template
        placeholder syntax regex pattern ticket",
    );
    is_not_done_here(head)
        || head
            .iter()
            .any(|t| t.is_word() && DOCUMENTS.has(t.low.strip_suffix("'s").unwrap_or(&t.low)))
}

/// The same, where documents may be what is worked on.
pub(in crate::progress::parser) fn is_not_done_here(head: &[Token<'_>]) -> bool {
    static ANYWHERE: Words = Words::new(
        "i'd we'd you'd he'd she'd they'd monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch
        donnerstag freitag samstag sonntag nightly overnight would could should might may can cannot can't unless until yesterday tomorrow
        tonight previously previous suppose imagine considered consider considering
        instead wanted planned example instance e.g hypothetically typically usually
        normally always often never she they his her their team colleague
        colleagues customer customers upstream says said reads prints printed shows
        showed displays logged quote wouldn't couldn't shouldn't don't didn't doesn't
        haven't hasn't won't needs need requires require supports means meaning
        looks flaky out-of-date outdated gestern morgen könnte könnten würde würden
        sollte wenn falls früher vorgestern demain si pourrait faudrait ayer mañana
        podría cuando ieri domani potrebbe ontem amanhã poderia вчера завтра если можно
        gisteren zou colega collègue kollege kollegin equipo équipe he's she's
        they've they're wikipedia say",
    );
    static FIRST: Words = Words::new(
        "if once when whenever after before while you your you're you'll you've please
        als see change set use add run why how what does do did is are was sobald nachdem
        bevor bitte quand lorsque après avant antes después quando dopo prima когда
        после как как-то imagine shall according",
    );
    let words: Vec<&str> = head
        .iter()
        .filter(|t| t.is_word())
        .map(|t| t.low.as_str())
        .collect();
    let first_of = |words: &[&str]| {
        // "After my change all 40 pass" says when it was; "after all 40 pass" is a condition.
        let after_something = matches!(
            words,
            [
                "after" | "nach",
                "my" | "the" | "this" | "that" | "these" | "our" | "dem" | "der",
                ..
            ]
        );
        // A name in front is what the sentence is about.
        let opens = head
            .iter()
            .find(|t| !matches!(t.kind, Kind::Sign(_)))
            .is_some_and(Token::is_word);
        opens && words.first().is_some_and(|word| FIRST.has(word)) && !after_something
    };
    let last = words.windows(2).any(|pair| {
        matches!(
            pair,
            [
                "last",
                "night"
                    | "week"
                    | "month"
                    | "year"
                    | "time"
                    | "session"
                    | "sprint"
                    | "release"
                    | "friday"
                    | "monday"
            ]
        ) || matches!(
            pair,
            [
                "letzte" | "letzten" | "letzter",
                "woche" | "nacht" | "monat" | "sitzung"
            ]
        ) || matches!(
            pair,
            ["semaine", "dernière"]
                | ["nuit", "dernière"]
                | ["semana", "pasada"]
                | ["semana", "passada"]
        ) || matches!(
            pair,
            [
                "you",
                "can"
                    | "could"
                    | "should"
                    | "need"
                    | "have"
                    | "are"
                    | "will"
                    | "see"
                    | "want"
                    | "may"
                    | "get"
            ]
        ) || matches!(
            pair,
            ["for", "example" | "instance"]
                | ["such", "as"]
                | ["plan", "to"]
                | ["will", "need"]
                | ["earlier", "session" | "today" | "run"]
                | ["up", "to"]
                | ["old", "run" | "session"]
        )
    });
    // In German it is "here".
    let hier = words.contains(&"hier")
        && words
            .iter()
            .any(|word| matches!(*word, "nous" | "j'ai" | "on" | "les" | "avons" | "il"));
    // In Spanish it is "I have".
    let he = words.iter().enumerate().any(|(at, word)| {
        *word == "he"
            && !words
                .get(at + 1)
                .is_some_and(|next| next.ends_with("do") || *next == "ya")
    });
    let past_in_han = words.iter().any(|word| {
        [
            "昨天", "昨日", "上周", "如果", "可以", "어제", "만약", "先週", "もし",
        ]
        .iter()
        .any(|part| word.contains(part))
    });
    first_of(&words)
        || last
        || he
        || hier
        || past_in_han
        || names_year(head)
        || words.iter().enumerate().any(|(at, word)| {
            let word = word.strip_suffix("'s").unwrap_or(word);
            // "I could only fix 5 of the 8": that was done.
            let managed = word == "could" && words.get(at + 1) == Some(&"only");
            ANYWHERE.has(word) && !managed
        })
        || words.iter().enumerate().any(|(at, word)| {
            // "A moment ago" is now.
            *word == "ago" && !matches!(words.get(at.wrapping_sub(1)), Some(&("moment" | "minute" | "second")))
            // "Every one of the 19 jobs" are these.
            || *word == "every" && !matches!(words.get(at + 1), Some(&("one" | "single" | "last")))
        })
}

/// "in 2021", "since 2019".
fn names_year(head: &[Token<'_>]) -> bool {
    head.windows(2).enumerate().any(|(at, pair)| {
        let year = pair[1]
            .digits()
            .is_some_and(|n| (1990.0..2040.0).contains(&n) && n.fract() == 0.0);
        let alone = head
            .get(at + 2)
            .is_none_or(|t| !t.is_word() && t.digits().is_none());
        matches!(
            pair[0].low.as_str(),
            "in" | "since" | "seit" | "depuis" | "en"
        ) && year
            && alone
    })
}
