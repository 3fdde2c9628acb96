//! Comments and unions.

/// A doc comment with the first paragraph of a description.
pub(super) fn doc(text: &str, indent: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or_default();
    let words = plain(&first.split_whitespace().collect::<Vec<_>>().join(" "));
    if words.is_empty() {
        return String::new();
    }
    format!("{indent}/** {} */\n", words.replace("*/", ""))
}

/// Removes the targets of links.
fn plain(text: &str) -> String {
    let mut pieces = text.split('[');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let Some((label, rest)) = piece.split_once(']') else {
            out = out + "[" + piece;
            continue;
        };
        let target = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        out = out + label + target.map_or(rest, |(_, after)| after);
    }
    out
}

/// A union, one member on each line if it is long.
pub(super) fn union(members: &[String]) -> String {
    let line = members.join(" | ");
    if line.len() > 90 {
        return format!("\n  | {}", members.join("\n  | "));
    }
    line
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
