//! Orders of programs that do much more than their rule says, when the rule names the order:
//! `docker ps` only shows, whatever else docker does.

use super::super::word::Word;
use super::known::code_here;
use super::options::{Harmless, judge_plain};
use super::{Call, refuse};

/// What is known about one order of a program.
struct Subcommand {
    programs: &'static [&'static str],
    /// The first words of the rule, one of these. None stands for any word that is no option.
    orders: &'static [&'static [&'static str]],
    options: Harmless,
    words: Words,
}

/// What words without a dash may be.
#[derive(Clone, Copy)]
enum Words {
    /// Names to show.
    Plain,
    /// Code in the folder where the program runs.
    Code,
    /// They would be further orders: only values of these options are none.
    Values(&'static [&'static str]),
    /// Names of packages in a registry, with a version: no files, folders and addresses.
    Packages(fn(&str) -> bool),
}

/// None when the rule does not name an order that is known.
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
                // An option where a value should be: who knows what the next word is then.
                Words::Values(_) if was_value && word.is_option() => {
                    return refuse("stands where a value should be", word);
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

/// Files that are installed when they are there.
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

#[rustfmt::skip] // A table.
const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand {
        programs: &["docker", "podman"],
        orders: &[&["ps"], &["images"]],
        options: Harmless::these("aqls", "nf", &["all", "quiet", "latest", "last", "size", "no-trunc", "format", "filter", "digests"]),
        words: Words::Plain,
    },
    Subcommand {
        programs: &["docker", "podman"],
        orders: &[&["logs"]],
        options: Harmless::these("ft", "n", &["tail", "follow", "since", "until", "timestamps", "details"]),
        words: Words::Plain,
    },
    // Not `--kubeconfig`, `--context`, `--user` and the like, which choose a cluster and with it a program that
    // says who one is.
    Subcommand {
        programs: &["kubectl"],
        orders: &[&["get"]],
        options: Harmless::these("Aw", "nolL", &[
            "namespace", "all-namespaces", "output", "selector", "show-labels", "show-kind", "sort-by", "field-selector",
            "label-columns", "no-headers", "watch", "ignore-not-found",
        ]),
        words: Words::Plain,
    },
    Subcommand {
        programs: &["kubectl"],
        orders: &[&["describe"]],
        options: Harmless::these("A", "nl", &["namespace", "all-namespaces", "selector", "show-events"]),
        words: Words::Plain,
    },
    Subcommand {
        programs: &["kubectl"],
        orders: &[&["logs"]],
        options: Harmless::these("fp", "ncl", &[
            "namespace", "container", "all-containers", "follow", "previous", "tail", "since", "since-time", "timestamps",
            "selector", "prefix",
        ]),
        words: Words::Plain,
    },
    Subcommand {
        programs: &["gh"],
        orders: &[
            &["pr", "view"], &["pr", "list"], &["pr", "checks"], &["pr", "status"], &["pr", "diff"], &["issue", "view"],
            &["issue", "list"], &["issue", "status"], &["run", "view"], &["run", "list"], &["release", "view"],
            &["release", "list"], &["repo", "view"],
        ],
        options: Harmless::these("", "", &[
            "json", "comments", "limit", "state", "author", "assignee", "label", "base", "head", "search", "log", "log-failed",
            "exit-status", "name-only",
        ]),
        words: Words::Plain,
    },
    Subcommand {
        programs: &["ruff"],
        orders: &[&["check"]],
        options: Harmless::these("", "", &[
            "select", "ignore", "extend-select", "extend-ignore", "no-fix", "statistics", "diff", "exit-zero", "line-length",
            "target-version", "output-format", "preview", "show-fixes", "quiet",
        ]),
        words: Words::Code,
    },
    Subcommand {
        programs: &["bun", "deno"],
        orders: &[&["test"]],
        options: Harmless::these("", "", &["bail", "fail-fast", "no-run", "quiet", "timeout"]),
        words: Words::Code,
    },
    // The script of a Django project.
    Subcommand {
        programs: &["manage.py"],
        orders: &[&["test"], &["check"], &["showmigrations"]],
        options: Harmless::these("v", "", &["failfast", "keepdb", "parallel", "verbosity"]),
        words: Words::Code,
    },
    Subcommand {
        programs: &["pip", "pip3"],
        orders: &[&["list"], &["show"], &["check"], &["freeze"]],
        options: Harmless::these("qv", "", &["files", "format", "outdated", "uptodate", "verbose"]),
        words: Words::Plain,
    },
    // Behind their orders stand further ones, and settings are everywhere.
    Subcommand {
        programs: &["mvn", "mvnw"],
        orders: &[&["test"], &["verify"], &["compile"], &["package"]],
        options: Harmless {
            letters: "qBeoVX",
            valued: "",
            names: &["help", "version", "Dtest", "Dit.test", "DskipTests", "DskipITs", "DfailIfNoTests"],
            one_dash: true,
        },
        words: Words::Values(&[]),
    },
    Subcommand {
        programs: &["gradle", "gradlew"],
        orders: &[&[]],
        options: Harmless::these("qisd", "", &[
            "help", "version", "tests", "info", "debug", "quiet", "warn", "stacktrace", "full-stacktrace", "offline", "rerun-tasks", "continue",
            "dry-run", "no-daemon", "parallel", "console",
        ]),
        words: Words::Values(&["--tests", "--console"]),
    },
    // Letters are not joined to values here: what one of them takes for a value is to another a letter.
    Subcommand {
        programs: &["npm", "pnpm", "yarn"],
        orders: &[&["install"], &["i"], &["add"]],
        options: Harmless::these("DEOPS", "", &[
            "save", "save-dev", "save-exact", "save-optional", "save-prod", "save-peer", "no-save", "no-audit", "no-fund",
            "ignore-scripts", "legacy-peer-deps", "prefer-offline", "frozen-lockfile", "dev", "exact", "silent", "dry-run",
        ]),
        words: Words::Packages(is_npm_package),
    },
    Subcommand {
        programs: &["pip", "pip3"],
        orders: &[&["install"]],
        options: Harmless::these("Uqv", "", &[
            "upgrade", "quiet", "verbose", "dry-run", "no-deps", "no-input", "no-cache-dir", "disable-pip-version-check",
        ]),
        words: Words::Packages(is_requirement),
    },
    Subcommand {
        programs: &["uv"],
        orders: &[&["pip", "install"]],
        options: Harmless::these("Uqv", "", &["upgrade", "quiet", "verbose", "dry-run", "no-deps"]),
        words: Words::Packages(is_requirement),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_told_from_files_and_addresses() {
        for text in [
            "typescript",
            "typescript@5",
            "@types/node@^20.1.0",
            "a.b",
            "left-pad@latest",
            "x@~1",
        ] {
            assert!(is_npm_package(text), "{text}");
        }
        for text in [
            "./x",
            "../x",
            "/x",
            "a/b",
            "x.tgz",
            "x@y.tgz",
            "x.TAR",
            "git+ssh://h/x",
            "x@npm:y",
            "x@file:y",
            "@x",
            "@x/y/z",
            "~/x",
            "x@",
            "",
            "https://h/x",
            "-g",
            "x@git@h",
        ] {
            assert!(!is_npm_package(text), "{text}");
        }
        for text in [
            "requests",
            "requests==2.31.0",
            "a[b,c]>=1,<2",
            "a~=1.4",
            "a==1.*",
            "Django!=3",
        ] {
            assert!(is_requirement(text), "{text}");
        }
        for text in [
            "./x",
            "x/y",
            "x.whl",
            "x.zip",
            "x.tar.gz",
            "git+https://h/x",
            "x @ https://h/x",
            "x==",
            "x==/etc",
            "a[b",
            "",
            ".",
            "x;python_version",
            "-e",
            "x==1 --index-url=y",
            "x[../y]",
        ] {
            assert!(!is_requirement(text), "{text}");
        }
    }
}
