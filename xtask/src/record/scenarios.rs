//! The scenarios, one file a family.

mod text;

use super::scenario::Scenario;

/// All of them, in the order they are recorded.
pub(super) fn all() -> Vec<Scenario> {
    [text::scenarios()].concat()
}
