//! git, whose options mean other things in each of its commands.

use super::super::word::Word;
use super::options::{Harmless, sounds_dangerous};
use super::{Call, refuse};

/// Letters of a git command that are harmless; names are judged by how they sound, because there
/// are hundreds of them.
struct Command {
    names: &'static [&'static str],
    letters: &'static str,
    valued: &'static str,
}

const COMMANDS: &[Command] = &[
    Command {
        names: &[
            "log",
            "show",
            "diff",
            "shortlog",
            "whatchanged",
            "reflog",
            "diff-tree",
            "diff-index",
            "diff-files",
            "range-diff",
            "rev-list",
            "stash",
        ],
        letters: "pusziEFPcmrtabwRqgW",
        valued: "UnSGLMCBl",
    },
    Command {
        names: &["status"],
        letters: "sbvz",
        valued: "u",
    },
    Command {
        names: &["blame", "annotate"],
        letters: "bcefwtlsnp",
        valued: "LMC",
    },
    Command {
        names: &["branch", "tag"],
        letters: "aAlrvqfdDcCmMn",
        valued: "u",
    },
    Command {
        names: &["add", "rm", "mv", "restore", "reset", "checkout", "switch"],
        letters: "aAnvfuqrbBdkSWN",
        valued: "s",
    },
    Command {
        names: &["commit"],
        letters: "avsqn",
        valued: "m",
    },
    Command {
        names: &["push"],
        letters: "fuvqdn",
        valued: "",
    },
    Command {
        names: &["fetch", "pull"],
        letters: "atpqvfk",
        valued: "j",
    },
    Command {
        names: &["clone"],
        letters: "qvlsn",
        valued: "bj",
    },
    Command {
        names: &["grep"],
        letters: "inwvEFGPlLcohHqrpaI",
        valued: "eABCm",
    },
    Command {
        names: &[
            "ls-files",
            "ls-tree",
            "ls-remote",
            "remote",
            "cat-file",
            "show-ref",
            "rev-parse",
            "merge-base",
            "describe",
            "name-rev",
            "count-objects",
            "cherry",
            "check-ignore",
            "rebase",
            "format-patch",
            "archive",
            "merge",
            "cherry-pick",
            "revert",
            "worktree",
        ],
        letters: "vqtrldnahc",
        valued: "",
    },
];

/// Commands that reach another repository, where an address may name a program.
const REACHING: &[&str] = &[
    "fetch",
    "pull",
    "push",
    "clone",
    "ls-remote",
    "archive",
    "remote",
];

/// Sound bad and are not.
const NAMES: &[&str] = &[
    "diff-filter",
    "pretty",
    "include-untracked",
    "set-upstream",
    "set-upstream-to",
    "force-with-lease",
    "path-format",
    "to",
    "remotes",
    "remotes-only",
    "show-toplevel",
    "in-progress",
    "file",
    "patch",
    "patch-with-stat",
    "fixed-strings",
];

pub(super) fn judge(call: &Call<'_>) -> Result<(), String> {
    // What stands in front of the command (`-c`, `--exec-path`, `-C`) chooses code and settings.
    let words: Vec<&Word> = call.given.iter().chain(call.further).collect();
    let first = words
        .iter()
        .find(|word| !(is_given(call, word) && word.is_option()));
    let Some(first) = first else {
        return Err("the rule names no command of git".to_owned());
    };
    let Some(command) = COMMANDS
        .iter()
        .find(|command| command.names.contains(&first.text.as_str()))
    else {
        return refuse(
            "is a command or an option of git that may do more than the rule says",
            first,
        );
    };
    let letters = Harmless {
        letters: command.letters,
        valued: command.valued,
        names: &[],
        one_dash: false,
    };
    for word in call.further {
        let text = word.text.as_str();
        match text.strip_prefix("--") {
            Some(long) => {
                let name = long.split('=').next().unwrap_or_default();
                if sounds_dangerous(long) && !is_known(first, name) {
                    return refuse("sounds like running, writing or choosing something", word);
                }
            }
            None => letters.judge(std::slice::from_ref(word))?,
        }
        if REACHING.contains(&first.text.as_str()) && text.contains("::") {
            return refuse("is an address that names a program", word);
        }
    }
    Ok(())
}

/// Whether the word is one of the rule, by its place.
fn is_given(call: &Call<'_>, word: &Word) -> bool {
    call.given.iter().any(|given| std::ptr::eq(given, word))
}

/// `--file` and `--to` are only known where they are harmless.
fn is_known(command: &Word, name: &str) -> bool {
    match name {
        "file" | "to" | "patch" => matches!(
            command.text.as_str(),
            "log" | "show" | "diff" | "stash" | "add"
        ),
        _ => NAMES.contains(&name),
    }
}
