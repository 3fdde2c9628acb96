//! git, whose options mean other things in each of its commands.

use super::super::word::Word;
use super::options::Harmless;
use super::{Call, refuse};

/// Letters of a git command that are harmless.
struct Command {
    names: &'static [&'static str],
    letters: &'static str,
    valued: &'static str,
}

#[rustfmt::skip] // A table.
const COMMANDS: &[Command] = &[
    Command {
        names: &[
            "log", "show", "diff", "shortlog", "whatchanged", "reflog", "diff-tree", "diff-index", "diff-files",
            "range-diff", "rev-list", "stash",
        ],
        letters: "pusziEFPcmrtabwRqgW",
        valued: "UnSGLMCBl",
    },
    Command { names: &["status"], letters: "sbvz", valued: "u" },
    Command { names: &["blame", "annotate"], letters: "bcefwtlsnp", valued: "LMC" },
    Command { names: &["branch", "tag"], letters: "alrvqn", valued: "" },
    Command { names: &["add", "rm", "mv", "restore", "reset", "checkout", "switch"], letters: "aAbcnNqrSuvW", valued: "s" },
    Command { names: &["commit"], letters: "avsqn", valued: "m" },
    Command { names: &["push"], letters: "uvqn", valued: "" },
    Command { names: &["fetch", "pull"], letters: "atpqvk", valued: "j" },
    Command { names: &["clone"], letters: "qvlsn", valued: "bj" },
    Command { names: &["cat-file"], letters: "pte", valued: "" },
    Command { names: &["grep"], letters: "inwvEFGPlLcohHqrpaI", valued: "eABCm" },
    Command {
        names: &[
            "ls-files", "ls-tree", "ls-remote", "remote", "show-ref", "rev-parse", "merge-base", "describe",
            "name-rev", "count-objects", "cherry", "check-ignore", "rebase", "format-patch", "archive", "merge",
            "cherry-pick", "revert", "worktree",
        ],
        letters: "vqtrldnahc",
        valued: "",
    },
];

/// Names that are harmless in all of these commands. Not among them: what runs a program (also the
/// one that the settings name: an editor, `gpg`, a driver), writes a file or takes its words from
/// one, and what throws work away. `--no-…` takes something away and need not be here.
#[rustfmt::skip] // A table.
const NAMES: &[&str] = &[
    "abbrev", "abbrev-commit", "abbrev-ref", "abort", "after", "after-context", "ahead-behind", "all", "all-match",
    "allow-empty", "always", "amend", "ancestry-path", "anchored", "and", "atomic", "author", "author-date-order",
    "autosquash", "autostash", "bare", "basic-regexp", "before", "before-context", "boundary", "branch", "branches",
    "break", "break-rewrites", "cached", "candidates", "cc", "check", "cherry", "cherry-mark", "cherry-pick", "children",
    "color", "color-lines", "color-moved", "color-words", "column", "committer", "contains", "context", "continue", "count",
    "create", "creation-factor", "date", "date-order", "decorate", "decorate-refs", "deepen", "default", "deleted", "dense",
    "depth", "detach", "diff-algorithm", "diff-filter", "diff-merges", "dirstat", "dirty", "dry-run", "email", "encoding",
    "error-unmatch", "exact-match", "exclude-standard", "exit-code", "expand-tabs", "extended-regexp", "ff", "ff-only",
    "files-with-matches", "find-copies", "find-copies-harder", "find-renames", "first-parent", "fixed-strings", "follow",
    "follow-tags", "force-if-includes", "force-with-lease", "fork-point", "format", "full-diff", "full-history", "full-index",
    "full-name", "function-context", "git-common-dir", "git-dir", "glob", "graph", "grep", "group", "guess", "heading", "heads",
    "histogram", "ignore-all-space", "ignore-blank-lines", "ignore-case", "ignore-cr-at-eol", "ignore-errors",
    "ignore-space-at-eol", "ignore-space-change", "ignore-submodules", "ignore-unmatch", "ignored", "in-progress",
    "include-untracked", "incremental", "index", "intent-to-add", "inter-hunk-context", "invert-grep", "invert-match",
    "is-ancestor", "is-bare-repository", "is-inside-work-tree", "jobs", "keep", "keep-base", "keep-index", "left-only",
    "left-right", "line-number", "line-porcelain", "list", "long", "mainline", "match", "max-count", "max-depth", "max-parents",
    "merge", "merge-base", "merged", "merges", "message", "min-parents", "minimal", "mirror", "modified", "multiple",
    "name-only", "name-status", "not", "notes", "numbered", "numstat", "objects", "oneline", "only-matching", "onto", "or",
    "others", "ours", "parents", "patch", "patch-with-stat", "path-format", "patience", "perl-regexp", "pickaxe-all",
    "pickaxe-regex", "points-at", "porcelain", "pretty", "progress", "prune", "quiet", "quit", "raw", "rebase",
    "rebase-merges", "reflog", "refs", "regexp-ignore-case", "relative", "relative-date", "remotes", "remotes-only", "renames",
    "reset-author", "reverse", "revs-only", "right-only", "root", "set-upstream", "set-upstream-to", "shallow-since", "short",
    "shortstat", "show-cdup", "show-current", "show-email", "show-function", "show-name", "show-number", "show-prefix",
    "show-pulls", "show-stash", "show-superproject-working-tree", "show-toplevel", "signoff", "simplify-by-decoration",
    "simplify-merges", "since", "single-branch", "skip", "sort", "sparse", "squash", "stage", "staged", "stat", "submodule",
    "summary", "symbolic-full-name", "symref", "tags", "text", "theirs", "topo-order", "track", "unified", "unmerged",
    "unshallow", "unset-upstream", "until", "untracked", "untracked-files", "update", "verbose", "verify", "walk-reflogs",
    "word-diff", "word-diff-regex", "word-regexp", "worktree",
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

/// Whether the order is one whose options are known.
pub(super) fn is_known_command(order: &str) -> bool {
    find(order).is_some()
}

fn find(order: &str) -> Option<&'static Command> {
    COMMANDS
        .iter()
        .find(|command| command.names.contains(&order))
}

pub(super) fn judge(call: &Call<'_>) -> Result<(), String> {
    // What stands in front of the command (`-c`, `--exec-path`, `-C`) chooses code and settings.
    let given = call.given.iter().find(|word| !word.is_option());
    let Some(order) = given.or_else(|| call.further.first()) else {
        return Err("the rule names no command of git".to_owned());
    };
    let Some(command) = find(&order.text) else {
        return refuse(
            "is a command or an option of git that may do more than the rule says",
            order,
        );
    };
    let harmless = Harmless {
        letters: command.letters,
        valued: command.valued,
        names: NAMES,
        one_dash: false,
    };
    let order = order.text.as_str();
    for word in call.further {
        let text = word.text.as_str();
        let takes_away = text.starts_with("--no-") && !text.contains('=');
        if !(takes_away || harmless.covers(text)) || is_other_here(order, text) {
            return refuse("is an option that may do more than the rule says", word);
        }
        if REACHING.contains(&order) && names_a_program(order, word) {
            return refuse("is an address that may name a program", word);
        }
    }
    Ok(())
}

/// Harmless elsewhere: the format of an archive is a program of the settings, `--verify` of a tag
/// runs `gpg`.
fn is_other_here(order: &str, text: &str) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    match order {
        "archive" => matches!(name, "--format" | "--remotes"),
        "tag" => matches!(name, "--verify" | "--message"),
        "remote" => matches!(name, "--mirror"),
        "push" => matches!(name, "--mirror" | "--prune" | "--all"),
        _ => false,
    }
}

/// `ext::sh -c x`, `ssh://-oProxyCommand=x/`; and what is pushed to a folder runs the hooks there.
fn names_a_program(order: &str, word: &Word) -> bool {
    let text = word.text.as_str();
    let is_folder = || {
        word.home || text.starts_with(['/', '.', '~']) || text.to_lowercase().starts_with("file:")
    };
    let is_sent = matches!(order, "push" | "remote");
    text.contains("::") || text.contains("://-") || is_sent && is_folder()
}
