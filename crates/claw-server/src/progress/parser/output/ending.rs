//! How it ended, as the lines behind the last counter tell.

use crate::progress::ProgressState;
use crate::progress::parser::page::Page;
use crate::progress::parser::runners::Found;
use crate::progress::parser::vocabulary::is_over;

/// A builder may stop at its last target.
pub(super) fn build_stopped(page: &Page<'_>, found: &Found) -> bool {
    page.lines.iter().skip(found.line + 1).any(|line| {
        line.text.starts_with("ninja: build stopped")
            || (line.text.contains("make") && line.text.contains("***"))
    })
}

/// How it ended, as the lines after the last counter tell.
pub(super) fn ending(page: &Page<'_>, found: &Found) -> ProgressState {
    const FAILURES: &[&str] = &[
        "error",
        "fatal",
        "make: ***",
        "make[",
        "gmake: ***",
        "ninja: build stopped",
        "traceback",
        "panic:",
        "npm err!",
        "aborted",
        "killed",
        "segmentation fault",
        "build failed",
        "curl: (",
        "failed to",
        "failed:",
        "failure:",
        "interrupted",
        "rsync error",
        "wget: ",
        "the command '",
        "✗",
        "✖",
        "❌",
        "abgebrochen",
        "fehler:",
        "erreur",
        "could not",
        "cannot ",
    ];
    const ENDS: &[&str] = &[
        "done",
        "finished",
        "complete",
        "success",
        "all done",
        "build completed",
        "build succeeded",
        "✓",
        "✔",
        "✨",
        "✅",
        "fertig",
        "terminé",
        "built ",
    ];
    let whole = match (found.update.done, found.update.total, found.update.percent) {
        (Some(done), Some(total), _) => done >= total,
        (_, _, Some(percent)) => percent >= 100.0,
        _ => false,
    };
    for line in page.lines.iter().skip(found.line + 1) {
        let low = without_mark(line.text).to_lowercase();
        if FAILURES.iter().any(|sign| low.starts_with(sign))
            || low.contains("returned a non-zero code")
            || low.contains("error: failed")
        {
            return ProgressState::Failed;
        }
        let all = low.starts_with("all ") && low.split([' ', '.', '!']).any(is_over);
        if whole && (all || ENDS.iter().any(|sign| low.starts_with(sign))) {
            return ProgressState::Finished;
        }
    }
    ProgressState::Running
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
