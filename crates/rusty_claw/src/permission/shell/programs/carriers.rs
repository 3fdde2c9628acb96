//! Programs that run what their words say.

use super::super::word::Word;
use super::{Call, Kind, options, refuse};

/// Runs the program behind its own options.
struct Carrier {
    name: &'static str,
    /// Letters of its options that take the next word, when nothing is joined to them.
    valued: &'static str,
    /// Words that stand between its options and the program.
    operands: usize,
}

const fn carrier(name: &'static str, valued: &'static str, operands: usize) -> Carrier {
    Carrier {
        name,
        valued,
        operands,
    }
}

const CARRIERS: &[Carrier] = &[
    carrier("chronic", "", 0),
    carrier("doas", "uC", 0),
    carrier("env", "uC", 0),
    carrier("ionice", "cn", 0),
    carrier("nice", "n", 0),
    carrier("nohup", "", 0),
    carrier("setsid", "", 0),
    carrier("stdbuf", "ioe", 0),
    carrier("sudo", "ugp", 0),
    carrier("time", "fo", 0),
    carrier("timeout", "ks", 1),
    carrier("command", "", 0),
];

/// What takes code, programs or files to write in so many ways, or changes the shell so much, that
/// only the rule's own words are let through.
const CLOSED: &[&str] = &[
    ".",
    "alias",
    "bind",
    "bindkey",
    "caller",
    "compgen",
    "complete",
    "compopt",
    "dd",
    "declare",
    "disown",
    "ed",
    "emacs",
    "enable",
    "eval",
    "ex",
    "expect",
    "export",
    "fc",
    "gdb",
    "getopts",
    "hash",
    "help",
    "history",
    "install",
    "jobs",
    "let",
    "lldb",
    "local",
    "logout",
    "mapfile",
    "mysql",
    "nano",
    "nc",
    "ncat",
    "nvim",
    "psql",
    "read",
    "readarray",
    "readonly",
    "set",
    "shift",
    "shopt",
    "socat",
    "source",
    "sqlite3",
    "tar",
    "tee",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "vi",
    "vim",
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
    CLOSED.contains(&program).then(|| closed(program))
}

/// By the kind of the program alone. None when it runs nothing that it is given.
pub(super) fn judge_kind(call: &Call<'_>) -> Option<Result<(), String>> {
    match Kind::of(call.program) {
        Kind::Shell | Kind::Interpreter => Some(interpreted(call, false)),
        Kind::Awk => Some(interpreted(call, true)),
        Kind::Launcher | Kind::Eval => Some(closed(call.program)),
        Kind::RunsNothing | Kind::Git | Kind::Other => None,
    }
}

fn closed(program: &str) -> Result<(), String> {
    Err(format!(
        "{program} can run or change more than its rule says: only the rule's own words are let through"
    ))
}

/// The words of the program that the rule itself names.
fn carried<'a>(carrier: &Carrier, given: &'a [Word]) -> Option<&'a [Word]> {
    let mut words = given;
    let mut operands = carrier.operands;
    loop {
        let (first, rest) = words.split_first()?;
        let text = first.text.as_str();
        if text.starts_with("--") {
            // Whether a value follows is not known.
            return None;
        } else if first.is_option() {
            let takes_next = text
                .chars()
                .last()
                .is_some_and(|c| carrier.valued.contains(c));
            words = if takes_next && text.len() == 2 {
                rest.get(1..)?
            } else {
                rest
            };
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

/// The first word that is no option names the code, and `-m` a module. Further words go to it,
/// when the rule names one.
fn interpreted(call: &Call<'_>, awk: bool) -> Result<(), String> {
    let mut words = call.given;
    while let Some((first, rest)) = words.split_first() {
        if first.text == "-m" && !rest.is_empty() {
            return super::judge(rest, call.further);
        }
        if !first.is_option() {
            if awk {
                return awk_files(call.further);
            }
            return options::suspect(call.further);
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
fn awk_files(words: &[Word]) -> Result<(), String> {
    for word in words {
        if word.is_option() {
            return refuse("is an option behind the program", word);
        }
    }
    Ok(())
}
