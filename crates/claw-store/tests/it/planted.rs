//! The contract suite finds planted bugs.

use std::sync::Arc;

use claw_store::contract::{Action, Harness, Misconfigured, Outcome, TESTS, run_one};
use claw_store::{SessionKey, Store};

use crate::memory::MemoryHarness;

mod store;

use store::{Bug, Planted};

struct PlantedHarness {
    inner: MemoryHarness,
    bug: Bug,
}

impl Harness for PlantedHarness {
    fn open(&self) -> Action<'_, Arc<dyn Store>> {
        Box::pin(async {
            let (inner, bug) = (self.inner.open().await?, self.bug);
            Ok(Arc::new(Planted { inner, bug }) as Arc<dyn Store>)
        })
    }

    fn restart(&self) -> Action<'_> {
        self.inner.restart()
    }

    fn cut_history<'a>(&'a self, key: &'a SessionKey, first: u64) -> Action<'a> {
        self.inner.cut_history(key, first)
    }

    fn misconfigured(&self) -> Action<'_, Vec<Misconfigured>> {
        Box::pin(async {
            let mut all = self.inner.misconfigured().await?;
            for case in &mut all {
                let (inner, bug) = (case.store.clone(), self.bug);
                case.store = Arc::new(Planted { inner, bug });
            }
            Ok(all)
        })
    }
}

async fn outcome(number: u32, bug: Bug) -> Outcome {
    let test = TESTS.iter().find(|test| test.number == number).unwrap();
    let inner = MemoryHarness::new();
    run_one(test, Arc::new(PlantedHarness { inner, bug })).await
}

const CASES: &[(Bug, &[u32])] = &[
    (Bug::NoFence, &[3, 6, 7, 17]),
    (Bug::RetryStoresTwice, &[4]),
    (Bug::ReorderedBatch, &[1, 5, 12]),
    (Bug::SilentTruncation, &[10]),
    (Bug::LostLive, &[12, 13, 17]),
    (Bug::DoubleLive, &[12, 13, 17]),
    (Bug::NoIdempotency, &[19]),
    (Bug::AppliedIsLost, &[22, 23]),
    (Bug::TwoWinners, &[24, 25]),
    (Bug::NoCompareAndSet, &[29]),
    (Bug::EraseDoesNothing, &[31]),
    (Bug::WrongTenant, &[43]),
    (Bug::ClaimedDurability, &[42]),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_planted_bug_fails_its_tests() {
    for (bug, numbers) in CASES {
        for number in *numbers {
            let outcome = outcome(*number, *bug).await;
            assert!(
                matches!(outcome, Outcome::Failed(_)),
                "{bug:?} passes test {number}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrapper_without_a_bug_passes_the_same_tests() {
    for number in CASES.iter().flat_map(|(_, numbers)| *numbers) {
        assert_eq!(
            outcome(*number, Bug::None).await,
            Outcome::Passed,
            "test {number}"
        );
    }
}

#[tokio::test]
async fn test_without_its_capability_fails_unless_it_is_excused() {
    let outcome = outcome(36, Bug::None).await;
    assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
    for test in TESTS.iter().filter(|test| (36..=41).contains(&test.number)) {
        let is_excused = [36, 37, 40, 41].contains(&test.number);
        let outcome = run_one(test, Arc::new(MemoryHarness::new())).await;
        assert_eq!(
            outcome == Outcome::Excused,
            is_excused,
            "{test:?}: {outcome:?}"
        );
    }
}

#[test]
fn tests_are_numbered_without_gaps() {
    let numbers: Vec<u32> = TESTS.iter().map(|test| test.number).collect();
    assert_eq!(numbers, (1..=43).collect::<Vec<_>>());
}
