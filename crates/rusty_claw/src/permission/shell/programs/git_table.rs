//! The table of git commands.

use super::super::word::Word;
use super::options::Harmless;

/// A git command: its harmless short options, and its operands.
pub(super) struct Command {
    names: &'static [&'static str],
    letters: &'static str,
    valued: &'static str,
    pub(super) operands: Operands,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Operands {
    /// Revisions, paths and messages.
    Any,
    /// Paths to stage. A repository among them becomes a submodule, in which git later runs
    /// programs that its configuration names.
    Added,
    /// Paths to write.
    Written,
    /// A branch or a revision, but no path: checking out a path discards changes.
    Branch,
    /// `HEAD` and then paths, or nothing.
    Unstaged,
    /// The first is a subcommand, one of these.
    Orders(&'static [&'static str]),
    /// The same; further operands are paths to write.
    OrdersWritten(&'static [&'static str]),
    /// A remote, or an address from which nothing is kept, then branches.
    Remote,
    /// A remote or an address, then branches; a branch without a source deletes one.
    Sent,
    /// A subcommand, one of these, then remotes.
    RemoteOrders(&'static [&'static str]),
    /// An address, then a path to write.
    Cloned,
    /// A name whose value is printed.
    Setting,
}

impl Command {
    pub(super) fn covers(&self, text: &str) -> bool {
        if let ["config"] = self.names {
            let is_option = text.len() > 1 && text.starts_with('-') && text != "--";
            return !is_option || SHOWING.contains(&text) || ABOUT_SETTINGS.contains(&text);
        }
        let negated = text.strip_prefix("--no-");
        negated.is_some_and(|name| NEGATED.contains(&name))
            || Harmless::these(self.letters, self.valued, NAMES).covers(text)
    }
}

const fn command(
    names: &'static [&'static str],
    letters: &'static str,
    valued: &'static str,
    operands: Operands,
) -> Command {
    Command {
        names,
        letters,
        valued,
        operands,
    }
}

/// Without short options that discard work, run something or read words from a file. If the first
/// operand is an address, no short option takes the next word.
#[rustfmt::skip] // A table.
const COMMANDS: &[Command] = &[
    command(&[
        "log", "show", "diff", "shortlog", "whatchanged", "diff-tree", "diff-index", "diff-files", "range-diff", "rev-list",
    ], "pusziEFPcmrtabwRqgW", "UnSGLMCBl", Operands::Any),
    command(&["reflog"], "pqsi", "n", Operands::Orders(&["show", "exists"])),
    command(&["stash"], "kpqu", "m", Operands::Orders(&["apply", "list", "pop", "push", "save", "show"])),
    command(&["status"], "sbvz", "u", Operands::Any),
    command(&["blame", "annotate"], "bcefwtlsnp", "LMC", Operands::Any),
    command(&["branch"], "alrvq", "", Operands::Any),
    command(&["tag"], "lnq", "", Operands::Any),
    command(&["add"], "AnNquv", "", Operands::Added),
    command(&["mv"], "nv", "", Operands::Written),
    command(&["rm"], "nq", "", Operands::Written),
    command(&["checkout"], "bqt", "", Operands::Branch),
    command(&["switch"], "cqt", "", Operands::Any),
    command(&["restore"], "Sq", "", Operands::Any),
    command(&["reset"], "qN", "", Operands::Unstaged),
    command(&["commit"], "avsqn", "m", Operands::Any),
    command(&["push"], "uvqn", "", Operands::Sent),
    command(&["fetch", "pull", "ls-remote"], "atpqvk", "", Operands::Remote),
    command(&["remote"], "v", "", Operands::RemoteOrders(&["get-url", "show"])),
    command(&["clone"], "qvn", "", Operands::Cloned),
    command(&["worktree"], "bdqv", "", Operands::OrdersWritten(&["add", "list"])),
    command(&["config"], "lz", "", Operands::Setting),
    command(&["cat-file"], "pte", "", Operands::Any),
    command(&["grep"], "inwvEFGPlLcohHqrpaI", "eABCm", Operands::Any),
    command(&["ls-files"], "cdikmostuvz", "", Operands::Any),
    command(&[
        "ls-tree", "show-ref", "rev-parse", "merge-base", "describe", "name-rev", "count-objects", "cherry", "check-ignore",
        "rebase", "archive", "merge", "cherry-pick", "revert", "version",
    ], "vqtrldnahc", "", Operands::Any),
];

/// Options before the command. Others (`-c`, `--exec-path`, `-C`) choose code and settings.
pub(super) const BEFORE_COMMANDS: &[&str] =
    &["--no-optional-locks", "--no-pager", "--version", "-P"];

/// Option names that are harmless in all of these commands. Not among them: options that run a
/// program (also one from the settings: an editor, `gpg`, a driver), write a file, read words from
/// one, or discard work.
#[rustfmt::skip] // A table.
const NAMES: &[&str] = &[
    "abbrev", "abbrev-commit", "abbrev-ref", "abort", "after", "after-context", "ahead-behind", "all", "all-match",
    "allow-empty", "always", "amend", "ancestry-path", "anchored", "and", "atomic", "author", "author-date-order",
    "autosquash", "autostash", "bare", "basic-regexp", "before", "before-context", "boundary", "branch", "branches",
    "break", "break-rewrites", "cached", "candidates", "cc", "check", "cherry", "cherry-mark", "cherry-pick",
    "children", "color", "color-lines", "color-moved", "color-words", "column", "committer", "contains", "context",
    "continue", "count", "create", "creation-factor", "date", "date-order", "decorate", "decorate-refs", "deepen",
    "default", "deleted", "dense", "depth", "detach", "diff-algorithm", "diff-filter", "diff-merges", "dirstat",
    "dirty", "dry-run", "email", "encoding", "error-unmatch", "exact-match", "exclude-standard", "exit-code",
    "expand-tabs", "extended-regexp", "ff", "ff-only", "files-with-matches", "find-copies", "find-copies-harder",
    "find-renames", "first-parent", "fixed-strings", "follow", "follow-tags", "fork-point", "format", "full-diff",
    "full-history", "full-index", "full-name", "function-context", "git-common-dir", "git-dir", "glob", "global",
    "graph", "grep", "group", "guess", "heading", "heads", "histogram", "ignore-all-space", "ignore-blank-lines",
    "ignore-case", "ignore-cr-at-eol", "ignore-errors", "ignore-space-at-eol", "ignore-space-change",
    "ignore-submodules", "ignore-unmatch", "ignored", "in-progress", "include-untracked", "incremental", "index",
    "intent-to-add", "inter-hunk-context", "invert-grep", "invert-match", "is-ancestor", "is-bare-repository",
    "is-inside-work-tree", "jobs", "keep", "keep-base", "keep-index", "left-only", "left-right", "line-number",
    "line-porcelain", "list", "local", "long", "mainline", "match", "max-count", "max-depth", "max-parents", "merge",
    "merge-base", "merged", "merges", "message", "min-parents", "minimal", "modified", "name-only", "name-status",
    "not", "notes", "numbered", "numstat", "objects", "oneline", "only-matching", "onto", "or", "others", "ours",
    "parents", "patch", "patch-with-stat", "path-format", "patience", "perl-regexp", "pickaxe-all", "pickaxe-regex",
    "points-at", "porcelain", "pretty", "progress", "prune", "quiet", "quit", "raw", "rebase", "rebase-merges",
    "reflog", "refs", "regexp-ignore-case", "relative", "relative-date", "remotes", "remotes-only", "renames",
    "reset-author", "reverse", "revs-only", "right-only", "root", "set-upstream", "set-upstream-to", "shallow-since",
    "short", "shortstat", "show-cdup", "show-current", "show-email", "show-function", "show-name", "show-number",
    "show-origin", "show-prefix", "show-pulls", "show-scope", "show-stash", "show-superproject-working-tree",
    "show-toplevel", "signoff", "simplify-by-decoration", "simplify-merges", "since", "single-branch", "skip", "sort",
    "sparse", "squash", "stage", "staged", "stat", "summary", "symbolic-full-name", "symref", "tags",
    "text", "theirs", "topo-order", "track", "unified", "unmerged", "unset-upstream", "unshallow", "until", "untracked",
    "untracked-files", "update", "verbose", "verify", "walk-reflogs", "word-diff", "word-diff-regex", "word-regexp",
];

/// Options that are harmless when negated with `--no-`. Negating others, such as `--staged`, can
/// make a command harmful.
#[rustfmt::skip] // A table.
const NEGATED: &[&str] = &[
    "abbrev", "abbrev-commit", "all", "autostash", "checkout", "color", "color-moved", "column", "commit", "contains",
    "decorate", "edit", "ext-diff", "ff", "follow", "gpg-sign", "guess", "index", "merged", "merges", "notes",
    "optional-locks", "patch", "prefix", "progress", "rebase", "recurse-submodules", "relative", "rename-empty",
    "renames", "signoff", "stat", "tags", "textconv", "track", "verify", "walk",
];

/// Options whose value may be the next word. Before an address only the form with `=` is harmless.
pub(super) const VALUED_NAMES: &[&str] = &[
    "branch",
    "date",
    "deepen",
    "depth",
    "format",
    "jobs",
    "sort",
    "shallow-since",
];

/// Options of `git config` that only print. With them, further words are not values to store.
pub(super) const SHOWING: &[&str] = &["--get", "--get-all", "--get-regexp", "--list", "-l"];
const ABOUT_SETTINGS: &[&str] = &[
    "--global",
    "--local",
    "--name-only",
    "--show-origin",
    "--show-scope",
    "-z",
];

/// Commands that write files of the project, settings or addresses of remotes.
#[rustfmt::skip] // A table.
const CHANGE_FILES: &[&str] = &[
    "archive", "checkout", "cherry-pick", "clone", "config", "merge", "mv", "pull", "rebase", "remote", "reset",
    "restore", "revert", "rm", "stash", "switch", "worktree",
];

/// Returns whether a command with these words may change files on which later checks depend.
pub(super) fn changes_files(words: &[Word]) -> bool {
    let Some((order, rest)) = words.split_first() else {
        return false;
    };
    let creates = matches!(rest, [option, _] if matches!(&*option.text, "-b" | "-c"));
    match find(&order.text) {
        Some(command) if CHANGE_FILES.contains(&&*order.text) => {
            !(creates && matches!(command.names, ["checkout"] | ["switch"]))
        }
        Some(command) => rest.iter().any(|word| !command.covers(&word.text)),
        None => true,
    }
}

pub(super) fn find(order: &str) -> Option<&'static Command> {
    COMMANDS
        .iter()
        .find(|command| command.names.contains(&order))
}
