//! Programs that run what their words say.

use super::super::word::Word;
use super::known::{self, Known};
use super::{Call, Kind, base, converters, git, options, orders, refuse, scripts};

/// Runs the program behind its own options.
struct Carrier {
    name: &'static str,
    /// Letters of its options without a value.
    letters: &'static str,
    /// Letters of its options that take the next word, when nothing is joined to them.
    valued: &'static str,
    /// Words that stand between its options and the program.
    operands: usize,
}

const fn carrier(
    name: &'static str,
    letters: &'static str,
    valued: &'static str,
    operands: usize,
) -> Carrier {
    Carrier {
        name,
        letters,
        valued,
        operands,
    }
}

const CARRIERS: &[Carrier] = &[
    carrier("chronic", "ev", "", 0),
    carrier("command", "p", "", 0),
    carrier("doas", "n", "u", 0),
    carrier("env", "i", "u", 0),
    carrier("ionice", "t", "cn", 0),
    carrier("nice", "", "n", 0),
    carrier("nohup", "", "", 0),
    carrier("setsid", "cfw", "", 0),
    carrier("stdbuf", "", "ioe", 0),
    carrier("sudo", "AbEHknPS", "ugp", 0),
    carrier("time", "pqv", "f", 0),
    carrier("timeout", "v", "ks", 1),
];

/// Hands words from its input to the program behind its options.
const XARGS: Carrier = carrier("xargs", "0rt", "dEILnPs", 0);

/// Fetch the program that the rule names unless it is there, and run it.
const FETCHERS: &[Carrier] = &[
    carrier("bunx", "", "", 0),
    carrier("npx", "y", "", 0),
    carrier("pnpx", "", "", 0),
];

/// Programs that may be fetched so: we know what they do with their words.
const FETCHED: &[&str] = &[
    "eslint",
    "jest",
    "mocha",
    "prettier",
    "stylelint",
    "svelte-check",
    "tsc",
    "vitest",
    "vue-tsc",
];

/// What takes code, programs or files to write in so many ways, or changes the shell so much, that
/// only the rule's own words are let through.
#[rustfmt::skip] // A table.
const CLOSED: &[&str] = &[
    ".", "alias", "ansible-playbook", "autoload", "bg", "bind", "bindkey", "break", "caller", "chattr", "chdir",
    "chsh", "code", "compgen", "complete", "compopt", "continue", "cpio", "cprofile", "dc", "dd", "declare", "dirs",
    "disown", "duckdb", "echoti", "ed", "elvis", "emacs", "emulate", "enable", "eval", "ex", "exit", "expect",
    "export", "fc", "fg", "float", "ftp", "functions", "gdb", "getln", "getopts", "gnuplot", "gpg", "gvim", "hash",
    "help", "history", "hx", "idlelib", "install", "integer", "jobs", "joe", "kak", "launchctl", "let", "lftp",
    "limit", "lldb", "local", "logout", "logrotate", "lp", "lpr", "m4", "mail", "mailx", "mapfile", "micro", "mongo",
    "mongosh", "mount", "mutt", "mvn", "mvnw", "mysql", "mysqldump", "nano", "nc", "ncat", "nmap", "nvi", "nvim",
    "octave", "open", "openssl", "patch", "pdb", "pico", "popd", "prename", "print", "private", "profile", "pry",
    "psql", "pushd", "r", "read", "readarray", "readonly", "redis-cli", "rename", "return", "rnano", "rsync", "runpy",
    "rvim", "sbt", "sched", "scp", "sendmail", "service", "set", "setopt", "sftp", "shift", "shopt", "socat",
    "source", "sponge", "sqlcmd", "sqlite3", "sqlplus", "start", "sysopen", "systemctl", "tar", "tcpdump", "tee",
    "telnet", "timeit", "trace", "type", "typeset", "ulimit", "umask", "umount", "unalias", "unlimit", "unset",
    "unsetopt", "vared", "vi", "view", "vim", "vimdiff", "wait", "wget", "xdg-open", "zcompile", "zformat", "zftp",
    "zle", "zmodload", "zparseopts", "zpty", "zselect", "zsocket", "zstyle", "ztcp",
];

/// Further programs that run the code which their first word names. For a rule that denies they are
/// programs like any other.
#[rustfmt::skip] // A table.
const RUN_CODE: &[&str] = &[
    "coffee", "clj", "clojure", "crystal", "csi", "d8", "dart", "dotnet-script", "escript", "esno", "fennel", "gjs", "gosh",
    "hhvm", "iex", "janet", "java", "jbang", "jjs", "jruby", "kotlin", "luvit", "matlab", "mono", "nim", "phpdbg", "poly",
    "qjs", "raku", "rhino", "runghc", "runhaskell", "sage", "sml", "swipl", "tarantool", "utop", "vite-node", "wasmer",
    "wasmtime", "wine", "zx",
];

/// None when the program is neither a carrier nor closed.
pub(super) fn judge(call: &Call<'_>) -> Option<Result<(), String>> {
    let program = call.program;
    if let Some(carrier) = CARRIERS.iter().find(|carrier| carrier.name == program) {
        return Some(match carried(carrier, call.given) {
            Some(inner) => super::judge(inner, call.further),
            None => Err(format!(
                "{program} runs other programs, and the rule names none"
            )),
        });
    }
    if let Some(fetcher) = FETCHERS.iter().find(|fetcher| fetcher.name == program) {
        let inner = carried(fetcher, call.given);
        let is_fetched = |inner: &&[Word]| {
            let first = inner.first();
            first.is_some_and(|first| FETCHED.contains(&first.text.as_str()))
        };
        return Some(match inner.filter(is_fetched) {
            Some(inner) => {
                known::no_shell_signs(call.further).and_then(|()| super::judge(inner, call.further))
            }
            None => closed(program),
        });
    }
    is_closed(program).then(|| closed(program))
}

/// By the kind of the program alone. None when it runs nothing that it is given.
pub(super) fn judge_kind(call: &Call<'_>) -> Option<Result<(), String>> {
    match Kind::of(call.program) {
        _ if RUN_CODE.contains(&call.program) => Some(interpreted(call, false)),
        Kind::Shell | Kind::Interpreter => Some(interpreted(call, false)),
        Kind::Awk => Some(interpreted(call, true)),
        Kind::Launcher | Kind::Eval => Some(closed(call.program)),
        Kind::RunsNothing | Kind::Git | Kind::Other => None,
    }
}

fn is_closed(program: &str) -> bool {
    CLOSED.iter().any(|name| name.eq_ignore_ascii_case(program))
        || converters::is_converter(program)
}

fn closed(program: &str) -> Result<(), String> {
    Err(format!(
        "{program} can run or change more than its rule says: only the rule's own words are let through"
    ))
}

/// The words of the program that the rule itself names; None when there is none, and behind an
/// option of which it is not known whether it takes the next word.
fn carried<'a>(carrier: &Carrier, given: &'a [Word]) -> Option<&'a [Word]> {
    let mut words = given;
    let mut operands = carrier.operands;
    loop {
        let (first, rest) = words.split_first()?;
        let text = first.text.as_str();
        if first.is_option() {
            let letters = text.strip_prefix('-')?;
            let value = letters.find(|c| carrier.valued.contains(c));
            let plain = letters.get(..value.unwrap_or(letters.len()))?;
            let is_known = |c: char| carrier.letters.contains(c) || c.is_ascii_digit();
            if !plain.chars().all(is_known) {
                return None;
            }
            let takes_next = value.is_some_and(|at| at + 1 == letters.len());
            words = rest.get(usize::from(takes_next)..)?;
        } else if options::is_assignment(text) && carrier.name == "env" {
            words = rest;
        } else if operands > 0 {
            operands -= 1;
            words = rest;
        } else {
            return Some(words);
        }
    }
}

/// Whether a command takes code, or words for another program, from what is written into it.
pub(in super::super) fn takes_code(words: &[Word]) -> bool {
    let Some((program, rest)) = words.split_first() else {
        return true;
    };
    let name = base(&program.text);
    let is_harmless = |name: &str| known::find(name).is_some_and(Known::is_harmless);
    if let Some(carrier) = CARRIERS.iter().find(|carrier| carrier.name == name) {
        return carried(carrier, rest).is_none_or(takes_code);
    }
    if name == XARGS.name {
        let inner = carried(&XARGS, rest).and_then(|inner| inner.first());
        return !inner.is_some_and(|inner| is_harmless(&inner.text));
    }
    if is_harmless(name) || name == "tee" {
        return false;
    }
    let is_input = |word: &Word| {
        word.text == "-" || ["/dev/", "/proc/"].iter().any(|d| word.text.starts_with(d))
    };
    if rest.iter().any(is_input) || is_closed(name) {
        return true;
    }
    match Kind::of(name) {
        Kind::Shell => !rest
            .first()
            .is_some_and(|word| !word.is_option() || word.text == "-c"),
        Kind::Interpreter | Kind::Awk => !names_code(rest),
        _ if RUN_CODE.contains(&name) => !names_code(rest),
        Kind::Launcher => known::find(name).is_none(),
        Kind::Eval => true,
        Kind::Git => !rest
            .first()
            .is_some_and(|order| git::is_known_command(&order.text)),
        Kind::RunsNothing | Kind::Other => false,
    }
}

/// Whether an interpreter's words say where its code is.
fn names_code(words: &[Word]) -> bool {
    let behind = words
        .iter()
        .position(|word| !matches!(word.text.as_str(), "-u" | "-B" | "-E" | "-I"));
    let Some([first, rest @ ..]) = behind.and_then(|at| words.get(at..)) else {
        return false;
    };
    match first.text.as_str() {
        "-m" => rest.first().is_some_and(|module| !is_closed(&module.text)),
        "-c" | "-e" | "-f" => !rest.is_empty(),
        _ => !first.is_option(),
    }
}

/// Whether a command runs code that it finds by a name from where it stands.
pub(in super::super) fn finds_code_here(words: &[Word]) -> bool {
    let Some((program, rest)) = words.split_first() else {
        return true;
    };
    let name = base(&program.text);
    if let Some(carrier) = CARRIERS.iter().find(|carrier| carrier.name == name) {
        return carried(carrier, rest).is_none_or(finds_code_here);
    }
    let is_relative = program.text.contains('/') && !program.text.starts_with('/');
    let is_module = rest.first().is_some_and(|word| word.text == "-m");
    let interprets = matches!(Kind::of(name), Kind::Shell | Kind::Interpreter);
    is_relative || interprets && !is_module
}

/// The first word that is no option names the code, and `-m` a module. Further words go to it,
/// when the rule names one.
fn interpreted(call: &Call<'_>, awk: bool) -> Result<(), String> {
    if awk && call.given.is_empty() {
        return scripts::awk(call.further);
    }
    let mut words = call.given;
    while let Some((first, rest)) = words.split_first() {
        if first.text == "-m" && !rest.is_empty() {
            return super::judge(rest, call.further);
        }
        // `bun run x`, `bun x y`.
        if !awk && (orders::is_running(first) || first.text == "x") {
            words = rest;
            continue;
        }
        if !first.is_option() {
            if awk {
                return awk_files(call.further);
            }
            return options::judge_unknown(call.further);
        }
        // An option of which it is not known whether it takes the next word: that word may be code.
        if !matches!(first.text.as_str(), "-u" | "-B" | "-s" | "-E" | "-I") {
            break;
        }
        words = rest;
    }
    let is_question = |word: &Word| matches!(word.text.as_str(), "--version" | "-V" | "--help");
    match call.further {
        [word] if is_question(word) => Ok(()),
        _ => Err(format!(
            "{} runs code, and the rule does not say which",
            call.program
        )),
    }
}

/// Behind the program of awk stand files.
pub(super) fn awk_files(words: &[Word]) -> Result<(), String> {
    for word in words {
        if word.is_option() || options::is_assignment(&word.text) {
            return refuse("is an option or a setting behind the program", word);
        }
    }
    Ok(())
}
