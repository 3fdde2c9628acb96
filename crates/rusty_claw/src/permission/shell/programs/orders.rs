//! Programs that nobody has listed, and whose first word may be an order: `poetry run pytest`.

use super::super::word::Word;
use super::converters::names_reader;
use super::known::code_here;
use super::options::{Harmless, judge_unknown};
use super::{Call, refuse};

/// Orders to run the program or the code that follows, wherever they stand.
const RUNNING: &[&str] = &[
    "dlx",
    "eval",
    "exec",
    "execute",
    "run",
    "run-script",
    "runner",
    "runspider",
    "shell",
    "ssh",
];

/// Words that are such orders when they stand first, and may be anything elsewhere.
const RUNNING_FIRST: &[&str] = &[
    "cmd", "command", "console", "debug", "develop", "node", "repl", "script", "sh", "source",
    "spawn",
];

/// Orders to bring in code or to settle what later ones do.
const CHANGING: &[&str] = &[
    "add",
    "alias",
    "apply",
    "config",
    "configure",
    "create",
    "delete",
    "deploy",
    "destroy",
    "edit",
    "env",
    "extension",
    "extensions",
    "generate",
    "hook",
    "hooks",
    "i",
    "import",
    "init",
    "install",
    "link",
    "load",
    "new",
    "plugin",
    "plugins",
    "publish",
    "purge",
    "push",
    "register",
    "remove",
    "rm",
    "set",
    "tool",
    "tools",
    "uninstall",
    "unlink",
    "update",
    "upgrade",
    "upload",
    "use",
];

/// Programs that run code which they find by the names of files, or beside them.
#[rustfmt::skip] // A table.
const RUN_FILES: &[&str] = &[
    "alembic", "astro", "ava", "bats", "behave", "busted", "c8", "celery", "commitlint", "ctest", "cucumber", "cypress",
    "doctest", "esbuild", "eslint", "flask", "gulp", "grunt", "gunicorn", "hypercorn", "invoke", "jasmine", "jest", "just",
    "karma", "knex", "locust", "mocha", "mypy", "next", "nose2", "nosetests", "nox", "nyc", "papermill", "parcel", "phpstan",
    "phpunit", "playwright", "prettier", "prisma", "prove", "pylint", "rake", "robot", "rollup", "rspec", "rubocop", "scrapy",
    "shellspec", "sphinx-build", "storybook", "stylelint", "svelte-check", "tap", "tox", "turbo", "unittest", "uvicorn",
    "uwsgi", "vite", "vitest", "vue-tsc", "webpack",
];

/// Further harmless options of some of them. No letter takes a value that is joined to it: where one
/// of these programs sees a value, another sees more letters.
#[rustfmt::skip] // A table.
const CHECKS: &[(&str, Harmless)] = &[
    ("eslint", these("", &["ext", "no-error-on-unmatched-pattern", "report-unused-disable-directives", "debug", "stats"])),
    ("jest", these("ti", &[
        "runInBand", "testNamePattern", "ci", "passWithNoTests", "listTests", "onlyChanged", "detectOpenHandles",
        "forceExit", "maxWorkers", "testTimeout",
    ])),
    ("prettier", these("cl", &["list-different", "ignore-unknown", "log-level"])),
];

const fn these(letters: &'static str, names: &'static [&'static str]) -> Harmless {
    Harmless {
        letters,
        valued: "",
        names,
        one_dash: false,
    }
}

/// Whether a word is an order to run what follows it, when it stands first.
pub(super) fn is_running(word: &Word) -> bool {
    [RUNNING, RUNNING_FIRST]
        .iter()
        .any(|orders| orders.contains(&word.text.as_str()))
}

pub(super) fn judge(call: &Call<'_>) -> Result<(), String> {
    if RUN_FILES.contains(&call.program) {
        code_here(call.further)?;
    } else if let Some(word) = call.further.iter().find(|word| names_reader(&word.text)) {
        return refuse(
            "may name a reader of files or a way to reach something",
            word,
        );
    }
    let further: Vec<Word> = match CHECKS.iter().find(|(name, _)| *name == call.program) {
        None => call.further.to_vec(),
        Some((_, options)) => {
            let is_harmless = |word: &&Word| word.is_option() && options.covers(&word.text);
            let others = call.further.iter().filter(|word| !is_harmless(word));
            others.cloned().collect()
        }
    };
    let call = &Call {
        further: &further,
        ..*call
    };
    let is_order = |orders: &[&str], word: &Word| orders.contains(&word.text.as_str());
    let given = call.given.iter().position(|word| !word.is_option());
    let order = given.and_then(|at| Some((call.given.get(at)?, call.given.get(at + 1..)?)));
    match order {
        Some((order, run)) if is_running(order) => match run.first() {
            Some(program) if !program.is_option() => super::judge(run, call.further),
            _ => Err(format!(
                "{} {} runs other programs, and the rule names none",
                call.program, order.text
            )),
        },
        Some(_) => no_running(call.further),
        None => {
            let first = call.further.iter().find(|word| !word.is_option());
            match first {
                Some(first) if is_order(CHANGING, first) || is_running(first) => {
                    refuse("is an order that may do more than the rule says", first)
                }
                _ => no_running(call.further),
            }
        }
    }
}

fn no_running(further: &[Word]) -> Result<(), String> {
    match further
        .iter()
        .find(|word| RUNNING.contains(&word.text.as_str()))
    {
        Some(order) => refuse("is an order to run something", order),
        None => judge_unknown(further),
    }
}
