use super::*;

fn usage(line: &str) -> Option<Usage> {
    let facts = Facts::read(line)?;
    Reply::read(&facts).map(|reply| reply.usage)
}

#[test]
fn a_reply_is_read_whatever_else_is_in_it() {
    let line = r#"{"parentUuid":null,"isSidechain":true,"agentId":"a1","message":{"id":"msg_1","model":"m","stop_reason":null,
        "content":[{"type":"tool_use","input":{"model":null,"id":null,"usage":{"output_tokens":9}}}],
        "usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"cache_creation_input_tokens":10,
        "cache_creation":{"ephemeral_1h_input_tokens":4,"ephemeral_5m_input_tokens":6},
        "server_tool_use":{"web_search_requests":5},"inference_geo":"us","speed":"fast"}},
        "type":"assistant","uuid":"u","timestamp":"t","cwd":"/w","sessionId":"s","requestId":"r",
        "requestRef":"q","forkedFrom":{"sessionId":"x"},"gitBranch":"main"}"#;
    let facts = Facts::read(line).expect("JSON");
    let reply = Reply::read(&facts).expect("a reply");
    assert_eq!(reply.message_id(), Some("msg_1"));
    let tokens = Tokens {
        input: 1,
        output: 2,
        cache_read: 3,
        cache_write_1h: 4,
        cache_write_5m: 6,
        web_searches: 5,
    };
    assert_eq!(reply.usage.tokens, tokens);
    assert!(reply.usage.manner.fast && reply.usage.manner.us_only && reply.is_sidechain());
    assert!(reply.is_forked() && reply.is_unfinished());
    assert_eq!(reply.get(Member::Agent), Some("a1"));
    assert_eq!(reply.get(Member::RequestRef), Some("q"));
}

#[test]
fn invalid_strings_and_names_cost_no_reply() {
    // A control character, an unknown escape, and lone surrogates in names of each object.
    for odd in [
        "\"service_tier\":\"a\tb\"",
        r#""service_tier":"a\x""#,
        r#""\ud83d":1"#,
        r#""\x":1"#,
    ] {
        let line = format!(
            r#"{{"type":"assistant",{odd},"message":{{{odd},"content":[{{{odd}}}],"usage":{{{odd},"output_tokens":7,"cache_creation":{{{odd},"ephemeral_5m_input_tokens":3}}}}}}}}"#
        );
        let facts = Facts::read_lenient(&line).expect("an object");
        let tokens = Reply::read(&facts).expect("a reply").usage.tokens;
        assert_eq!((tokens.output, tokens.cache_write_5m), (7, 3), "{odd}");
        let line = format!(
            r#"{{"type":"cost-state",{odd},"modelUsage":{{"m":{{{odd},"outputTokens":7}},{odd}}}}}"#
        );
        let state = CostState::read(&Facts::read_lenient(&line).expect("an object"));
        assert_eq!(state.tokens().output, 7, "{odd}");
    }
}

#[test]
fn no_number_is_too_large() {
    let line = r#"{"type":"assistant","message":{"id":"m","usage":{"cache_creation":
        {"ephemeral_5m_input_tokens":18446744073709551615,"ephemeral_1h_input_tokens":1}}}}"#;
    let tokens = usage(line).expect("a reply").tokens;
    assert_eq!(tokens.cache_write(), u64::MAX);
    assert_eq!(tokens.cache_write_1h, 1);
}

#[test]
fn only_usage_of_assistant_messages_counts() {
    for line in [
        r#"{"type":"user","message":{"role":"user"},"toolUseResult":{"usage":{"output_tokens":9}}}"#,
        r#"{"type":"assistant","usage":{"output_tokens":9},"message":{"id":"m"}}"#,
        r#"{"type":"assistant","message":{"id":"m","usage":null}}"#,
        r#"{"type":"assistant","message":"usage"}"#,
        r#"{"type":"progress","message":{"usage":{"output_tokens":9}}}"#,
        r#"{"type":"result","usage":{"output_tokens":9}}"#,
        r#"["usage"]"#,
        r#"{"type":"assistant","message":{"usage":{"output_tokens":9}"#,
    ] {
        assert!(usage(line).is_none(), "{line}");
    }
}

#[test]
fn the_last_of_several_members_counts_and_odd_types_are_nothing() {
    let line = r#"{"type":"user","type":"assistant","message":{"usage":{"output_tokens":9}},
        "message":{"id":7,"id":"b","model":null,"usage":{"output_tokens":"many","input_tokens":1.0,
        "cache_creation":null,"server_tool_use":null,"cache_read_input_tokens":-4,"input_tokens":2}}}"#;
    let facts = Facts::read(line).expect("JSON");
    let reply = Reply::read(&facts).expect("a reply");
    assert_eq!(reply.message_id(), Some("b"));
    let tokens = reply.usage.tokens;
    assert_eq!((tokens.input, tokens.output, tokens.cache_read), (2, 0, 0));
    assert_eq!(reply.usage.odd_counts, 2);
}

#[test]
fn writes_to_the_cache_are_split_as_the_cli_does() {
    for (json, five_minutes, hour) in [
        (r#"{"cache_creation_input_tokens":7}"#, 7, 0),
        (
            r#"{"cache_creation_input_tokens":7,"cache_creation":{"ephemeral_1h_input_tokens":9}}"#,
            0,
            7,
        ),
        (
            r#"{"cache_creation_input_tokens":7,"cache_creation":{"ephemeral_5m_input_tokens":1,"ephemeral_1h_input_tokens":2}}"#,
            5,
            2,
        ),
        (
            r#"{"cache_creation":{"ephemeral_5m_input_tokens":1,"ephemeral_1h_input_tokens":2}}"#,
            1,
            2,
        ),
    ] {
        let line = format!(r#"{{"type":"assistant","message":{{"usage":{json}}}}}"#);
        let tokens = usage(&line).expect("a reply").tokens;
        assert_eq!(
            (tokens.cache_write_5m, tokens.cache_write_1h),
            (five_minutes, hour),
            "{json}"
        );
    }
}

#[test]
fn the_total_of_the_cli_is_read() {
    let line = r#"{"type":"cost-state","sessionId":"s","totalCostUSD":0.0032,"startTime":17,"modelUsage":
        {"b":{"inputTokens":400,"outputTokens":80,"cacheReadInputTokens":1,"cacheCreationInputTokens":5,
        "cacheCreationEphemeral5mInputTokens":3,"cacheCreationEphemeral1hInputTokens":2,"webSearchRequests":6,"costUSD":0.0016},
        "a":{"costUSD":1e-3}},"hasUnknownModelCost":false}"#;
    let state = CostState::read(&Facts::read(line).expect("JSON"));
    assert_eq!(state.total, Usd::from_picos(3_200_000_000));
    assert_eq!((state.start, state.models[0].0.as_str()), (17, "a"));
    let (_, tokens, cost) = &state.models[1];
    assert_eq!(
        (
            tokens.cache_write_5m,
            tokens.cache_write_1h,
            tokens.web_searches
        ),
        (3, 2, 6)
    );
    assert_eq!(*cost, Usd::from_picos(1_600_000_000));
}

#[test]
fn a_request_is_known_by_its_head() {
    let line = br#"{"type":"api-request","sessionId":"s","id":"q1","timestamp":"t","params":{"cut"#;
    assert_eq!(request_id(line).as_deref(), Some("q1"));
    assert_eq!(
        request_id(br#"{"type":"api-request","sessionId":"s"}"#),
        None
    );
    let late = format!(
        r#"{{"type":"api-request","params":"{}","id":"q2"}}"#,
        "x".repeat(5000)
    );
    assert_eq!(request_id(late.as_bytes()).as_deref(), Some("q2"));
}

#[test]
fn blocks_are_told_apart() {
    let line = r#"{"type":"assistant","message":{"usage":{},"content":[{"type":"thinking","thinking":"x"},
        {"type":"tool_use","id":"t1","name":"Bash","input":{}},
        {"type":"server_tool_use","id":"t2","name":"web_search"},{"type":"text","name":"Bash","text":"y"},7]}}"#;
    let facts = Facts::read(line).expect("JSON");
    let reply = Reply::read(&facts).expect("a reply");
    let tools: Vec<_> = reply
        .blocks()
        .map(|block| (block.tool, block.identity))
        .collect();
    let thinking = r#"{"type":"thinking","thinking":"x"}"#;
    let text = r#"{"type":"text","name":"Bash","text":"y"}"#;
    let expected = [
        (None, thinking),
        (Some("Bash"), "t1"),
        (Some("web_search"), "t2"),
        (None, text),
    ];
    assert_eq!(tools, expected);
}

#[test]
fn counts_are_lenient() {
    for (json, expected) in [
        ("7", 7),
        ("0", 0),
        ("-3", 0),
        ("2.9", 2),
        ("1e3", 1000),
        ("99999999999999999999999", u64::MAX),
        ("null", 0),
        ("\"5\"", 0),
        ("[1]", 0),
    ] {
        assert_eq!(count(json, &mut 0), expected, "{json}");
    }
}
