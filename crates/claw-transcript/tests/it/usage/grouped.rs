//! Rows.

use claw_transcript::{Day, GroupBy, PriceTable, UsageQuery, Zone};

use super::{Home, OTHER, SESSION, assert_adds_up, in_utc, outputs, prompt, reply, rows};

fn by(group: GroupBy) -> UsageQuery {
    in_utc().group_by(group)
}

#[test]
fn days_are_those_of_the_zone() {
    let home = Home::new();
    let at =
        |id, time, output| reply(&[("id", id), ("uuid", id), ("time", time), ("output", output)]);
    let lines = [
        at("msg_1", "2026-03-28T22:59:59.999Z", "1"),
        at("msg_2", "2026-03-28T23:00:00.000Z", "2"),
        // Clocks go forward in Berlin on the 29th, which has 23 hours.
        at("msg_3", "2026-03-29T21:59:59Z", "4"),
        at("msg_4", "2026-03-29T22:00:00Z", "8"),
        at("msg_5", "not a time", "16"),
    ];
    home.write("-w/a.jsonl", &lines);
    let berlin = || UsageQuery::new().zone(Zone::named("Europe/Berlin").expect("a zone"));
    let report = home.count(berlin().group_by(GroupBy::Day));
    let day = |day: &str, output| (day.to_owned(), output);
    let expected = [
        day("(unknown)", 16),
        day("2026-03-28", 1),
        day("2026-03-29", 6),
        day("2026-03-30", 8),
    ];
    assert_eq!(outputs(&report), expected);
    assert_eq!(report.read.undated_messages, 1);
    assert_adds_up(&report);
    let only = Day::parse("2026-03-29").expect("a day");
    let report = home.count(berlin().since(only).until(only));
    assert_eq!(report.total.tokens.output, 6);
    let report = home.count(berlin().since(only));
    assert_eq!(report.total.tokens.output, 14);
}

/// In New York the last day of the calendar begins after the last second that there is.
#[test]
fn a_day_that_no_clock_reaches_is_a_limit_all_the_same() {
    let home = Home::new();
    home.write("-w/a.jsonl", &[reply(&[])]);
    let messages = |query: UsageQuery| home.count(query).total.messages;
    let day = |text| Day::parse(text).expect("a day");
    for zone in ["America/New_York", "Asia/Tokyo", "UTC"] {
        let query = || UsageQuery::new().zone(Zone::named(zone).expect("a zone"));
        assert_eq!(messages(query().since(day("9999-12-31"))), 0, "{zone}");
        assert_eq!(messages(query().until(day("9999-12-31"))), 1, "{zone}");
        assert_eq!(messages(query().since(day("0001-01-01"))), 1, "{zone}");
        assert_eq!(messages(query().until(day("0001-01-01"))), 0, "{zone}");
    }
}

#[test]
fn a_fork_adds_only_what_is_new_in_it() {
    let home = Home::new();
    let first = reply(&[]);
    let second = [
        ("id", "msg_2"),
        ("uuid", "u2"),
        ("time", "2026-10-01T12:10:00Z"),
    ];
    home.write("-a/one.jsonl", &[first, reply(&second)]);
    // A fork before the second reply, filed first, in another directory.
    let fork = [("session", OTHER), ("cwd", "/other")];
    let third = [
        ("id", "msg_3"),
        ("uuid", "u3"),
        ("time", "2026-10-02T12:00:00Z"),
    ];
    let own = [&fork[..], &third].concat();
    home.write("-A/two.jsonl", &[reply(&fork), reply(&own)]);
    for (group, expected) in [
        (
            GroupBy::Session,
            [(SESSION.to_owned(), 200), (OTHER.to_owned(), 100)],
        ),
        (
            GroupBy::Project,
            [("/other".to_owned(), 100), ("/w".to_owned(), 200)],
        ),
        (
            GroupBy::Day,
            [
                ("2026-10-01".to_owned(), 200),
                ("2026-10-02".to_owned(), 100),
            ],
        ),
    ] {
        let report = home.count(by(group));
        assert_eq!(outputs(&report), expected, "{group}");
        assert_adds_up(&report);
    }
}

#[test]
fn a_message_is_divided_between_its_tools() {
    let home = Home::new();
    let call = |id: &str, name: &str| {
        format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{{}}}}"#)
    };
    let (bash, read) = (call("t1", "Bash"), call("t2", "Read"));
    let block =
        |uuid, content: &str| reply(&[("uuid", uuid), ("content", content), ("output", "101")]);
    let text = reply(&[("id", "msg_2"), ("uuid", "u9"), ("output", "7")]);
    home.write(
        "-w/a.jsonl",
        &[block("u1", &bash), block("u2", &read), text],
    );
    // A copy brings no new calls.
    home.write("-w/b.jsonl", &[block("u2", &read)]);
    let report = home.count(by(GroupBy::Tool));
    let row = |tool: &str, output| (tool.to_owned(), output);
    assert_eq!(
        outputs(&report),
        [row("(no tool)", 7), row("Bash", 50), row("Read", 51)]
    );
    let calls: Vec<u64> = report.rows.iter().map(|row| row.sums.calls).collect();
    assert_eq!(calls, [0, 1, 1]);
    assert_adds_up(&report);
    let report = home.count(by(GroupBy::Model).group_by(GroupBy::Tool));
    assert_eq!(report.rows[1].keys, ["claude-opus-5-5", "Bash"]);
    assert_adds_up(&report);
}

#[test]
fn what_was_edited_away_is_abandoned() {
    let home = Home::new();
    let answer = |id, uuid, parent, output| {
        reply(&[
            ("id", id),
            ("uuid", uuid),
            ("parent", parent),
            ("output", output),
        ])
    };
    let lines = [
        prompt("p1", "null"),
        answer("msg_1", "a1", r#""p1""#, "1"),
        prompt("p2", r#""a1""#),
        answer("msg_2", "a2", r#""p2""#, "2"),
        prompt("p2b", r#""a1""#),
        answer("msg_3", "a3", r#""p2b""#, "4"),
    ];
    home.write("-w/a.jsonl", &lines);
    let report = home.count(by(GroupBy::Branch));
    let row = |branch: &str, output| (branch.to_owned(), output);
    assert_eq!(outputs(&report), [row("abandoned", 2), row("live", 5)]);
    assert_adds_up(&report);
}

#[test]
fn subagents_stand_apart() {
    let home = super::recorded("agent_foreground");
    let report = home.count(by(GroupBy::Subagent));
    let row = |key: &str, output| (key.to_owned(), output);
    assert_eq!(
        outputs(&report),
        [row("a3faf60a700e0496e", 60), row("main", 40)]
    );
    let report = home.count(by(GroupBy::AgentType).group_by(GroupBy::GitBranch));
    assert_eq!(report.rows[0].keys[0], "general-purpose");
    assert_adds_up(&report);
    // The type of an old subagent is only in the file beside it.
    let home = Home::new();
    home.write("-w/agent-x.jsonl", &[reply(&[])]);
    home.write(
        "-w/agent-x.meta.json",
        &[r#"{"agentType":"Explore"}"#.to_owned()],
    );
    let report = home.count(by(GroupBy::AgentType));
    assert_eq!(report.rows[0].keys, ["Explore"]);
}

#[test]
fn a_model_without_a_price_is_in_no_cost() {
    let home = Home::new();
    let known = reply(&[]);
    let new = reply(&[("id", "msg_2"), ("uuid", "u2"), ("model", "claude-opus-9")]);
    home.write("-w/a.jsonl", &[known, new]);
    let report = home.count(by(GroupBy::Model));
    let cost = claw_transcript::Usd::from_dollars((10.0 * 4.0 + 100.0 * 20.0 + 1000.0 * 0.2) / 1e6);
    assert_eq!(report.total.cost, cost);
    assert_eq!(
        (report.total.messages, report.total.unpriced_messages),
        (2, 1)
    );
    assert_eq!(report.unpriced.len(), 1);
    assert_eq!(
        (
            report.unpriced[0].model.as_str(),
            report.unpriced[0].tokens.output
        ),
        ("claude-opus-9", 100)
    );
    let costs: Vec<_> = rows(&report)
        .into_iter()
        .map(|(_, sums)| sums.cost)
        .collect();
    assert_eq!(costs, [cost, None]);
    let own =
        r#"{"models":{"claude-opus-9":{"input":0,"output":1,"cache_write_5m":0,"cache_read":0}}}"#;
    let prices = PriceTable::builtin()
        .with_overrides(own)
        .expect("good prices");
    let report = home.count(by(GroupBy::Model).prices(prices));
    assert_eq!(report.unpriced, []);
    assert_eq!(
        report.rows[1].sums.cost,
        claw_transcript::Usd::from_dollars(0.0001)
    );
}

#[test]
fn groupings_are_read_as_they_are_shown() {
    const NAMES: &str = "day project session model branch git-branch tool subagent agent-type";
    for name in NAMES.split(' ') {
        let group: GroupBy = name.parse().expect("a grouping");
        assert_eq!(group.to_string(), name);
        assert_eq!(
            serde_json::to_string(&group).expect("JSON"),
            format!("\"{name}\"")
        );
    }
    let error = "hour".parse::<GroupBy>().expect_err("no grouping");
    assert!(error.to_string().contains("agent-type"));
}
