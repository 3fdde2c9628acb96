//! Checks options before anything is started.

use std::path::Path;

use crate::error::StartError;

/// The error for an option that contradicts another or cannot be sent.
pub(super) fn bad(option: &'static str, why: impl Into<String>) -> StartError {
    StartError::BadOption {
        option,
        why: why.into(),
    }
}

/// Checks that a name is not empty and has no NUL bytes, which a command line cannot contain.
pub(super) fn named(option: &'static str, name: &str) -> Result<(), StartError> {
    named_bytes(option, name.as_bytes())
}

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

/// Checks a name that is sent in a comma-separated list.
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

/// Checks a tool's name, in a list that the CLI also splits at whitespace.
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

/// Checks a permission rule in a comma-separated list. Its brackets may contain commas.
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
