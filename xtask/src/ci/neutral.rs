//! Checks that no file names the machine it was written on, and that none contains a key.

use std::sync::LazyLock;

use anyhow::{Result, bail};

use super::source_files;

/// Text that identifies a machine. The literals are split so that this file passes its own check.
const MACHINE: &[(&str, &str)] = &[
    (
        concat!("/wo", "rk/"),
        "a path of one machine: use /home/user/project",
    ),
    (
        concat!("/ro", "ot/"),
        "a path of one machine: use /home/user",
    ),
    (concat!("../sh", "ared/"), "a file outside the repository"),
    (
        concat!("artifact", "ory"),
        "the host name of a package mirror",
    ),
    (
        concat!("index.crates", ".io"),
        "the host name of a registry",
    ),
    (
        concat!("static.crates", ".io"),
        "the host name of a registry",
    ),
    (
        concat!("registry.npm", "js.org"),
        "the host name of a registry",
    ),
    (
        concat!("registry.yarn", "pkg.com"),
        "the host name of a registry",
    ),
    (
        concat!("files.python", "hosted.org"),
        "the host name of a registry",
    ),
    (concat!("deb.deb", "ian.org"), "the host name of a registry"),
];

/// Home folders belong to a person; only the neutral one of the recordings may appear.
const HOMES: &[&str] = &[concat!("/ho", "me/"), concat!("/Us", "ers/")];
const NEUTRAL_HOMES: &[&str] = &[
    "user", "USER", "you", "me", "alice", "bob", "u", "user-1", "Shared",
];

/// Temporary folders that the recorder and our tests run in, with the length of the random part
/// of their names. A recording that names one was not made neutral.
const TEMPORARY: &[(&str, usize)] = &[
    (concat!("/tm", "p/cr-"), 6),
    // As the CLI names the folder of a project's session files.
    (concat!("-tm", "p-cr-"), 6),
    (concat!("/tm", "p/.tmp"), 6),
];
/// The random part in examples.
const NEUTRAL_TEMPORARY: &[u8] = b"abc123";

/// A key: how it begins, and how many key characters must follow to look real.
const KEYS: &[(&str, usize, &str)] = &[
    (concat!("sk-", "ant-"), 24, "an Anthropic key"),
    (concat!("sk-", "proj-"), 24, "an OpenAI key"),
    (concat!("AK", "IA"), 16, "an AWS key"),
    (concat!("gh", "p_"), 36, "a GitHub token"),
    (concat!("github_", "pat_"), 36, "a GitHub token"),
    (concat!("np", "m_"), 36, "an npm token"),
    (concat!("AI", "za"), 35, "a Google key"),
    (concat!("xox", "b-"), 24, "a Slack token"),
    (concat!("ci", "o"), 32, "a crates.io token"),
];
const PRIVATE_KEY: &str = concat!("PRIVATE", " KEY-----");

pub(crate) fn run() -> Result<()> {
    let (mut checked, mut findings) = (0, Vec::new());
    for file in source_files::all()? {
        let Some(bytes) = file.read()? else { continue };
        checked += 1;
        for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            if let Some(what) = finding(line) {
                findings.push(format!("{}:{}: {what}", file.name, index + 1));
            }
        }
    }
    println!("{checked} files checked, {} findings", findings.len());
    if !findings.is_empty() {
        bail!("{}", findings.join("\n"));
    }
    Ok(())
}

/// What is wrong with a line; the text itself is not repeated, since it may be a secret.
fn finding(line: &[u8]) -> Option<&'static str> {
    let mut inside_a_word = false;
    for (at, &byte) in line.iter().enumerate() {
        // Recordings are megabytes: most bytes must be skipped with one comparison.
        if !inside_a_word
            && BEGINS[byte as usize]
            && let Some(what) = finding_at(&line[at..])
        {
            return Some(what);
        }
        // Only the beginning of a word counts: `/home/user/x/` holds no path `/x/`.
        inside_a_word = is_word(byte) || matches!(byte, b'.' | b'+');
    }
    None
}

/// What the text at the start of `rest` identifies.
fn finding_at(rest: &[u8]) -> Option<&'static str> {
    let after = |text: &str| rest.strip_prefix(text.as_bytes()).map(word);
    if let Some((_, what)) = MACHINE.iter().find(|(text, _)| after(text).is_some()) {
        return Some(what);
    }
    // A placeholder such as `<name>` or `$USER` is no name.
    let is_person = |name: &[u8]| {
        !name.is_empty()
            && !NEUTRAL_HOMES
                .iter()
                .any(|neutral| neutral.as_bytes() == name)
    };
    if HOMES.iter().filter_map(|home| after(home)).any(is_person) {
        return Some("the home folder of a person: use /home/user");
    }
    let is_temporary = |(prefix, length): &(&str, usize)| {
        after(prefix)
            .is_some_and(|name| name.len() >= *length && !name.starts_with(NEUTRAL_TEMPORARY))
    };
    if TEMPORARY.iter().any(is_temporary) {
        return Some("a temporary folder of one run: the recorder must map it to /");
    }
    let is_real = |(prefix, length, _): &&(&str, usize, _)| {
        after(prefix).is_some_and(|key| key.len() >= *length)
    };
    if let Some((_, _, what)) = KEYS.iter().find(is_real) {
        return Some(what);
    }
    after(PRIVATE_KEY).map(|_| "a private key")
}

/// The bytes that a searched text can begin with.
static BEGINS: LazyLock<[bool; 256]> = LazyLock::new(|| {
    let mut begins = [false; 256];
    let machine = MACHINE.iter().map(|(text, _)| text);
    let keys = KEYS.iter().map(|(prefix, _, _)| prefix);
    let temporary = TEMPORARY.iter().map(|(prefix, _)| prefix);
    let all = machine.chain(HOMES).chain(temporary).chain(keys);
    for text in all.chain([&PRIVATE_KEY]) {
        if let Some(&first) = text.as_bytes().first() {
            begins[first as usize] = true;
        }
    }
    begins
});

/// The leading letters, digits, `_` and `-`.
fn word(line: &[u8]) -> &[u8] {
    let end = line
        .iter()
        .position(|&byte| !is_word(byte))
        .unwrap_or(line.len());
    &line[..end]
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_found() {
        for (text, what) in MACHINE {
            assert_eq!(
                finding(format!("cd '{text}x'").as_bytes()),
                Some(*what),
                "{text}"
            );
        }
        for (prefix, length, what) in KEYS {
            let key = format!("{prefix}{}", "A1".repeat(length / 2 + 1));
            assert_eq!(
                finding(format!("key={key}").as_bytes()),
                Some(*what),
                "{prefix}"
            );
        }
        let home = format!("{}somebody/x", HOMES[0]);
        assert!(finding(home.as_bytes()).is_some());
        assert!(finding(format!("-----BEGIN RSA {PRIVATE_KEY}").as_bytes()).is_some());
    }

    #[test]
    fn a_folder_of_the_recorder_is_found_and_its_example_is_not() {
        for (prefix, _) in TEMPORARY {
            for line in [
                format!("\"{prefix}Xy12ab/home\""),
                format!("projects/{prefix}Xy12ab-home-user"),
            ] {
                assert!(finding(line.as_bytes()).is_some(), "{line}");
            }
            for line in [
                format!("\"{prefix}abc123/home\""),
                format!("such as {prefix}…"),
            ] {
                assert_eq!(finding(line.as_bytes()), None, "{line}");
            }
        }
    }

    #[test]
    fn neutral_text_passes() {
        let short = format!("{}dummy", KEYS[0].0);
        let longer_path = format!("/home/user{}x", MACHINE[0].0);
        for line in [
            "/home/user/project",
            "/home/<name>/x",
            "network/",
            &short,
            &longer_path,
        ] {
            assert_eq!(finding(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn a_second_home_on_the_line_is_seen_too() {
        let line = format!("/home/user/a {}somebody/b", HOMES[0]);
        assert!(finding(line.as_bytes()).is_some());
    }
}
