//! A made corpus whose totals are known.

use std::collections::BTreeMap;

use claw_testkit::corpus::SessionCorpus;
use claw_testkit::figure::{Figure, record};
use claw_transcript::{GroupBy, SessionLibrary, Usd};

use super::{assert_adds_up, in_utc, rows};
use crate::is_full;

/// Tokens (input, output, cache writes for 5 minutes and for an hour, cache reads), and their cost.
type Spent = ([u64; 5], Option<Usd>);

#[test]
fn a_corpus_is_counted_exactly() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = if is_full() {
        SessionCorpus::of_megabytes(1000.0).seed(7)
    } else {
        SessionCorpus::of_megabytes(12.0).seed(2).damage_every(4)
    };
    let truth = corpus.write(folder.path()).expect("a corpus can be made");
    let library = SessionLibrary::open(folder.path().join(".claude"));
    assert!(truth.forks > 0 && truth.broken_lines + truth.glued_lines > 0);

    let by_model = in_utc().group_by(GroupBy::Model).run(&library);
    let by_model = by_model.expect("readable");
    assert_eq!(by_model.total.messages, truth.unique_messages);
    assert_eq!(by_model.read.lines, truth.lines);
    assert_eq!(by_model.read.bytes, truth.bytes);
    let counted: BTreeMap<String, Spent> = rows(&by_model)
        .into_iter()
        .map(|(model, sums)| {
            let tokens = sums.tokens;
            let tokens = [
                tokens.input,
                tokens.output,
                tokens.cache_write_5m,
                tokens.cache_write_1h,
                tokens.cache_read,
            ];
            (model, (tokens, sums.cost))
        })
        .collect();
    let right: BTreeMap<String, Spent> = truth
        .tokens
        .iter()
        .map(|(model, tokens)| {
            let cost = Usd::from_dollars(truth.cost[model]);
            let tokens = [
                tokens.input,
                tokens.output,
                tokens.cache_5m,
                tokens.cache_1h,
                tokens.cache_read,
            ];
            ((*model).to_owned(), (tokens, cost))
        })
        .collect();
    let is_exact = counted == right;
    let figure = Figure::new(
        "tokens and cost of a corpus against the truth",
        "exact tokens; cost within 0.01 %",
    )
    .measured(if is_exact { "exact" } else { "other" }, is_exact)
    .note(format!(
        "{:.0} MB in {} files, {} lines, {} messages, ${:.2}; by model: {right:?}",
        truth.bytes as f64 / 1e6,
        truth.files,
        truth.lines,
        truth.unique_messages,
        truth.total_cost,
    ));
    let wrong = counted
        .iter()
        .filter(|(model, sums)| right.get(*model) != Some(*sums));
    let wrong = wrong.map(|(model, sums)| format!("{model}: {sums:?}"));
    record("usage-truth", vec![figure.list("wrong", wrong)]);

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
