//! All readers of session files over the same hostile files. Each has its own way to read lines and
//! chains, for speed or to match the CLI. Their results must agree.

mod cases;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use claw_transcript::{
    Body, Entry, GroupBy, Kind, Lines, MessageFilter, NodeKind, SessionLibrary, SessionTree,
    TreeReader, UsageQuery, UsageReport, Zone,
};

use cases::{Case, SESSION, cases, reply, user};

/// Where the CLI's accounts of all replies begin: whole lines, and whole entries in broken ones.
fn entries_with_replies(bytes: &[u8]) -> Vec<u64> {
    let is_reply = |entry: &Entry<'_>| {
        entry.kind() == Kind::Assistant
            && entry
                .get("message")
                .is_some_and(|m| m.contains("\"usage\""))
    };
    let mut found = Vec::new();
    let mut lines = Lines::new(bytes);
    while let Some(line) = lines.next_line().expect("memory does not fail") {
        match line.body() {
            Body::Entry(entry) if is_reply(&entry) => found.push(line.offset),
            Body::Broken(damage) => {
                for piece in damage.pieces {
                    let at = line.offset + piece.start as u64;
                    let entry = Entry::read(&line.raw[piece]);
                    found.extend(entry.filter(is_reply).map(|_| at));
                }
            }
            _ => {}
        }
    }
    found
}

fn usage(library: &SessionLibrary, by: Option<GroupBy>) -> UsageReport {
    let query = UsageQuery::new().zone(Zone::utc());
    let query = by.into_iter().fold(query, UsageQuery::group_by);
    query.run(library).expect("a library can be read")
}

fn of_branch(report: &UsageReport) -> BTreeMap<String, u64> {
    let rows = report.rows.iter();
    rows.map(|row| (row.keys[0].clone(), row.sums.messages))
        .collect()
}

#[test]
fn all_readers_agree_on_hostile_files() {
    for case in cases() {
        let name = case.name;
        let home = tempfile::tempdir().expect("a folder");
        let path = home
            .path()
            .join("projects/-w")
            .join(format!("{SESSION}.jsonl"));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, &case.bytes).expect("a file");
        let library = SessionLibrary::open(home.path());
        agree(&library, &path, &case).unwrap_or_else(|what| panic!("{name}: {what}"));
    }
}

fn agree(library: &SessionLibrary, path: &Path, case: &Case) -> Result<(), String> {
    let same = |what: &str, left: &dyn std::fmt::Debug, right: &dyn std::fmt::Debug| {
        let (left, right) = (format!("{left:?}"), format!("{right:?}"));
        match left == right {
            true => Ok(()),
            false => Err(format!("{what}: {left} and {right}")),
        }
    };
    let entries = entries_with_replies(&case.bytes);
    let tree = SessionTree::open(path).expect("a file can be read");
    let report = usage(library, None);
    same(
        "lines by entries and usage",
        &(entries.len() as u64),
        &report.read.reply_lines,
    )?;

    let of_kind = tree
        .nodes()
        .filter(|(_, node)| node.kind() == NodeKind::Reply);
    let replies: Vec<_> = of_kind.collect();
    let spans = replies.iter().flat_map(|(id, _)| tree.spans(*id));
    let copies = tree.nodes().flat_map(|(id, _)| tree.folded(id));
    let copies = copies.filter(|line| line.replaced && line.kind == Kind::Assistant);
    let mut in_tree: Vec<u64> = spans.map(|span| span.offset).collect();
    in_tree.extend(copies.map(|line| line.offset));
    in_tree.sort_unstable();
    same("lines by entries and tree", &entries, &in_tree)?;
    same(
        "replies by tree and usage",
        &(replies.len() as u64),
        &report.total.messages,
    )?;

    let by_branch = usage(library, Some(GroupBy::Branch));
    same("totals", &by_branch.total, &report.total)?;
    let rows = of_branch(&by_branch);
    let count = |name: &str| rows.get(name).copied().unwrap_or_default();
    let counted = [count("live"), count("(unknown)"), count("abandoned")];
    same("branches", &counted, &case.expected)?;
    let main = replies.iter().filter(|(_, node)| !node.is_sidechain());
    let live = main.clone().filter(|(_, node)| node.is_live()).count();
    let asides = replies.len() - main.count();
    same(
        "live by tree and usage",
        &((live + asides) as u64),
        &count("live"),
    )?;

    // The CLI's own view has nothing that the tree does not have on its live branch.
    let messages = library
        .messages(SESSION, &MessageFilter::new())
        .map_err(|error| error.to_string())?;
    let shown: BTreeSet<String> = messages.into_iter().map(|message| message.uuid).collect();
    let mut reader = TreeReader::new(&tree);
    let mut on_live = HashSet::new();
    let mut live_replies = BTreeSet::new();
    for id in tree.live() {
        for bytes in reader.lines(id).map_err(|error| error.to_string())? {
            let uuid = Entry::read(&bytes).and_then(|entry| Some(entry.uuid()?.into_owned()));
            let uuid = uuid.ok_or("a line of the tree is no entry")?;
            if tree.node(id).kind() == NodeKind::Reply {
                live_replies.insert(uuid.clone());
            }
            on_live.insert(uuid);
        }
    }
    let strange: Vec<_> = shown
        .iter()
        .filter(|uuid| !on_live.contains(*uuid))
        .collect();
    same("shown and not live", &strange, &Vec::<&String>::new())?;
    let missing: Vec<_> = live_replies.difference(&shown).collect();
    match case.all_shown {
        true => same("live and not shown", &missing, &Vec::<&String>::new()),
        false => Ok(()),
    }
}

/// The one line on which they differ on purpose: a control character in a string makes it invalid
/// JSON, so it is not shown, but its reply has a cost.
#[test]
fn a_line_that_is_almost_json_is_still_paid_for() {
    let home = tempfile::tempdir().expect("a folder");
    let path = home
        .path()
        .join("projects/-w")
        .join(format!("{SESSION}.jsonl"));
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let lines = [
        user("1", ""),
        reply("2", "1", "a").replace("\"hi\"", "\"h\ti\""),
    ];
    std::fs::write(&path, lines.join("\n")).expect("a file");
    let library = SessionLibrary::open(home.path());
    let report = usage(&library, Some(GroupBy::Branch));
    assert_eq!(
        of_branch(&report),
        BTreeMap::from([("(unknown)".to_owned(), 1)])
    );
    let tree = SessionTree::open(&path).expect("a file can be read");
    assert_eq!(tree.len(), 1);
}
