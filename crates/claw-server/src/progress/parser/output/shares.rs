//! "[ 45%] Building", "Downloading... 45%": shares in a line of a tool.

use super::evidence::{Evidence, is_refused};
use super::label_of;
use super::updates::is_test;
use super::wget;
use crate::progress::parser::counters::Share;
use crate::progress::parser::page::PageLine;
use crate::progress::parser::reading::{WORDED, update};
use crate::progress::parser::tokens::Kind;
use crate::progress::parser::vocabulary::{is_over, is_printed_noun, is_work_verb, opens_work};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

pub(super) fn share_is_work(
    line: &PageLine<'_>,
    share: &Share,
    from: usize,
    evidence: &Evidence,
) -> bool {
    let tokens = &line.tokens;
    let before = share.first.checked_sub(1).and_then(|at| tokens.get(at));
    let after = tokens.get(share.after);
    // "reading sources... [ 50%] usage": what is in its turn may have any name.
    let in_brackets = before.is_some_and(|t| t.is_sign('['))
        && after.is_some_and(|t| t.is_sign(']'))
        && !is_refused(&tokens[..share.after]);
    if (evidence.refused && !in_brackets && !(line.redrawn && evidence.bar))
        || !tokens[share.first].spaced
            && before
                .is_some_and(|t| matches!(t.kind, Kind::Sign('"' | '\'' | '`' | '*' | '+' | '$')))
    {
        return false;
    }
    // "45% of users" is a share of something else.
    let known = evidence.rate || evidence.opened || evidence.bar;
    if after.is_some_and(|t| t.low == "of") && !known {
        return false;
    }
    // "45% smaller", "by 45%", "Compressed 12 images (45%)"
    let compared = after.is_some_and(|t| {
        listed!(
            &t.low,
            "less more faster slower smaller larger off lower higher reduction"
        )
    }) || before.is_some_and(|t| {
        listed!(
            &t.low,
            "by to from than every each under over above below least most"
        )
    }) || tokens.iter().any(|t| {
        listed!(
            &t.low,
            "compressed reduced optimized optimised minified shrunk gzipped executed"
        )
    });
    if compared {
        return false;
    }
    if line.redrawn || evidence.bar || evidence.rate || wget::is_row(line.text) {
        return true;
    }
    // "[ 45%] Building C object"
    let boxed = share.first == from + 1
        && tokens
            .get(from)
            .is_some_and(|t| matches!(t.kind, Kind::Sign('[' | '(')))
        && after.is_some_and(|t| matches!(t.kind, Kind::Sign(']' | ')')));
    if boxed
        && tokens[share.after..]
            .iter()
            .any(|t| t.is_word() || t.kind == Kind::Opaque)
    {
        return true;
    }
    // "[0:12] 31.82%  /home/user/media": restic
    let timed = share.first == from
        && from >= 3
        && tokens[from - 1].is_sign(']')
        && tokens[from - 2].text.contains(':')
        && tokens[from - 3].is_sign('[');
    if timed {
        return true;
    }
    // "45% [3 libfoo 12.3 kB/45.6 kB 27%]"
    if share.first == from && after.is_some_and(|t| t.is_sign('[')) {
        return true;
    }
    // "45% done", "45% building modules"
    let said = after.is_some_and(|t| is_over(&t.low) || acts(&t.low) || t.low == "through")
        || (share.first == from && after.is_some_and(|t| t.is_sign('|')))
        // k6: "default [ 40% ] 10 VUs"
        || (after.is_some_and(|t| t.is_sign(']')) && tokens.iter().any(|t| t.low == "vus"));
    if said {
        return true;
    }
    // Cells of a table.
    if tokens[from.min(share.first)..share.first]
        .iter()
        .any(|t| t.is_sign('|'))
    {
        return false;
    }
    // "Downloading... 45%", "Progress: 45%"
    let opener = tokens[from.min(share.first)..share.first]
        .iter()
        .filter(|t| t.is_word())
        .take(4)
        .enumerate()
        .any(|(place, t)| {
            // "done" in the middle is a value, "Downloading" is not.
            let opens = match place {
                0 => acts(&t.low),
                _ => is_work_verb(&t.low) && !is_over(&t.low),
            };
            opens || is_printed_noun(&t.low)
        });
    opener && share.first.saturating_sub(from) <= 14
}

pub(super) fn share_update(line: &PageLine<'_>, share: &Share) -> ProseProgress {
    // "(read-only test): 12%" says in what way.
    let before = &line.tokens[..share.first];
    let aside = |at: usize| before.get(at + 1).is_some_and(|t| t.is_sign(')'));
    let mut tests = before.iter().enumerate();
    let tests = tests.any(|(at, t)| is_test(t) && !aside(at));
    let kind = if tests {
        ProgressKind::TestRun
    } else {
        ProgressKind::Percent
    };
    let mut found = update(kind, WORDED);
    found.percent = Some(share.percent);
    found.label = label_of(line, share.first, share.after);
    if share.percent >= 100.0 {
        found.state = ProgressState::Finished;
    }
    found
}

/// A verb of work, or any that says that something goes on: "sealing", and not "unified".
fn acts(word: &str) -> bool {
    is_work_verb(word) || (word.ends_with("ing") && opens_work(word))
}
