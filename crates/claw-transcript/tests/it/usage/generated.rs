//! A made corpus whose totals are known.

use claw_testkit::corpus::SessionCorpus;
use claw_transcript::{GroupBy, SessionLibrary, Sums, Usd};

use super::{assert_adds_up, in_utc, rows};

#[test]
fn a_corpus_is_counted_exactly() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = SessionCorpus::of_megabytes(12.0).seed(2).damage_every(4);
    let truth = corpus.write(folder.path()).expect("a corpus can be made");
    let library = SessionLibrary::open(folder.path().join(".claude"));
    assert!(truth.forks > 0 && truth.broken_lines + truth.glued_lines > 0);

    let by_model = in_utc().group_by(GroupBy::Model).run(&library);
    let by_model = by_model.expect("readable");
    assert_eq!(by_model.total.messages, truth.unique_messages);
    assert_eq!(by_model.read.lines, truth.lines);
    assert_eq!(by_model.read.bytes, truth.bytes);
    let models = rows(&by_model);
    assert_eq!(models.len(), truth.tokens.len());
    for ((model, sums), (name, tokens)) in models.iter().zip(&truth.tokens) {
        assert_eq!(model, name);
        let five = |sums: &Sums| {
            let tokens = sums.tokens;
            [
                tokens.input,
                tokens.output,
                tokens.cache_write_5m,
                tokens.cache_write_1h,
                tokens.cache_read,
            ]
        };
        let right = [
            tokens.input,
            tokens.output,
            tokens.cache_5m,
            tokens.cache_1h,
            tokens.cache_read,
        ];
        assert_eq!(five(sums), right, "{model}");
        assert_eq!(sums.cost, Usd::from_dollars(truth.cost[name]), "{model}");
    }

    let by_day = in_utc().group_by(GroupBy::Day).run(&library);
    let by_day = by_day.expect("readable");
    let days: Vec<(String, u64, u64)> = rows(&by_day)
        .into_iter()
        .map(|(day, sums)| (day, sums.messages, sums.tokens.output))
        .collect();
    let right = truth.by_day.iter();
    let right: Vec<(String, u64, u64)> = right
        .map(|(day, spend)| (day.clone(), spend.messages, spend.tokens.output))
        .collect();
    assert_eq!(days, right);
    for group in [GroupBy::Session, GroupBy::Project, GroupBy::Tool] {
        let report = in_utc().group_by(group).run(&library).expect("readable");
        assert_adds_up(&report);
        assert_eq!(report.total, by_model.total);
    }
}

/// Forks take over totals, interrupted replies are in lines and not in totals, subagents are in
/// totals and have files of their own: none of that is hidden spend.
#[test]
fn a_corpus_without_compactions_hides_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = SessionCorpus::of_megabytes(20.0).seed(3).clean();
    let truth = corpus.write(folder.path()).expect("a corpus can be made");
    assert!(truth.forks > 0 && truth.interrupted > 0 && truth.agent_files > 0);
    assert_eq!(truth.hidden_compaction_cost, 0.0);
    let library = SessionLibrary::open(folder.path().join(".claude"));
    let report = in_utc().run(&library).expect("readable");
    assert_eq!(report.hidden, []);
}
