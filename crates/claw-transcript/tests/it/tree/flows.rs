//! The flows that the message type specification draws, in its dialect and in the disk's.

use claw_transcript::{BranchCause, NodeKind, SessionTree};

use super::{drawn, whole};
use crate::scratch::testdata;

fn flow(name: &str) -> SessionTree {
    let tree = SessionTree::open(testdata().join("sessions/flows").join(name)).expect("a fixture");
    whole(&tree);
    tree
}

fn sidechain() -> SessionTree {
    flow("disk/sidechain/f10f10f1-0000-4000-8000-000000000004.jsonl")
}

#[test]
fn all_flows_are_drawn() {
    for name in [
        "linear",
        "tool_use",
        "parallel",
        "sidechain",
        "error_recovery",
        "compaction",
        "edit_branch",
    ] {
        let document = flow(&format!("document/{name}.jsonl"));
        let disk = match name {
            "sidechain" => sidechain(),
            _ => flow(&format!("disk/{name}.jsonl")),
        };
        let both = format!("{}\n{}", drawn(&document), drawn(&disk));
        insta::assert_snapshot!(format!("flow_{name}"), both);
    }
    insta::assert_snapshot!(
        "flow_sidechain_inline",
        drawn(&flow("disk/sidechain_inline.jsonl"))
    );
}

#[test]
fn parallel_calls_are_no_branches() {
    for (name, replies) in [("document/parallel.jsonl", 4), ("disk/parallel.jsonl", 2)] {
        let tree = flow(name);
        assert_eq!(tree.branches().len(), 1, "{name}");
        let kinds: Vec<NodeKind> = tree.live().map(|id| tree.node(id).kind()).collect();
        let count = |kind| kinds.iter().filter(|other| **other == kind).count();
        assert_eq!(
            (count(NodeKind::Reply), count(NodeKind::Results)),
            (replies, 3)
        );
        let calls: usize = tree.live().map(|id| tree.node(id).calls()).sum();
        assert_eq!(calls, 3);
    }
}

#[test]
fn an_edit_is_a_branch_seen_through_attachments() {
    for (name, expected) in [
        ("document/edit_branch.jsonl", &[4, 2][..]),
        ("disk/edit_branch.jsonl", &[4, 2, 1]),
    ] {
        let tree = flow(name);
        let branches = tree.branches();
        let own: Vec<usize> = branches.iter().map(|branch| branch.own).collect();
        assert_eq!(own, expected, "{name}");
        assert_eq!(branches[1].cause, BranchCause::Original, "{name}");
        assert_eq!(branches[1].fork, Some(tree.live().nth(1).expect("a reply")));
        assert!(branches[0].live && branches[1..].iter().all(|branch| !branch.live));
    }
}
