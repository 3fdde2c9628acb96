//! Spend that is in no line, against the CLI's own totals in recorded sessions.

use claw_transcript::{GroupBy, Usd};

use super::{Home, Reply, SESSION, in_utc, recorded};

fn usd(dollars: f64) -> Option<Usd> {
    Usd::from_dollars(dollars)
}

#[test]
fn sessions_without_secrets_agree_with_the_cli() {
    for (scenario, messages, dollars) in [
        ("text_basic", 1, 0.0008),
        ("agent_foreground", 5, 0.004),
        ("task_workflow", 4, 0.0032),
        ("mcp_stdio_results", 2, 0.0016),
        ("slash_clear", 2, 0.0016),
    ] {
        let report = recorded(scenario).count(in_utc());
        assert_eq!(report.total.messages, messages, "{scenario}");
        assert_eq!(report.total.cost, usd(dollars), "{scenario}");
        assert_eq!(report.hidden, [], "{scenario}");
    }
}

#[test]
fn a_compaction_is_in_no_line() {
    let report = recorded("compact_manual").count(in_utc());
    assert_eq!(report.total.messages, 3);
    let [hidden] = &report.hidden[..] else {
        panic!("one session has hidden spend: {:?}", report.hidden);
    };
    assert_eq!(hidden.cost, usd(0.0008));
    assert_eq!(hidden.cli_total, usd(0.0032));
    let tokens = hidden.tokens.expect("the CLI says which");
    assert_eq!((tokens.input, tokens.output), (100, 20));
    assert_eq!(hidden.unanswered_requests, 0);
}

#[test]
fn what_was_stopped_is_shown_though_the_cli_does_not_count_it() {
    let report = recorded("interrupt_midstream").count(in_utc());
    assert_eq!(report.total.messages, 2);
    assert_eq!(report.hidden, []);
}

#[test]
fn a_fork_takes_over_its_originals_total() {
    let report = recorded("resume_fork").count(in_utc().group_by(GroupBy::Session));
    // The service that answered here counts its ids anew, so two replies share one id. The CLI's
    // own numbers of requests tell them apart.
    assert_eq!(report.total.messages, 3);
    let messages: Vec<u64> = report.rows.iter().map(|row| row.sums.messages).collect();
    assert_eq!(messages, [2, 1], "{:#?}", report.rows);
    assert_eq!(report.hidden, []);
}

#[test]
fn a_killed_request_is_named_without_an_amount() {
    let report = recorded("sigkill_midstream").count(in_utc());
    assert_eq!(report.total.messages, 0);
    assert_eq!(report.hidden.len(), 1);
    assert_eq!(report.hidden[0].unanswered_requests, 1);
    assert_eq!(report.hidden[0].cost, None);
}

#[test]
fn a_refused_request_costs_nothing() {
    let report = recorded("err_529_exhausted").count(in_utc());
    assert_eq!(report.hidden, []);
    assert_eq!(report.read.synthetic_messages, 1);
}

#[test]
fn a_reply_that_was_taken_back_is_in_the_clis_total() {
    let report = recorded("stop_refusal_always").count(in_utc());
    assert_eq!(report.total.messages, 2);
    assert_eq!(report.hidden.len(), 1);
    assert_eq!(report.hidden[0].cost, usd(0.0008));
    assert_eq!(report.hidden[0].unanswered_requests, 1);
}

/// A file of one reply, and these lines.
fn with_accounts(accounts: &[&str]) -> claw_transcript::UsageReport {
    let home = Home::new();
    let mut lines = vec![Reply::default().line()];
    lines.extend(accounts.iter().map(|line| (*line).to_owned()));
    home.write(&format!("-w/{SESSION}.jsonl"), &lines);
    home.count(in_utc())
}

#[test]
fn the_clis_accounts_are_read_however_they_are_written() {
    let torn = r#"{"type":"user","mess{"type":"cost-state","totalCostUSD":1}"#;
    let after_a_reply = format!(
        "{}{}",
        Reply::default().line(),
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
    // Nor is a reply lost that is glued to one.
    let request = r#"{"type":"api-request","id":"r1"}"#;
    let second = Reply {
        id: "msg_2",
        uuid: "u2",
        more: r#","requestRef":"r1""#,
        ..Reply::default()
    };
    let report = with_accounts(&[&format!("{request}{}", second.line())]);
    assert_eq!((report.total.messages, &report.hidden[..]), (2, &[][..]));
}

#[test]
fn of_two_files_of_a_session_the_larger_total_counts() {
    for (first, second) in [(3, 2), (2, 3)] {
        let home = Home::new();
        let state = |total| format!(r#"{{"type":"cost-state","totalCostUSD":{total}}}"#);
        let lines = |total| [Reply::default().line(), state(total)];
        home.write(&format!("-a/{SESSION}.jsonl"), &lines(first));
        home.write(&format!("-b/{SESSION}.jsonl"), &lines(second));
        let report = home.count(in_utc());
        assert_eq!(report.hidden[0].cli_total, usd(3.0));
    }
}
