use super::*;

fn reply(line: &str) -> Option<Box<Reply<'_>>> {
    match read(line.as_bytes()) {
        Reading::Reply(reply) => Some(reply),
        Reading::Other | Reading::Broken => None,
    }
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
    let reply = reply(line).expect("a reply");
    assert_eq!(reply.message_id, Some(&b"msg_1"[..]));
    let tokens = Tokens {
        input: 1,
        output: 2,
        cache_read: 3,
        cache_write_1h: 4,
        cache_write_5m: 6,
        web_searches: 5,
    };
    assert_eq!(reply.tokens, tokens);
    assert!(reply.fast && reply.us_only && reply.sidechain && reply.forked && reply.unfinished);
    assert_eq!(reply.agent, Some(&b"a1"[..]));
    assert_eq!(reply.request_ref, Some(&b"q"[..]));
}

#[test]
fn no_number_is_too_large() {
    let line = r#"{"type":"assistant","message":{"id":"m","usage":{"cache_creation":
        {"ephemeral_5m_input_tokens":18446744073709551615,"ephemeral_1h_input_tokens":1}}}}"#;
    let tokens = reply(line).expect("a reply").tokens;
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
        assert!(reply(line).is_none(), "{line}");
    }
    let cut = br#"{"type":"assistant","message":{"usage":{"output_tokens":9}"#;
    assert!(matches!(read(cut), Reading::Broken));
}

#[test]
fn the_last_of_several_members_counts_and_odd_types_are_nothing() {
    let line = r#"{"type":"user","type":"assistant","message":{"usage":{"output_tokens":9}},
        "message":{"id":7,"id":"b","model":null,"usage":{"output_tokens":"many","input_tokens":1.0,
        "cache_creation":null,"server_tool_use":null,"cache_read_input_tokens":-4,"input_tokens":2}}}"#;
    let reply = reply(line).expect("a reply");
    assert_eq!(reply.message_id, Some(&b"b"[..]));
    assert_eq!((reply.tokens.input, reply.tokens.output), (2, 0));
    assert_eq!(reply.tokens.cache_read, 0);
}

#[test]
fn writes_to_the_cache_are_split_as_the_cli_does() {
    for (usage, five_minutes, hour) in [
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
        let line = format!(r#"{{"type":"assistant","message":{{"usage":{usage}}}}}"#);
        let tokens = reply(&line).expect("a reply").tokens;
        assert_eq!(
            (tokens.cache_write_5m, tokens.cache_write_1h),
            (five_minutes, hour),
            "{usage}"
        );
    }
}

#[test]
fn the_total_of_the_cli_is_read() {
    let line = br#"{"type":"cost-state","sessionId":"s","totalCostUSD":0.0032,"startTime":17,"modelUsage":
        {"b":{"inputTokens":400,"outputTokens":80,"cacheReadInputTokens":1,"cacheCreationInputTokens":5,
        "cacheCreationEphemeral5mInputTokens":3,"cacheCreationEphemeral1hInputTokens":2,"webSearchRequests":6,"costUSD":0.0016},
        "a":{"costUSD":1e-3}},"hasUnknownModelCost":false}"#;
    let state = read_cost_state(line).expect("a state");
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
    assert_eq!(read_cost_state(b"{\"totalCostUSD\":1"), None);
}

#[test]
fn a_request_is_known_by_its_head() {
    let line = br#"{"type":"api-request","sessionId":"s","id":"q1","timestamp":"t","params":{"cut"#;
    assert_eq!(read_request(line).expect("a request").id, b"q1");
    assert!(read_request(br#"{"type":"api-request","sessionId":"s"}"#).is_none());
}

#[test]
fn blocks_are_told_apart() {
    let content = br#"[{"type":"thinking","thinking":"x"},{"type":"tool_use","id":"t1","name":"Bash","input":{}},
        {"type":"server_tool_use","id":"t2","name":"web_search"},{"type":"text","name":"Bash","text":"y"},7]"#;
    let mut tools = Vec::new();
    read_blocks(content, |block| tools.push((block.tool, block.bytes)));
    let call: Option<&[u8]> = Some(b"Bash");
    assert_eq!(tools.len(), 4);
    assert_eq!(
        (tools[0].0, tools[1].0, tools[2].0, tools[3].0),
        (None, call, Some(&b"web_search"[..]), None)
    );
    assert_eq!(tools[0].1, br#"{"type":"thinking","thinking":"x"}"#.len());
    read_blocks(b"\"text\"", |_| panic!("a string has no blocks"));
}
