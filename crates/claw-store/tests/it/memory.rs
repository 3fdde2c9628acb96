//! The contract suite on the memory store.

use std::sync::Arc;
use std::time::Duration;

use claw_store::contract::{Action, Harness, Misconfigured, Outcome, TESTS, run_one};
use claw_store::{DurabilityLevel, MemoryStore, SessionKey, Store};

claw_store::contract_tests!(Arc::<MemoryHarness>::default());

/// A [`MemoryStore`] under test. Restarting it does nothing.
#[derive(Default)]
struct MemoryHarness {
    store: MemoryStore,
}

/// The same store, without optional operations and without an excuse.
struct PlainHarness(MemoryStore);

fn done<'a, T: Send + 'a>(value: T) -> Action<'a, T> {
    Box::pin(async { Ok(value) })
}

impl Harness for MemoryHarness {
    /// Nothing survives the process, and no schema is stored.
    fn excused(&self) -> &'static [u32] {
        &[36, 37, 40, 41]
    }

    fn open(&self) -> Action<'_, Arc<dyn Store>> {
        done(Arc::new(self.store.handle()))
    }

    fn restart(&self) -> Action<'_> {
        done(())
    }

    fn cut_history<'a>(&'a self, key: &'a SessionKey, first: u64) -> Action<'a> {
        Box::pin(async move { Ok(self.store.cut_history(key, first)?) })
    }

    fn plant_frame<'a>(&'a self, key: &'a SessionKey, epoch: u64, sequence: u64) -> Action<'a> {
        Box::pin(async move { Ok(self.store.write_frame(key, epoch, sequence)?) })
    }

    fn void_frames<'a>(&'a self, key: &'a SessionKey) -> Action<'a, u64> {
        Box::pin(async move { Ok(self.store.void_frames(key)?) })
    }

    /// Announces the last events a moment later, as an engine with a lossy network does.
    fn lose_live(&self, is_lost: bool) -> Action<'_> {
        Box::pin(async move {
            self.store.set_silent(is_lost);
            let store = self.store.clone();
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(100)).await;
                store.announce();
            });
            Ok(())
        })
    }

    fn subscriptions<'a>(&'a self, _: &'a SessionKey) -> Action<'a, usize> {
        done(self.store.subscriptions())
    }

    fn change_leader(&self) -> Action<'_> {
        Box::pin(async {
            self.store.set_stopped(true);
            tokio::time::sleep(Duration::from_millis(100)).await;
            self.store.set_stopped(false);
            Ok(())
        })
    }

    fn set_outage(&self, is_out: bool) -> Action<'_> {
        self.store.set_stopped(is_out);
        done(())
    }

    fn set_disk_full(&self, is_full: bool) -> Action<'_> {
        self.store.set_full(is_full);
        done(())
    }

    fn misconfigured(&self) -> Action<'_, Vec<Misconfigured>> {
        done(vec![Misconfigured {
            setting: "none: memory has one level".to_owned(),
            store: Arc::new(self.store.handle()),
            at_most: DurabilityLevel::Memory,
        }])
    }
}

impl Harness for PlainHarness {
    fn open(&self) -> Action<'_, Arc<dyn Store>> {
        done(Arc::new(self.0.handle()))
    }

    fn restart(&self) -> Action<'_> {
        done(())
    }
}

#[tokio::test]
async fn test_without_its_capability_fails_unless_it_is_excused() {
    let plain = Arc::new(PlainHarness(MemoryStore::new()));
    let outcome = run_one(&TESTS[35], plain).await;
    assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
    for test in &TESTS[35..41] {
        let is_excused = [36, 37, 40, 41].contains(&test.number);
        let outcome = run_one(test, Arc::<MemoryHarness>::default()).await;
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
