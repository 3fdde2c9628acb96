//! The outer form of a rule: `Tool(what)`.

/// A rule, split into the tool and the text in brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Written<'a> {
    pub(super) tool: &'a str,
    pub(super) about: &'a str,
}

impl<'a> Written<'a> {
    /// Returns `None` for any other form, and if there is nothing in the brackets.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let (tool, rest) = text.split_once('(')?;
        let about = rest.strip_suffix(')')?;
        let is_named = !tool.is_empty() && tool.chars().all(|c| c.is_ascii_alphanumeric());
        (is_named && !about.is_empty()).then_some(Self { tool, about })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_a_tool_and_something_in_brackets() {
        let rule = Written::read("Bash(grep '(' a)").unwrap();
        assert_eq!((rule.tool, rule.about), ("Bash", "grep '(' a"));
        for broken in [
            "", "Bash", "Bash(", "Bash(x", "Bash()", "(x)", "Ba sh(x)", "Bash(x) ",
        ] {
            assert_eq!(Written::read(broken), None, "{broken}");
        }
    }
}
