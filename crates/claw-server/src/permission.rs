//! What a tool asks leave for.

use serde::{Deserialize, Serialize};

use crate::open_names::open_names;

/// What a tool wants to do, for a person or a policy to decide.
///
/// ```
/// use claw_server::{PermissionLevel, PermissionRequest, TargetType};
///
/// let request = PermissionRequest {
///     target_type: TargetType::Path,
///     target: "/srv/notes.md".to_string(),
///     level: PermissionLevel::Write,
///     description: "Edit notes.md".to_string(),
///     reason: None,
///     recursive: false,
/// };
/// assert_eq!(
///     serde_json::to_string(&request)?,
///     r#"{"target_type":"Path","target":"/srv/notes.md","level":"Write","description":"Edit notes.md","reason":null,"recursive":false}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PermissionRequest {
    /// What kind of thing the target is.
    pub target_type: TargetType,
    /// The specific resource: a path, a host, a command line, a tool's name.
    pub target: String,
    /// How far the tool wants to go.
    pub level: PermissionLevel,
    /// What happens when it is allowed, in words for a person.
    pub description: String,
    /// Why the tool needs it, when it said so.
    pub reason: Option<String>,
    /// Whether the answer covers what lies below a path, too.
    pub recursive: bool,
}

open_names! {
    /// What kind of thing a permission is about.
    pub enum TargetType {
        /// A file or a folder.
        Path,
        /// A host on the network.
        Domain,
        /// A shell command.
        Command,
        /// A tool that is about none of these, by its name.
        Tool,
    }
}

open_names! {
    /// How far a permission goes.
    pub enum PermissionLevel {
        /// To look at the target.
        Read,
        /// To change the target.
        Write,
        /// To run the target.
        Execute,
        /// To do anything with the target.
        Admin,
    }
}
