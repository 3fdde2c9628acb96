//! What the text of a user line is: a prompt, or something the CLI wrapped into tags.

use std::borrow::Cow;

/// What a user's text says.
#[derive(Debug, PartialEq)]
pub(super) enum Said<'t> {
    /// Words of a person, or of a model in a person's place.
    Words(&'t str),
    /// A slash command with its arguments.
    Command(&'t str, &'t str),
    /// A command for the shell.
    Shell(&'t str),
    /// What a command printed.
    Output(&'t str),
    /// What the CLI says about a task in the background: how it ended, and the result.
    Notification(Cow<'t, str>, &'t str),
    /// A note that somebody stopped the model.
    Interrupt(&'t str),
    /// For the model only.
    Hidden(&'t str),
}

pub(super) fn read(text: &str) -> Said<'_> {
    let trimmed = text.trim();
    if trimmed.starts_with("[Request interrupted by user") {
        return Said::Interrupt(trimmed.trim_matches(['[', ']']));
    }
    if !trimmed.starts_with('<') {
        return Said::Words(text);
    }
    if let (true, Some(name)) = (
        trimmed.starts_with("<command-"),
        between(trimmed, "command-name"),
    ) {
        let arguments = between(trimmed, "command-args").unwrap_or_default();
        return Said::Command(name.trim(), arguments.trim());
    }
    if trimmed.starts_with("<bash-input>")
        && let Some(command) = between(trimmed, "bash-input")
    {
        return Said::Shell(command);
    }
    for tag in [
        "local-command-stdout",
        "local-command-stderr",
        "bash-stdout",
    ] {
        if trimmed.starts_with(&format!("<{tag}>")) {
            let first = between(trimmed, tag).unwrap_or_default();
            let output = if first.trim().is_empty() {
                between(trimmed, "bash-stderr").unwrap_or(first)
            } else {
                first
            };
            return Said::Output(output.trim_end());
        }
    }
    if trimmed.starts_with("<task-notification>") {
        let summary = between(trimmed, "summary").unwrap_or("A task in the background ended");
        let result = between(trimmed, "result").unwrap_or_default();
        return Said::Notification(Cow::Borrowed(summary.trim()), result.trim());
    }
    let hidden = ["<system-reminder>", "<local-command-caveat>"];
    if hidden.iter().any(|tag| trimmed.starts_with(tag)) {
        return Said::Hidden(trimmed);
    }
    Said::Words(text)
}

fn between<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let start = text.find(&format!("<{tag}>"))? + tag.len() + 2;
    let rest = &text[start..];
    // Up to the last such end: what a command printed may hold one.
    let end = rest.rfind(&format!("</{tag}>"))?;
    Some(&rest[..end])
}

/// The first line of a text that says something, cut to so many characters.
pub(super) fn preview(text: &str, limit: usize) -> String {
    let words = text.split_whitespace();
    let mut short = String::new();
    for word in words {
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
        if short.len() > limit * 4 {
            break;
        }
    }
    if short.chars().count() > limit {
        short = short.chars().take(limit.saturating_sub(1)).collect();
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_cli_wrapped_is_told_from_words() {
        let command = "<command-message>hello</command-message>\n\
                       <command-name>/hello</command-name>\n<command-args>world</command-args>";
        for (text, said) in [
            ("hello", Said::Words("hello")),
            ("<div> is a tag", Said::Words("<div> is a tag")),
            (command, Said::Command("/hello", "world")),
            ("<bash-input>ls</bash-input>", Said::Shell("ls")),
            (
                "<local-command-stdout>a</local-command-stdout>b</local-command-stdout>",
                Said::Output("a</local-command-stdout>b"),
            ),
            (
                "<bash-stdout></bash-stdout><bash-stderr>no</bash-stderr>",
                Said::Output("no"),
            ),
            (
                "[Request interrupted by user for tool use]",
                Said::Interrupt("Request interrupted by user for tool use"),
            ),
            (
                "<system-reminder>x</system-reminder>",
                Said::Hidden("<system-reminder>x</system-reminder>"),
            ),
            (
                "<task-notification>\n<summary>Done</summary>\n<result>42</result></task-notification>",
                Said::Notification("Done".into(), "42"),
            ),
            ("<bash-input>torn", Said::Words("<bash-input>torn")),
        ] {
            assert_eq!(read(text), said, "{text}");
        }
    }

    #[test]
    fn previews_are_one_short_line() {
        assert_eq!(preview("  a\n b\tc ", 10), "a b c");
        assert_eq!(preview("äöü äöü", 5), "äöü …");
        assert_eq!(preview(&"x".repeat(100_000), 4), "xxx…");
    }
}
