//! Sessions as trees of messages.

mod flows;
mod many;
mod memory;
mod recorded;
mod shapes;

use claw_transcript::{DrawOptions, NodeId, SessionTree, TreeReader, draw};

/// A line as the CLI writes it, with the members given.
fn line(kind: &str, uuid: &str, parent: &str, rest: &str) -> String {
    let parent = match parent {
        "" => "null".to_owned(),
        parent => format!("\"{parent}\""),
    };
    format!(
        r#"{{"parentUuid":{parent},"isSidechain":false,"type":"{kind}",{rest},"uuid":"{uuid}","timestamp":"2026-01-01T00:00:00.000Z","sessionId":"s","version":"2.1.325"}}"#
    ) + "\n"
}

/// What a terminal of 100 columns would show.
fn drawn(tree: &SessionTree) -> String {
    let mut reader = TreeReader::new(tree);
    let preview = |id| reader.preview(id).expect("the lines of a message");
    draw(tree, &DrawOptions::new(), preview)
}

fn drawn_bytes(bytes: &[u8]) -> String {
    let tree = tree_of(bytes);
    let mut reader = TreeReader::of_bytes(&tree, bytes);
    let preview = |id| reader.preview(id).expect("the lines of a message");
    draw(&tree, &DrawOptions::new(), preview)
}

fn tree_of(bytes: &[u8]) -> SessionTree {
    let tree = SessionTree::of_reader(bytes).expect("memory does not fail");
    whole(&tree);
    tree
}

/// What holds for every tree: each message is drawn once and is on a way from a root, each way
/// ends, and parents and children agree.
fn whole(tree: &SessionTree) {
    let mut seen = vec![0; tree.len()];
    let mut waiting: Vec<NodeId> = tree.roots().collect();
    while let Some(id) = waiting.pop() {
        seen[id.index()] += 1;
        for child in tree.children(id) {
            assert_eq!(tree.node(*child).parent(), Some(id));
        }
        waiting.extend(tree.children(id));
    }
    assert!(seen.iter().all(|times| *times == 1), "{seen:?}");
    let mut rows = vec![0; tree.len()];
    let each = |row: claw_transcript::DrawnRow| {
        if let Some(id) = row.node {
            rows[id.index()] += 1;
        }
    };
    claw_transcript::draw_rows(tree, &DrawOptions::new(), |_| String::new(), each);
    assert!(rows.iter().all(|times| *times == 1), "{rows:?}");
    for branch in tree.branches() {
        let way: Vec<NodeId> = tree.path_to(branch.leaf).collect();
        assert!(way.contains(&branch.first));
        assert_eq!(way.last(), Some(&branch.leaf));
        assert!(tree.node(way[0]).parent().is_none());
        assert!(branch.own <= way.len());
    }
    for (id, _) in tree.nodes() {
        assert!(!tree.spans(id).is_empty());
    }
}
