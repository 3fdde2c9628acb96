//! Trees of many parts, and replies of many requests.

use std::fmt::Write as _;

use claw_testkit::processes::cpu_time;
use claw_transcript::{DrawOptions, NodeKind, draw};

use super::{line, tree_of};

fn reply(uuid: &str, parent: &str, request: &str, input: u32, block: &str) -> String {
    let rest = format!(
        r#"{request}"message":{{"id":"msg_same","role":"assistant","model":"m","content":[{block}],"usage":{{"input_tokens":{input},"output_tokens":5}}}}"#
    );
    line("assistant", uuid, parent, &rest)
}

const TEXT: &str = r#"{"type":"text","text":"hi"}"#;
const CALL: &str = r#"{"type":"tool_use","id":"t1","name":"Read","input":{}}"#;

fn replies(file: &str) -> usize {
    let tree = tree_of(file.as_bytes());
    let replies = tree
        .nodes()
        .filter(|(_, node)| node.kind() == NodeKind::Reply);
    replies.count()
}

/// The tree and the count of usage must agree on what one reply is.
#[test]
fn requests_split_a_reply_only_if_they_differ_in_truth() {
    let prompt = line(
        "user",
        "1",
        "",
        r#""message":{"role":"user","content":"go"}"#,
    );
    let two = |first: &str, second: &str, input: [u32; 2]| {
        prompt.clone()
            + &reply("2", "1", first, input[0], TEXT)
            + &reply("3", "2", second, input[1], TEXT)
    };
    let (one, other) = (r#""requestId":"r1","#, r#""requestId":"r2","#);
    // Made up for each line, or missing on some.
    assert_eq!(replies(&two(one, other, [7, 7])), 1);
    assert_eq!(replies(&two(one, "", [7, 7])), 1);
    assert_eq!(replies(&two("", "", [7, 7])), 1);
    // Another prompt is another reply.
    assert_eq!(replies(&two(one, other, [7, 9])), 2);
    // The CLI's own count needs no other sign.
    let (one, other) = (r#""requestRef":"q1","#, r#""requestRef":"q2","#);
    assert_eq!(replies(&two(one, other, [7, 7])), 2);
    assert_eq!(replies(&two(one, one, [7, 7])), 1);
    // With the results of the first between them.
    let result = line(
        "user",
        "3",
        "2",
        r#""message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}"#,
    );
    let file = prompt + &reply("2", "1", one, 7, CALL) + &result + &reply("4", "3", other, 7, TEXT);
    assert_eq!(replies(&file), 2);
}

#[test]
fn very_many_sidechains_take_no_square() {
    let mut file = line(
        "user",
        "p",
        "",
        r#""message":{"role":"user","content":"go"}"#,
    );
    let mut parent = "p".to_owned();
    let count = 10_000;
    for at in 0..count {
        let own = format!("k{at}");
        let call = format!(
            r#""message":{{"id":"m{at}","content":[{{"type":"tool_use","id":"t{at}","name":"Task","input":{{"prompt":"go{at}"}}}}]}}"#
        );
        file += &line("assistant", &own, &parent, &call);
        let side = format!(r#""isSidechain":true,"message":{{"role":"user","content":"go{at}"}}"#);
        file += &line("user", &format!("s{at}"), "", &side);
        parent = own;
    }
    let tree = tree_of(file.as_bytes());
    assert_eq!(tree.sidechains().len(), count);
    let start = cpu_time();
    let ends = (0..count).filter_map(|at| tree.sidechain_leaf(at)).count();
    assert_eq!(ends, count);
    let mut preview = String::new();
    let drawn = draw(&tree, &DrawOptions::new(), |id| {
        preview.clear();
        let _ = write!(preview, "{}", id.index());
        preview.clone()
    });
    assert_eq!(drawn.lines().count(), 1 + 3 * count);
    // It takes about a second; a square of this took most of a minute.
    let used = cpu_time() - start;
    assert!(used.as_secs() < 15, "{used:?}");
}
