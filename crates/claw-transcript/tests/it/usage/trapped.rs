//! The thirty traps of the test kit.

use std::collections::BTreeMap;

use claw_testkit::corpus::traps;
use claw_testkit::figure::{Figure, record};
use claw_transcript::{GroupBy, SessionLibrary, UsageQuery, Zone};

#[test]
fn all_thirty_traps_are_counted_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let traps = traps::write_all(folder.path()).expect("traps can be written");
    assert_eq!(traps.len(), 30);
    let mut wrong = BTreeMap::new();
    for trap in &traps {
        let library = SessionLibrary::open(folder.path().join(trap.name).join(".claude"));
        let query = UsageQuery::new().zone(Zone::utc());
        let report = query.run(&library).expect("a library can be read");
        let (sums, expected) = (report.total, &trap.expected);
        let got = (
            sums.messages,
            sums.tokens.input,
            sums.tokens.output,
            sums.tokens.cache_write(),
            sums.tokens.cache_write_1h,
            sums.tokens.cache_read,
        );
        let right = (
            expected.messages,
            expected.input,
            expected.output,
            expected.cache_write,
            expected.cache_write_1h,
            expected.cache_read,
        );
        let cost = sums.cost.unwrap_or_default().dollars();
        let priced = sums.unpriced_messages == 0 && (cost - expected.cost).abs() < 1e-12;
        if got != right || !priced || !report.hidden.is_empty() {
            wrong.insert(trap.name, format!("{got:?} {cost} is not {expected:?}"));
        }
        for day in &expected.days {
            let zone = Zone::named(day.zone).expect("a zone");
            let query = UsageQuery::new().zone(zone).group_by(GroupBy::Day);
            let report = query.run(&library).expect("a library can be read");
            let days: Vec<&str> = report.rows.iter().map(|row| row.keys[0].as_str()).collect();
            if days != [day.day] {
                wrong.insert(trap.name, format!("{days:?} is not {day:?}"));
            }
        }
    }
    let figure = Figure::new("traps right: tokens, and cost within 0.01 %", "30 of 30").measured(
        format!("{} of {}", traps.len() - wrong.len(), traps.len()),
        wrong.is_empty(),
    );
    let wrong = wrong.iter().map(|(trap, what)| format!("{trap}: {what}"));
    record("traps", vec![figure.list("wrong", wrong)]);
}
