//! Detects output that shows a file, a history or a log instead of reporting work.

use std::sync::LazyLock;

use regex::RegexSet;

/// Typical lines of shown content. One match is enough.
const ROWS: &[&str] = &[
    // Diffs and histories.
    r"^(?:diff --git |@@ -|index [0-9a-f]{7,}\.\.|commit [0-9a-f]{7,40}\b|Author: |From [0-9a-f]{40} )",
    r"^(?:[*|] ?)*[0-9a-f]{2,}(?:[0-9][a-f]|[a-f][0-9])[0-9a-f]{2,} \S",
    r"^\+\+\+ |^--- [ab]/",
    // Commands that show content.
    r"^\$ (?:sudo )?(?:cat|tail|head|less|more|bat|grep|rg|git (?:log|show|diff|blame)|gh|journalctl|kubectl (?:logs|get|describe)|docker logs|history|man)\b",
    r"^==> .* <==$",
    r"^\s*[0-9]+(?:\t|→)",
    // Search results.
    r"^[\w./-]+\.(?:log|txt|gz)[\w.]*:[0-9]{4}-",
    r"^[0-9]+:(?:[A-Za-z]|[0-9]+%)",
    r"\b(?:seconds?|minutes?|hours?|days?|weeks?|months?) ago\b",
    r"(?i)\b(?:yesterday|last (?:night|week|month|year)|previous run)\b",
    // Documents and source code.
    r#"^(?:assert\w*[!(]|describe\(|it\(|echo ["']|cat <<)"#,
    r"^(?:const|let|var|exports?)\b.*[=`(\[{]$",
    r"^#{2,6} [A-Z]",
    r"^(?:import|from|use|package|def|fn|func|pub|class|const|let|var|export|return|static|async|struct|enum|if|for|while)\b.*[;:{(]$",
    r"^(?:import [\w.]+|#include|#!/|use [\w:]+;|package \w+;?|export \w+=)",
    r"^(?:```|<\?xml|<!DOCTYPE|<html)",
    r"^(?i:usage|options|synopsis|name|description|examples?):?$|^(?i:usage): ",
    r"^\s+--?\w[\w-]*(?:[ =,]<?\w+>?)?  +\w",
    r"^\s+-\S, --\w",
    r"^-{3}$|^[0-9:,]+ --> [0-9:,]+$|^[A-Z]+\([1-8]\) ",
    r"^from [\w.]+ import |^(?i:example|expected)\b.*:$",
    r"^(?:GET|POST|PUT|HEAD) /\S* HTTP/|^HTTP/[0-9.]+ [0-9]{3}",
];

static SET: LazyLock<RegexSet> = LazyLock::new(|| RegexSet::new(ROWS).unwrap_or_default());

/// Returns whether any line is shown content, or the first line is the title of a document.
pub(super) fn is_shown(lines: &[&str]) -> bool {
    let title = |line: &&str| {
        line.strip_prefix("# ")
            .is_some_and(|title| title.starts_with(char::is_uppercase))
    };
    lines.first().is_some_and(title) && !lines[0].contains(':')
        || lines.iter().any(|line| SET.is_match(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_a_regular_expression() {
        assert_eq!(SET.len(), ROWS.len());
    }
}
