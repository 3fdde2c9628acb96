//! What the laws over generated sessions do not cover.

use super::*;

/// Leaks the message id, so that it lives as long as the tests.
fn stored(message: &str, block: u32, text: &'static str) -> StoredBlock<'static> {
    StoredBlock {
        message: Some(Box::leak(Box::new(Str::from(message)))),
        block,
        line: Some(format!("{message}/{block}").leak()),
        text: Some(text),
    }
}

fn delta(message: &str, block: u32, offset: u64, text: &str) -> TextDelta {
    TextDelta::new(1, message, block, offset, text)
}

/// The text that a client shows in the end.
fn shown(pieces: &[Piece]) -> String {
    let mut shown = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => shown.push_str(text),
            Piece::Retracted { offset, length } => {
                let from = *offset as usize;
                shown.replace_range(from..from + *length as usize, "");
            }
        }
    }
    shown
}

#[test]
fn text_that_reads_otherwise_when_stored_is_replaced() {
    let mut sent = SentText::default();
    let mut pieces = Vec::new();
    sent.delta(&delta("a", 0, 0, "Wrong"), &mut pieces);
    sent.stored(&stored("a", 0, "Right you are"), &mut pieces);
    assert_eq!(shown(&pieces), "Right you are");
    // A prefix that ends inside a character does not match.
    sent.delta(&delta("a", 1, 0, "ab"), &mut pieces);
    sent.stored(&stored("a", 1, "aé"), &mut pieces);
    assert_eq!(shown(&pieces), "Right you areaé");
}

#[test]
fn lines_that_do_not_count_are_cut_out() {
    let mut sent = SentText::default();
    let mut pieces = Vec::new();
    sent.stored(&stored("a", 0, "one "), &mut pieces);
    sent.stored(&stored("b", 0, "two "), &mut pieces);
    sent.stored(&stored("c", 0, "three "), &mut pieces);
    sent.delta(&delta("d", 0, 0, "fo"), &mut pieces);
    let lines = [Str::from("b/0"), Str::from("never")];
    sent.retract_lines(&lines, &mut pieces);
    assert_eq!(shown(&pieces), "one three fo");
    sent.stored(&stored("d", 0, "four"), &mut pieces);
    assert_eq!(shown(&pieces), "one three four");
}

#[test]
fn a_turn_without_end_is_remembered_in_bounds_and_still_counted() {
    let mut sent = SentText::default();
    let mut all = Vec::new();
    for number in 0..REMEMBERED + 10 {
        sent.stored(&stored(&format!("m{number}"), 0, "1234567"), &mut all);
    }
    assert_eq!(
        (sent.segments.len(), sent.past.len()),
        (REMEMBERED, REMEMBERED)
    );
    let mut pieces = Vec::new();
    // Too old to be retracted, and one that is not.
    sent.retract_lines(&[Str::from("m3/0")], &mut pieces);
    let last = format!("m{}/0", REMEMBERED + 9);
    sent.retract_lines(&[Str::from(last)], &mut pieces);
    let offset = 7 * (REMEMBERED as u64 + 9);
    assert_eq!(pieces, [Piece::Retracted { offset, length: 7 }]);
    all.append(&mut pieces);
    assert_eq!(shown(&all).len() as u64, offset);
}
