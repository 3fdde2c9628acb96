//! The thirty.

use super::lines::{Answer, Ids, OTHER_SESSION, SESSION};
use super::{Expected, ExpectedDay, Trap};

/// A trap and its files, under `projects`.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) trap: Trap,
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// A link beside the files, and where it leads.
    pub(super) link: Option<(&'static str, &'static str)>,
}

/// All cases, in the order of their names.
pub(super) fn all() -> Vec<Case> {
    let mut cases = Cases::default();
    cases.about_counting();
    cases.about_bytes();
    cases.about_meaning();
    cases.about_places();
    cases.about_days();
    cases.all
}

/// Tokens of a number of messages, at the price of Sonnet 4.5.
fn spend(messages: u64, input: u64, output: u64) -> Expected {
    Expected {
        messages,
        input,
        output,
        cache_write: 0,
        cache_write_1h: 0,
        cache_read: 0,
        cost: dollars(input * 300 + output * 1500),
        days: Vec::new(),
    }
}

/// Dollars of a sum of tokens times cents for a million of them. One division at the end, so that
/// nothing is rounded twice.
fn dollars(cents: u64) -> f64 {
    cents as f64 / 1e8
}

fn main_path(session: &str) -> String {
    format!("-w/{session}.jsonl")
}

/// Lines with a newline behind each.
fn joined<S: AsRef<str>>(lines: &[S]) -> String {
    lines
        .iter()
        .flat_map(|line| [line.as_ref(), "\n"])
        .collect()
}

/// Puts a member behind the others.
fn with_member(line: &str, member: &str) -> String {
    let open = line.strip_suffix('}').unwrap_or(line);
    format!("{open},{member}}}")
}

/// The lines of a message with three blocks: the first with its block, time and output changed
/// for each.
fn three_blocks<'a>(
    first: Answer<'a>,
    output: [u64; 3],
    seconds: [&'static str; 3],
) -> [Answer<'a>; 3] {
    const BLOCKS: [&str; 3] = [
        r#"{"type":"thinking","thinking":"x","signature":"s"}"#,
        r#"{"type":"text","text":"t"}"#,
        r#"{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}"#,
    ];
    [0, 1, 2].map(|at| Answer {
        block: BLOCKS[at],
        output: output[at],
        timestamp: seconds[at],
        ..first
    })
}

const ONE_SECOND: [&str; 3] = ["2026-10-01T12:00:00.000Z"; 3];
const THREE_SECONDS: [&str; 3] = [
    "2026-10-01T12:00:00.000Z",
    "2026-10-01T12:00:01.000Z",
    "2026-10-01T12:00:02.000Z",
];

#[derive(Debug, Default)]
struct Cases {
    ids: Ids,
    all: Vec<Case>,
}

impl Cases {
    /// A trap with these files.
    fn files(
        &mut self,
        name: &'static str,
        about: &'static str,
        expected: Expected,
        files: Vec<(String, Vec<u8>)>,
    ) {
        let trap = Trap {
            name,
            about,
            expected,
        };
        self.all.push(Case {
            trap,
            files,
            link: None,
        });
    }

    /// A trap with one file.
    fn file(
        &mut self,
        name: &'static str,
        about: &'static str,
        expected: Expected,
        bytes: impl Into<Vec<u8>>,
    ) {
        self.files(
            name,
            about,
            expected,
            vec![(main_path(SESSION), bytes.into())],
        );
    }

    /// A trap with one file of a prompt and answers.
    fn answers(
        &mut self,
        name: &'static str,
        about: &'static str,
        expected: Expected,
        answers: &[Answer<'_>],
    ) {
        let bytes = self.prompt_and(answers);
        self.file(name, about, expected, bytes);
    }

    fn prompt_and(&mut self, answers: &[Answer<'_>]) -> String {
        let mut lines = vec![self.ids.user("q")];
        lines.extend(answers.iter().map(|answer| self.ids.answer(answer)));
        joined(&lines)
    }

    fn prompt_and_two(&mut self) -> [String; 3] {
        [
            self.ids.user("q"),
            self.ids.answer(&Answer::first()),
            self.ids.answer(&Answer::second()),
        ]
    }

    fn about_counting(&mut self) {
        self.answers(
            "t01_blocks",
            "a message is one line for each block, all with the same usage",
            spend(1, 10, 100),
            &three_blocks(Answer::first(), [100; 3], THREE_SECONDS),
        );
        self.answers(
            "t02_partial_usage",
            "early lines of a message have part of its output tokens",
            spend(1, 10, 137),
            &three_blocks(Answer::first(), [3, 3, 137], ONE_SECOND),
        );
        let no_request = Answer {
            request: None,
            ..Answer::first()
        };
        self.answers(
            "t03_no_request_id",
            "a gateway gave no request id, and the lines of the message differ in time",
            spend(1, 10, 100),
            &three_blocks(no_request, [100; 3], THREE_SECONDS),
        );
        let original = self.ids.answer(&Answer::first());
        let copy = original.replace(SESSION, OTHER_SESSION);
        let source = joined(&[self.ids.user("q"), original]);
        let other_prompt = self.ids.user_content(OTHER_SESSION, r#""q""#);
        let own = self.ids.answer(&Answer {
            session: OTHER_SESSION,
            ..Answer::second()
        });
        let fork = joined(&[other_prompt, copy, own]);
        self.files(
            "t04_fork_copy",
            "a forked session starts with copies of lines",
            spend(2, 20, 200),
            vec![
                (main_path(SESSION), source.into()),
                (main_path(OTHER_SESSION), fork.into()),
            ],
        );
        let hour = Answer {
            cache_1h: 100_000,
            ..Answer::first()
        };
        let expected = Expected {
            cache_write: 100_000,
            cache_write_1h: 100_000,
            cost: dollars(10 * 300 + 100 * 1500 + 100_000 * 600),
            ..spend(1, 10, 100)
        };
        self.answers(
            "t05_cache_1h",
            "writing to the cache for an hour costs more than for five minutes",
            expected,
            &[hour],
        );
        let new_model = Answer {
            model: "claude-opus-5-5",
            input: 100_000,
            ..Answer::first()
        };
        let expected = Expected {
            cost: dollars(100_000 * 400 + 100 * 2000),
            ..spend(1, 100_000, 100)
        };
        self.answers(
            "t06_new_model",
            "a model newer than most price tables",
            expected,
            &[new_model],
        );
        let nulls = Answer {
            block: r#"{"type":"tool_use","id":"toolu_1","name":"mcp__x","input":{"model":null,"id":null,"speed":null}}"#,
            ..Answer::first()
        };
        self.answers(
            "t07_null_in_tool_input",
            "the arguments of a tool call have nulls under the names that readers look for",
            spend(1, 10, 100),
            &[nulls],
        );
        let main = self.prompt_and(&[Answer::first()]);
        let subagent = self.ids.answer(&Answer {
            sidechain: true,
            more: r#","agentId":"a1""#,
            ..Answer::second()
        });
        self.files(
            "t08_subagent_dir",
            "a subagent has a file of its own in a folder of the session",
            spend(2, 20, 200),
            vec![
                (main_path(SESSION), main.into()),
                (
                    format!("-w/{SESSION}/subagents/agent-a1.jsonl"),
                    joined(&[subagent]).into(),
                ),
            ],
        );
    }

    fn about_bytes(&mut self) {
        let [prompt, first, second] = self.prompt_and_two();
        self.file(
            "t09_crlf",
            "lines end in CR LF",
            spend(2, 20, 200),
            format!("{prompt}\r\n{first}\r\n{second}\r\n"),
        );
        let prompt = self.ids.user("a\u{2028}b\u{2029}c\u{85}d");
        let answer = self.ids.answer(&Answer {
            block: "{\"type\":\"text\",\"text\":\"x\u{2028}y\u{2029}z\u{85}w\"}",
            ..Answer::first()
        });
        self.file(
            "t10_u2028",
            "characters in texts that some readers take for the end of a line",
            spend(1, 10, 100),
            joined(&[prompt, answer]),
        );
        let [prompt, first, second] = self.prompt_and_two();
        let cut = second.get(..300).unwrap_or_default();
        self.file(
            "t11_cut_last",
            "the last line is cut",
            spend(1, 10, 100),
            format!("{prompt}\n{first}\n{cut}"),
        );
        let [prompt, first, second] = self.prompt_and_two();
        let (before, after) = first.split_once("\"hi\"").unwrap_or_default();
        let bad = [
            prompt.as_bytes(),
            b"\n",
            before.as_bytes(),
            b"\"h\xff\xfei\"",
            after.as_bytes(),
            b"\n",
            second.as_bytes(),
            b"\n",
        ];
        self.file(
            "t12_bad_utf8",
            "two bytes in a text are not UTF-8",
            spend(2, 20, 200),
            bad.concat(),
        );
        let prompt = self.ids.user("q");
        let answer = self.ids.answer(&Answer::first());
        let nuls = "\0".repeat(64);
        self.file(
            "t13_nul_prefix",
            "a crash left NUL bytes before a line",
            spend(1, 10, 100),
            format!("{prompt}\n{nuls}{answer}\n"),
        );
        let first = self.ids.answer(&Answer::first());
        let second = self.ids.answer(&Answer::second());
        self.file(
            "t14_bom",
            "a byte order mark before the first line",
            spend(2, 20, 200),
            format!("\u{feff}{first}\n{second}\n"),
        );
        let block = format!(r#"{{"type":"text","text":"{}"}}"#, "x".repeat(30_000_000));
        let huge = Answer {
            block: &block,
            ..Answer::first()
        };
        self.answers(
            "t15_huge_line",
            "a line of 30 MB",
            spend(1, 10, 100),
            &[huge],
        );
        let [prompt, first, second] = self.prompt_and_two();
        self.file(
            "t16_no_final_newline",
            "the last line has no newline",
            spend(2, 20, 200),
            format!("{prompt}\n{first}\n{second}"),
        );
    }

    fn about_meaning(&mut self) {
        let searches = Answer {
            more_usage: r#","server_tool_use":{"web_search_requests":3,"web_fetch_requests":0}"#,
            ..Answer::first()
        };
        let expected = Expected {
            cost: dollars(10 * 300 + 100 * 1500 + 3 * 1_000_000),
            ..spend(1, 10, 100)
        };
        self.answers(
            "t17_websearch",
            "three searches of the web, a cent each",
            expected,
            &[searches],
        );
        let result = self.ids.user_content(
            SESSION,
            r#"[{"type":"tool_result","tool_use_id":"toolu_1","content":"done"}]"#,
        );
        let result = with_member(
            &result,
            r#""toolUseResult":{"status":"completed","agentId":"a1","usage":{"input_tokens":5000,"output_tokens":6000,"cache_read_input_tokens":0,"cache_creation_input_tokens":0},"totalTokens":11000}"#,
        );
        let before = self.prompt_and(&[Answer::first()]);
        self.file(
            "t18_task_result_usage",
            "the result of a subagent says what it used; its own lines say it too",
            spend(1, 10, 100),
            format!("{before}{result}\n"),
        );
        let side = Answer {
            sidechain: true,
            ..Answer::second()
        };
        self.answers(
            "t19_sidechain_inline",
            "an old subagent, in the file of the session",
            spend(2, 20, 200),
            &[Answer::first(), side],
        );
        let synthetic = Answer {
            message: "x-1",
            request: None,
            model: "<synthetic>",
            input: 0,
            output: 0,
            more: r#","isApiErrorMessage":true"#,
            ..Answer::first()
        };
        self.answers(
            "t20_synthetic",
            "an error that the CLI wrote as an answer of no model",
            spend(1, 10, 100),
            &[synthetic, Answer::first()],
        );
        let legacy = Answer {
            more: r#","costUSD":1.25"#,
            ..Answer::first()
        };
        self.answers(
            "t21_legacy_costUSD",
            "the first versions wrote a cost into the line; the cost is tokens times price",
            spend(1, 10, 100),
            &[legacy],
        );
        let in_the_us = Answer {
            input: 100_000,
            more_usage: r#","inference_geo":"us""#,
            ..Answer::first()
        };
        let expected = Expected {
            cost: dollars((100_000 * 300 + 100 * 1500) / 10 * 11),
            ..spend(1, 100_000, 100)
        };
        self.answers(
            "t22_geo_us",
            "inference kept in the United States costs a tenth more",
            expected,
            &[in_the_us],
        );
        let long = Answer {
            cache_read: 300_000,
            ..Answer::first()
        };
        let expected = Expected {
            cache_read: 300_000,
            cost: dollars(10 * 300 + 100 * 1500 + 300_000 * 30),
            ..spend(1, 10, 100)
        };
        self.answers(
            "t23_long_ctx_200k",
            "a prompt above 200,000 tokens; for this model the CLI charges no more for it",
            expected,
            &[long],
        );
    }

    fn about_places(&mut self) {
        let lines = self.prompt_and(&[Answer::first()]);
        self.files(
            "t24_symlink_project",
            "a link to a project's folder beside it",
            spend(1, 10, 100),
            vec![(format!("-real/{SESSION}.jsonl"), lines.into())],
        );
        if let Some(case) = self.all.last_mut() {
            case.link = Some(("-link", "-real"));
        }

        let [prompt, first, second] = self.prompt_and_two();
        let cut = first.get(..200).unwrap_or_default();
        let third = self.ids.answer(&Answer::new("msg_3", "req_3"));
        self.file(
            "t25_cut_then_continued",
            "a cut line with a whole one behind it on the same line",
            // This was once 10 and 100, the third message alone, because every reader lost the
            // line. But what cannot be parsed whole is lost, and what can be is spend: the second
            // message is there.
            spend(2, 20, 200),
            format!("{prompt}\n{cut}{second}\n{third}\n"),
        );

        let interrupted = Answer {
            output: 3,
            stop: "null",
            ..Answer::first()
        };
        let unfinished = self.prompt_and(&[interrupted]);
        let finished = self.ids.answer(&Answer {
            session: OTHER_SESSION,
            output: 137,
            ..Answer::first()
        });
        self.files(
            "t26_interrupted_then_final_other_file",
            "a message is unfinished in one file and finished in another",
            spend(1, 10, 137),
            vec![
                (main_path(SESSION), unfinished.into()),
                (main_path(OTHER_SESSION), joined(&[finished]).into()),
            ],
        );

        let before = self.prompt_and(&[Answer::first()]);
        let quoting = self
            .ids
            .user(r#"look: \"usage\":{\"input_tokens\":999999,\"output_tokens\":999999}"#);
        self.file(
            "t27_quoted_usage_in_text",
            "a prompt that quotes usage",
            spend(1, 10, 100),
            format!("{before}{quoting}\n"),
        );
    }

    fn about_days(&mut self) {
        let days = [
            ("UTC", "2026-09-30"),
            ("America/New_York", "2026-09-30"),
            ("Europe/Berlin", "2026-10-01"),
            ("Asia/Tokyo", "2026-10-01"),
        ]
        .map(|(zone, day)| ExpectedDay { zone, day });
        let expected = Expected {
            days: days.to_vec(),
            ..spend(1, 10, 100)
        };
        let late = Answer {
            timestamp: "2026-09-30T23:30:00.000Z",
            ..Answer::first()
        };
        self.answers(
            "t28_tz",
            "late on one day in UTC, early on the next further east",
            expected.clone(),
            &[late],
        );
        let offset = Answer {
            timestamp: "2026-10-01T08:30:00+09:00",
            ..Answer::first()
        };
        self.answers(
            "t29_offset_ts",
            "a time with an offset, on the day before in UTC",
            expected,
            &[offset],
        );

        let before = self.prompt_and(&[Answer::first()]);
        let deep = format!("\"toolUseResult\":{}{}", "[".repeat(600), "]".repeat(600));
        let nested = with_member(&self.ids.user("q2"), &deep);
        self.file(
            "t30_deep_nesting",
            "a line with 600 levels of lists",
            spend(1, 10, 100),
            format!("{before}{nested}\n"),
        );
    }
}
