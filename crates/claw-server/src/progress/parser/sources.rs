//! Who printed a line, where several print at once: the name in front of each line is no part of
//! what is said.

use std::collections::HashMap;

/// The lines without the names of those who print them.
pub(super) fn without_sources<'a>(texts: &[&'a str]) -> Vec<&'a str> {
    let filled = texts.iter().filter(|text| !text.is_empty()).count();
    let columns = texts.iter().filter(|text| column(text).is_some()).count();
    // `api-1  | listening` in most lines; a table would have its rule.
    let in_columns = columns >= 2 && columns * 2 > filled;
    let mut scripts: HashMap<&str, usize> = HashMap::new();
    for (lead, _) in texts.iter().filter_map(|text| script(text)) {
        *scripts.entry(lead).or_default() += 1;
    }
    let bare = |text: &&'a str| {
        let text = match column(text) {
            Some(rest) if in_columns => rest,
            _ => text,
        };
        // One such line may be anything.
        let text = match script(text) {
            Some((lead, rest)) if scripts.get(lead).is_some_and(|lines| *lines > 1) => rest,
            _ => text,
        };
        without_logger(without_package(text))
    };
    texts.iter().map(bare).collect()
}

fn is_name(text: &str) -> bool {
    let fits =
        |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@' | ':' | '#');
    text.chars().all(fits) && text.chars().any(char::is_alphabetic)
}

/// `tests-1  | collected 12 items`: a service, its number, and what it prints.
fn column(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once('|')?;
    let name = name.trim_end();
    let numbered = name.ends_with(|c: char| c.is_ascii_digit()) && name.contains(['-', '_']);
    (numbered && is_name(name)).then(|| rest.trim_start())
}

/// `packages/api test: 1 failed`: a package of a workspace, its script, and what it prints.
fn script(text: &str) -> Option<(&str, &str)> {
    let (lead, rest) = text.split_once(": ")?;
    let (package, script) = lead.split_once(' ')?;
    let named = package.contains('/') && is_name(package) && is_name(script);
    (named && !script.contains('.')).then(|| (lead, rest.trim_start()))
}

/// `@kit/docs: checking 1/2`, `@kit/docs:build: checking 1/2`
fn without_package(text: &str) -> &str {
    let end = text.strip_prefix('@').and_then(|text| {
        text.find(": ").or_else(|| {
            let end = text.len().checked_sub(1)?;
            text.ends_with(':').then_some(end)
        })
    });
    match end {
        Some(end) if is_name(&text[..=end]) && text[..end].contains('/') => {
            text[end + 2..].trim_start()
        }
        _ => text,
    }
}

/// `INFO:root:Indexed 300 of 1000` without its level and its logger.
fn without_logger(text: &str) -> &str {
    let mut parts = text.splitn(3, ':');
    match (parts.next(), parts.next(), parts.next()) {
        (Some("DEBUG" | "INFO" | "NOTICE"), Some(name), Some(rest)) if is_name(name) => {
            rest.trim_start()
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_front_are_taken_away() {
        let cases: &[(&[&str], &[&str])] = &[
            (
                &["db-1     | ready", "tests-1  | 12 passed", "done"],
                &["ready", "12 passed", "done"],
            ),
            (&["a-1 | 4", "b", "c"], &["a-1 | 4", "b", "c"]),
            (&["@kit/docs:build: 1/2", "@kit/a:"], &["1/2", ""]),
            (
                &["packages/api test: 12 passed", "packages/api test: Done"],
                &["12 passed", "Done"],
            ),
            (&["@Test", "@param x: y"], &["@Test", "@param x: y"]),
            (&["INFO:root:Indexed 3 of 10"], &["Indexed 3 of 10"]),
        ];
        for (texts, want) in cases {
            assert_eq!(without_sources(texts), *want, "{texts:?}");
        }
    }
}
