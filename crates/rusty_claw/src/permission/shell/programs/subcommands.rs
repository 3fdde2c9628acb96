//! Harmless subcommands of programs that do much more, if the rule names the subcommand:
//! `docker ps` only shows, whatever else docker does.

use super::super::word::Word;
use super::call::{Call, refuse};
use super::known::code_here;
use super::options::{Harmless, judge_plain};

/// A known subcommand of a program.
struct Subcommand {
    programs: &'static [&'static str],
    /// The first words of the rule, one of these. An empty one matches any word that is not an
    /// option.
    orders: &'static [&'static [&'static str]],
    options: Harmless,
    words: Words,
}

/// What the operands may be.
#[derive(Clone, Copy)]
enum Words {
    /// Names to show.
    Plain,
    /// Code in the folder where the program runs.
    Code,
    /// Operands would be further subcommands, except for the values of these options.
    Values(&'static [&'static str]),
    /// Names of packages in a registry, with a version: no files, folders and addresses.
    Packages(fn(&str) -> bool),
}

/// Returns `None` if the rule does not name a known subcommand.
pub(super) fn judge(call: &Call<'_>) -> Option<Result<(), String>> {
    let is_named = |order: &&[&str]| {
        let given = call.given.get(..order.len().max(1));
        given.is_some_and(|given| match order {
            [] => given.iter().all(|word| !word.is_option()),
            _ => given
                .iter()
                .zip(*order)
                .all(|(word, name)| word.text == *name),
        })
    };
    let known = SUBCOMMANDS.iter().find(|known| {
        known.programs.contains(&call.program) && known.orders.iter().any(is_named)
    })?;
    Some(known.judge(call.further))
}

impl Subcommand {
    fn judge(&self, further: &[Word]) -> Result<(), String> {
        let mut is_value = false;
        for word in further {
            let text = word.text.as_str();
            let is_covered = word.is_option() && !word.is_pattern() && self.options.covers(text);
            let was_value = std::mem::take(&mut is_value);
            match self.words {
                // An option in place of a value: the role of the next word is not known.
                Words::Values(_) if was_value && word.is_option() => {
                    return refuse("is an option in place of a value", word);
                }
                Words::Values(options) if is_covered => is_value = options.contains(&text),
                _ if is_covered => {}
                Words::Plain => judge_plain(word)?,
                Words::Code if !text.contains(':') && judge_plain(word).is_ok() => {
                    code_here(std::slice::from_ref(word))?;
                }
                Words::Values(_) if was_value => {}
                Words::Packages(is_package) if is_package(text) && !word.is_pattern() => {}
                Words::Code | Words::Values(_) | Words::Packages(_) => {
                    return refuse("may do more than the rule says", word);
                }
            }
        }
        Ok(())
    }
}

/// Files with these extensions are installed if they exist.
const ARCHIVES: &[&str] = &[
    ".bz2", ".gz", ".lz", ".lzma", ".tar", ".tbz", ".tgz", ".tlz", ".txz", ".whl", ".xz", ".zip",
];

fn is_name(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
        && !ARCHIVES.iter().any(|end| lower.ends_with(end))
}

/// `name`, `@scope/name`, `name@5`, `name@^1.2`.
fn is_npm_package(text: &str) -> bool {
    let (scope, rest) = match text.strip_prefix('@').map(|rest| rest.split_once('/')) {
        None => (None, text),
        Some(Some((scope, rest))) => (Some(scope), rest),
        Some(None) => return false,
    };
    let (name, version) = rest
        .split_once('@')
        .map_or((rest, None), |(n, v)| (n, Some(v)));
    let is_version = |version: &str| is_name(version.trim_start_matches(['^', '~']));
    scope.is_none_or(is_name) && is_name(name) && version.is_none_or(is_version)
}

/// `name`, `name==1.2`, `name[extra]>=1,<2`.
fn is_requirement(text: &str) -> bool {
    let end = text.find(['=', '<', '>', '!', '~']).unwrap_or(text.len());
    let (name, versions) = text.split_at(end);
    let (name, extras) = match name.split_once('[') {
        None => (name, None),
        Some((name, rest)) => match rest.strip_suffix(']') {
            Some(extras) => (name, Some(extras)),
            None => return false,
        },
    };
    let is_version = |version: &str| {
        let number = version.trim_start_matches(['=', '<', '>', '!', '~']);
        let plain = number.strip_suffix(".*").unwrap_or(number);
        number.len() < version.len() && is_name(plain)
    };
    is_name(name)
        && extras.is_none_or(|extras| extras.split(',').all(is_name))
        && (versions.is_empty() || versions.split(',').all(is_version))
}

const fn subcommand(
    programs: &'static [&'static str],
    orders: &'static [&'static [&'static str]],
    options: Harmless,
    words: Words,
) -> Subcommand {
    Subcommand {
        programs,
        orders,
        options,
        words,
    }
}

#[rustfmt::skip] // A table.
const SUBCOMMANDS: &[Subcommand] = &[
    subcommand(&["docker", "podman"], &[&["ps"], &["images"]], Harmless::these("aqls", "nf", &[
        "all", "quiet", "latest", "last", "size", "no-trunc", "format", "filter", "digests",
    ]), Words::Plain),
    subcommand(&["docker", "podman"], &[&["logs"]], Harmless::these("ft", "n", &[
        "tail", "follow", "since", "until", "timestamps", "details",
    ]), Words::Plain),
    // Not `--kubeconfig`, `--context`, `--user` and the like, which choose a cluster and with it a
    // program for authentication.
    subcommand(&["kubectl"], &[&["get"]], Harmless::these("Aw", "nolL", &[
        "namespace", "all-namespaces", "output", "selector", "show-labels", "show-kind", "sort-by", "field-selector",
        "label-columns", "no-headers", "watch", "ignore-not-found",
    ]), Words::Plain),
    subcommand(&["kubectl"], &[&["describe"]], Harmless::these("A", "nl", &[
        "namespace", "all-namespaces", "selector", "show-events",
    ]), Words::Plain),
    subcommand(&["kubectl"], &[&["logs"]], Harmless::these("fp", "ncl", &[
        "namespace", "container", "all-containers", "follow", "previous", "tail", "since", "since-time", "timestamps",
        "selector", "prefix",
    ]), Words::Plain),
    subcommand(&["gh"], &[
        &["pr", "view"], &["pr", "list"], &["pr", "checks"], &["pr", "status"], &["pr", "diff"], &["issue", "view"],
        &["issue", "list"], &["issue", "status"], &["run", "view"], &["run", "list"], &["release", "view"],
        &["release", "list"], &["repo", "view"],
    ], Harmless::these("", "", &[
        "json", "comments", "limit", "state", "author", "assignee", "label", "base", "head", "search", "log",
        "log-failed", "exit-status", "name-only",
    ]), Words::Plain),
    subcommand(&["ruff"], &[&["check"]], Harmless::these("", "", &[
        "select", "ignore", "extend-select", "extend-ignore", "no-fix", "statistics", "diff", "exit-zero",
        "line-length", "target-version", "output-format", "preview", "show-fixes", "quiet",
    ]), Words::Code),
    subcommand(&["bun", "deno"], &[&["test"]], Harmless::these("", "", &[
        "bail", "fail-fast", "no-run", "quiet", "timeout",
    ]), Words::Code),
    // The script of a Django project.
    subcommand(&["manage.py"], &[&["test"], &["check"], &["showmigrations"]], Harmless::these("v", "", &[
        "failfast", "keepdb", "parallel", "verbosity",
    ]), Words::Code),
    subcommand(&["pip", "pip3"], &[&["list"], &["show"], &["check"], &["freeze"]], Harmless::these("qv", "", &[
        "files", "format", "outdated", "uptodate", "verbose",
    ]), Words::Plain),
    // Their operands are further goals or tasks, and many options are settings.
    subcommand(&["mvn", "mvnw"], &[&["test"], &["verify"], &["compile"], &["package"]], Harmless::one_dash("qBeoVX", &[
        "help", "version", "Dtest", "Dit.test", "DskipTests", "DskipITs", "DfailIfNoTests",
    ]), Words::Values(&[])),
    subcommand(&["gradle", "gradlew"], &[&[]], Harmless::these("qisd", "", &[
        "help", "version", "tests", "info", "debug", "quiet", "warn", "stacktrace", "full-stacktrace", "offline",
        "rerun-tasks", "continue", "dry-run", "no-daemon", "parallel", "console",
    ]), Words::Values(&["--tests", "--console"])),
    // No letter takes a joined value: these programs differ in which letters have one.
    subcommand(&["npm", "pnpm", "yarn"], &[&["install"], &["i"], &["add"]], Harmless::these("DEOPS", "", &[
        "save", "save-dev", "save-exact", "save-optional", "save-prod", "save-peer", "no-save", "no-audit", "no-fund",
        "ignore-scripts", "legacy-peer-deps", "prefer-offline", "frozen-lockfile", "dev", "exact", "silent",
        "dry-run",
    ]), Words::Packages(is_npm_package)),
    subcommand(&["pip", "pip3"], &[&["install"]], Harmless::these("Uqv", "", &[
        "upgrade", "quiet", "verbose", "dry-run", "no-deps", "no-input", "no-cache-dir", "disable-pip-version-check",
    ]), Words::Packages(is_requirement)),
    subcommand(&["uv"], &[&["pip", "install"]], Harmless::these("Uqv", "", &[
        "upgrade", "quiet", "verbose", "dry-run", "no-deps",
    ]), Words::Packages(is_requirement)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_told_from_files_and_addresses() {
        let packages = "typescript typescript@5 @types/node@^20.1.0 a.b left-pad@latest x@~1";
        let others = "./x ../x /x a/b x.tgz x@y.tgz x.TAR git+ssh://h/x x@npm:y x@file:y @x @x/y/z \
                      ~/x x@ https://h/x -g x@git@h";
        for text in packages.split(' ') {
            assert!(is_npm_package(text), "{text}");
        }
        for text in others.split(' ').chain([""]) {
            assert!(!is_npm_package(text), "{text}");
        }
        let requirements = "requests requests==2.31.0 a[b,c]>=1,<2 a~=1.4 a==1.* Django!=3";
        let others = "./x x/y x.whl x.zip x.tar.gz git+https://h/x x== x==/etc a[b . \
                      x;python_version -e x[../y]";
        for text in requirements.split(' ') {
            assert!(is_requirement(text), "{text}");
        }
        let with_blanks = ["", "x @ https://h/x", "x==1 --index-url=y"];
        for text in others.split(' ').chain(with_blanks) {
            assert!(!is_requirement(text), "{text}");
        }
    }
}
