//! The page about limits says what is remembered to tell front ends.

use super::mobile::{TARGET, agents, responses};
use super::ui::{groups, system};
use super::{calls, open_prompts, text};
use crate::reference_page::{limit, number};

#[test]
fn it_names_the_limits_that_hold() {
    for (what, holds) in [
        ("calls of tools that have not ended", calls::KEPT),
        ("prompts that wait", open_prompts::KEPT),
        ("permissions that are one batch", groups::MOST),
        ("lines of a turn whose text", text::REMEMBERED),
        ("responses of a turn that a phone", responses::REMEMBERED),
        ("subagents that run, for a phone", agents::KEPT),
        ("letters of what a `tool_operation` is about", TARGET),
        (
            "letters of a line or a name that nobody knows",
            system::SHOWN,
        ),
    ] {
        assert_eq!(limit(what), number(holds), "{what}");
    }
}
