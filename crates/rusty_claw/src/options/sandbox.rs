//! Merges the sandbox of the options into the sandbox of the settings.

use serde_json::{Map, Value};

/// Lists of restrictions, which are joined: neither side can lift those of the other.
const JOINED: [&str; 5] = [
    "filesystem.denyRead",
    "filesystem.denyWrite",
    "network.deniedDomains",
    "credentials.files",
    "credentials.envVars",
];

/// Objects that are replaced as a whole.
const WHOLE: [&str; 2] = ["ripgrep", "network.tlsTerminate"];

/// Returns settings with `option` merged into their `sandbox`. The option wins.
pub(super) fn merge(mut settings: Value, option: Value) -> Value {
    let (Some(settings_object), Value::Object(option)) = (settings.as_object_mut(), option) else {
        return settings;
    };
    let mut sandbox = match settings_object.remove("sandbox") {
        Some(Value::Object(sandbox)) => sandbox,
        _ => Map::new(),
    };
    let enabled = option.get("enabled") == Some(&Value::Bool(true));
    lift_what_would_undo(&mut sandbox, &option);
    merge_objects(&mut sandbox, option, "");
    // A program that asks for a sandbox must not run without one unknowingly.
    if enabled && !sandbox.contains_key("failIfUnavailable") {
        sandbox.insert("failIfUnavailable".to_owned(), Value::Bool(true));
    }
    settings_object.insert("sandbox".to_owned(), Value::Object(sandbox));
    settings
}

fn merge_objects(into: &mut Map<String, Value>, from: Map<String, Value>, at: &str) {
    for (name, value) in from {
        let path = if at.is_empty() {
            name.clone()
        } else {
            format!("{at}.{name}")
        };
        match (into.get_mut(&name), value) {
            (Some(Value::Array(old)), Value::Array(new)) if JOINED.contains(&path.as_str()) => {
                for entry in new {
                    add_restriction(old, entry);
                }
            }
            (Some(Value::Object(old)), Value::Object(new)) if !WHOLE.contains(&path.as_str()) => {
                merge_objects(old, new, &path);
            }
            (_, value) => {
                into.insert(name, value);
            }
        }
    }
}

/// Adds an entry to a list of restrictions. For the same path or name, `deny` wins.
fn add_restriction(list: &mut Vec<Value>, entry: Value) {
    let subject = |value: &Value| value.get("path").or_else(|| value.get("name")).cloned();
    let denies = |value: &Value| value.get("mode").and_then(Value::as_str) == Some("deny");
    if list.contains(&entry) {
        return;
    }
    let same = subject(&entry).and_then(|wanted| {
        list.iter_mut()
            .find(|old| subject(old).as_ref() == Some(&wanted))
    });
    match same {
        Some(old) if denies(old) => {}
        Some(old) => *old = entry,
        None => list.push(entry),
    }
}

/// Removes settings that would disable what the option asks for.
fn lift_what_would_undo(sandbox: &mut Map<String, Value>, option: &Map<String, Value>) {
    let denies_files = option
        .get("credentials")
        .and_then(|credentials| credentials.get("files"))
        .and_then(Value::as_array)
        .is_some_and(|files| {
            files
                .iter()
                .any(|file| file.get("mode").and_then(Value::as_str) == Some("deny"))
        });
    if (option.contains_key("filesystem") || denies_files)
        && let Some(Value::Object(filesystem)) = sandbox.get_mut("filesystem")
        && filesystem.get("disabled") == Some(&Value::Bool(true))
    {
        filesystem.remove("disabled");
    }
    let Some(network) = option.get("network") else {
        return;
    };
    let filters = network.get("allowedDomains").is_some()
        || network
            .get("deniedDomains")
            .and_then(Value::as_array)
            .is_some_and(|domains| !domains.is_empty())
        || network.get("strictAllowlist") == Some(&Value::Bool(true));
    if filters && let Some(Value::Object(old)) = sandbox.get_mut("network") {
        // Traffic through a custom proxy is not checked against the lists.
        old.remove("httpProxyPort");
        old.remove("socksProxyPort");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::merge;

    #[test]
    fn the_option_wins_and_what_is_forbidden_adds_up() {
        let rows = [
            // Keys are merged one by one, and the option wins.
            (
                json!({"model": "opus", "sandbox": {"a": 1, "network": {"x": 1, "y": 1}}}),
                json!({"network": {"y": 2}}),
                json!({"model": "opus", "sandbox": {"a": 1, "network": {"x": 1, "y": 2}}}),
            ),
            // Allow lists are replaced, deny lists are joined.
            (
                json!({"sandbox": {"filesystem": {"denyRead": ["/a"], "allowWrite": ["/a"]}}}),
                json!({"filesystem": {"denyRead": ["/a", "/b"], "allowWrite": ["/b"]}}),
                json!({"sandbox": {"filesystem": {"denyRead": ["/a", "/b"], "allowWrite": ["/b"]}}}),
            ),
            // For one credential, a deny of either side wins.
            (
                json!({"sandbox": {"credentials": {
                    "files": [{"path": "/k", "mode": "deny"}],
                    "envVars": [{"name": "K", "mode": "mask"}],
                }}}),
                json!({"credentials": {
                    "files": [{"path": "/k", "mode": "mask"}],
                    "envVars": [{"name": "K", "mode": "deny"}],
                }}),
                json!({"sandbox": {"credentials": {
                    "files": [{"path": "/k", "mode": "deny"}],
                    "envVars": [{"name": "K", "mode": "deny"}],
                }}}),
            ),
            // These are replaced as a whole.
            (
                json!({"sandbox": {"ripgrep": {"command": "rg", "args": ["-a"]}}}),
                json!({"ripgrep": {"command": "grep"}}),
                json!({"sandbox": {"ripgrep": {"command": "grep"}}}),
            ),
            // Settings that would disable the option's own rules are removed.
            (
                json!({"sandbox": {"filesystem": {"disabled": true}}}),
                json!({"filesystem": {"denyRead": ["/a"]}}),
                json!({"sandbox": {"filesystem": {"denyRead": ["/a"]}}}),
            ),
            (
                json!({"sandbox": {"network": {"httpProxyPort": 1, "socksProxyPort": 2}}}),
                json!({"network": {"allowedDomains": ["example.com"], "socksProxyPort": 3}}),
                json!({"sandbox": {"network": {
                    "allowedDomains": ["example.com"],
                    "socksProxyPort": 3,
                }}}),
            ),
            // Unless the option itself sets them.
            (
                json!({"sandbox": {"filesystem": {"disabled": false}}}),
                json!({"filesystem": {"disabled": true}}),
                json!({"sandbox": {"filesystem": {"disabled": true}}}),
            ),
            // A sandbox that is asked for is required.
            (
                json!({}),
                json!({"enabled": true}),
                json!({"sandbox": {"enabled": true, "failIfUnavailable": true}}),
            ),
            (
                json!({"sandbox": {"enabled": true}}),
                json!({"enabled": false}),
                json!({"sandbox": {"enabled": false}}),
            ),
        ];
        for (settings, option, expected) in rows {
            assert_eq!(merge(settings, option), expected);
        }
    }
}
