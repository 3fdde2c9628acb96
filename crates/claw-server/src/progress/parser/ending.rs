//! Determines how the work ended from the lines after the last number.

use super::form::Pattern;
use super::found::Found;
use crate::progress::{ProgressKind, ProgressState};

/// The work stopped.
static FATAL: Pattern = Pattern::new(concat!(
    r"(?i)^\W*(?:[\w.\-/\[\]]+: )?(?:\w+ )?(?:fatal|error|panic|aborted|aborting|killed|terminated|",
    r"segmentation fault|traceback|interrupted|cancell?ed|exception|failed|failure|bail out|can't|cannot|could not|unable to)\b",
    r"|^=+ (?:failures|errors) =+$|\bfatal\b|^curl: \([0-9]|segmentation fault|^\^C|\bexit(?:ed)?(?: with)?(?: status| code)? \(?[1-9]|\bnon-zero\b|\bbuild stopped\b",
    r"|\bno space left\b|\bcore dumped\b|keyboardinterrupt|execution halted|\bbroken pipe\b",
    r"|\blost connection\b|\bconnection (?:reset|refused)\b|: \*\*\* |\w(?:Error|Exception): ",
));

/// A problem after which the work may have stopped.
static DOUBT: Pattern = Pattern::new(concat!(
    r"(?i)fail|error|abort|cancel|kill|interrupt|stopp|denied|refused|time[d -]*out|cannot|can't",
    r"|could not|unable|exception|corrupt|crash|panic|roll.?back|conflict|mismatch|invalid|giv(?:e|ing) up|sig(?:int|term|kill)\b|\bsignal [0-9]|exiting|shutting down|disconnect|no response|reject|declined|not responding|retries reached|out of memory|core dumped|\^C|[✖✗❌]",
));

/// No problem, or one that stops nothing.
static HARMLESS: Pattern = Pattern::new(
    r"(?i)\b(?:0|no|without|zero) (?:errors?|fail\w*|problems|conflict\w*)|\b(?:errors?|fail\w*|conflicts)\W{1,3}0\b|\b(?:warn\w*)\b.*|.*\bretry\w*.*|.*\bskipp\w*.*",
);

/// The work is complete.
static CLOSED: Pattern = Pattern::new(
    r"(?i)^[^\w#]*(?:\w+ )?(?:done|complete|completed|finished|success|successfully|succeeded|all done|installed|saved|built)\b|\b(?:succeeded|complete|completed|finished)\W*$|\bsuccessfully\b",
);

/// The state of work whose last number is known, or `None` if the lines after it leave it open.
pub(super) fn state(lines: &[&str], found: &Found) -> Option<ProgressState> {
    let update = &found.update;
    let is_test = update.kind == ProgressKind::TestRun;
    let own = lines.get(found.line).copied().unwrap_or("");
    let is_whole = found.is_whole();
    let (mut in_doubt, mut closed) = (false, false);
    for line in lines.iter().skip(found.line + 1) {
        let line = HARMLESS.removed_from(line);
        if FATAL.matches(&line) {
            return Some(ProgressState::Failed);
        }
        in_doubt |= DOUBT.matches(&line);
        closed |= CLOSED.matches(&line);
    }
    closed |= is_whole && CLOSED.matches(own);
    // Once everything has run, earlier failures count.
    let marks = ["FAILED", "FAIL ", "ERROR", "✖", "✗", "❌"];
    let is_bad = |line: &&str| marks.iter().any(|mark| line.contains(mark));
    in_doubt |= is_whole && !is_test && lines[..found.line].iter().any(is_bad);
    in_doubt |= !is_test && DOUBT.matches(&HARMLESS.removed_from(own));
    let is_open = own.trim_end().ends_with("...") || own.trim_end().ends_with('…');
    match (is_whole, closed) {
        _ if in_doubt || (is_whole && is_open && !closed) => None,
        (true, false) if update.kind == ProgressKind::Step => None,
        (true, _) => Some(ProgressState::Finished),
        (false, true) => None,
        (false, false) => Some(ProgressState::Running),
    }
}
