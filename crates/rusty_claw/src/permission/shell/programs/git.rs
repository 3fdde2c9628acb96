//! git, whose options mean other things in each of its commands.

use super::super::folder::Files;
use super::super::word::Word;
use super::options::{Harmless, judge_behind};
use super::{Call, PATH, PROTECTED, operands, refuse};

/// A git command: its harmless short options, and its operands.
struct Command {
    names: &'static [&'static str],
    letters: &'static str,
    valued: &'static str,
    operands: Operands,
}

#[derive(Clone, Copy, PartialEq)]
enum Operands {
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
    fn covers(&self, text: &str) -> bool {
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
const BEFORE_COMMANDS: &[&str] = &["--no-optional-locks", "--no-pager", "--version", "-P"];

/// Names that are harmless in all of these commands. Not among them: what runs a program (also the
/// one that the settings name: an editor, `gpg`, a driver), writes a file or takes its words from
/// one, and what throws work away.
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
const VALUED_NAMES: &[&str] = &[
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
const SHOWING: &[&str] = &["--get", "--get-all", "--get-regexp", "--list", "-l"];
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
    let given = call.given.iter().position(|word| !word.is_option());
    let (order, before, further) = match given {
        Some(at) => (call.given.get(at), call.given.get(at + 1..), call.further),
        None => {
            let is_before = |word: &&Word| BEFORE_COMMANDS.contains(&word.text.as_str());
            let skipped = call.further.iter().take_while(is_before).count();
            let behind = call.further.get(skipped..).unwrap_or_default();
            (behind.first(), None, behind.get(1..).unwrap_or_default())
        }
    };
    let Some(order) = order else {
        // `git --version`, `git --no-pager`.
        return Ok(());
    };
    let Some(command) = find(&order.text) else {
        return refuse(
            "is a command or an option of git that may do more than the rule says",
            order,
        );
    };
    let order = order.text.as_str();
    for word in further {
        if !command.covers(&word.text) || is_other_here(order, &word.text) {
            return refuse("is an option that may do more than the rule says", word);
        }
    }
    let words: Vec<&Word> = before.unwrap_or_default().iter().chain(further).collect();
    judge_behind(call, |text| command.covers(text))?;
    command.operands.judge(order, &words, call.files)
}

/// Returns whether an option that is harmless in most commands is not in this one:
///
/// - signatures in a format run the `gpg.program` of the settings;
/// - `archive --format` runs a program of the settings;
/// - `cat-file --text` is short for `--textconv`, `merge --all` for `--allow-unrelated-histories`;
/// - `fetch --set-upstream` changes where a later `pull` takes files from;
/// - `reset --keep` and `--merge` discard changes;
/// - `tag --verify` and `--local`, short for `--local-user`, run `gpg`.
fn is_other_here(order: &str, text: &str) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    if text.contains("%G") || text.contains("%(signature") {
        return matches!(name, "--format" | "--pretty");
    }
    match order {
        "fetch" | "pull" if name == "--set-upstream" => true,
        "merge" => name == "--all",
        "archive" => matches!(name, "--format" | "--remotes"),
        "cat-file" => name == "--text",
        "checkout" => matches!(name, "--ours" | "--patch" | "--theirs"),
        "push" => matches!(name, "--all" | "--branches" | "--prune"),
        "reset" => matches!(name, "--keep" | "--merge"),
        "tag" => matches!(name, "--local" | "--message" | "--verify"),
        "clone" | "fetch" | "ls-remote" | "pull" => {
            let takes_next = VALUED_NAMES.contains(&name.trim_start_matches('-'));
            takes_next && !text.contains('=') || text.starts_with("--rebase=")
        }
        _ => false,
    }
}

const ORDER: &str = "is a git subcommand that may do more than the rule covers";
const REMOTE: &str = "is neither the name of a remote nor an address, or it deletes";

impl Operands {
    fn judge(self, order: &str, words: &[&Word], files: &Files<'_>) -> Result<(), String> {
        let operands: Vec<&Word> = operands(words.iter().copied()).collect();
        let first = operands.first().map(|word| word.text.as_str());
        let rest = operands.get(1..).unwrap_or_default();
        let all = |words: &[&Word], is_fine: &dyn Fn(&Word) -> bool, what: &str| {
            let found = words.iter().find(|word| !is_fine(word));
            found.map_or(Ok(()), |word| refuse(what, word))
        };
        let has = |letter: char, name: &str| {
            let joined = |text: &str| !text.starts_with("--") && text.contains(letter);
            let before = words.iter().take_while(|word| word.text != "--");
            let mut options = before.filter(|word| word.is_option());
            options.any(|word| joined(&word.text) || word.text == name)
        };
        let may_write =
            |word: &Word| !(word.is_pattern() || word.home) && files.may_write(&word.text);
        let is_order = |orders: &[&str]| first.is_none_or(|first| orders.contains(&first));
        match self {
            Self::Any if order == "restore" && !has('S', "--staged") => {
                Err("`git restore` discards changes".to_owned())
            }
            Self::Any => Ok(()),
            Self::Added => {
                let holds = |word: &Word| {
                    // Git reads patterns and `:` itself.
                    let text = word.text.as_str();
                    let is_plain = !text.contains(['*', '?', '[', ':', '\\']);
                    files.may_hold_repository(if is_plain { text } else { "." })
                };
                match operands.as_slice() {
                    [] if files.may_hold_repository(".") => {
                        Err("`git add` may store another repository".to_owned())
                    }
                    words => all(words, &|word| !holds(word), "may hold another repository"),
                }
            }
            Self::Written => {
                all(&operands, &may_write, PATH)?;
                let moved = operands.split_last().filter(|_| order == "mv");
                let moved = moved.map_or(&[][..], |(_, moved)| moved);
                let is_plain = |word: &Word| !files.may_hold_protected(&word.text);
                all(moved, &is_plain, PROTECTED)
            }
            Self::Branch => {
                let creates = has('b', "");
                let count = if creates { 2 } else { 1 };
                let is_branch = |word: &Word| {
                    let is_there = !creates && word.text != "-" && files.may_exist(&word.text);
                    is_revision(word) && !is_there
                };
                if operands.len() > count || words.iter().any(|word| word.text == "--") {
                    return Err("`git checkout` of paths discards changes".to_owned());
                }
                all(
                    &operands,
                    &is_branch,
                    "may be a path, whose changes would be discarded",
                )
            }
            Self::Unstaged => {
                let mut before_paths = words.iter().take_while(|word| word.text != "--");
                match before_paths.find(|word| !word.is_option()) {
                    Some(first) if first.text != "HEAD" => {
                        refuse("may be a revision to reset to", first)
                    }
                    _ => Ok(()),
                }
            }
            Self::Orders(orders) => match operands.first() {
                Some(word) if !is_order(orders) => refuse(ORDER, word),
                _ => Ok(()),
            },
            Self::OrdersWritten(orders) => match operands.first() {
                Some(word) if !is_order(orders) => refuse(ORDER, word),
                _ => all(rest, &may_write, PATH),
            },
            Self::Remote | Self::Sent => {
                let (remote, branches) = operands.split_at(operands.len().min(1));
                // Files from an address are not the project's, but later commands check out what
                // was fetched, and pull from the upstream that was set.
                let keeps = match order {
                    "push" => has('u', "--set-upstream"),
                    _ => order != "ls-remote",
                };
                let is_source = |word: &Word| is_remote(word, files) || !keeps && is_address(word);
                all(remote, &is_source, REMOTE)?;
                all(branches, &is_refspec, REMOTE)
            }
            Self::RemoteOrders(orders) => match operands.first() {
                Some(word) if !is_order(orders) => refuse(ORDER, word),
                _ => all(rest, &|word| is_remote(word, files), REMOTE),
            },
            Self::Cloned => {
                let (address, folder) = operands.split_at(operands.len().min(1));
                let is_plain = |word: &Word| {
                    // The folder is named after the end of the address.
                    let named = word.text.trim_end_matches('/').trim_end_matches(".git");
                    let name = named.rsplit(['/', ':']).next().unwrap_or_default();
                    is_address(word) && files.may_write(name)
                };
                all(address, &is_plain, REMOTE)?;
                all(folder, &may_write, PATH)
            }
            Self::Setting => {
                // Git reads no options after the first operand.
                let is_before = |word: &&&Word| word.is_option() && word.text != "--";
                let options = words.iter().take_while(is_before).count();
                let (before, behind) = words.split_at(options);
                let shows = before.iter().any(|word| SHOWING.contains(&&*word.text));
                let is_fine = |word: &Word| !word.is_option() || word.text == "--";
                all(behind, &is_fine, "may be a value")?;
                match operands.as_slice() {
                    [_, more, ..] if !shows => refuse("would change a setting", more),
                    [name] if !shows && !name.text.contains('.') => refuse(ORDER, name),
                    _ => Ok(()),
                }
            }
        }
    }
}

/// `main`, `HEAD~3`, `v1^{commit}`, `-`.
fn is_revision(word: &Word) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-^~@{}".contains(c);
    let text = word.text.as_str();
    let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@') || text == "-";
    begins && text.chars().all(is_plain) && !text.contains("..") && !word.is_pattern()
}

/// A refspec to fetch or push: `main`, `HEAD:main`. Not one that overwrites (`+main`) or deletes
/// (`:main`).
fn is_refspec(word: &Word) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-^~@{}:".contains(c);
    let text = word.text.as_str();
    let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@');
    begins && text.chars().all(is_plain) && !text.contains("::") && !text.contains("//")
}

/// The name of a remote. Git prefers a folder of the same name, so there must be none; if that is
/// not known, only the usual names are accepted.
fn is_remote(word: &Word, files: &Files<'_>) -> bool {
    let text = word.text.as_str();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let is_name = text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(is_plain)
        && !word.is_pattern();
    let is_usual = files.have_no_folder() && matches!(text, "origin" | "upstream");
    let is_there = || files.may_exist(text) || files.may_exist(&format!("{text}.git"));
    is_name && (is_usual || !is_there())
}

/// An http(s) or ssh address. Other addresses name programs (`ext::sh -c x`) or folders, whose
/// configuration and hooks name programs.
fn is_address(word: &Word) -> bool {
    let text = word.text.as_str();
    let is_host = |host: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-_:[]".contains(c);
        host.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[')
            && host.chars().all(is_plain)
    };
    if word.is_pattern() || text.contains("::") || text.contains(char::is_whitespace) {
        return false;
    }
    if let Some((scheme, rest)) = text.split_once("://") {
        let authority = rest.split('/').next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        return matches!(scheme, "http" | "https" | "ssh")
            && is_host(host)
            && authority.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[');
    }
    // `git@host:path`.
    let login = text
        .split_once(':')
        .and_then(|(login, _)| login.split_once('@'));
    login.is_some_and(|(user, host)| is_host(user) && is_host(host))
}
