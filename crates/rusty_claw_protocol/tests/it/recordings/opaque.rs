//! The reviewed list of values that are kept as text on purpose.

use std::collections::BTreeSet;

/// The maximum number of entries.
const MOST: usize = 60;
/// Nothing directly under these may be opaque.
const NEVER_UNDER: [&str; 3] = ["message", "usage", "result"];
/// A member that is called `message` and is no message of the conversation but one of JSON-RPC.
const JSON_RPC: &str = "<mcp_message>.message.";

/// The list, in the form `path TAB reason`; lines that begin with `#` are comments.
pub(super) const LIST: &str = include_str!("opaque_leaves.txt");
/// Invalid members that scenarios write on purpose, to test the CLI. They count towards the same
/// limit, and apply only to lines of the host.
pub(super) const WRONG_ON_PURPOSE: &str = include_str!("wrong_on_purpose.txt");

/// Reads a list of `name TAB text`.
pub(super) fn entries(list: &str) -> Vec<(&str, &str)> {
    list.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once('\t').unwrap_or((line, "")))
        .map(|(name, text)| (name.trim(), text.trim()))
        .collect()
}

/// What the review of a list finds, against the paths that were seen.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Review {
    pub(super) listed: usize,
    /// Seen and not in the list.
    pub(super) unlisted: Vec<String>,
    /// In the list and not seen.
    pub(super) stale: Vec<String>,
    /// Without a reason, twice, in a forbidden place, or one too many.
    pub(super) faults: Vec<String>,
}

impl Review {
    /// `others` is the number of entries in other lists that share the limit.
    pub(super) fn of(list: &str, seen: &BTreeSet<String>, others: usize) -> Self {
        let entries = entries(list);
        let listed: BTreeSet<&str> = entries.iter().map(|(path, _)| *path).collect();
        let mut faults = Vec::new();
        let count = entries.len() + others;
        if count > MOST {
            faults.push(format!("{count} entries, at most {MOST}"));
        }
        if listed.len() < entries.len() {
            faults.push("an entry is in the list twice".to_owned());
        }
        for (path, reason) in &entries {
            if reason.is_empty() {
                faults.push(format!("{path} has no reason"));
            }
            if let Some(place) = forbidden_place(path) {
                faults.push(format!("{path} is directly under {place}"));
            }
        }
        Self {
            listed: entries.len(),
            unlisted: seen
                .iter()
                .filter(|path| !listed.contains(path.as_str()))
                .cloned()
                .collect(),
            stale: listed
                .iter()
                .filter(|path| !seen.contains(**path))
                .map(ToString::to_string)
                .collect(),
            faults,
        }
    }
}

/// Where a path is that may not be opaque.
fn forbidden_place(path: &str) -> Option<&'static str> {
    if path.contains(JSON_RPC) {
        return None;
    }
    // The type of the line is first: a member of a result is directly under result.
    let path = path.rsplit(": ").next().unwrap_or(path);
    let steps: Vec<String> = path.split('.').map(plain).collect();
    let parent = match steps.as_slice() {
        [_] => return None,
        [.., parent, _] => parent,
        [] => return None,
    };
    NEVER_UNDER.into_iter().find(|place| place == parent)
}

/// A step without brackets; `<result><success>` is `result`.
fn plain(step: &str) -> String {
    let name = step.split(['<', '[']).next().unwrap_or_default();
    if name.is_empty() {
        let tag = step
            .trim_start_matches('<')
            .split('>')
            .next()
            .unwrap_or_default();
        return tag.to_owned();
    }
    name.to_owned()
}

fn seen(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(ToString::to_string).collect()
}

#[test]
fn unlisted_stale_and_unreasoned_paths_are_found() {
    let review = Review::of("# list\na.b\tbecause\nc.d\n", &seen(&["a.b", "e.f"]), 0);
    assert_eq!(review.listed, 2);
    assert_eq!(review.unlisted, ["e.f"]);
    assert_eq!(review.stale, ["c.d"]);
    assert_eq!(review.faults, ["c.d has no reason"]);
}

#[test]
fn nothing_directly_under_message_usage_or_result() {
    for path in [
        "<assistant>.message.news",
        "<result><success>.news",
        "<result><success>.usage.news",
        "<stream_event>.event<message_start>.message.news",
    ] {
        assert!(forbidden_place(path).is_some(), "{path}");
    }
    for path in [
        "<assistant>.message.content[]<tool_use>.input",
        "<system><init>.news",
        "<user>.tool_use_result",
        "get_settings: effective",
        "<control_request>.request<mcp_message>.message.params",
    ] {
        assert_eq!(forbidden_place(path), None, "{path}");
    }
}

#[test]
fn the_list_may_not_grow_without_end() {
    let list: String = (0..MOST).map(|n| format!("a.p{n}\twhy\n")).collect();
    let paths: BTreeSet<String> = (0..MOST).map(|n| format!("a.p{n}")).collect();
    assert_eq!(Review::of(&list, &paths, 0).faults.len(), 0);
    assert_eq!(Review::of(&list, &paths, 1).faults.len(), 1);
}
