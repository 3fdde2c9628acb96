//! The parts of the user's configuration that a CLI in another config folder needs.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Settings that name plugins. Plugins are in the user's config folder, so their names are invalid
/// in another one.
const PLUGIN_SETTINGS: [&str; 3] = [
    "enabledPlugins",
    "extraKnownMarketplaces",
    "additionalMarketplaces",
];

/// Members of credentials that are refresh tokens, in the spellings of the CLI and of OAuth.
const RENEWING: [&str; 2] = ["refreshToken", "refresh_token"];

/// The location of the user's own configuration of the CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserConfig {
    config_dir: PathBuf,
    global_config: PathBuf,
}

impl UserConfig {
    /// A config folder that was passed to the CLI as `CLAUDE_CONFIG_DIR`: it contains everything.
    pub fn in_folder(config_dir: impl Into<PathBuf>) -> Self {
        let config_dir = config_dir.into();
        Self {
            global_config: config_dir.join(".claude.json"),
            config_dir,
        }
    }

    /// The default location: `.claude` in the user's home folder, and `.claude.json` beside it.
    pub fn in_home(home: impl AsRef<Path>) -> Self {
        Self {
            config_dir: home.as_ref().join(".claude"),
            global_config: home.as_ref().join(".claude.json"),
        }
    }

    /// The location for a CLI with these variables: `CLAUDE_CONFIG_DIR`, otherwise the home folder.
    /// `None` if neither is set.
    ///
    /// ```
    /// use rusty_claw::store::UserConfig;
    ///
    /// let config = UserConfig::by_environment(|name| {
    ///     (name == "HOME").then(|| "/home/user".into())
    /// });
    /// assert_eq!(config, Some(UserConfig::in_home("/home/user")));
    /// ```
    pub fn by_environment(variable: impl Fn(&str) -> Option<OsString>) -> Option<Self> {
        let set = |name| variable(name).filter(|value| !value.is_empty());
        if let Some(folder) = set("CLAUDE_CONFIG_DIR") {
            return Some(Self::in_folder(folder));
        }
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        set(home).map(Self::in_home)
    }

    /// The config folder.
    pub fn config_dir(&self) -> &Path {
        &self.config_dir
    }

    /// Copies the files that exist into another config folder. None of them is required, so files
    /// that cannot be copied are reported and skipped.
    pub(super) fn copy_into(
        &self,
        target: &Path,
        write: impl Fn(&Path, &[u8]) -> io::Result<()>,
    ) -> Vec<Copied> {
        type Change = fn(Vec<u8>) -> Result<Vec<u8>, &'static str>;
        let in_folder = |name| self.config_dir.join(name);
        let files: [(&'static str, PathBuf, Change); 4] = [
            (
                ".credentials.json",
                in_folder(".credentials.json"),
                without_refresh_token,
            ),
            (".claude.json", self.global_config.clone(), Ok),
            (".config.json", in_folder(".config.json"), Ok),
            ("settings.json", in_folder("settings.json"), without_plugins),
        ];
        files
            .into_iter()
            .filter_map(|(name, source, change)| {
                let left_out = match std::fs::read(&source) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
                    Err(error) => Some(error.to_string()),
                    Ok(bytes) => match change(bytes) {
                        Ok(bytes) => write(&target.join(name), &bytes)
                            .err()
                            .map(|error| error.to_string()),
                        Err(why) => Some(why.to_owned()),
                    },
                };
                Some(Copied {
                    file: name,
                    left_out,
                })
            })
            .collect()
    }
}

/// The result of copying one file of the user's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// The name in the config folder.
    pub file: &'static str,
    /// The reason why it was left out; `None` if it was copied.
    pub left_out: Option<String>,
}

/// Removes refresh tokens. Two CLIs that refresh the same login invalidate each other's tokens, and
/// the folder is removed before new tokens could be saved.
fn without_refresh_token(bytes: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    let Ok(mut value) = serde_json::from_slice::<Value>(without_mark(&bytes)) else {
        // It may contain a token that must not be copied.
        return Err("it is not JSON");
    };
    Ok(if remove_everywhere(&mut value, &RENEWING) {
        value.to_string().into_bytes()
    } else {
        bytes
    })
}

/// Removes members of these names at any depth: logins of MCP servers are among the credentials
/// too. Returns whether there were any.
fn remove_everywhere(value: &mut Value, names: &[&str]) -> bool {
    match value {
        Value::Object(members) => {
            let before = members.len();
            members.retain(|name, _| !names.contains(&name.as_str()));
            let mut removed = members.len() < before;
            for value in members.values_mut() {
                removed |= remove_everywhere(value, names);
            }
            removed
        }
        Value::Array(values) => {
            let mut removed = false;
            for value in values {
                removed |= remove_everywhere(value, names);
            }
            removed
        }
        _ => false,
    }
}

fn without_plugins(bytes: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    // The CLI itself reports settings that are not JSON.
    let Ok(Value::Object(mut settings)) = serde_json::from_slice(without_mark(&bytes)) else {
        return Ok(bytes);
    };
    let mut changed = false;
    for name in PLUGIN_SETTINGS {
        changed |= settings.remove(name).is_some();
    }
    // It would point the CLI to another config folder.
    if let Some(Value::Object(variables)) = settings.get_mut("env") {
        changed |= variables.remove("CLAUDE_CONFIG_DIR").is_some();
    }
    Ok(if changed {
        Value::Object(settings).to_string().into_bytes()
    } else {
        bytes
    })
}

/// Removes the byte order mark that some editors write.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(change: fn(Vec<u8>) -> Result<Vec<u8>, &'static str>, text: &str) -> String {
        match change(text.as_bytes().to_vec()) {
            Ok(bytes) => String::from_utf8(bytes).unwrap(),
            Err(why) => format!("left out: {why}"),
        }
    }

    #[test]
    fn tokens_that_renew_stay_at_home() {
        let table = [
            (
                r#"{"claudeAiOauth":{"accessToken":"a","refreshToken":"r"},"x":1}"#,
                r#"{"claudeAiOauth":{"accessToken":"a"},"x":1}"#,
            ),
            (
                r#"{"mcpOAuth":{"a|1":{"refreshToken":"r","accessToken":"a","x":[{"refresh_token":{}}]}}}"#,
                r#"{"mcpOAuth":{"a|1":{"accessToken":"a","x":[{}]}}}"#,
            ),
            (r#"{ "x": 1 }"#, r#"{ "x": 1 }"#),
            ("refreshToken r", "left out: it is not JSON"),
        ];
        for (text, expected) in table {
            assert_eq!(changed(without_refresh_token, text), expected);
        }
        let marked = changed(
            without_refresh_token,
            "\u{feff}{\"claudeAiOauth\":{\"refreshToken\":\"r\"}}",
        );
        assert_eq!(marked, r#"{"claudeAiOauth":{}}"#);
    }

    #[test]
    fn plugins_stay_at_home() {
        let table = [
            (
                r#"{"enabledPlugins":{"a":true},"extraKnownMarketplaces":{},"additionalMarketplaces":[],"model":"m"}"#,
                r#"{"model":"m"}"#,
            ),
            (
                r#"{"env":{"CLAUDE_CONFIG_DIR":"/x","A":"b"}}"#,
                r#"{"env":{"A":"b"}}"#,
            ),
            ("{ \"model\": \"m\" }", "{ \"model\": \"m\" }"),
            ("not json", "not json"),
            ("[1]", "[1]"),
        ];
        for (text, expected) in table {
            assert_eq!(changed(without_plugins, text), expected);
        }
    }

    #[test]
    fn where_the_cli_looks() {
        let look = |config: &'static str, home: &'static str| {
            UserConfig::by_environment(|name| match name {
                "CLAUDE_CONFIG_DIR" => Some(config.into()),
                "HOME" | "USERPROFILE" => Some(home.into()),
                _ => None,
            })
        };
        assert_eq!(look("/c", "/h"), Some(UserConfig::in_folder("/c")));
        assert_eq!(look("", "/h"), Some(UserConfig::in_home("/h")));
        assert_eq!(look("", ""), None);
    }
}
