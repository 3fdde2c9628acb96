//! Permissions: modes, rules, and how a host changes them.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;

mod result;

pub use result::*;

open_enum! {
    /// How the CLI decides about tool calls that no rule decides.
    pub enum PermissionMode {
        /// Ask for whatever may change something.
        Default = "default",
        /// File edits in the working folders need no question.
        AcceptEdits = "acceptEdits",
        /// Nothing needs a question.
        BypassPermissions = "bypassPermissions",
        /// Look and plan, change nothing.
        Plan = "plan",
        /// What would need a question is refused.
        DontAsk = "dontAsk",
        /// A classifier decides in place of a person.
        Auto = "auto",
        /// Another name of the default mode that the CLI accepts.
        Manual = "manual",
    }
}

open_enum! {
    /// What a rule does with a tool call that it matches.
    pub enum PermissionBehavior {
        /// Let it run.
        Allow = "allow",
        /// Refuse it.
        Deny = "deny",
        /// Ask.
        Ask = "ask",
    }
}

open_enum! {
    /// Where a change of permissions is kept.
    pub enum PermissionUpdateDestination {
        /// The user's settings file: for every project.
        UserSettings = "userSettings",
        /// The project's settings file: for everybody who works on it.
        ProjectSettings = "projectSettings",
        /// The project's private settings file.
        LocalSettings = "localSettings",
        /// Memory only: gone when the session ends.
        Session = "session",
        /// As if given on the command line.
        CliArg = "cliArg",
    }
}

open_enum! {
    /// How far a person's answer was meant to reach; the CLI reports it, nothing depends on it.
    pub enum PermissionDecisionClassification {
        /// Allowed this once.
        UserTemporary = "user_temporary",
        /// Allowed for good.
        UserPermanent = "user_permanent",
        /// Refused.
        UserReject = "user_reject",
    }
}

/// What a permission rule matches.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct PermissionRuleValue {
    /// The tool.
    pub tool_name: Str,
    /// Which of its calls, in the tool's own pattern language (`npm test *`); all when absent.
    pub rule_content: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

impl PermissionRuleValue {
    /// A rule for every call of a tool.
    pub fn tool(tool_name: impl Into<Str>) -> Self {
        Self {
            tool_name: tool_name.into(),
            ..Self::default()
        }
    }

    /// A rule for the calls of a tool that match a pattern.
    pub fn matching(tool_name: impl Into<Str>, rule_content: impl Into<Str>) -> Self {
        Self {
            tool_name: tool_name.into(),
            rule_content: Some(rule_content.into()),
            ..Self::default()
        }
    }
}

/// One change to the permissions. Told apart by `type`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum PermissionUpdate {
    /// Adds rules to those that are there.
    #[wire(name = "addRules")]
    AddRules(PermissionRuleChange),
    /// Puts rules in the place of those with the same behaviour.
    #[wire(name = "replaceRules")]
    ReplaceRules(PermissionRuleChange),
    /// Takes rules away.
    #[wire(name = "removeRules")]
    RemoveRules(PermissionRuleChange),
    /// Changes the mode.
    #[wire(name = "setMode")]
    SetMode {
        /// The new mode.
        mode: PermissionMode,
        /// Where it is kept.
        destination: PermissionUpdateDestination,
        /// What no field holds.
        extra: Extra,
    },
    /// Lets tools work in further folders.
    #[wire(name = "addDirectories")]
    AddDirectories(PermissionDirectoryChange),
    /// Takes folders away again.
    #[wire(name = "removeDirectories")]
    RemoveDirectories(PermissionDirectoryChange),
    /// A change that is new to this library.
    Unknown(Unknown),
}

impl PermissionUpdate {
    /// Adds rules, so that the next call that they match is not asked about.
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

    /// Takes rules away.
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

    /// Lets tools work in further folders.
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
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PermissionRuleChange {
    /// The rules.
    pub rules: Vec<PermissionRuleValue>,
    /// What they do.
    pub behavior: PermissionBehavior,
    /// Where they are kept.
    pub destination: PermissionUpdateDestination,
    /// What no field holds.
    pub extra: Extra,
}

/// Folders to add or remove.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PermissionDirectoryChange {
    /// The folders.
    pub directories: Vec<Str>,
    /// Where the change is kept.
    pub destination: PermissionUpdateDestination,
    /// What no field holds.
    pub extra: Extra,
}
