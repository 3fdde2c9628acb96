//! What `system/init` says beside the members that the documents name.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::text::Str;

/// What `system/init` says beside the members that the documents name.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
pub struct InitDetails {
    /// The working directory.
    pub cwd: Option<String>,
    /// The model.
    pub model: Option<Str>,
    /// The line's id.
    pub uuid: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}
