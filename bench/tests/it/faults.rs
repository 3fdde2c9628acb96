//! Faults of a fake CLI: what our SDK must come to in each row.

use claw_bench::sdk::rows::{ROWS, Row};
use claw_bench::sdk::run::{Driver, OURS, Run, one_line, run, run_all};
use claw_testkit::fake_claude_path;
use claw_testkit::figure::{Figure, quick, record};
use serde_json::Value;

/// A row about a call that only our SDK has.
const OWN_ROW: Row = Row {
    fault: "exit_before_result",
    ..Row::new(
        "query_exit_before_result",
        "CLI exits 1 before the result, read through `query`",
        1,
    )
};

/// 4 MiB of unread messages, the program, its threads and the allocator's reserve; all messages
/// would be several times that.
const MOST_MEMORY_KIB: u64 = 40 << 10;

#[test]
fn nothing_hangs_is_lost_or_left() {
    fake_claude_path().unwrap();
    let rows = [ROWS, &[OWN_ROW]].concat();
    let driver = Driver {
        name: "rusty_claw",
        program: env!("CARGO_BIN_EXE_claw-bench").into(),
        args: vec![OURS.into()],
    };
    let found = run_all(&[driver], &rows).unwrap();
    let (mut hangs, mut lost, mut leaked, mut good) = (0, 0, 0, 0);
    let mut figure = Figure::new(
        "faults of a fake CLI: the 13 rows of the study of SDKs, 100,000 messages with a slow reader, callbacks that never answer or panic",
        "0 hangs, 0 lost messages, 0 leaked processes, each outcome as expected",
    )
    .note("| fault | outcome | messages | ms | processes gone after | said |")
    .note("|---|---|---|---|---|---|");
    let mut wrong = Vec::new();
    for (row, run) in rows.iter().zip(found.iter().flatten()) {
        hangs += usize::from(run.report.outcome == "hang");
        lost += row.messages().saturating_sub(run.report.messages);
        leaked += run.leaked.len();
        let errors = errors(row, run);
        good += usize::from(errors.is_empty() && run.leaked.is_empty());
        wrong.extend(errors.iter().map(|error| format!("{}: {error}", row.about)));
        figure = figure.note(table_row(row, run));
    }
    let passed = hangs == 0 && lost == 0 && leaked == 0 && good == rows.len();
    let shown = format!(
        "{hangs} hangs, {lost} lost messages, {leaked} leaked processes; {good} of {} as expected",
        rows.len()
    );
    let figures = vec![
        figure
            .measured(shown, passed)
            .list("not as expected", wrong)
            .note("a process is leaked when it lives 5 s after the host has let go of the session and still runs itself"),
    ];
    record("faults", figures);
}

#[test]
fn driver_that_fails_is_an_error_and_no_hang() {
    fake_claude_path().unwrap();
    let script = "echo 'no such module' >&2; exit 3";
    let driver = Driver {
        name: "a peer",
        program: "sh".into(),
        args: ["-c", script, "driver"].map(Into::into).to_vec(),
    };
    let error = run(&driver, &ROWS[0])
        .expect_err("the driver fails")
        .to_string();
    assert!(error.contains("exit status: 3"), "{error}");
    assert!(error.contains("no such module"), "{error}");
}

/// What is wrong with a run of our SDK.
fn errors(row: &Row, run: &Run) -> Vec<String> {
    let report = &run.report;
    let outcome = match row.name {
        "exit_before_result" => "process lost",
        "query_exit_before_result" | "initialize_never" => "error",
        "drop_handle" | "drop_handle_stubborn" => "dropped",
        "interrupt_unread_3000" | "interrupt_unread_10000" => "interrupted",
        _ => "succeeded",
    };
    let in_error: &[&str] = match row.name {
        "exit_before_result" | "query_exit_before_result" => EXIT,
        "initialize_never" => &["was not ready within 2 s"],
        _ => &[],
    };
    let (least, most) = if quick() {
        (3_300.0, 15_000.0)
    } else {
        (33_000.0, 3_000.0)
    };
    let peak = report.peak_kib;
    let wrong = match row.name {
        "unknown_type" => note(run, "unknown", "from_the_future"),
        "non_json_line" => note(run, "not_json", "this line is not JSON"),
        "invalid_utf8" => note(run, "replaced", "broken \u{fffd} byte")
            .or_else(|| note(run, "raw_byte_kept", true)),
        "silence_33_s" => unless(report.ms >= least, "it did not wait"),
        "initialize_never" => unless(report.ms <= most, "later than its limit"),
        "interrupt_unread_3000" => receipt_past(run, 3_000),
        "interrupt_unread_10000" => receipt_past(run, 10_000),
        "flood_100000" => unless(peak <= MOST_MEMORY_KIB, format!("{peak} KiB of memory")),
        "permission_never" => denied(run, "did not answer within 1 s"),
        "permission_panics" => denied(run, "callback panicked"),
        _ => None,
    };
    let error = report.error.as_deref().unwrap_or_default();
    let absent = in_error.iter().filter(|part| !error.contains(**part));
    let missing = absent.map(|part| format!("the error does not say {part:?}: {error:?}"));
    let (messages, all) = (report.messages, row.messages());
    let came = report.outcome.as_str();
    let checks = [
        unless(came == outcome, format!("{came}, not {outcome}")),
        unless(messages == all, format!("{messages} of {all} messages")),
        unless(report.ordered, "out of order"),
        wrong,
    ];
    missing.chain(checks.into_iter().flatten()).collect()
}

const EXIT: &[&str] = &["exit code 1", "something went wrong"];

fn unless(is_right: bool, error: impl Into<String>) -> Option<String> {
    (!is_right).then(|| error.into())
}

fn note(run: &Run, name: &str, wanted: impl Into<Value>) -> Option<String> {
    let (found, wanted) = (run.report.notes.get(name), wanted.into());
    let error = format!("{name} is {found:?}, not {wanted}");
    unless(found == Some(&wanted), error)
}

/// Whether there was no receipt, or too few messages were unread when it was requested.
fn receipt_past(run: &Run, unread: u64) -> Option<String> {
    if run.report.receipt_ms.is_none() {
        return Some("there is no receipt".to_owned());
    }
    let found = run.unread();
    let error = format!("{found:?} messages were unread, not {unread}");
    unless(found >= Some(unread), error)
}

/// The reason of a denied permission.
fn deny(run: &Run) -> Option<&str> {
    let response = run.answer.as_ref()?.get("response")?;
    (response.get("behavior")? == "deny").then_some(())?;
    response.get("message")?.as_str()
}

fn denied(run: &Run, why: &str) -> Option<String> {
    let found = deny(run);
    let is_denied = found.is_some_and(|deny| deny.contains(why));
    unless(is_denied, format!("not denied with {why:?} but {found:?}"))
}

fn table_row(row: &Row, run: &Run) -> String {
    let report = &run.report;
    let mut notes: Vec<String> = report.error.as_deref().map(one_line).into_iter().collect();
    let receipt = report.receipt_ms;
    notes.extend(receipt.map(|ms| format!("receipt after {ms:.1} ms")));
    notes.extend(deny(run).map(|why| format!("denied: {}", one_line(why))));
    if row.is_scaled {
        notes.push(format!("peak {} MiB", report.peak_kib >> 10));
    }
    let left = match run.gone_after {
        Some(after) => format!("{:.1} s", after.as_secs_f64()),
        None => format!("NOT GONE: {}", run.leaked.join(", ")),
    };
    let (outcome, ms) = (&report.outcome, report.ms);
    let (messages, all) = (report.messages, row.messages());
    let said = notes.join("; ");
    format!(
        "| {} | {outcome} | {messages} of {all} | {ms:.0} | {left} | {said} |",
        row.about
    )
}
