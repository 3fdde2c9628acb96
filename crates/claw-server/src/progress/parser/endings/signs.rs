//! What single lines say about how something ends.

use super::levels::is_warning;
use super::lists::{BROKEN, CLOSED, FAILED, OVER, STOPPED};
use crate::progress::parser::vocabulary::{is_failure, is_over, is_work_noun, is_work_verb};
use crate::progress::parser::words::listed;

/// What a line behind the last number means for what was counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sign {
    /// It stopped because something went wrong.
    Failed,
    /// Some of what was counted failed.
    SomeFailed,
    /// It is tried again.
    GoesOn,
    /// What went wrong was left out.
    Skips,
    /// Something is over; what was counted, if all of it was done.
    Over,
    /// It stops; with something left to do that is a failure.
    Leaves,
    /// What was counted is over, whatever the number says.
    Closed,
}

/// Longer lines tell a story.
const SHORT: usize = 10;

pub(super) fn sign(text: &str) -> Option<Sign> {
    let text = without_stamp(text);
    let marked = ["[error]", "[fatal]", "[critical]"];
    let low = text.to_lowercase();
    let marked = marked.iter().any(|mark| low.starts_with(mark));
    let low = without_mark(text).to_lowercase();
    // "stopped: max_epochs=15 reached" is how it should end.
    if low.contains("stopped: ") && low.contains("max") && low.contains("reached") {
        return Some(Sign::Closed);
    }
    // A warning says nothing of how it ends.
    if is_warning(text) {
        return goes_on(&low);
    }
    if stops_everything(text) || has(&low, BROKEN) || dies_at_line(&low) {
        let again = low.contains("retrying") || low.contains("trying again");
        return Some(if again { Sign::GoesOn } else { Sign::Failed });
    }
    if let Some(sign) = goes_on(&low) {
        return Some(sign);
    }
    if low.starts_with("note:") {
        return None;
    }
    if names_exception(text) || marked {
        return Some(Sign::Failed);
    }
    if low.contains("with errors") || low.contains("with failures") {
        return Some(Sign::SomeFailed);
    }
    // "ERROR ITMS-90161: invalid profile", and not "error 3" of "errors: 3".
    let named = low
        .strip_prefix("error ")
        .or(low.strip_prefix("failed to "));
    if named.is_some_and(|what| what.starts_with(char::is_alphabetic)) {
        return Some(Sign::Failed);
    }
    let end = || tells_end(&low).or_else(|| tells_end(without_program(&low)?));
    match number_of_failures(&low) {
        Some(true) => return Some(Sign::SomeFailed),
        Some(false) => return end().or(Some(Sign::Over)),
        None => {}
    }
    let begins = |low: &str| FAILED.iter().any(|sign| begins_with(low, sign));
    let from_program = without_program(&low).is_some_and(|rest| {
        let mut first = rest.split(' ').take(3);
        begins(rest) || work_failed(rest) || first.any(|word| word == "error")
    });
    // "Extension error:", "PHP Parse error: …", "protocol error, resp=0x00"
    let mut words = low.split(' ').skip(1).take(6);
    let titled = words.any(|word| matches!(word, "error:" | "error,"));
    if begins(&low) || from_program || titled || work_failed(&low) || says_stop(&low) {
        return Some(Sign::Failed);
    }
    end().or_else(|| leaves(&low).then_some(Sign::Leaves))
}

/// "shutting down", "no more jobs, exiting": it stops, be it for good or for bad.
fn leaves(low: &str) -> bool {
    let begins = ["shutting down", "stopping", "not continuing"];
    begins.iter().any(|sign| low.starts_with(sign))
        || low.trim_end_matches(['.', '!']).ends_with(", exiting")
}

/// `Can't open x at copy.pl line 61.`
fn dies_at_line(low: &str) -> bool {
    let number = low.trim_end_matches('.').rsplit_once(" line ");
    number.is_some_and(|(head, line)| {
        head.contains(" at ") && low.ends_with('.') && line.parse::<u32>().is_ok()
    })
}

fn tells_end(low: &str) -> Option<Sign> {
    let closed = CLOSED.iter().any(|sign| low.starts_with(sign))
        || takes_time(low)
        || low.contains("successfully rolled out")
        || work_over(low);
    if closed {
        return Some(Sign::Closed);
    }
    let words = || low.split(|c: char| !c.is_alphanumeric());
    let over = OVER.iter().any(|sign| low.starts_with(sign))
        || (low.starts_with("all ") && words().any(|word| is_over(word) || is_work_verb(word)))
        || (words().take(3).any(is_over) && words().count() <= 10)
        // "mean error 0.412, done"
        || low.trim_end_matches(['.', '!']).ends_with(", done");
    over.then_some(Sign::Over)
}

/// "Finished `release` profile [optimized] target(s) in 31.92s"
fn takes_time(low: &str) -> bool {
    let first = low.split(' ').next().unwrap_or("");
    let time = low.rsplit_once(" in ").map_or("", |(_, time)| time);
    let number = time.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '.');
    let counted = number.starts_with(|c: char| c.is_ascii_digit()) && number.len() < time.len();
    listed!(first, "finished completed done built") && counted
}

/// `rsync: connection lost` without the name of the program.
pub(super) fn without_program(low: &str) -> Option<&str> {
    let (name, rest) = low.split_once(": ")?;
    let is_name = !name.contains(' ')
        && name.len() <= 20
        && !listed!(name, "info debug notice remote hint note trace");
    is_name.then_some(rest)
}

/// A line that ends whatever ran before it: a signal, an exit code, a crash.
pub(super) fn stops_everything(text: &str) -> bool {
    if is_warning(text) {
        return false;
    }
    let low = text.to_lowercase();
    matches!(
        low.trim_end_matches(['.', '!']),
        "killed" | "terminated" | "aborted" | "^c" | "interrupted" | "keyboardinterrupt" | "hangup"
    ) || has(&low, STOPPED)
        || low.starts_with("ninja: build stopped")
        || (low.contains("make") && low.contains("***"))
        || low.starts_with("npm err")
        || low.starts_with("timeout: sending signal")
        || shell_reports(&low)
        || names_signal(text)
        || exits(&low)
}

/// `SIGKILL`, and not `drain_on_sigterm`, which is the name of a test.
fn names_signal(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| {
            listed!(
                word,
                "SIGINT SIGTERM SIGKILL SIGSEGV SIGABRT SIGHUP SIGBUS SIGFPE"
            )
        })
}

/// `bash: line 3:  8120 Killed  ./convert.sh`
fn shell_reports(low: &str) -> bool {
    let shell = ["bash:", "sh:", "zsh:", "/bin/sh:", "/bin/bash:"];
    let mut words = low.split([' ', '\t']);
    shell.iter().any(|name| low.starts_with(name))
        && words.any(|word| matches!(word, "killed" | "terminated" | "aborted"))
}

/// `exited with code 3`, `exit status 1`, `exit code: 137`, and not 0.
fn exits(low: &str) -> bool {
    let mut words = low
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .peekable();
    while let Some(word) = words.next() {
        if !matches!(word, "exit" | "exited" | "exits" | "exiting") {
            continue;
        }
        while words
            .next_if(|word| listed!(word, "with code status was"))
            .is_some()
        {}
        let code = words.peek().and_then(|code| code.parse::<u32>().ok());
        if code.is_some_and(|code| code != 0) {
            return true;
        }
    }
    false
}

/// What went wrong did not stop it.
fn goes_on(low: &str) -> Option<Sign> {
    const AGAIN: &[&str] = &[
        "retrying",
        "will try again",
        "trying again",
        "will retry",
        "continuing",
        "reconnect",
        "resuming",
    ];
    const LEFT_OUT: &[&str] = &["skipp", "ignoring", "ignored", "non-fatal"];
    let again = has(low, AGAIN).then_some(Sign::GoesOn);
    let sign = again.or_else(|| has(low, LEFT_OUT).then_some(Sign::Skips));
    sign.filter(|_| !low.starts_with("fatal"))
}

/// "2 files could not be uploaded", "3 failed, 37 ok", "0 errors": whether some failed.
fn number_of_failures(low: &str) -> Option<bool> {
    let words: Vec<&str> = low
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let fails = |word: &str| {
        listed!(
            word,
            "failed failures failure errors error unsuccessful broken corrupt corrupted invalid
            rejected fehler fehlern erreurs errores errori erros ошибок ошибки fouten"
        )
    };
    let mut found = None;
    for (at, word) in words.iter().enumerate() {
        let Ok(number) = word.parse::<u64>() else {
            continue;
        };
        let after = words[at + 1..].iter().take(3);
        // The next number has its own word.
        let mut after = after.take_while(|word| word.parse::<u64>().is_err());
        let counts = after.any(|word| fails(word)) && words.len() <= 14
            // "failed: 3", "errors=0"
            || at == 1 && fails(words[0]) && !low.starts_with("error ");
        let could_not = low.contains(" could not be ") && at == 0;
        if counts || could_not {
            found = Some(found.unwrap_or(false) || number > 0);
        }
    }
    found
}

/// A short line with a word for a stop in it: "Abbruch durch Benutzer", "Operazione annullata". Names
/// may have any words, and "no error" is none.
fn says_stop(low: &str) -> bool {
    let words = || {
        low.split_whitespace().map(|word| {
            word.trim_matches(|c: char| c.is_ascii_punctuation() || matches!(c, '：' | '！' | '。'))
        })
    };
    let mut denied = false;
    let stops = words().any(|word| {
        let stops = !denied && (is_failure(word) || is_error(word));
        denied = listed!(word, "no not without 0 zero keine ohne sans sin");
        stops
    });
    stops && words().count() <= SHORT
}

fn is_error(word: &str) -> bool {
    listed!(
        word,
        "abbruch fehler erreur errore erro ошибка błąd fel hata fout verweigert"
    ) || ["错误", "錯誤", "エラー", "오류"]
        .iter()
        .any(|part| word.contains(part))
}

/// `OSError: …`, `psycopg2.errors.UniqueViolation: …`: the name of an exception in front.
fn names_exception(text: &str) -> bool {
    let name = text.split([':', ' ']).next().unwrap_or("");
    let last = name.rsplit('.').next().unwrap_or("");
    // Ruby: `ActiveRecord::RecordInvalid: …`
    if let Some((scope, rest)) = text.split_once(": ")
        && let Some((_, last)) = scope.rsplit_once("::")
    {
        let camel = last.starts_with(|c: char| c.is_ascii_uppercase())
            && scope.chars().all(|c| c.is_ascii_alphanumeric() || c == ':');
        return camel && !rest.is_empty();
    }
    let is_name = last.starts_with(|c: char| c.is_ascii_uppercase())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
    let called = ["Error", "Exception", "Interrupt", "Exit"]
        .iter()
        .any(|end| last.ends_with(end));
    is_name && (called || name.contains(".errors.") || name.contains(".exceptions."))
}

/// "Migration 0004 failed", "Operation cancelled": work and what became of it.
fn work_failed(low: &str) -> bool {
    let words: Vec<&str> = low.split([' ', ',', ':', '.', '!', '"', '\'']).collect();
    let named = words.iter().take(2).any(|word| {
        is_work_noun(word)
            || listed!(
                word,
                "operation command process script transaction program dependency pipeline
                session request server worker connection verification publish"
            )
    });
    let about = words.iter().skip(1).take(5);
    let about = about
        .clone()
        .any(|word| is_failure(word) || listed!(word, "lost refused closed"));
    // "Verify failed at 0x8000"
    let reason = low.split(" failed: ").nth(1);
    if reason.is_some_and(|reason| !reason.starts_with(|c: char| c.is_ascii_digit())) {
        return true;
    }
    let short = words.len() <= 10
        && words
            .get(1)
            .is_some_and(|word| listed!(word, "failed aborted cancelled canceled crashed"));
    (named && about && words.len() <= 16) || short
}

/// "Import complete", "Backup finished": the first two words, and no step of something larger.
fn work_over(low: &str) -> bool {
    let mut words = low.split([' ', ',', ':', '.', '!']);
    let noun = words.next().is_some_and(|word| {
        listed!(
            word,
            "import migration backup sync export restore crawl reindex deployment
            conversion rollout replication synchronization ingestion"
        )
    });
    noun && words.find(|word| *word != "is").is_some_and(is_over)
}

/// The line begins with a sign, and not with a name that begins so: "error-pages.html copied".
fn begins_with(low: &str, sign: &str) -> bool {
    let Some(rest) = low.strip_prefix(sign) else {
        return false;
    };
    // A terminal shows the key right before what is printed next: "^CInterrupted".
    let word = sign.ends_with(char::is_alphabetic) && sign != "^c";
    let mut after = rest.chars();
    let goes_on = match after.next() {
        Some('.' | '-' | '/') => after.next().is_some_and(char::is_alphanumeric),
        Some(c) => c.is_alphanumeric() || c == '_',
        None => false,
    };
    !(word && goes_on)
}

fn has(low: &str, signs: &[&str]) -> bool {
    signs.iter().any(|sign| low.contains(sign))
}

/// The line without the date and the time in front of it.
pub(super) fn without_stamp(text: &str) -> &str {
    let mut rest = text;
    while let Some((word, after)) = rest.split_once([' ', '\t']) {
        let stamp = word.contains([':', '-', '/'])
            && word.starts_with(|c: char| c.is_ascii_digit())
            && word.chars().all(|c| {
                c.is_ascii_digit() || matches!(c, ':' | '-' | '/' | '.' | ',' | '+' | 'T' | 'Z')
            });
        if !stamp {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

/// `Errors: 2`, `failed=3`: a row of a summary that counts failures.
pub(super) fn is_row_of_failures(text: &str) -> bool {
    let low = text.to_lowercase();
    let row = ["errors:", "errors=", "failed:", "failed=", "failures:"];
    let number = row.iter().find_map(|name| low.strip_prefix(name));
    number.is_some_and(|rest| {
        let number = rest.trim().split(|c: char| !c.is_ascii_digit()).next();
        number.is_some_and(|number| number.parse::<u64>().is_ok_and(|n| n > 0))
    })
}

/// The line without the name of the program that many print in front: "[pipeline] done".
fn without_mark(text: &str) -> &str {
    let Some((mark, rest)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) else {
        return text;
    };
    let is_name = mark
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
    match is_name && mark.chars().any(char::is_alphabetic) {
        true => rest.trim_start(),
        false => text,
    }
}
