//! Checks the limits of projections against the reference page.

use super::mobile::{TARGET, agents, responses};
use super::ui::{groups, system};
use super::{calls, open_interactions, text};
use crate::reference_page::{limit, number};

#[test]
fn it_names_the_limits_that_hold() {
    for (what, holds) in [
        ("open tool calls", calls::KEPT),
        ("pending interactions", open_interactions::KEPT),
        ("permissions in one batch", groups::MOST),
        ("lines of a turn whose text", text::REMEMBERED),
        ("responses of a turn that can", responses::REMEMBERED),
        ("running subagents, for a phone", agents::KEPT),
        ("characters of the target of a `tool_operation`", TARGET),
        (
            "characters of an unrecognized line or name, in",
            system::SHOWN,
        ),
    ] {
        assert_eq!(limit(what), number(holds), "{what}");
    }
}
