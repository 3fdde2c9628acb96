//! Patterns of test runners.

use crate::progress::ProgressKind::TestRun;
use crate::progress::parser::form::Form;

/// How to read the numbers of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// "3 failed, 5 passed".
    Words,
    /// "Failures: 3, Skipped: 5".
    Keys,
    /// From the groups of the pattern.
    Groups,
    /// From the group `total`; the result is on a line near it.
    Near,
}

/// The last line of a run.
#[derive(Debug)]
pub(super) struct Summary {
    pub(super) name: &'static str,
    pub(super) reads: Reads,
    pub(super) pattern: &'static str,
}

const fn summary(name: &'static str, reads: Reads, pattern: &'static str) -> Summary {
    Summary {
        name,
        reads,
        pattern,
    }
}

const fn form(name: &'static str, pattern: &'static str) -> Form {
    Form {
        name,
        kind: TestRun,
        pattern,
    }
}

pub(super) const SUMMARIES: &[Summary] = &[
    summary(
        "pytest",
        Reads::Words,
        r"^(?:=+ )?(?:{n} (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun|subtests passed)(?:, )?)+ in [0-9.]+s\b",
    ),
    summary(
        "cargo",
        Reads::Words,
        r"^test result: (?:ok|FAILED)\. {n} passed",
    ),
    summary("jest", Reads::Words, r"^Tests: +.*\b{n} total$"),
    summary(
        "vitest",
        Reads::Words,
        r"^Tests  +{n} (?:passed|failed|skipped|todo)\b.*\({total}\)$",
    ),
    summary(
        "nextest",
        Reads::Words,
        r"^Summary \[.*\] +(?:{done}/)?{total} tests? run: ",
    ),
    summary(
        "total first",
        Reads::Words,
        r"^(?:\w+: )?{n} (?:tests?|examples?|runs?|specs?|scenarios?)(?: completed| total)?(?:, | \().*\b(?:failures?|failed|passed)\b",
    ),
    summary("gotestsum", Reads::Words, r"^DONE {n} tests?\b"),
    summary(
        "ctest",
        Reads::Groups,
        r"^{n}% tests passed, {left} tests? failed out of {total}$",
    ),
    summary("deno", Reads::Words, r"^(?:ok|FAILED) \| {n} passed"),
    summary("cases in a row", Reads::Words, r"^test cases: +{n} \|"),
    summary(
        "xctest",
        Reads::Groups,
        r"^Executed {total} tests?, with (?:{n} tests? skipped and )?{left} failures?\b",
    ),
    summary(
        "all passed",
        Reads::Groups,
        r"^(?:# )?All {total} tests passed\b",
    ),
    summary(
        "all cases passed",
        Reads::Groups,
        r"^All tests passed \({n} assertions? in {total} test cases?\)$",
    ),
    summary(
        "phpunit ok",
        Reads::Groups,
        r"^OK \({total} tests?, {n} assertions?\)",
    ),
    summary("phpunit", Reads::Keys, r"^Tests: {n}, Assertions: {n}"),
    summary(
        "dotnet",
        Reads::Keys,
        r"^(?:Failed|Passed)! +- Failed: +{n}, Passed: +{n}",
    ),
    summary(
        "maven",
        Reads::Keys,
        r"^(?:\[\w+\] +)?Tests run: {n}, Failures: {n}, Errors: {n}(?:, Skipped: {n})?$",
    ),
    summary("ran", Reads::Near, r"^Ran {total} tests? (?:in|across) "),
    summary("prove", Reads::Near, r"^Files=[0-9]+, Tests={total},"),
    summary(
        "googletest",
        Reads::Near,
        r"^\[=+\] {total} tests? from {n} test (?:suites?|cases?) ran\.",
    ),
    summary(
        "banner with cases",
        Reads::Words,
        r"^=+ {n} test cases: .*=+$",
    ),
    summary(
        "dotnet summary",
        Reads::Keys,
        r"^Test summary: total: {n}, failed: {n}",
    ),
    summary(
        "ginkgo",
        Reads::Words,
        r"^(?:SUCCESS|FAIL)! -- {n} Passed \|",
    ),
    summary(
        "busted",
        Reads::Words,
        r"^{n} success(?:es)? / {n} failures? / {n} errors? / ",
    ),
    summary(
        "pest",
        Reads::Words,
        r"^Tests: +.*\b{n} passed \({n} assertions?\)$",
    ),
    summary(
        "sbt",
        Reads::Groups,
        r"^(?:\[\w+\] )?(?:Passed|Failed): Total {total}, Failed {left}, Errors 0, Passed {passed}",
    ),
    summary(
        "scalatest",
        Reads::Groups,
        r"^(?:\[\w+\] )?Tests: succeeded {passed}, failed {left}, canceled 0, ignored 0, pending 0$",
    ),
    summary(
        "dart",
        Reads::Groups,
        r"^[0-9:]+ \+{passed}(?: ~{also})?(?: -{left})?: (?:All tests passed!|Some tests failed\.)$",
    ),
    summary(
        "cypress",
        Reads::Groups,
        r"^✔ +All specs passed! +[0-9:]+ +{total} +",
    ),
    summary(
        "cypress failed",
        Reads::Groups,
        r"^✖ +{left} of {n} failed \([0-9]+%\) +[0-9:]+ +{total} +",
    ),
    summary(
        "clojure",
        Reads::Near,
        r"^Ran {total} tests containing {n} assertions\.$",
    ),
];

/// Patterns of the start of a run.
pub(super) const BEGINS: &[Form] = &[
    form(
        "running n tests",
        r"^(?i:running) {total} (?:[a-z-]+ )?tests?(?: (?:from|using|on|across|in parallel) .*| ?\.\.\.)?$",
    ),
    form(
        "collected",
        r"^(?:collecting \.\.\. )?collected {total} items?$",
    ),
    form(
        "selected",
        r"^collected {n} items / {n} deselected / {total} selected$",
    ),
    form("nextest starts", r"^ *Starting {total} tests? across "),
    form("plan", r"^1\.\.{total}$"),
    form("googletest starts", r"^\[=+\] Running {total} tests? from "),
    form(
        "expected count",
        r"^Run starting\. Expected test count is: {total}$",
    ),
    form("workers", r"^{n} workers \[{total} items\]"),
];

/// Patterns of the progress of a run.
pub(super) const COUNTERS: &[Form] = &[
    form(
        "nextest",
        r"^(?:TRY [0-9]+ )?(?:PASS|FAIL|SLOW|SIGSEGV|LEAK) \[.*\] \( *{done}/{total}\) ",
    ),
    form(
        "nextest bar",
        r"^Running \[.*\].* {done}/{total}: {n} running, ",
    ),
    form("ctest", r"^{done}/{total} Test +#[0-9]+: "),
    form(
        "phpunit",
        r"^[.FEISRWDN]* *{done} / {total} \( *{percent}%\)$",
    ),
    form(
        "playwright",
        r"^\[{done}/{total}\] (?:\([^)]*\) )?(?:\[[^\]]+\] )?› ",
    ),
    form("bazel", r"^\[{n} / {n}\] {done} / {total} tests;"),
    form("prove", r"^\S+\.t \.+ {done}/{total}$"),
    form("dots", r"^[.iF]+ {done}/{total}$"),
    form(
        "meson",
        r"^{done}/{total} \S.* (?:OK|FAIL|SKIP|EXPECTEDFAIL|TIMEOUT) +[0-9.]+ ?s",
    ),
    form(
        "dbt",
        r"^[0-9:]+ +{done} of {total} (?:START test|PASS|FAIL) ",
    ),
    form(
        "lit",
        r"^(?:PASS|FAIL|XFAIL|UNSUPPORTED): .* \({done} of {total}\)$",
    ),
    form("cypress", r"^Running: +\S+ +\({done} of {total}\)$"),
    form("minitest", r"^{done}/{total}: \[[= ]*\] *{percent}% Time: "),
    form("swift", r"^\[{done}/{total}\] Testing "),
    form(
        "karma",
        r"\bExecuted {done} of {total}(?P<bad> \([0-9]+ FAILED\))? (?:SUCCESS|\([0-9])",
    ),
    form("jest suites", r"^Test Suites: .*?{done} of {total} total$"),
    form(
        "pytest share",
        r"^(?:\S+\.py(?:::\S+)? .*|[.FEsxX]+) +\[ *{percent}%\]$",
    ),
    form(
        "pytest worker",
        r"^\[gw[0-9]+\] \[ *{percent}%\] (?:PASSED|FAILED|SKIPPED|XFAIL|ERROR)",
    ),
    form(
        "test n of m",
        r"^(?i:running )?(?i:test) {done}{of}{total}\b",
    ),
];

/// Patterns of the result of one test, after the start of its run.
pub(super) const VERDICTS: &str = r"^test .+ \.\.\. (?:ok|FAILED|ignored)|^(?:not )?ok [0-9]+\b|^\[ +(?:OK|FAILED|SKIPPED) +\] \S+ \([0-9]+ ms\)|^\S.* \.\.\. (?:ok|FAILED|ignored) \([0-9]+m?s\)$|^\S+::\S+ (?:PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)\b|^\[gw[0-9]+\] \[ *[0-9]+%\] (?:PASSED|FAILED|SKIPPED|XFAIL|ERROR)|^ +[✓✘-] +[0-9]+ (?:\[[^\]]+\] )?› |^ +(?:TRY [0-9]+ )?PASS \[|^ +FAIL \[";
