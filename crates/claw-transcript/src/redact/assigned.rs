//! A second look at what is assigned to a name that says secret.

use super::verify::{Candidate, changes, digits, not_a_stand_in};

/// What stands where a value goes, and is one of many others of its kind.
const PLAIN: [&str; 28] = [
    "string",
    "number",
    "integer",
    "boolean",
    "undefined",
    "required",
    "optional",
    "default",
    "unknown",
    "object",
    "function",
    "include",
    "same-origin",
    "omit",
    "none",
    "null",
    "true",
    "false",
    "bearer",
    "basic",
    "text",
    "invalid",
    "missing",
    "expired",
    "incorrect",
    "correct",
    "disabled",
    "enabled",
];

/// A value, not an expression, a type or a number of tokens.
pub(super) fn value(found: &Candidate<'_>) -> bool {
    let secret = found.secret();
    let name = &found.text[found.whole.0..found.span.0];
    let plain = PLAIN.contains(&&*secret.to_ascii_lowercase());
    if !not_a_stand_in(found) || plain {
        return false;
    }
    match name.ends_with(['"', '\'']) && found.after().starts_with(['"', '\'', '\\']) {
        true => quoted(secret, name),
        false => secret.len() >= 6 && bare(found, secret, name),
    }
}

/// Between quotes anything may be a secret, but for sentences, words of a language and places.
fn quoted(secret: &str, name: &str) -> bool {
    let tame = name.to_ascii_lowercase();
    let guarded = tame.starts_with("pass") || tame.starts_with("secret") || tame.starts_with("pwd");
    let words = secret.split_whitespace().count();
    let letters = secret
        .chars()
        .all(|c| c.is_alphabetic() || matches!(c, '_' | ' '));
    let place = secret.starts_with(['/', '.', '~']) || secret.contains("://");
    if secret.chars().count() < 4 || secret.starts_with([')', ',', ';', ']', '}', '+']) {
        return false;
    }
    if digits(secret) == 0 && (words > 6 || place || is_path_of_names(secret)) {
        return false;
    }
    if letters {
        return guarded || changes(secret) * 3 >= secret.len();
    }
    let number = secret
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | '_' | '-' | ':'));
    !number || guarded
}

fn bare(found: &Candidate<'_>, secret: &str, name: &str) -> bool {
    if secret.starts_with(['/', '.', '~', '@', '=', '!', ':']) {
        return false;
    }
    // A call, an index, a template or a generic: code.
    if found.after().starts_with(['(', '[', '<', '{']) {
        return false;
    }
    let called = secret.split_once('(').map(|(function, _)| function);
    if called.is_some_and(|function| function.split(['.', ':']).all(is_name)) {
        return false;
    }
    let numeric = secret
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | '_' | '-' | ':'));
    let password = name.to_ascii_lowercase().starts_with("pass");
    if numeric {
        return password && !secret.contains(['.', ':']);
    }
    if is_path_of_names(secret) {
        return false;
    }
    if digits(secret) > 0 && secret.contains(char::is_alphabetic) {
        // `token: u128`, `secret: sha256`, `TOKEN_2`: names with a number at their end.
        let stem = secret.trim_end_matches(|c: char| c.is_ascii_digit());
        let short_number = secret.len() - stem.len() <= 3 && stem.len() < 6;
        return !(short_number && is_name(stem));
    }
    // Words only: a password when written as shells and URLs do, without a space around.
    let tight = name.ends_with('=') && !name.contains(char::is_whitespace);
    tight && password
}

/// All that stands behind the `=` of a variable, on a line of its own.
pub(super) fn variable(found: &Candidate<'_>) -> bool {
    let secret = found.secret();
    let code = secret.starts_with(['=', '/', '~', '"', '\'']) || found.before().ends_with('`');
    let numeric = secret.bytes().all(|byte| byte.is_ascii_digit());
    let plain = PLAIN.contains(&&*secret.to_ascii_lowercase());
    let name = &found.text[found.whole.0..found.span.0];
    let counted = numeric && name.contains("TOKEN");
    !code && !plain && !counted && not_a_stand_in(found)
}

/// What stands behind an option.
pub(super) fn option(found: &Candidate<'_>) -> bool {
    let secret = found.secret();
    let random = digits(secret) > 0 && secret.contains(char::is_alphabetic);
    random && !secret.starts_with(['-', '/', '.', '~', '@']) && not_a_stand_in(found)
}

/// `self.token`, `crate::Token`: a path through code.
fn is_path_of_names(text: &str) -> bool {
    text.contains(['.', ':']) && text.split(['.', ':', '?']).all(is_name)
}

fn is_name(word: &str) -> bool {
    let word = word.trim_end_matches('!');
    word.is_empty() || word.chars().all(|c| c.is_alphabetic() || c == '_')
}
