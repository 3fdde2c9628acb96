//! The table of known programs.

use super::super::word::Word;
use super::known::{Known, Operands, Options};
use super::options::Harmless;

/// Whether a command only reads, whatever its arguments are.
pub(super) fn only_reads(words: &[Word]) -> bool {
    let known = words.first().and_then(|program| find(&program.text));
    known.is_some_and(Known::is_harmless)
}

pub(super) fn find(program: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.names.contains(&program))
}

const fn known(names: &'static [&'static str], options: Options, operands: Operands) -> Known {
    Known {
        names,
        options,
        operands,
    }
}

const fn these(
    letters: &'static str,
    valued: &'static str,
    names: &'static [&'static str],
) -> Options {
    Options::These(Harmless::these(letters, valued, names))
}

const fn one_dash(letters: &'static str, names: &'static [&'static str]) -> Options {
    Options::These(Harmless::one_dash(letters, names))
}

#[rustfmt::skip] // A table.
const KNOWN: &[Known] = &[
    known(&[
        "basename", "cat", "cd", "cmp", "column", "comm", "cut", "df", "diff", "dirname", "du", "echo", "egrep",
        "expr", "false", "fgrep", "fold", "grep", "head", "id", "jq", "ls", "md5sum", "nl", "od", "paste", "printenv",
        "ps", "pwd", "readlink", "realpath", "rev", "seq", "sha1sum", "sha256sum", "sleep", "stat", "strings", "tac",
        "tail", "tr", "true", "uname", "wc", "which", "whoami",
    ], Options::All, Operands::Any),
    known(&["mkdir", "touch"], Options::All, Operands::Written),
    // Not `-r`: a folder may contain protected files. Not `-t`: it makes another word the target.
    known(&["cp", "mv"], these("finpuvT", "", &["force", "no-clobber", "verbose"]), Operands::Written),
    known(&["ln"], these("fnsv", "", &["force", "symbolic", "verbose"]), Operands::Written),
    known(&["rm", "rmdir"], these("fipv", "", &["force", "verbose"]), Operands::Written),
    // Not `-v` and `-R`, which evaluate an index as arithmetic and so run commands in it.
    known(&["[", "test"], one_dash("", &[
        "a", "b", "c", "d", "e", "ef", "eq", "f", "g", "ge", "gt", "h", "k", "L", "le", "lt", "n", "ne", "nt", "O",
        "o", "ot", "p", "r", "S", "s", "t", "u", "w", "x", "z",
    ]), Operands::NoArithmetic),
    // `-v` does the same.
    known(&["printf"], these("", "", &[]), Operands::NoArithmetic),
    known(&["uniq", "xxd"], Options::All, Operands::Last),
    // A Python module.
    known(&["json.tool"], these("", "", &[
        "compact", "json-lines", "no-ensure-ascii", "no-indent", "sort-keys", "tab",
    ]), Operands::Last),
    known(&["file"], these("bhikLN", "", &["brief", "mime", "mime-type", "dereference"]), Operands::Any),
    known(&["sort"], these("nrufbdgihVsczM", "kt", &[
        "numeric-sort", "reverse", "unique", "key", "field-separator", "version-sort", "check", "stable",
        "ignore-case",
    ]), Operands::Any),
    known(&["find"], one_dash("HLP", &[
        "name", "iname", "type", "path", "ipath", "wholename", "not", "o", "a", "and", "or", "maxdepth", "mindepth",
        "print", "print0", "size", "mtime", "mmin", "ctime", "cmin", "atime", "amin", "newer", "empty", "regex",
        "iregex", "regextype", "prune", "depth", "follow", "xdev", "mount", "user", "group", "perm", "links", "inum",
        "ls", "readable", "writable", "executable", "true", "false", "quit", "lname", "samefile", "daystart",
        "printf",
    ]), Operands::Tests),
    known(&["rg"], these("nilcwvFosSuHNxUP", "egtTABCmM", &[
        "ignore-case", "line-number", "files-with-matches", "count", "word-regexp", "invert-match", "fixed-strings",
        "only-matching", "smart-case", "hidden", "glob", "type", "type-not", "after-context", "before-context",
        "context", "max-count", "multiline", "no-ignore", "json", "files", "color", "no-heading", "stats",
    ]), Operands::Any),
    known(&["fd", "fdfind"], these("HIuLasigpF0", "etdE", &[
        "hidden", "no-ignore", "extension", "type", "max-depth", "exclude", "full-path", "glob",
    ]), Operands::Any),
    // A letter with a value takes the next word, and the letters after it are options.
    known(&["tree"], these("adfhsCDugpiLIP", "", &["dirsfirst", "noreport", "prune", "du", "gitignore"]), Operands::Any),
    known(&["date"], these("uR", "d", &["utc", "date", "iso-8601", "rfc-3339"]), Operands::Formats),
    known(&["make", "gmake"], these("ksnBiqw", "j", &[
        "jobs", "keep-going", "silent", "quiet", "dry-run", "always-make",
    ]), Operands::Targets),
    known(&["cargo"], these("qvh", "pjFDAWi", &[
        "release", "workspace", "all", "all-features", "all-targets", "features", "no-default-features", "lib",
        "bins", "bin", "test", "tests", "example", "examples", "bench", "benches", "doc", "package", "exclude",
        "check", "no-run", "no-fail-fast", "quiet", "verbose", "locked", "offline", "frozen", "jobs", "profile",
        "message-format", "color", "keep-going", "nocapture", "no-capture", "exact", "ignored", "include-ignored",
        "test-threads", "skip", "show-output", "list", "depth", "edges", "duplicates", "invert", "no-deps",
        "format-version", "document-private-items", "help", "version", "target",
    ]), Operands::Orders(&[
        "test", "t", "build", "b", "check", "c", "clippy", "fmt", "doc", "bench", "tree", "metadata", "nextest", "version",
        "search",
    ])),
    known(&["go"], one_dash("v", &[
        "v", "run", "count", "race", "short", "bench", "benchtime", "benchmem", "timeout", "cover", "json",
        "parallel", "failfast", "list", "tags", "shuffle", "skip", "cpu", "m", "f",
    ]), Operands::Orders(&["test", "vet", "build", "list", "doc", "version", "env", "fmt"])),
    known(&["pytest", "py.test"], these("qvxsl", "kmr", &[
        "maxfail", "lf", "ff", "tb", "durations", "collect-only", "verbose", "quiet", "exitfirst", "last-failed",
        "failed-first", "no-header", "no-summary", "strict-markers", "co", "sw", "stepwise", "nf", "showlocals",
    ]), Operands::Code),
    // Linters and test runners. They run code that they find by file name, or next to the files.
    known(&["eslint"], these("", "", &[
        "color", "debug", "ext", "max-warnings", "no-color", "no-error-on-unmatched-pattern", "quiet",
        "report-unused-disable-directives", "stats",
    ]), Operands::Code),
    // No short option takes a joined value: some runners read the rest as more short options.
    known(&["jest"], these("ti", "", &[
        "bail", "ci", "color", "detectOpenHandles", "forceExit", "listTests", "maxWorkers", "no-cache", "no-color",
        "onlyChanged", "passWithNoTests", "runInBand", "silent", "testNamePattern", "testTimeout", "verbose", "watch",
    ]), Operands::Code),
    known(&["prettier"], these("cl", "", &[
        "check", "color", "ignore-unknown", "list-different", "log-level", "no-color",
    ]), Operands::Code),
    known(&[
        "flake8", "mocha", "mypy", "pyright", "rspec", "rubocop", "shellcheck", "stylelint", "svelte-check",
        "unittest", "vitest", "vue-tsc",
    ], these("qv", "", &[
        "bail", "color", "fail-fast", "failfast", "help", "ignore-missing-imports", "no-color", "pretty", "quiet",
        "show-error-codes", "silent", "strict", "verbose", "version", "watch",
    ]), Operands::Code),
    // It writes its output next to the files that it compiles.
    known(&["tsc"], these("", "", &["noEmit", "pretty", "strict", "skipLibCheck", "watch", "version", "help"]),
        Operands::Switches(&["--pretty", "--strict", "--skipLibCheck"])),
    // No letter takes a joined value: to some test runners `-tc` is `-t -c`.
    known(&["npm", "pnpm"], these("st", "", &[
        "silent", "if-present", "watch", "coverage", "verbose", "runInBand", "bail", "ci", "testNamePattern", "grep",
        "json", "depth", "all", "production", "dry-run", "mode",
    ]), Operands::Scripts(&[
        "test", "t", "run", "run-script", "ci", "ls", "list", "outdated", "view", "start", "why", "lint", "build",
    ])),
    // `yarn run` also runs programs that are not scripts: `yarn run node x.js`.
    known(&["yarn"], these("st", "", &[
        "silent", "watch", "coverage", "verbose", "runInBand", "bail", "ci", "testNamePattern", "grep", "json",
        "depth", "mode",
    ]), Operands::Scripts(&["test", "list", "outdated", "start", "why", "lint", "build"])),
    known(&["curl"], these("sSLfIvGiN46", "XHAmd", &[
        "silent", "show-error", "location", "fail", "head", "verbose", "get", "include", "request", "header",
        "user-agent", "max-time", "connect-timeout", "data", "compressed", "ipv4", "ipv6", "retry",
    ]), Operands::Addresses),
];
