use super::*;

/// What it borrows lives as long as the tests do.
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

/// What a client ends up with.
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
fn pieces_are_sent_where_they_go_on_and_the_rest_when_it_is_stored() {
    let mut sent = SentText::default();
    let mut pieces = Vec::new();
    sent.delta(&delta("m", 0, 0, "Hel"), &mut pieces);
    sent.delta(&delta("m", 0, 0, "Hel"), &mut pieces);
    sent.delta(&delta("m", 0, 1, "ello"), &mut pieces);
    sent.delta(&delta("m", 0, 9, "lost before"), &mut pieces);
    sent.delta(&delta("m", 1, 0, "not yet"), &mut pieces);
    assert_eq!(
        pieces,
        [Piece::Text("Hel".into()), Piece::Text("lo".into())]
    );
    sent.stored(&stored("m", 0, "Hello there"), &mut pieces);
    assert_eq!(pieces.pop(), Some(Piece::Text(" there".into())));
    sent.delta(&delta("m", 0, 5, " there"), &mut pieces);
    assert_eq!(pieces.len(), 2);
    sent.delta(&delta("m", 1, 0, "now"), &mut pieces);
    assert_eq!(pieces.pop(), Some(Piece::Text("now".into())));
}

#[test]
fn a_late_piece_of_an_earlier_message_is_not_a_new_message() {
    let mut sent = SentText::default();
    let mut pieces = Vec::new();
    sent.stored(&stored("a", 0, "one"), &mut pieces);
    sent.stored(&stored("b", 0, "two"), &mut pieces);
    sent.delta(&delta("a", 0, 0, "one"), &mut pieces);
    sent.delta(&delta("c", 0, 0, "thr"), &mut pieces);
    sent.delta(&delta("b", 1, 0, "x"), &mut pieces);
    assert_eq!(shown(&pieces), "onetwothr");
}

#[test]
fn what_is_never_stored_is_taken_back() {
    let mut sent = SentText::default();
    let mut pieces = Vec::new();
    sent.stored(&stored("a", 0, "kept "), &mut pieces);
    sent.delta(&delta("b", 0, 0, "broken"), &mut pieces);
    assert_eq!(shown(&pieces), "kept broken");
    sent.delta(&TextDelta::retraction(1, "b", 0), &mut pieces);
    assert_eq!(shown(&pieces), "kept ");
    sent.delta(&delta("c", 0, 0, "other"), &mut pieces);
    // Its retraction was lost, but another message is stored.
    sent.stored(&stored("d", 0, "again"), &mut pieces);
    assert_eq!(shown(&pieces), "kept again");
    sent.delta(&delta("e", 0, 0, "cut"), &mut pieces);
    sent.over(&mut pieces);
    assert_eq!(shown(&pieces), "kept again");
    assert!(sent.is_empty());
}

#[test]
fn text_that_reads_otherwise_when_stored_is_replaced() {
    let mut sent = SentText::default();
    let mut pieces = Vec::new();
    sent.delta(&delta("a", 0, 0, "Wrong"), &mut pieces);
    sent.stored(&stored("a", 0, "Right you are"), &mut pieces);
    assert_eq!(shown(&pieces), "Right you are");
    // A prefix that ends inside a character is none.
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
    // Too far back to be taken back, and one that is not.
    sent.retract_lines(&[Str::from("m3/0")], &mut pieces);
    let last = format!("m{}/0", REMEMBERED + 9);
    sent.retract_lines(&[Str::from(last)], &mut pieces);
    let offset = 7 * (REMEMBERED as u64 + 9);
    assert_eq!(pieces, [Piece::Retracted { offset, length: 7 }]);
    all.append(&mut pieces);
    assert_eq!(shown(&all).len() as u64, offset);
}
