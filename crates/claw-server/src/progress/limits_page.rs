//! The page about limits says what is remembered to say how far things are.

use super::limits::{ITEMS, LISTS, OPEN, POINTS, READ, REMEMBERED, TASKS, TOLD, WORDS};
use super::monitor::{RUNNING, SHOWN};
use crate::reference_page::{limit, number};

#[test]
fn it_names_the_limits_that_hold() {
    for (what, holds) in [
        ("things that run:", OPEN),
        ("things that are over", REMEMBERED),
        ("tasks that are over", TASKS),
        ("things that subagents said and listed", TOLD),
        ("things that were read from texts", READ),
        ("subagents with a list", LISTS),
        ("points of a list whose points have ids", POINTS),
        ("points of a list that an update shows", ITEMS),
        ("letters of the words of an update", WORDS),
        ("subagents of a `SubAgentProgressMonitor` that run", RUNNING),
        (
            "subagents of a `SubAgentProgressMonitor` that are over",
            SHOWN,
        ),
    ] {
        assert_eq!(limit(what), number(holds), "{what}");
    }
}
