//! The tests that every store passes.
//!
//! Implement [`Harness`] for an engine, and run each test of [`TESTS`] with a harness of its own:
//! some of them stop the engine or fill its disk. The numbers are those of the contract.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::store::BoxFuture;

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

mod bench;
mod failure;
mod harness;
mod tests;

pub use failure::{Failure, HarnessError};
pub use harness::{Action, Capability, Harness, Misconfigured, OldData, numbered_body};
pub use tests::TESTS;

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
