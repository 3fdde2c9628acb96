//! Mentions of sub-agents.

use super::form::Form;
use crate::progress::ProgressKind::Subagent;

/// Patterns for the start of sub-agents.
pub(super) const MENTION: Form = Form {
    name: "sub-agents begin",
    kind: Subagent,
    pattern: r"(?i)^(?:now |next,? |okay,? |ok,? |first,? )?(?:i'll |i'm |i am |i've |let me |i have )?(?:now |also |just )?(?:launch|spawn|dispatch|start)(?:ing|ed)? (?:(?:{total!}|an?|the|another) )(?:[\w-]+ ){0,3}(?:sub-?)?agents?\b",
};

/// Patterns for the number of sub-agents that have ended.
pub(super) const ENDED: Form = Form {
    name: "n of m sub-agents ended",
    kind: Subagent,
    pattern: r"(?i)^(?:so far,? )?{done!}{of}{total!} (?:[\w-]+ )?(?:sub-?)?agents (?:have |are |is |has )?(?:now |already )?(?:finished|done|completed?|returned|reported)\b",
};
