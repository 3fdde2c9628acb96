//! Checks the limits of progress tracking against the reference page.

use super::limits::{ITEMS, LISTS, OPEN, POINTS, READ, REMEMBERED, TASKS, TOLD, WORDS};
use super::monitor::{RUNNING, SHOWN};
use crate::reference_page::{limit, number};

#[test]
fn it_names_the_limits_that_hold() {
    for (what, holds) in [
        ("running subjects:", OPEN),
        ("ended subjects", REMEMBERED),
        ("ended tasks", TASKS),
        ("ended texts and lists of subagents", TOLD),
        ("subjects parsed from text", READ),
        ("subagents with a list", LISTS),
        ("items of a list whose items have ids", POINTS),
        ("items of a list that an update shows", ITEMS),
        ("characters of a text of an update", WORDS),
        ("running subagents of a `SubAgentProgressMonitor`", RUNNING),
        ("ended subagents of a `SubAgentProgressMonitor`", SHOWN),
    ] {
        assert_eq!(limit(what), number(holds), "{what}");
    }
}
