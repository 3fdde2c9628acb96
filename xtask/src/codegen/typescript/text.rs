//! Comments and unions.

/// A doc comment with the first paragraph of a description.
pub(super) fn doc(text: &str, indent: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or_default();
    let words = plain(&first.split_whitespace().collect::<Vec<_>>().join(" "));
    match words.is_empty() {
        true => String::new(),
        false => format!("{indent}/** {} */\n", words.replace("*/", "")),
    }
}

/// Removes the targets of links.
fn plain(text: &str) -> String {
    let mut rest = text;
    let mut out = String::new();
    while let Some((before, behind)) = rest.split_once('[') {
        out.push_str(before);
        let Some((label, target)) = behind.split_once(']') else {
            out.push('[');
            rest = behind;
            continue;
        };
        out.push_str(label);
        rest = match target
            .strip_prefix('(')
            .and_then(|target| target.split_once(')'))
        {
            Some((_, after)) => after,
            None => target,
        };
    }
    out + rest
}

/// A union, one member on each line if it is long.
pub(super) fn union(members: &[String]) -> String {
    let line = members.join(" | ");
    match line.len() > 90 {
        true => format!("\n  | {}", members.join("\n  | ")),
        false => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_become_their_label() {
        assert_eq!(plain("a [`B`](c::d) e [`F`], g[0"), "a `B` e `F`, g[0");
    }

    #[test]
    fn a_comment_has_one_paragraph() {
        assert_eq!(doc("One\ntwo.\n\nThree.", "  "), "  /** One two. */\n");
        assert_eq!(doc("", ""), "");
    }
}
