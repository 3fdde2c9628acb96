//! The words of test runners.

use crate::progress::parser::words::{Words, listed};

/// What a word of a summary says about the number beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Passed,
    Failed,
    Skipped,
    /// It came out as it should, or not; alone, or before another verdict.
    Expected,
    Unexpected,
    /// The tests themselves.
    Tests,
    /// All of them.
    Whole,
    /// What also has verdicts or numbers in a summary, and is no test.
    Other,
    /// It says that the run is not over, or that it was another time.
    NotNow,
    /// It says that the run is over.
    Over,
    /// It says nothing here.
    Filler,
    /// Nothing that summaries say.
    Unknown,
}

static PASSED: Words = Words::new(
    "passed passing pass passes ok succeeded success successes successful successfully flaky green
    bestanden erfolgreich réussi réussis réussie réussies superado superados superadas",
);

static FAILED: Words = Words::new(
    "failed failing fail fails failure failures error errors errored aborted canceled cancelled
    crashed crashing crashes timedout timed timeout timeouts red fatal interrupt interrupted
    exception exceptions fehlgeschlagen fehler échoué échoués échec échecs erreurs fallido fallidos
    fallidas fallos",
);

static SKIPPED: Words = Words::new(
    "skipped skip skips skipping ignored ignore pending pendings todo todos disabled xfail xfailed
    xpass xpassed xfails inconclusive incomplete omitted omission omissions
    undefined excluded unsupported untested unresolved broken blacklisted unstable quarantined
    übersprungen ignoré ignorés omitido omitidos",
);

static TESTS: Words = Words::new(
    "test tests spec specs example examples scenario scenarios testcase testcases case cases
    doctest doctests subtest subtests property properties flow flows runs selftest selftests pruebas prueba tester",
);

static OTHERS: Words = Words::new(
    "assertion assertions assert asserts expectation expectations expect calls check checks step
    steps suites testsuites file files feature features snapshot snapshots warning
    warnings warn warned notice notices deprecation deprecations rerun reruns retries retried
    deselected filtered measured item items binary binaries module modules class classes package
    packages containers container group groups job jobs workflow workflows host hosts link links
    task tasks action actions request requests commit commits hunk hunks pod pods query queries
    build builds deployment deployments control controls worker workers process processes problem
    problems issue issues ticks orphans risky notifications rule rules policy policies programs records
    rows documents messages uploads downloads iterations prerequest script scripts model models
    benchmark benchmarks bench threads shards shard seed line lines statement statements branch
    branches function functions mutant mutants target targets profiles samples node nodes
    screenshots video obsolete written memory",
);

static FILLERS: Words = Words::new(
    "in and with of out the for were was have has had been are is all a an result results summary
    run ran total totals unit overall as at after across from using not to did number count
    execution session suite testsuite testing info listed below above detected found started discovered stdout synthesis
    integration acceptance e e2e time times elapsed duration took real user sys usr cusr csys
    wallclock cpu each sum locally time; now it they default regression final status und von et de",
);

static TIMES: Words = Words::new(
    "s ms us µs ns m h sec secs second seconds min mins minute minutes hour hours millisecond
    milliseconds msec wallclock cpu usr sys cusr csys sekunden secondes segundos",
);

/// What a word in small letters says.
pub(super) fn class(word: &str) -> Class {
    match word {
        "expected" | "expectedly" => Class::Expected,
        "unexpected" | "unexpectedly" => Class::Unexpected,
        "total" | "count" | "tried" | "tested" | "all" | "ran" | "executed" => Class::Whole,
        "complete" | "completed" | "finished" | "done" | "finish" => Class::Over,
        "running" | "starting" | "remaining" | "left" | "far" | "still" | "queued"
        | "executing" | "collected" | "collecting" | "selected" | "last" | "previous"
        | "previously" | "yesterday" | "ago" | "earlier" | "before" | "expecting" => Class::NotNow,
        _ if PASSED.has(word) => Class::Passed,
        _ if FAILED.has(word) => Class::Failed,
        _ if SKIPPED.has(word) => Class::Skipped,
        _ if TESTS.has(word) => Class::Tests,
        _ if OTHERS.has(word) => Class::Other,
        _ if FILLERS.has(word) || TIMES.has(word) => Class::Filler,
        _ => Class::Unknown,
    }
}

/// The plainest words for tests.
pub(super) fn is_test(word: &str) -> bool {
    listed!(word, "test tests spec specs")
}

/// A unit of time.
pub(super) fn is_time(word: &str) -> bool {
    TIMES.has(word)
}

/// "passed" is what tests do; "ok" and "succeeded" is what anything does.
pub(super) fn is_of_tests_only(word: &str) -> bool {
    listed!(word, "passed passing pass passes successes bestanden")
}
