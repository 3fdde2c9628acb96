//! What is wrong with options, told before anything is started.

use std::path::Path;

use super::Options;
use crate::error::StartError;

/// An option that contradicts another or holds something that cannot be sent.
pub(super) fn bad(option: &'static str, why: impl Into<String>) -> StartError {
    StartError::BadOption {
        option,
        why: why.into(),
    }
}

/// A name: not empty, without NUL bytes, which no command line can carry.
pub(super) fn named(option: &'static str, name: &str) -> Result<(), StartError> {
    named_bytes(option, name.as_bytes())
}

/// The same for a path.
pub(super) fn named_path(option: &'static str, path: &Path) -> Result<(), StartError> {
    named_bytes(option, path.as_os_str().as_encoded_bytes())
}

fn named_bytes(option: &'static str, bytes: &[u8]) -> Result<(), StartError> {
    if bytes.trim_ascii().is_empty() {
        return Err(bad(option, "is empty; leave it out for the default"));
    }
    if bytes.contains(&0) {
        let name = String::from_utf8_lossy(bytes);
        return Err(bad(option, format!("{name:?} holds a NUL byte")));
    }
    Ok(())
}

/// A name that is sent in a list joined by commas.
pub(super) fn name_in_list(option: &'static str, name: &str) -> Result<(), StartError> {
    named(option, name)?;
    if name.contains(',') {
        return Err(bad(
            option,
            format!("{name:?} holds a comma; give each name on its own"),
        ));
    }
    Ok(())
}

/// A tool's name, in a list that the CLI also takes apart at blanks.
pub(super) fn tool_in_list(option: &'static str, name: &str) -> Result<(), StartError> {
    name_in_list(option, name)?;
    if name.contains(char::is_whitespace) {
        return Err(bad(
            option,
            format!("{name:?} holds a blank; give each name on its own"),
        ));
    }
    Ok(())
}

/// A permission rule that is sent in a list joined by commas: they may stand inside its brackets.
pub(super) fn rule_in_list(option: &'static str, rule: &str) -> Result<(), StartError> {
    named(option, rule)?;
    let mut depth = 0_usize;
    for c in rule.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                return Err(bad(
                    option,
                    format!("{rule:?} is more than one rule; give each on its own"),
                ));
            }
            c if depth == 0 && c.is_whitespace() => {
                return Err(bad(
                    option,
                    format!(
                        "{rule:?} has a blank outside its brackets, which the CLI takes for the end of a rule; give each rule on its own"
                    ),
                ));
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err(bad(option, format!("{rule:?} misses a closing bracket")));
    }
    Ok(())
}

impl Options {
    /// Looks for everything that can be known to be wrong before a start.
    pub(super) fn check(&self) -> Result<(), StartError> {
        self.limits.check()?;
        self.process.check()?;
        self.environment.check()?;
        self.conversation.check()?;
        self.model.check()?;
        self.prompt.check()?;
        self.tools.check()?;
        self.host
            .check_mcp_servers()
            .map_err(|error| bad("mcp_server", error.to_string()))?;
        self.permission.check(self.host.asks_permissions())?;
        self.served.check()?;
        self.settings.check()
    }
}
