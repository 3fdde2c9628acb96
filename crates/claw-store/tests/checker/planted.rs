//! The checker finds planted bugs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use claw_store::{MemoryStore, Store};
use claw_testkit::figure::{Figure, record};
use futures_util::future::join_all;

use crate::bodies::seed;
use crate::check::{Counts, Rule, check, explain};
use crate::history::{History, Recorder};
use crate::run::{Final, JUDGE, create_sessions, in_process, settle};
use crate::workload::owner::node;
use crate::workload::{Crew, LeasePlan, Plan};

mod store;
mod streams;

use store::{Bug, Planted, TTL};

/// The bugs, and the rule that must find each one.
#[rustfmt::skip] // A table.
const BUGS: &[(Bug, Rule)] = &[
    (Bug::LostAppend, Rule::Lost),
    (Bug::AcknowledgedBeforeStored, Rule::Old),
    (Bug::PartOfBatch, Rule::Lost),
    (Bug::ReorderedBatch, Rule::Torn),
    (Bug::RetryStoresTwice, Rule::Doubled),
    (Bug::ReusedNumber, Rule::FollowOrder),
    (Bug::StaleWriter, Rule::Stale),
    (Bug::RefusedIsStored, Rule::RefusedStored),
    (Bug::ReadIsTruncated, Rule::FollowOrder),
    (Bug::ReadIsOld, Rule::Old),
    (Bug::DoubleDelivery, Rule::FollowOrder),
    (Bug::GapAtTheSeam, Rule::FollowOrder),
    (Bug::ReorderedDelivery, Rule::FollowOrder),
    (Bug::LostWakeUp, Rule::Stuck),
    (Bug::TappedIngest, Rule::WrongView),
    (Bug::TwoWinners, Rule::Winner),
    (Bug::LostAnswer, Rule::Winner),
    (Bug::LostCommand, Rule::Applied),
    (Bug::CommandStoredTwice, Rule::CommandOrder),
    (Bug::CommandAppliedTwice, Rule::Applied),
    (Bug::CommandSkipped, Rule::Delivery),
    (Bug::WrongTenant, Rule::Tenant),
    (Bug::LeaseByTtl, Rule::Theft),
];

/// Returns the rules that found something, what the run did, and the violations in words.
async fn rules_of(bug: Bug, seed: u64) -> (BTreeSet<String>, Counts, Option<String>) {
    let memory = MemoryStore::new();
    let planted = Arc::new(Planted::new(Arc::new(memory), bug));
    let mut plan = Plan::new(seed, 3);
    plan.pause_us = 2000;
    plan.patience_ms = 5000;
    let (history, finals) = match bug {
        Bug::LeaseByTtl => with_leases(planted, plan).await,
        _ => {
            let store: Arc<dyn Store> = planted;
            in_process(&[store], &plan, Duration::from_secs(2)).await
        }
    };
    let found = check(&history, &finals);
    let rules = found
        .iter()
        .map(|violation| format!("{:?}", violation.rule));
    let text = (!found.is_empty()).then(|| explain(&history, &found));
    (rules.collect(), Counts::of(&history), text)
}

/// Cuts off two nodes for longer than a TTL. The one without sessions can write again first.
async fn with_leases(store: Arc<Planted>, mut plan: Plan) -> (History, Vec<Final>) {
    (plan.writers, plan.takers) = (0, 0);
    let shared: Arc<dyn Store> = store.clone();
    let judge = Arc::new(Recorder::new(JUDGE));
    create_sessions(&shared, &plan).await;
    let mut recorders = vec![judge.clone()];
    let mut crews = Vec::new();
    for (process, share) in [(2, Some((0, 1))), (3, None)] {
        plan.lease = Some(LeasePlan {
            term_ms: TTL.as_millis() as u64,
            share,
        });
        let recorder = Arc::new(Recorder::new(process));
        crews.push(Crew::start(shared.clone(), &plan, &recorder));
        recorders.push(recorder);
    }
    tokio::time::sleep(TTL / 2).await;
    store.cut_off(vec![node(2).node, node(3).node]);
    tokio::time::sleep(TTL * 3 / 2).await;
    store.cut_off(vec![node(2).node]);
    tokio::time::sleep(TTL / 5).await;
    store.cut_off(Vec::new());
    tokio::time::sleep(TTL * 3 / 2).await;
    for crew in &mut crews {
        crew.settle().await;
    }
    let history = History::read(&recorders, []);
    let finals = settle(&shared, &plan, &judge, &history).await;
    for crew in crews {
        crew.finish().await;
    }
    (History::read(&recorders, []), finals)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_planted_bug_is_found() {
    let seed = seed("planted");
    let mut found = Vec::new();
    // Some at a time, so that each one does enough.
    for bugs in BUGS.chunks(6) {
        let runs = bugs.iter().map(|(bug, rule)| async move {
            let (rules, counts, _) = rules_of(*bug, seed).await;
            (*bug, format!("{rule:?}"), rules, counts)
        });
        found.extend(join_all(runs).await);
    }
    let mut table = Vec::new();
    let mut missed = Vec::new();
    for (bug, rule, rules, counts) in found {
        if !rules.contains(&rule) {
            missed.push(format!(
                "{bug:?} must be found by {rule}, found by {rules:?}: {counts}"
            ));
        }
        let rules: Vec<_> = rules.into_iter().collect();
        table.push(format!("{bug:?}: {}", rules.join(", ")));
    }
    let bar = "all of at least 12";
    let found = BUGS.len() - missed.len();
    let figure = Figure::new("planted bugs that the checker finds", bar)
        .measured(format!("{found} of {}", BUGS.len()), missed.is_empty())
        .list("missed", missed)
        .list("bugs and the rules that they break", table);
    eprintln!("{}", figure.notes.join("\n"));
    record("planted", vec![figure, without_a_bug(seed).await]);
}

/// Runs the same without a bug, which must pass.
async fn without_a_bug(seed: u64) -> Figure {
    let (_, counts, text) = rules_of(Bug::None, seed).await;
    let tried = [counts.refused, counts.unknown, counts.reads, counts.answers];
    let memory = Arc::new(MemoryStore::new());
    let planted = Arc::new(Planted::new(memory, Bug::None));
    let (history, finals) = with_leases(planted, Plan::new(seed, 3)).await;
    let found = check(&history, &finals);
    let with_leases = (!found.is_empty()).then(|| explain(&history, &found));
    let violations: Vec<String> = text.into_iter().chain(with_leases).collect();
    let is_enough = tried.iter().all(|count| *count > 10);
    Figure::new(
        "the same store and the same load without a bug",
        "0 violations",
    )
    .measured(
        format!("{} runs with violations", violations.len()),
        violations.is_empty() && is_enough,
    )
    .note(counts.to_string())
    .list("violations", violations)
}
