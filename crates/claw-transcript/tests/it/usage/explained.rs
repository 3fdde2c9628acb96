//! Explanations of numbers.

use claw_transcript::{CountedAs, Explanation, GroupBy, Selection};

use super::{Home, OTHER, SESSION, in_utc, reply};

fn explain(home: &Home, selection: &Selection) -> Explanation {
    let explanation = in_utc().explain(&home.library(), selection);
    explanation.expect("readable")
}

/// The number, the output and the verdict of each line of the only message.
fn verdicts(explanation: &Explanation) -> Vec<(u64, u64, CountedAs)> {
    assert_eq!(explanation.messages.len(), 1);
    let lines = explanation.messages[0].lines.iter();
    lines
        .map(|line| (line.line, line.output, line.counted_as))
        .collect()
}

#[test]
fn every_line_of_a_message_is_accounted_for() {
    let home = Home::new();
    let part = |uuid, output| reply(&[("uuid", uuid), ("output", output)]);
    let lines = [part("u1", "3"), part("u2", "137"), part("u3", "137")];
    let path = home.write("-w/a.jsonl", &lines);
    let (session, time) = (("session", OTHER), ("time", "2026-10-05T12:00:00Z"));
    let copy = reply(&[("uuid", "u2"), ("output", "137"), session, time]);
    home.write("-w/b.jsonl", &[copy]);
    let explanation = explain(&home, &Selection::Message("msg_1".to_owned()));
    let expected = [
        (1, 3, CountedAs::SmallerUsage),
        (2, 137, CountedAs::Kept),
        (3, 137, CountedAs::BlockCopy),
        (1, 137, CountedAs::ForkCopy),
    ];
    assert_eq!(verdicts(&explanation), expected);
    let message = &explanation.messages[0];
    assert_eq!(message.time.as_deref(), Some("2026-10-01T12:00:00.000Z"));
    assert_eq!(message.lines[1].path, path);
    assert_eq!(message.lines[1].offset, lines[0].len() as u64 + 1);
    let bill = message.bill.as_ref().expect("a price");
    let term = |what, count, price, amount| serde_json::json!({"what": what, "count": count, "usdPerMillion": price, "amount": amount});
    let expected = serde_json::json!({
        "tier": "standard",
        "terms": [
            term("input", 10, 4.0, 0.00004),
            term("output", 137, 20.0, 0.00274),
            term("cache read", 1000, 0.2, 0.0002),
        ],
        "total": 0.00298,
    });
    assert_eq!(serde_json::to_value(bill).expect("JSON"), expected);
}

/// The creation times of copied files do not show which of two was first. Then one is selected, and
/// the explanation marks the guess.
#[test]
fn a_guess_is_marked() {
    let home = Home::new();
    let at = |id, uuid, session, time| {
        reply(&[
            ("id", id),
            ("uuid", uuid),
            ("session", session),
            ("time", time),
        ])
    };
    let both = |session| at("msg_1", "u1", session, "2026-10-01T10:00:00Z");
    let went_on = at("msg_3", "u3", SESSION, "2026-10-05T10:00:00Z");
    let forked = at("msg_4", "u4", OTHER, "2026-10-01T11:00:00Z");
    home.write("-w/a.jsonl", &[both(SESSION), went_on]);
    home.write("-w/b.jsonl", &[both(OTHER), forked.clone()]);
    let selection = Selection::Message("msg_1".to_owned());
    let (kept, guessed) = (
        (1, 100, CountedAs::Kept),
        (1, 100, CountedAs::LikelyForkCopy),
    );
    assert_eq!(verdicts(&explain(&home, &selection)), [guessed, kept]);
    // A marked copy is not a guess.
    let forked_from = both(OTHER).replacen(
        '{',
        &format!(r#"{{"forkedFrom":{{"sessionId":"{SESSION}","messageUuid":"u1"}},"#),
        1,
    );
    home.write("-w/b.jsonl", &[forked_from, forked]);
    let marked = (1, 100, CountedAs::ForkCopy);
    assert_eq!(verdicts(&explain(&home, &selection)), [kept, marked]);
}

#[test]
fn rows_are_explained_by_their_keys() {
    let home = Home::new();
    let at = |id, time| reply(&[("id", id), ("uuid", id), ("time", time)]);
    let lines = [
        at("msg_1", "2026-10-01T12:00:00Z"),
        at("msg_2", "2026-10-02T12:00:00Z"),
        at("msg_3", "2026-10-02T13:00:00Z"),
    ];
    home.write("-w/a.jsonl", &lines);
    let query = in_utc().group_by(GroupBy::Day).group_by(GroupBy::Tool);
    let report = query.run(&home.library()).expect("readable");
    for row in &report.rows {
        let selection = Selection::Row(row.keys.clone());
        let explanation = query
            .explain(&home.library(), &selection)
            .expect("readable");
        assert_eq!(explanation.total.tokens, row.sums.tokens);
        assert_eq!(explanation.total.cost, row.sums.cost);
    }
    let nothing = Selection::Row(vec!["2026-10-03".to_owned(), "(no tool)".to_owned()]);
    let explanation = query.explain(&home.library(), &nothing).expect("readable");
    assert_eq!(explanation.messages, []);
}

/// The explanation counts line by line what the report counts in passing: both must agree.
#[test]
fn explanations_add_up_to_the_report() {
    let (_folder, traps) = super::traps();
    let mut recovered = 0;
    for (name, library) in traps {
        let report = in_utc().run(&library).expect("readable");
        let explanation = in_utc()
            .explain(&library, &Selection::All)
            .expect("readable");
        assert_eq!(explanation.total, report.total, "{name}");
        for message in &explanation.messages {
            let kept = message
                .lines
                .iter()
                .filter(|line| line.counted_as == CountedAs::Kept);
            assert_eq!(kept.count(), 1, "{name}");
            recovered += message.lines.iter().filter(|line| line.recovered).count();
        }
    }
    assert_eq!(recovered, 1, "one trap has a line in a broken one");
}
