//! git, whose options have other meanings in each of its commands.

use super::super::folder::Files;
use super::super::word::Word;
use super::call::{Call, PATH, PROTECTED, operands, refuse};
use super::git_table::{BEFORE_COMMANDS, Operands, SHOWING, VALUED_NAMES, find};
use super::options::judge_behind;

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
    // `git reset --hard HEAD` names a revision, `git log --output HEAD` a file.
    let last = call.given.last().map(|word| word.text.as_str());
    let is_file = matches!(last, Some("--output" | "-o"));
    let is_path = |word: &Word| is_file || word.text != "HEAD";
    judge_behind(call, |text| command.covers(text), is_path)?;
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
