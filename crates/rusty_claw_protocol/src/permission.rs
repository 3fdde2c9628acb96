//! Permissions: modes, rules, and their changes by a host.

use rusty_claw_macros::wire_type;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;

mod result;

pub use result::*;

open_enum! {
    /// How the CLI decides on tool calls that no rule matches.
    pub enum PermissionMode {
        /// Asks before anything that may make changes.
        Default = "default",
        /// Allows file edits in the working directories without asking.
        AcceptEdits = "acceptEdits",
        /// Allows everything without asking.
        BypassPermissions = "bypassPermissions",
        /// Allows reading and planning, but no changes.
        Plan = "plan",
        /// Denies what would need permission.
        DontAsk = "dontAsk",
        /// A classifier decides instead of the user.
        Auto = "auto",
        /// Another name of the default mode that the CLI accepts.
        Manual = "manual",
    }
}

open_enum! {
    /// The effect of a rule on a matching tool call.
    pub enum PermissionBehavior {
        /// Allow it.
        Allow = "allow",
        /// Deny it.
        Deny = "deny",
        /// Ask the user.
        Ask = "ask",
    }
}

open_enum! {
    /// Where a permission change is stored.
    pub enum PermissionUpdateDestination {
        /// The user's settings file: for every project.
        UserSettings = "userSettings",
        /// The project's shared settings file.
        ProjectSettings = "projectSettings",
        /// The project's private settings file.
        LocalSettings = "localSettings",
        /// In memory, until the session ends.
        Session = "session",
        /// Like a command-line flag.
        CliArg = "cliArg",
    }
}

open_enum! {
    /// The intended scope of a user's answer; the CLI only reports it.
    pub enum PermissionDecisionClassification {
        /// Allowed once.
        UserTemporary = "user_temporary",
        /// Allowed permanently.
        UserPermanent = "user_permanent",
        /// Denied.
        UserReject = "user_reject",
    }
}

/// The tool calls that a permission rule matches.
#[wire_type(rename_all = "camelCase")]
pub struct PermissionRuleValue {
    /// The tool's name.
    pub tool_name: Str,
    /// Which of its calls, in the tool's pattern language (`npm test *`); all if absent.
    pub rule_content: Option<Str>,
}

impl PermissionRuleValue {
    /// Returns a rule for every call of a tool.
    pub fn tool(tool_name: impl Into<Str>) -> Self {
        Self {
            tool_name: tool_name.into(),
            ..Self::default()
        }
    }

    /// Returns a rule for the calls of a tool that match a pattern.
    pub fn matching(tool_name: impl Into<Str>, rule_content: impl Into<Str>) -> Self {
        Self {
            tool_name: tool_name.into(),
            rule_content: Some(rule_content.into()),
            ..Self::default()
        }
    }
}

/// A change to the permissions. Tagged by `type`.
#[wire_type(tag = "type", rename_all = "camelCase")]
pub enum PermissionUpdate {
    /// Adds rules.
    AddRules(PermissionRuleChange),
    /// Replaces the rules with the same behavior.
    ReplaceRules(PermissionRuleChange),
    /// Removes rules.
    RemoveRules(PermissionRuleChange),
    /// Changes the mode.
    SetMode {
        /// The new mode.
        mode: PermissionMode,
        /// Where it is stored.
        destination: PermissionUpdateDestination,
    },
    /// Adds working directories.
    AddDirectories(PermissionDirectoryChange),
    /// Removes working directories.
    RemoveDirectories(PermissionDirectoryChange),
    /// An unrecognized change.
    Unknown(Unknown),
}

impl PermissionUpdate {
    /// Adds rules, so that calls which they match need no further permission.
    ///
    /// ```
    /// use rusty_claw_protocol::permission::{
    ///     PermissionBehavior, PermissionRuleValue, PermissionUpdate, PermissionUpdateDestination,
    /// };
    ///
    /// let update = PermissionUpdate::add_rules(
    ///     vec![PermissionRuleValue::matching("Bash", "git status")],
    ///     PermissionBehavior::Allow,
    ///     PermissionUpdateDestination::Session,
    /// );
    /// assert_eq!(
    ///     serde_json::to_string(&update)?,
    ///     r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"git status"}],"behavior":"allow","destination":"session"}"#,
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn add_rules(
        rules: Vec<PermissionRuleValue>,
        behavior: PermissionBehavior,
        destination: PermissionUpdateDestination,
    ) -> Self {
        Self::AddRules(PermissionRuleChange {
            rules,
            behavior,
            destination,
            extra: Extra::new(),
        })
    }

    /// Removes rules.
    pub fn remove_rules(
        rules: Vec<PermissionRuleValue>,
        behavior: PermissionBehavior,
        destination: PermissionUpdateDestination,
    ) -> Self {
        Self::RemoveRules(PermissionRuleChange {
            rules,
            behavior,
            destination,
            extra: Extra::new(),
        })
    }

    /// Changes the mode.
    pub fn set_mode(mode: PermissionMode, destination: PermissionUpdateDestination) -> Self {
        Self::SetMode {
            mode,
            destination,
            extra: Extra::new(),
        }
    }

    /// Adds working directories.
    pub fn add_directories(
        directories: impl IntoIterator<Item = impl Into<Str>>,
        destination: PermissionUpdateDestination,
    ) -> Self {
        let directories = directories.into_iter().map(Into::into).collect();
        Self::AddDirectories(PermissionDirectoryChange {
            directories,
            destination,
            extra: Extra::new(),
        })
    }
}

/// Rules to add, replace or remove.
#[wire_type]
pub struct PermissionRuleChange {
    /// The rules.
    pub rules: Vec<PermissionRuleValue>,
    /// Their effect.
    pub behavior: PermissionBehavior,
    /// Where they are stored.
    pub destination: PermissionUpdateDestination,
}

/// Directories to add or remove.
#[wire_type]
pub struct PermissionDirectoryChange {
    /// The directories.
    pub directories: Vec<Str>,
    /// Where the change is stored.
    pub destination: PermissionUpdateDestination,
}
