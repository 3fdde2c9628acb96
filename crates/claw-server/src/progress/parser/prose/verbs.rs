//! What the verbs of a sentence tell: something was done, something was found, something is so.
//!
//! A number of things out of all of them is progress when the verb is one of doing, whichever it
//! is. So the lists here name what is *not* doing; everything else with the form of a past tense
//! is taken for work.

use crate::progress::parser::tokens::Token;
use crate::progress::parser::vocabulary::{is_failure, is_thing, is_work_noun, is_work_verb};
use crate::progress::parser::words::{Words, listed};

/// Verbs of finding, having, needing and saying, and of things that happen by themselves: a
/// number with them counts what is there.
pub(super) fn finds(word: &str) -> bool {
    static FINDS: Words = Words::new(
        "seen used spent found find see saw noticed spotted counted identified discovered detected
        flagged know knew think thought need needed want wanted recommend recommended suggest
        suggested propose proposed expect expected assume assumed estimate estimated
        contain contains contained include includes included lack lacks lacked use uses
        match matches matched affected affects missing unused scored won lost sold there
        supported deprecated required allowed denied owned         called based related located known meant cited
        agreed disagreed voted responded replied answered said reported claimed mentioned rated
        ranked preferred complained introduced caused triggered filed raised         planned shadowed happened occurred appeared existed differed
        depended belonged remained seemed looked worked passed returned timed vulnerable
        show shows throw throws hang hangs optional nullable interested subscribed enrolled infected hit hits qualified         occupied reserved booked taken consumed allocated
        gefunden betroffen veraltet genutzt benutzt verwendet gebraucht ohne gibt
        trouvé touché touchés utilisé utilisés
        encontrado encontrados afectados usado usados utilizados hay existe
        trovato trovati usati usato utilizzati encontrei
        нашёл нашел without",
    );
    FINDS.has(word)
        || ["发现", "找到", "見つ", "発見", "발견"]
            .iter()
            .any(|part| word.contains(part))
}

/// Verbs of choosing: what they count is an outcome, unless more is to come.
pub(super) fn chooses(word: &str) -> bool {
    listed!(
        word,
        "kept keep left picked chose chosen selected skipped ignored excluded dropped rejected
        marked preserved retained omitted spared"
    )
}

/// Past forms that after "are" more often describe a thing than tell what was done to it.
pub(super) fn describes(word: &str) -> bool {
    listed!(
        word,
        "pinned blocked assigned scheduled enabled disabled exposed shared listed named nested typed
        cached duplicated hidden defined declared referenced documented covered tested changed tagged labelled labeled signed linked
        formatted added created implemented annotated compressed closed imported
        exported loaded addressed translated read written sorted embedded split through
        indexed deployed installed built applied generated received sent"
    )
}

/// A past form or an "-ing" form of any verb but those of finding, choosing and failing.
pub(super) fn is_doing(word: &str) -> bool {
    !finds(word) && !chooses(word) && (is_work_verb(word) || has_past_form(word))
}

/// The past form of an English verb of doing.
pub(super) fn is_past(word: &str) -> bool {
    is_doing(word)
        && (word.ends_with("ed") || has_past_form(word) || listed!(word, "built through"))
}

/// What somebody does at once when the sentence begins with it: "Redrew 4 of 9 icons".
pub(super) fn opens_doing(word: &str) -> bool {
    is_doing(word) || (word.len() >= 6 && word.ends_with("ing") && !finds(word))
}

fn has_past_form(word: &str) -> bool {
    static IRREGULAR: Words = Words::new(
        "redone undone redrawn drawn drew redrew rebuilt sent resent put cut swept made remade
        taken took given gave brought bought shot reshot torn frozen thrown driven
        overwritten reread proofread fed led laid paid set reset cast recast run reran rerun ran
        dug spun wound bound rebound begun chosen shrunk shrank upheld withdrawn
        withdrew swapped fit refit hidden spelt burnt learnt dealt sewn shorn strung swung done
        written rewritten built wrote rewrote gone read split re-read re-run re-cut re-set cleaned-up",
    );
    static NO_PAST: Words = Words::new(
        "need speed seed feed embed indeed hundred red bed shed sled breed creed exceed proceed
        succeed bleed weed reed deed hatred sacred naked wicked failed crashed died stopped
        aborted errored cancelled canceled killed interrupted stuck unchanged untouched unread
        supposed so-called limited advanced complicated detailed dated outdated mixed fixed-size
        unfixed unresolved unconverted untranslated unfinished nothing something anything
        everything during king thing string being having missing existing remaining pending
        failing following working interesting according regarding including excluding wing ring
        spring warning meaning building setting morning evening",
    );
    let long = word.len() >= 4 && word.is_ascii();
    IRREGULAR.has(word) || (long && word.ends_with("ed") && !NO_PAST.has(word) && !is_thing(word))
}

/// The past forms of other languages, by their endings. English has words with the same ones, so
/// this is asked only of sentences that are not English.
pub(super) fn is_done_elsewhere(word: &str) -> bool {
    static GERMAN_START: Words = Words::new(
        "ge be ver er ent zer um an ab aus auf ein nach durch über unter wieder neu hoch zu vor",
    );
    if finds(word) || word.chars().count() < 5 {
        return false;
    }
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let german = GERMAN_START.begin(word) && ends(&["t", "en"]) || word.ends_with("iert");
    let romance = ends(&[
        "é", "ée", "és", "ées", "crit", "crits", "duit", "duits", "ado", "ada", "ados", "adas",
        "ido", "ida", "idos", "idas", "ato", "ata", "ati", "ate", "ito", "iti", "uto", "uti",
    ]);
    let slavic = ends(&[
        "ано", "ены", "ено", "аны", "ил", "ал", "ила", "ала", "или", "али",
    ]);
    let irregular = listed!(
        word,
        "feito feitos feita feitas hecho hechos hecha hechas escrito escritos puesto puestos fatto
        fatti fatta fatte scritto scritti messo messi letto letti fait faits faite faites refait
        refaits repris traduit traduits gemacht getan gedaan gjort"
    );
    let nordic = ends(&["erat", "eret", "ade"]);
    (german || romance || slavic || nordic || irregular) && !is_thing(word)
}

/// Small words tell that a sentence is English.
pub(super) fn is_english(tokens: &[Token<'_>]) -> bool {
    tokens.iter().enumerate().any(|(at, t)| {
        // "I²C" begins with no English word.
        let apart = tokens.get(at + 1).is_none_or(|next| {
            next.spaced || next.text.starts_with(|c: char| c.is_ascii_punctuation())
        });
        t.is_word()
            && apart
            && listed!(
                &t.low,
                "the of and is are have has i i've i'm we've with to it for so far"
            )
    })
}

/// Something that works: a job, or a program by what it is called.
pub(super) fn is_worker(word: &str) -> bool {
    static NO_PROGRAMS: Words = Words::new(
        "over after number folder header other another rather order never ever under later earlier
        user customer vendor provider developer maintainer manager owner reviewer author designer
        engineer teacher partner competitor contractor supplier member reader writer newsletter
        letter paper chapter quarter buffer cluster filter layer parameter server footer border
        center color error editor behavior vector for or prior minor major",
    );
    let agentive = word.len() >= 6 && (word.ends_with("er") || word.ends_with("or"));
    is_work_noun(word)
        || listed!(
            word,
            "script job tool bot codemod program process run pass loop cli"
        )
        || (agentive && word.is_ascii() && !NO_PROGRAMS.has(word))
}

/// By its form, which is enough behind a number.
pub(super) fn is_plural(word: &str) -> bool {
    word.len() >= 4 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us")
}

/// Something failed; "none failed" says the opposite.
pub(super) fn has_failure<'a>(mut words: impl Iterator<Item = &'a str>) -> bool {
    let mut none = false;
    words.any(|word| {
        let failed = is_failure(word) && !none;
        none = listed!(word, "no none nothing zero never");
        failed
    })
}

/// Something stopped before its end, in one word or in two.
pub(super) fn stops<'a>(words: impl Iterator<Item = &'a str> + Clone) -> bool {
    let pair = |pair: (&str, &str)| {
        matches!(
            pair,
            ("gave" | "giving", "up")
                | ("cut", "off" | "short")
                | ("timed" | "ran" | "bailed", "out")
                | ("broke" | "broken", "off")
                | (
                    "got" | "was" | "were",
                    "blocked" | "throttled" | "rate-limited" | "disconnected"
                )
                | ("went", "down")
                | ("rolled", "back")
        )
    };
    // "I had to abort the backfill"
    let list: Vec<&str> = words.clone().collect();
    let had_to = list.windows(3).any(|three| {
        matches!(three[0], "had" | "have" | "forced")
            && three[1] == "to"
            && listed!(three[2], "abort stop cancel kill interrupt give")
    });
    had_to || has_failure(words.clone()) || words.clone().zip(words.skip(1)).any(pair)
}
