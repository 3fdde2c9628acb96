//! Checks the length of arguments. The system's own error does not name the argument.

use std::ffi::{OsStr, OsString};

use crate::error::StartError;
use crate::transport::launch::Launch;

/// The limit for one argument or variable, including its NUL byte: 32 pages, fixed in the kernel.
pub(crate) const LONGEST: usize = 128 << 10;
/// Reserved for what the system adds: the program's name, the mark, the auxiliary vector.
const RESERVE: usize = 64 << 10;
/// The size of a pointer to an argument or variable, which counts too.
const POINTER: usize = size_of::<usize>();

/// Checks arguments and variables against the system's limits. The error names the culprit.
pub(crate) fn check_length(launch: &Launch) -> Result<(), StartError> {
    let mut total = check_arguments(&launch.args)?;
    for (name, value) in &launch.env {
        let (name_bytes, value) = (
            name.as_encoded_bytes(),
            value.as_deref().unwrap_or_default(),
        );
        if name.is_empty() || name_bytes.contains(&b'=') || name_bytes.contains(&0) {
            return Err(bad_variable(
                name,
                "its name is empty or holds `=` or a zero byte",
            ));
        }
        if value.as_encoded_bytes().contains(&0) {
            return Err(bad_variable(name, "its value holds a zero byte"));
        }
        if name.len() + value.len() + 1 >= LONGEST {
            return Err(bad_variable(
                name,
                "it is longer than 128 KiB, which no variable can be; put the value in a file",
            ));
        }
        total += name.len() + value.len() + 2 + POINTER;
    }
    if !launch.env_clear {
        for (name, value) in std::env::vars_os() {
            total += name.len() + value.len() + 2 + POINTER;
        }
    }
    let most = most_in_all().saturating_sub(RESERVE);
    if total > most {
        return Err(bad(
            "the arguments",
            &format!(
                "with the environment they have {total} bytes and the system takes at most {most}; \
                 put large values in files, or start with a smaller environment"
            ),
        ));
    }
    Ok(())
}

/// Checks each argument against the system's limits. Returns the memory that all of them take.
pub(crate) fn check_arguments(args: &[OsString]) -> Result<usize, StartError> {
    let mut flag = None;
    let mut total = 0;
    for arg in args {
        let bytes = arg.as_encoded_bytes();
        if bytes.starts_with(b"--") {
            let name = bytes.split(|&byte| byte == b'=').next().unwrap_or(bytes);
            flag = std::str::from_utf8(name).ok().filter(|it| it.len() < 64);
        }
        let named = flag.unwrap_or("an argument");
        if bytes.contains(&0) {
            return Err(bad(
                named,
                "it holds a zero byte, which no argument can hold",
            ));
        }
        if bytes.len() >= LONGEST {
            return Err(bad(
                named,
                &format!(
                    "its value has {} bytes and the system takes at most {} in one argument; put \
                     it in a file and name the file, or use the option that sends it over standard \
                     input",
                    bytes.len(),
                    LONGEST - 1
                ),
            ));
        }
        total += bytes.len() + 1 + POINTER;
    }
    Ok(total)
}

/// A quarter of the stack limit, between 128 KiB and 6 MiB.
#[cfg(target_os = "linux")]
fn most_in_all() -> usize {
    use rustix::process::{Resource, getrlimit};

    let stack = getrlimit(Resource::Stack).current.unwrap_or(u64::MAX);
    let quarter = usize::try_from(stack / 4).unwrap_or(usize::MAX);
    quarter.clamp(128 << 10, 6 << 20)
}

#[cfg(not(target_os = "linux"))]
fn most_in_all() -> usize {
    1 << 20
}

fn bad(named: &str, why: &str) -> StartError {
    StartError::BadOption {
        option: option_of(named),
        why: format!("{named}: {why}"),
    }
}

fn bad_variable(name: &OsStr, why: &str) -> StartError {
    StartError::BadOption {
        option: "env",
        why: format!("the variable {}: {why}", name.display()),
    }
}

fn option_of(flag: &str) -> &'static str {
    match flag {
        "--settings" => "settings",
        "--managed-settings" => "managed_settings",
        "--mcp-config" => "mcp_config",
        "--json-schema" => "json_schema",
        "--system-prompt" => "system_prompt",
        "--append-system-prompt" => "append_system_prompt",
        "--agents" => "agents",
        "--tools" => "tools",
        "--allowedTools" | "--allowed-tools" => "allowed_tools",
        "--disallowedTools" | "--disallowed-tools" => "disallowed_tools",
        "--add-dir" => "additional_directories",
        "--plugin-dir" => "plugin",
        _ => "arguments",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(args: Vec<OsString>) -> Launch {
        Launch {
            args,
            ..Launch::default()
        }
    }

    fn refusal(launch: &Launch) -> String {
        match check_length(launch) {
            Err(error @ StartError::BadOption { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_option_to_blame_is_named_and_what_to_do_is_said() {
        let long = "x".repeat(LONGEST);
        let mut launch = with(vec![
            "--verbose".into(),
            "--settings".into(),
            long.clone().into(),
        ]);
        let error = refusal(&launch);
        assert!(
            error.starts_with("settings: --settings: its value has 131072 bytes"),
            "{error}"
        );
        assert!(error.contains("put it in a file"), "{error}");

        launch.args = vec![format!("--json-schema={long}").into()];
        assert!(refusal(&launch).starts_with("json_schema: --json-schema"));

        launch.args = vec!["x".repeat(LONGEST - 1).into()];
        assert!(check_length(&launch).is_ok());
        launch.args = vec!["--name=a\0b".into()];
        assert!(refusal(&launch).contains("zero byte"));
    }

    #[test]
    fn many_arguments_are_too_long_together() {
        let error = refusal(&with(vec!["x".repeat(100 << 10).into(); 80]));
        assert!(
            error.starts_with("arguments: the arguments: with the environment"),
            "{error}"
        );
    }

    #[test]
    fn variables_are_checked_too() {
        let mut launch = Launch::default();
        for (name, value, word) in [
            ("", "x".to_owned(), "name"),
            ("A=B", "x".to_owned(), "name"),
            ("A", "x\0".to_owned(), "zero"),
            ("A", "x".repeat(LONGEST), "128 KiB"),
        ] {
            launch.env = vec![(name.into(), Some(value.into()))];
            let error = refusal(&launch);
            assert!(
                error.starts_with("env: ") && error.contains(word),
                "{error}"
            );
        }
    }
}
