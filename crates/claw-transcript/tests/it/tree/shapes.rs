//! Shapes that files have and no flow draws.

use claw_transcript::{BranchCause, DrawOptions, SessionTree, draw};

use super::{drawn_bytes, line, tree_of};

fn user(uuid: &str, parent: &str, text: &str) -> String {
    let message = format!(r#""message":{{"role":"user","content":"{text}"}}"#);
    line("user", uuid, parent, &message)
}

fn block(uuid: &str, parent: &str, id: &str, block: &str) -> String {
    let message = format!(r#""message":{{"id":"{id}","role":"assistant","content":[{block}]}}"#);
    line("assistant", uuid, parent, &message)
}

fn reply(uuid: &str, parent: &str, id: &str, text: &str) -> String {
    block(
        uuid,
        parent,
        id,
        &format!(r#"{{"type":"text","text":"{text}"}}"#),
    )
}

fn call(uuid: &str, parent: &str, id: &str, tool: &str) -> String {
    let call = format!(r#"{{"type":"tool_use","id":"{tool}","name":"Read","input":{{}}}}"#);
    block(uuid, parent, id, &call)
}

fn result(uuid: &str, parent: &str, tool: &str, text: &str) -> String {
    let message = format!(
        r#""message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{tool}","content":"{text}"}}]}}"#
    );
    line("user", uuid, parent, &message)
}

/// Lines from a script, one step per line: the function above and its arguments. `-` is no parent.
/// Other steps are the text of the file.
fn file(script: &str) -> String {
    let step = |step: &str| {
        let words: Vec<&str> = step.splitn(4, ' ').collect();
        let [kind, uuid, parent, rest] = words[..] else {
            return step.to_owned();
        };
        let parent = parent.trim_matches('-');
        let (id, text) = rest.split_once(' ').unwrap_or((rest, ""));
        match kind {
            "user" => user(uuid, parent, rest),
            "reply" => reply(uuid, parent, id, text),
            "call" => call(uuid, parent, id, text),
            "result" => result(uuid, parent, id, text),
            "system" => line("system", uuid, parent, rest),
            _ => step.to_owned(),
        }
    };
    script.lines().map(|line| step(line.trim())).collect()
}

/// Each shape with its drawing.
#[test]
fn odd_shapes_are_drawn_whole() {
    let shapes = [
        (
            "a result between two blocks of one reply",
            "user 1 - go
            call 2 1 m t1
            result 3 2 t1 one
            call 4 3 m t2
            result 5 4 t2 two
            reply 6 5 n done",
        ),
        (
            "blocks beside each other",
            "user 1 - go
            call 2 1 m t1
            call 3 1 m t2
            result 4 2 t1 one
            result 5 3 t2 two
            reply 6 4 n done",
        ),
        (
            "results under each other",
            "user 1 - go
            call 2 1 m t1
            call 3 2 m t2
            result 4 3 t2 two
            result 5 4 t1 one
            reply 6 5 n done",
        ),
        (
            "a second answer to one call",
            "user 1 - go
            call 2 1 m t1
            result 3 2 t1 first
            reply 4 3 n with the first
            result 5 2 t1 second
            reply 6 5 o with the second",
        ),
        (
            "a parent that is missing",
            "user 1 - go
            reply 2 1 m gone on
            user 4 lost after the loss
            reply 5 4 n still here",
        ),
        (
            "a circle",
            "user 1 3 a
            reply 2 1 m b
            user 3 2 c
            user 4 4 its own parent",
        ),
        (
            "children before their parents",
            "reply 4 3 n last
            user 3 2 third
            reply 2 1 m second
            user 1 - first",
        ),
        (
            "a copy that lost its parent",
            "user 1 - go
            reply 2 1 m gone
            reply 2 - m gone
            user 3 2 on",
        ),
        (
            "the first prompt edited",
            "user 1 - go
            reply 2 1 m gone
            user 3 - go elsewhere
            reply 4 3 n gone elsewhere",
        ),
        (
            "a torn line with a whole one behind it",
            r#"user 1 - go
            {"parentUuid":"1","isSidechain":false,"type":"assi
            reply 2 1 m gone"#,
        ),
        (
            "a notice on the side",
            r#"user 1 - go
            system 2 1 "subtype":"informational","content":"by the way"
            reply 3 1 m gone"#,
        ),
        (
            "what would move the cursor",
            r"user 1 - go \u001b[2J \u202e away",
        ),
    ];
    let drawn: Vec<String> = shapes
        .iter()
        .map(|(what, script)| format!("{what}\n{}", drawn_bytes(file(script).as_bytes())))
        .collect();
    insta::assert_snapshot!(drawn.join("\n"));
}

#[test]
fn branches_say_why_they_are() {
    let file = file(
        "user 1 - go
        reply 2 1 m once
        reply 3 1 n again
        user 4 3 on
        reply 5 4 o yes
        user 6 lost elsewhere
        reply 7 2 p back on the first",
    );
    let tree = tree_of(file.as_bytes());
    let branches = tree.branches();
    let causes: Vec<_> = branches
        .iter()
        .map(|branch| (branch.cause, branch.own))
        .collect();
    assert_eq!(
        causes,
        [
            (BranchCause::Original, 3),
            (BranchCause::Regenerated, 3),
            (BranchCause::Orphaned, 1),
        ]
    );
    // Every message is some branch's own.
    let own: usize = branches.iter().map(|branch| branch.own).sum();
    assert_eq!(own, tree.len());
}

#[test]
fn compactions_cut_branches_and_keep_some() {
    let boundary = |uuid: &str, before: &str, kept: &str| {
        format!(
            r#"{{"parentUuid":null,"logicalParentUuid":"{before}","isSidechain":false,"type":"system","subtype":"compact_boundary","compactMetadata":{{"preservedSegment":{{"headUuid":"{kept}","anchorUuid":"s{uuid}","tailUuid":"{before}"}}}},"uuid":"{uuid}","sessionId":"s"}}"#
        ) + "\n"
    };
    let summary = r#""isCompactSummary":true,"message":{"role":"user","content":"what was"}"#;
    let file = [
        user("1", "", "go"),
        reply("2", "1", "m", "gone"),
        user("3", "2", "kept"),
        reply("4", "3", "n", "kept too"),
        boundary("5", "4", "3"),
        line("user", "s5", "5", summary),
        user("6", "s5", "on"),
        reply("7", "6", "o", "went on"),
        boundary("8", "7", "6"),
        line("user", "s8", "8", summary),
    ]
    .concat();
    let tree = tree_of(file.as_bytes());
    let leaf = tree.live_leaf().expect("a leaf");
    assert_eq!(tree.live().len(), 10);
    let cuts: Vec<_> = tree.live().filter(|id| tree.node(*id).is_cut()).collect();
    let ids = |ids: &[&str]| -> Vec<_> { ids.iter().filter_map(|id| tree.find(id)).collect() };
    assert_eq!(cuts, ids(&["5", "8"]));
    assert_eq!(tree.find("9"), None);
    assert_eq!(tree.context(leaf), ids(&["8", "s8", "6", "7"]));
    let earlier = tree.find("7").expect("a message");
    assert_eq!(tree.path_to(earlier).len(), 8);
    assert_eq!(tree.context(earlier), ids(&["5", "s5", "3", "4", "6", "7"]));
}

/// Files of random lines, with parents and ids that are missing, doubled, circular or of another
/// chain: every message stays, once.
#[test]
fn no_file_makes_it_loop_or_lose_messages() {
    let mut seed = 0x2545_F491_4F6C_DD1Du64;
    let mut random = |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    for round in 0..600 {
        let names = 2 + random(24);
        let mut file = String::new();
        for _ in 0..random(40) {
            let uuid = random(names).to_string();
            let parent = match random(6) {
                0 => String::new(),
                1 => "nowhere".to_owned(),
                _ => random(names).to_string(),
            };
            let (tool, message) = (format!("t{}", random(4)), format!("m{}", random(5)));
            let mut made = match random(8) {
                0 | 1 => user(&uuid, &parent, "x"),
                2 => reply(&uuid, &parent, &message, "x"),
                3 => call(&uuid, &parent, &message, &tool),
                4 => result(&uuid, &parent, &tool, "x"),
                5 => line(
                    "attachment",
                    &uuid,
                    &parent,
                    r#""attachment":{"type":"date"}"#,
                ),
                6 => line(
                    "system",
                    &uuid,
                    &parent,
                    &format!(
                        r#""subtype":"compact_boundary","logicalParentUuid":"{}","compactMetadata":{{"preservedSegment":{{"headUuid":"{}","tailUuid":"{}"}}}}"#,
                        random(names),
                        random(names),
                        random(names)
                    ),
                ),
                _ => {
                    format!(
                        r#"{{"type":"assistant","subtype":"tool_use","toolName":"Read","toolArguments":{{}},"uuid":"{uuid}","parentUuid":"{parent}","sessionId":"s"}}"#
                    ) + "\n"
                }
            };
            if random(5) == 0 {
                made = made.replace("\"isSidechain\":false", "\"isSidechain\":true");
            }
            if random(9) == 0 {
                made = made.replace("\"sessionId\"", "\"agentId\":\"a1\",\"sessionId\"");
            }
            file.push_str(&made);
        }
        let tree = tree_of(file.as_bytes());
        let lines = file.lines().count();
        let spans: usize = tree.nodes().map(|(id, _)| tree.spans(id).len()).sum();
        let folded: usize = tree.nodes().map(|(id, _)| tree.folded(id).len()).sum();
        let all = spans + folded + tree.folded_at_start().len();
        assert_eq!(all, lines, "round {round}\n{file}");
        let main = tree.nodes().any(|(_, node)| !node.is_sidechain());
        assert_eq!(tree.live_leaf().is_some(), main, "round {round}\n{file}");
    }
}

/// A chain, and a comb of forks, far deeper than any stack.
#[test]
fn depth_costs_no_stack() {
    let many = 30_000;
    let mut file = user("0", "", "x");
    for at in 1..many {
        file += &user(&at.to_string(), &(at - 1).to_string(), "x");
        if at % 2 == 0 {
            file += &reply(
                &format!("b{at}"),
                &(at - 1).to_string(),
                &format!("m{at}"),
                "x",
            );
        }
    }
    let tree = SessionTree::of_reader(file.as_bytes()).expect("memory does not fail");
    assert_eq!(tree.len(), many + (many - 1) / 2);
    assert_eq!(tree.branches().len(), 1 + (many - 1) / 2);
    let drawn = draw(&tree, &DrawOptions::new(), |_| String::new());
    assert_eq!(drawn.lines().count(), tree.len() + (many - 1) / 2);
}
