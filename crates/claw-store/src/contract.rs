//! The tests that every store passes.
//!
//! Implement [`Harness`] for an engine, and run each test of [`TESTS`] with a harness of its own:
//! some of them stop the engine or fill its disk. The numbers are those of the contract.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::store::BoxFuture;

mod bench;
mod directory;
mod engine;
mod failure;
mod follow;
mod harness;
mod inbox;
mod interactions;
mod log;
mod memory;
mod nodes;
mod reads;
mod tenants;

pub use failure::{Failure, HarnessError};
pub use harness::{Action, Capability, Harness, Misconfigured, OldData, numbered_body};
pub use memory::MemoryHarness;

use bench::Bench;

/// How long a test may take.
const DEADLINE: Duration = Duration::from_secs(180);

type Run = fn(Arc<dyn Harness>) -> BoxFuture<'static, Result<(), Failure>>;

/// A test of the contract.
#[derive(Clone, Copy)]
pub struct Test {
    /// Its number in the contract.
    pub number: u32,
    /// The behaviour that it checks.
    pub name: &'static str,
    /// What its harness must be able to do.
    pub needs: Capability,
    run: Run,
}

impl fmt::Debug for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.number, self.name)
    }
}

/// The result of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The store behaves as it must.
    Passed,
    /// The engine cannot do what the test needs, and is excused from it.
    Excused,
    /// The store misbehaves, or the harness cannot do what the test needs.
    Failed(String),
}

/// The results of all tests.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The tests and their results.
    pub outcomes: Vec<(Test, Outcome)>,
}

impl Report {
    /// Returns the numbers of the tests that failed.
    pub fn failed(&self) -> Vec<u32> {
        let failed = |(test, outcome): &(Test, Outcome)| {
            matches!(outcome, Outcome::Failed(_)).then_some(test.number)
        };
        self.outcomes.iter().filter_map(failed).collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (test, outcome) in &self.outcomes {
            match outcome {
                Outcome::Passed => writeln!(f, "ok       {test:?}")?,
                Outcome::Excused => writeln!(f, "excused  {test:?}")?,
                Outcome::Failed(why) => writeln!(f, "FAILED   {test:?}: {why}")?,
            }
        }
        Ok(())
    }
}

/// Runs all tests, one after the other. `harness` is called for each of them.
pub async fn run(harness: impl Fn() -> Arc<dyn Harness>) -> Report {
    let mut report = Report::default();
    for test in TESTS {
        let outcome = run_one(test, harness()).await;
        report.outcomes.push((*test, outcome));
    }
    report
}

/// Runs a test. A panic is a failure.
pub async fn run_one(test: &Test, harness: Arc<dyn Harness>) -> Outcome {
    let is_excused = harness.excused().contains(&test.number);
    let run = tokio::spawn((test.run)(harness));
    let abort = run.abort_handle();
    match tokio::time::timeout(DEADLINE, run).await {
        Ok(Ok(Ok(()))) => Outcome::Passed,
        Ok(Ok(Err(Failure::Harness(HarnessError::Unsupported)))) if is_excused => Outcome::Excused,
        Ok(Ok(Err(Failure::Harness(error)))) => {
            Outcome::Failed(format!("{error} ({:?})", test.needs))
        }
        Ok(Ok(Err(failure))) => Outcome::Failed(failure.to_string()),
        Ok(Err(error)) => Outcome::Failed(error.to_string()),
        Err(_) => {
            abort.abort();
            Outcome::Failed(format!("it takes longer than {DEADLINE:?}"))
        }
    }
}

macro_rules! tests {
    ($($group:ident { $($number:literal $name:ident $needs:ident)* })*) => {
        /// The tests of the contract.
        pub const TESTS: &[Test] = &[$($(Test {
            number: $number,
            name: stringify!($name),
            needs: Capability::$needs,
            run: |harness| Box::pin(async { $group::$name(Bench::new(harness).await?).await }),
        }),*),*];

        /// Defines a test function for each test of the contract. The argument is an expression
        /// that returns a new `Arc<dyn Harness>`.
        #[macro_export]
        macro_rules! contract_tests {
            ($harness:expr) => {
                $($(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    $crate::contract::assert_passes($number, $harness).await;
                })*)*
            };
        }
    };
}

/// Runs the test of a number and panics if it fails.
///
/// # Panics
/// The test fails, or there is no such test.
pub async fn assert_passes(number: u32, harness: Arc<dyn Harness>) {
    let test = TESTS.iter().find(|test| test.number == number);
    let Some(test) = test else {
        panic!("there is no test {number}");
    };
    if let Outcome::Failed(why) = run_one(test, harness).await {
        panic!("{test:?}: {why}");
    }
}

tests! {
    log {
        1 append_returns_dense_sequences None
        2 batch_is_stored_whole_or_not_at_all None
        3 stale_claim_stores_nothing None
        4 repeated_append_stores_once None
        5 concurrent_sessions_do_not_mix None
        6 one_of_16_racing_claims_is_valid None
        7 zombie_stores_nothing_after_200_claims None
        8 void_frames_are_invisible_and_counted VoidFrames
    }
    reads {
        9 reads_start_at_any_sequence CutHistory
        10 truncated_history_is_reported CutHistory
        11 bodies_of_any_size_and_content_are_stored None
        12 all_readers_see_the_order_of_appends None
    }
    follow {
        13 history_and_live_events_join_without_a_gap None
        14 slow_follower_gets_behind_and_every_event None
        15 lost_live_messages_are_noticed LoseLive
        16 followers_share_one_subscription Subscriptions
        17 rejected_append_is_never_followed None
        18 follower_survives_leader_change_and_restart LeaderChange
    }
    inbox {
        19 repeated_command_is_stored_once None
        20 commands_of_two_nodes_keep_their_order None
        21 command_waits_for_an_owner None
        22 unapplied_commands_are_delivered_again None
        23 inbox_is_bounded None
    }
    interactions {
        24 one_of_100_answers_wins None
        25 closed_interaction_is_not_answered None
        26 pending_interactions_survive None
        27 expired_interactions_are_listed_and_closed None
    }
    directory {
        28 create_is_idempotent None
        29 one_of_several_updates_succeeds None
        30 paging_is_stable_under_writes None
        31 erased_session_is_gone None
    }
    nodes {
        32 sessions_of_a_dead_node_need_an_owner None
        33 outage_kills_no_node Outage
        34 paused_node_is_in_doubt_and_then_dead None
        35 wall_clocks_have_no_effect None
    }
    engine {
        36 acknowledged_events_survive_a_kill Kill
        37 acknowledged_events_survive_a_power_cut PowerCut
        38 full_disk_stops_writes_only FullDisk
        39 transcript_survives_byte_for_byte None
        40 restored_backup_is_complete Backup
        41 old_data_is_migrated OldSchema
        42 durability_reports_weak_settings Misconfiguration
    }
    tenants {
        43 other_tenants_find_nothing None
    }
}
