//! sed and awk, which take a script as an argument.

use super::super::word::Word;
use super::call::{Call, PATH, refuse};
use super::options::{Harmless, is_assignment};

#[rustfmt::skip] // A table.
const SED: Harmless = Harmless::these("nErsuz", "e", &[
    "quiet", "silent", "regexp-extended", "separate", "debug", "posix", "expression",
]);

/// Returns `None` if the program takes no script.
pub(super) fn judge(call: &Call<'_>) -> Option<Result<(), String>> {
    matches!(call.program, "sed" | "gsed").then(|| sed(call))
}

fn sed(call: &Call<'_>) -> Result<(), String> {
    SED.judge(call.further)?;
    // The rule has `-i`, so files are written. The meaning of an empty word depends on the version.
    let writes = SED.has_unlisted(call.given);
    if let Some(word) = call.given.iter().find(|word| word.text.is_empty()) {
        return refuse("may be the script or the end of a name", word);
    }
    let mut has_script = call.given.iter().any(|word| !word.is_option());
    let mut script_is_next = false;
    for word in call.further {
        let text = word.text.as_str();
        let script = if script_is_next {
            script_is_next = false;
            Some(text)
        } else if let Some(joined) = text.strip_prefix("--expression=") {
            Some(joined)
        } else if word.is_option() && !text.starts_with("--") && text.contains('e') {
            let joined = text.split_once('e').map(|(_, joined)| joined);
            script_is_next = joined == Some("");
            has_script = true;
            joined.filter(|joined| !joined.is_empty())
        } else if text == "--expression" {
            script_is_next = true;
            has_script = true;
            None
        } else if !word.is_option() && !has_script {
            has_script = true;
            Some(text)
        } else if writes && !word.is_option() && !call.may_write(word) {
            return refuse(PATH, word);
        } else {
            None
        };
        if script.is_some_and(|script| !only_prints(script))
            || (script.is_some() && word.is_pattern())
        {
            return refuse("is a script that may run or write something", word);
        }
    }
    Ok(())
}

/// awk with a separator, a program that only prints, and files.
pub(super) fn awk(words: &[Word]) -> Result<(), String> {
    let behind = match words {
        [first, value, rest @ ..] if first.text == "-F" && !value.is_option() => rest,
        [first, rest @ ..] if first.text.starts_with("-F") && first.text.len() > 2 => rest,
        _ => words,
    };
    let Some((program, files)) = behind.split_first() else {
        return Err("awk runs code, and the rule does not say which".to_owned());
    };
    if program.is_option() || program.is_pattern() || !only_prints_fields(&program.text) {
        return refuse("is a program that may run or write something", program);
    }
    awk_files(files)
}

/// Checks the words after an awk program, which are files.
pub(super) fn awk_files(words: &[Word]) -> Result<(), String> {
    for word in words {
        // A name below `/inet` is a network connection.
        let is_other = word.is_option() || word.text.starts_with("/inet");
        if is_other || is_assignment(&word.text) {
            return refuse("is an option, a setting or a connection", word);
        }
    }
    Ok(())
}

/// Returns whether an awk program only has conditions, sums and `print` of fields, numbers, strings
/// and variables. Without brackets, `>`, `|` and `@` it cannot call or write anything.
fn only_prints_fields(program: &str) -> bool {
    // `getline` reads other input, and the format of `printf` is not checked here.
    const OTHERS: &[&str] = &["getline", "printf"];
    let mut in_text = false;
    let mut word = String::new();
    let mut is_plain = !program.trim().is_empty();
    for c in program.chars().chain([' ']) {
        if in_text {
            is_plain &= c != '\\' && c != '\n';
            in_text = c != '"';
        } else if c.is_ascii_alphabetic() || c == '_' {
            word.push(c);
        } else {
            is_plain &= !OTHERS.contains(&word.as_str());
            // Names with digits are not supported.
            is_plain &= word.is_empty() || !c.is_ascii_digit();
            word.clear();
            in_text = c == '"';
            is_plain &= c.is_ascii_digit() || " \"{}$,;=+-".contains(c);
        }
    }
    is_plain && !in_text
}

/// Whether a script is one address and one of `p`, `d`, `q`, `=`, or one `s` without the flags that
/// run or write.
fn only_prints(script: &str) -> bool {
    let Some(order) = behind_address(script) else {
        return false;
    };
    if matches!(order, "p" | "d" | "q" | "=" | "!d" | "!p") {
        return true;
    }
    let Some(substitution) = order.strip_prefix('s') else {
        return false;
    };
    let Some(sign) = substitution
        .chars()
        .next()
        .filter(|sign| "/|#,:@%!".contains(*sign))
    else {
        return false;
    };
    // Escaped separators and several commands are not supported.
    let parts: Vec<&str> = substitution.split(sign).collect();
    let [_, from, to, flags] = parts.as_slice() else {
        return false;
    };
    let is_simple = |part: &str| !part.contains('\n') && !part.ends_with('\\');
    is_simple(from)
        && is_simple(to)
        && flags
            .chars()
            .all(|c| c.is_ascii_digit() || "gpiI".contains(c))
}

/// The rest after an address: `3`, `$`, `/text/` or two of them with a comma.
fn behind_address(script: &str) -> Option<&str> {
    let one = behind_one_address(script)?;
    match one.strip_prefix(',') {
        Some(second) if one.len() < script.len() => behind_one_address(second),
        _ => Some(one),
    }
}

fn behind_one_address(script: &str) -> Option<&str> {
    if let Some(rest) = script.strip_prefix('/') {
        let (text, behind) = rest.split_once('/')?;
        return (!text.contains(['\\', '\n', '['])).then_some(behind);
    }
    if let Some(behind) = script.strip_prefix('$') {
        return Some(behind);
    }
    Some(script.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_awk_that_only_print_are_told_from_others() {
        let printing = [
            r#"{ print $1 }"#,
            r#"{print $1, $NF}"#,
            r#"NR==2"#,
            r#"NR==1 { print "a > b | c", $2 }"#,
            r#"END { print NR }"#,
        ];
        let others = r#"
            { print > "x" }
            { print | "sh" }
            { system("x") }
            { "x" | getline }
            { print "a\" > "x" }
            { getline < "x" }
            @load "x"
            @f(1)
            { print "a }
            { print1 }
            /x/ { print }
            { printf $1 }"#;
        for program in printing {
            assert!(only_prints_fields(program), "{program}");
        }
        for program in others.lines().map(str::trim) {
            assert!(!only_prints_fields(program), "{program}");
        }
    }

    #[test]
    fn scripts_that_only_print_are_told_from_others() {
        for script in "p;10,25p;$p;/a b/p;/a/,/b/p;1,$d;s/a/b/;3s|a|b|gI;!d".split(';') {
            assert!(only_prints(script), "{script}");
        }
        let others = ["", "p;w x", "s/a/b/;e", "p\nw x"];
        let split = r"w x;1e id;s/x/id/e;s/x/y/w f;/a\/b/p;r /etc/x;e;s/a\/b/c/".split(';');
        for script in split.chain(others) {
            assert!(!only_prints(script), "{script}");
        }
    }
}
