//! Spend that is in no line, against the CLI's own totals in recorded sessions.

use claw_transcript::{GroupBy, Usd};

use super::{Home, SESSION, in_utc, recorded, reply};

fn usd(dollars: f64) -> Option<Usd> {
    Usd::from_dollars(dollars)
}

/// Compares with the CLI's own totals: for each scenario the replies, their cost, and the hidden
/// spend with the requests without an answer.
#[test]
fn recorded_sessions_agree_with_the_cli() {
    for (scenario, messages, dollars, expected) in [
        ("text_basic", 1, 0.0008, None),
        ("agent_foreground", 5, 0.004, None),
        ("task_workflow", 4, 0.0032, None),
        ("mcp_stdio_results", 2, 0.0016, None),
        ("slash_clear", 2, 0.0016, None),
        // The CLI does not count an interrupted reply.
        ("interrupt_midstream", 2, 0.001_22, None),
        // A refused request costs nothing.
        ("err_529_exhausted", 0, 0.0, None),
        // A fork takes over the total of its original. Here two replies have the same id, but
        // different requests.
        ("resume_fork", 3, 0.0024, None),
        ("compact_manual", 3, 0.0024, Some((usd(0.0008), 0))),
        ("sigkill_midstream", 0, 0.0, Some((None, 1))),
        // A reply that was taken back is in the CLI's total.
        ("stop_refusal_always", 2, 0.0018, Some((usd(0.0008), 1))),
    ] {
        let report = recorded(scenario).count(in_utc());
        assert_eq!(report.total.messages, messages, "{scenario}");
        let cost = report.total.cost.unwrap_or_default();
        assert_eq!(Some(cost), usd(dollars), "{scenario}");
        let hidden = report.hidden.iter();
        let hidden: Vec<_> = hidden
            .map(|row| (row.cost, row.unanswered_requests))
            .collect();
        assert_eq!(hidden, Vec::from_iter(expected), "{scenario}");
    }
    let report = recorded("compact_manual").count(in_utc());
    assert_eq!(report.hidden[0].cli_total, usd(0.0032));
    let tokens = report.hidden[0].tokens.expect("the CLI wrote tokens");
    assert_eq!((tokens.input, tokens.output), (100, 20));
    let report = recorded("err_529_exhausted").count(in_utc());
    assert_eq!(report.read.synthetic_messages, 1);
    let report = recorded("resume_fork").count(in_utc().group_by(GroupBy::Session));
    let messages: Vec<u64> = report.rows.iter().map(|row| row.sums.messages).collect();
    assert_eq!(messages, [2, 1], "{:#?}", report.rows);
}

/// A file of one reply, and these lines.
fn with_accounts(accounts: &[&str]) -> claw_transcript::UsageReport {
    let home = Home::new();
    let mut lines = vec![reply(&[])];
    lines.extend(accounts.iter().map(|line| (*line).to_owned()));
    home.write(&format!("-w/{SESSION}.jsonl"), &lines);
    home.count(in_utc())
}

#[test]
fn the_clis_accounts_are_read_however_they_are_written() {
    let torn = r#"{"type":"user","mess{"type":"cost-state","totalCostUSD":1}"#;
    let after_a_reply = format!(
        "{}{}",
        reply(&[]),
        r#"{"type":"cost-state","totalCostUSD":1}"#
    );
    for line in [
        r#"{"type":"cost-state","totalCostUSD":1}"#,
        r#"{"type": "cost-state", "totalCostUSD": 1}"#,
        r#"{"totalCostUSD":1,"type":"cost-state"}"#,
        "\0\0\0{\"type\":\"cost-state\",\"totalCostUSD\":1}",
        r#"{"type":"mode","mode":"normal"}{"type":"cost-state","totalCostUSD":1}"#,
        torn,
        &after_a_reply,
    ] {
        let report = with_accounts(&[line]);
        assert_eq!(report.hidden.len(), 1, "{line}");
        assert_eq!(report.hidden[0].cli_total, usd(1.0), "{line}");
        assert_eq!(report.total.messages, 1, "{line}");
    }
    for line in [
        r#"{"type":"api-request","id":"r1"}"#,
        r#"{"id": "r1", "type": "api-request"}"#,
        "\0{\"type\":\"api-request\",\"id\":\"r1\"}",
        r#"{"type":"mode","mode":"normal"}{"type":"api-request","id":"r1"}"#,
    ] {
        let report = with_accounts(&[line]);
        assert_eq!(report.hidden.len(), 1, "{line}");
        assert_eq!(report.hidden[0].unanswered_requests, 1, "{line}");
    }
    // What only quotes one is none.
    for line in [
        r#"{"type":"user","uuid":"u","message":"{\"type\":\"cost-state\",\"totalCostUSD\":1}"}"#,
        r#"{"type":"note","kinds":["cost-state","api-request"],"id":"r1","totalCostUSD":1}"#,
    ] {
        assert_eq!(with_accounts(&[line]).hidden, [], "{line}");
    }
    // A reply on the same line is not lost either.
    let request = r#"{"type":"api-request","id":"r1"}"#;
    let own_request = ("more", r#","requestRef":"r1""#);
    let second = reply(&[("id", "msg_2"), ("uuid", "u2"), own_request]);
    let report = with_accounts(&[&format!("{request}{second}")]);
    assert_eq!((report.total.messages, &report.hidden[..]), (2, &[][..]));
}

#[test]
fn of_two_files_of_a_session_the_larger_total_counts() {
    for (first, second) in [(3, 2), (2, 3)] {
        let home = Home::new();
        let state = |total| format!(r#"{{"type":"cost-state","totalCostUSD":{total}}}"#);
        let lines = |total| [reply(&[]), state(total)];
        home.write(&format!("-a/{SESSION}.jsonl"), &lines(first));
        home.write(&format!("-b/{SESSION}.jsonl"), &lines(second));
        let report = home.count(in_utc());
        assert_eq!(report.hidden[0].cli_total, usd(3.0));
    }
}
