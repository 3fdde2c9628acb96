//! Why a number is what it is.

use claw_testkit::corpus::traps;
use claw_transcript::{GroupBy, Selection, SessionLibrary, Verdict};

use super::{Home, OTHER, Reply, SESSION, in_utc};

fn verdicts(explanation: &claw_transcript::Explanation) -> Vec<Vec<(u64, u64, Verdict)>> {
    let line = |line: &claw_transcript::ExplainedLine| (line.line, line.output, line.verdict);
    let messages = explanation.messages.iter();
    messages
        .map(|message| message.lines.iter().map(line).collect())
        .collect()
}

#[test]
fn every_line_of_a_message_is_accounted_for() {
    let home = Home::new();
    let part = |uuid, output| Reply {
        uuid,
        output,
        ..Reply::default()
    };
    let lines = [
        part("u1", 3).line(),
        part("u2", 137).line(),
        part("u3", 137).line(),
    ];
    let path = home.write("-w/a.jsonl", &lines);
    let copy = Reply {
        session: OTHER,
        time: "2026-10-05T12:00:00Z",
        ..part("u2", 137)
    };
    home.write("-w/b.jsonl", &[copy.line()]);
    let selection = Selection::Message("msg_1".to_owned());
    let explanation = in_utc()
        .explain(&home.library(), &selection)
        .expect("readable");
    let expected = [
        (1, 3, Verdict::SmallerUsage),
        (2, 137, Verdict::Kept),
        (3, 137, Verdict::BlockCopy),
        (1, 137, Verdict::ForkCopy),
    ];
    assert_eq!(verdicts(&explanation), [expected]);
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

/// Files that were copied to this disk, or lie on one that tells no births, do not say which of two
/// was there first. Then one is taken, and the explanation says that it was a guess.
#[test]
fn a_guess_is_called_one() {
    let home = Home::new();
    let reply = |id, uuid, session, time| {
        let reply = Reply {
            id,
            uuid,
            session,
            time,
            ..Reply::default()
        };
        reply.line()
    };
    let both = |session| reply("msg_1", "u1", session, "2026-10-01T10:00:00Z");
    let went_on = reply("msg_3", "u3", SESSION, "2026-10-05T10:00:00Z");
    let forked = reply("msg_4", "u4", OTHER, "2026-10-01T11:00:00Z");
    home.write("-w/a.jsonl", &[both(SESSION), went_on]);
    home.write("-w/b.jsonl", &[both(OTHER), forked.clone()]);
    let explained = |home: &Home| {
        let selection = Selection::Message("msg_1".to_owned());
        let explanation = in_utc().explain(&home.library(), &selection);
        verdicts(&explanation.expect("readable")).remove(0)
    };
    assert_eq!(
        explained(&home),
        [(1, 100, Verdict::LikelyForkCopy), (1, 100, Verdict::Kept)]
    );
    // A copy that says so leaves nothing to guess.
    let told = both(OTHER).replacen(
        '{',
        &format!(r#"{{"forkedFrom":{{"sessionId":"{SESSION}","messageUuid":"u1"}},"#),
        1,
    );
    home.write("-w/b.jsonl", &[told, forked]);
    assert_eq!(
        explained(&home),
        [(1, 100, Verdict::Kept), (1, 100, Verdict::ForkCopy)]
    );
}

#[test]
fn rows_are_explained_by_their_keys() {
    let home = Home::new();
    let at = |id, uuid, time| {
        Reply {
            id,
            uuid,
            time,
            ..Reply::default()
        }
        .line()
    };
    home.write(
        "-w/a.jsonl",
        &[
            at("msg_1", "1", "2026-10-01T12:00:00Z"),
            at("msg_2", "2", "2026-10-02T12:00:00Z"),
            at("msg_3", "3", "2026-10-02T13:00:00Z"),
        ],
    );
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
    let folder = tempfile::tempdir().expect("a folder");
    let traps = traps::write_all(folder.path()).expect("traps can be written");
    let mut recovered = 0;
    for trap in traps.iter().filter(|trap| trap.name != "t15_huge_line") {
        let library = SessionLibrary::open(folder.path().join(trap.name).join(".claude"));
        let report = in_utc().run(&library).expect("readable");
        let explanation = in_utc()
            .explain(&library, &Selection::All)
            .expect("readable");
        assert_eq!(explanation.total, report.total, "{}", trap.name);
        for message in &explanation.messages {
            let kept = message
                .lines
                .iter()
                .filter(|line| line.verdict == Verdict::Kept);
            assert_eq!(kept.count(), 1, "{}", trap.name);
            recovered += message.lines.iter().filter(|line| line.recovered).count();
        }
    }
    assert_eq!(recovered, 1, "one trap has a line in a broken one");
}
