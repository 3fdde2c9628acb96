//! The environment of the agents.

use std::ffi::{OsStr, OsString};

/// Variables that every agent inherits.
const PASSED: &[&str] = &[
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TZ",
    "TMPDIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];
/// Prefixes of variables that every agent inherits.
const PREFIXES: &[&str] = &["LC_", "ANTHROPIC_", "CLAUDE_"];
/// Variables that a session of Claude Code sets for its shell. If a gateway is started in that
/// shell, its agents must not connect to that session.
const OF_A_SESSION: &[&str] = &[
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_EXECPATH",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_ENV_FILE",
];
/// Git must ignore bare repositories that are not chosen explicitly: the configuration of one
/// inside a project could name programs, which git would run.
const GIT: &[(&str, &str)] = &[
    ("GIT_CONFIG_COUNT", "1"),
    ("GIT_CONFIG_KEY_0", "safe.bareRepository"),
    ("GIT_CONFIG_VALUE_0", "explicit"),
];

/// Requests to this machine, such as those to the relay, must not go to a proxy.
const DIRECT: &[&str] = &["NO_PROXY", "no_proxy"];

/// Selects the variables that agents inherit.
pub(crate) fn of_agents(
    all: impl Iterator<Item = (OsString, OsString)>,
    added: &[String],
) -> Vec<(OsString, OsString)> {
    let mut passed: Vec<_> = all.filter(|(name, _)| is_passed(name, added)).collect();
    for direct in DIRECT {
        let mut hosts = OsString::from("127.0.0.1,localhost");
        let known = passed.iter().position(|(name, _)| name == direct);
        if let Some((_, others)) = known.map(|known| passed.swap_remove(known)) {
            hosts.push(",");
            hosts.push(others);
        }
        passed.push(((*direct).into(), hosts));
    }
    let git = GIT
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()));
    passed.into_iter().chain(git).collect()
}

fn is_passed(name: &OsStr, added: &[String]) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    let is_ours = name.starts_with("CLAW_") || GIT.iter().any(|(git, _)| *git == name);
    let is_chosen = added.iter().any(|added| added == name);
    let is_usual = PASSED.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && !OF_A_SESSION.contains(&name);
    !is_ours && (is_chosen || is_usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_inherit_listed_variables_only() {
        let names = [
            "HOME",
            "LC_ALL",
            "ANTHROPIC_API_KEY",
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_CODE_MESSAGING_TOKEN",
            "CLAUDECODE",
            "CLAW_STORE",
            "AWS_SECRET_ACCESS_KEY",
            "SSH_AUTH_SOCK",
            "GIT_CONFIG_COUNT",
            "LD_PRELOAD",
            "home",
        ];
        let all = || names.iter().map(|name| ((*name).into(), "x".into()));
        let passed = |added: &[&str]| {
            let added: Vec<String> = added.iter().map(|name| (*name).to_owned()).collect();
            let passed = of_agents(all(), &added);
            let passed = passed.into_iter().filter(|(_, value)| value == "x");
            let names = passed.map(|(name, _)| name.into_string().unwrap());
            names.collect::<Vec<String>>()
        };
        let usual = ["HOME", "LC_ALL", "ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR"];
        assert_eq!(passed(&[]), usual);
        let added = passed(&["SSH_AUTH_SOCK", "CLAW_STORE", "GIT_CONFIG_COUNT"]);
        assert_eq!(added[..4], usual);
        assert_eq!(added[4..], ["SSH_AUTH_SOCK"]);
        let proxied = [("NO_PROXY".into(), "intranet".into())];
        let proxied = of_agents(proxied.into_iter(), &[]);
        let direct = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        assert!(proxied.contains(&direct("NO_PROXY", "127.0.0.1,localhost,intranet")));
        assert!(proxied.contains(&direct("no_proxy", "127.0.0.1,localhost")));
        let all = of_agents(all(), &[]);
        for (name, value) in GIT {
            assert!(all.contains(&((*name).into(), (*value).into())), "{name}");
        }
    }
}
