//! The meaning of a user line's text: a prompt, or something that the CLI wrapped into tags.

use std::borrow::Cow;

use crate::entry::{Kind, Part};
use crate::facts::{Facts, Member};
use crate::members::Members;

/// The text of a user line.
#[derive(Debug, PartialEq)]
pub(super) enum UserText<'t> {
    /// A prompt of a person, or of a model that acts as the user.
    Prompt(&'t str),
    /// A slash command with its arguments.
    Command(&'t str, &'t str),
    /// A command for the shell.
    Shell(&'t str),
    /// The output of a command.
    Output(&'t str),
    /// The end of a background task: a summary and the result.
    Notification(&'t str, &'t str),
    /// A note that a person stopped the model.
    Interrupt(&'t str),
    /// Instructions for the model.
    Hidden(&'t str),
}

impl<'t> UserText<'t> {
    pub(super) fn read(text: &'t str) -> Self {
        let trimmed = text.trim();
        if trimmed.starts_with("[Request interrupted by user") {
            return Self::Interrupt(trimmed.trim_matches(['[', ']']));
        }
        let tag = trimmed
            .strip_prefix('<')
            .and_then(|rest| rest.split_once('>'));
        let Some((tag, _)) = tag else {
            return Self::Prompt(text);
        };
        let inside = |tag: &str| between(trimmed, tag);
        match (tag, inside("command-name"), inside(tag)) {
            (tag, Some(name), _) if tag.starts_with("command-") => {
                let arguments = inside("command-args").unwrap_or_default();
                Self::Command(name.trim(), arguments.trim())
            }
            ("bash-input", _, Some(command)) => Self::Shell(command),
            ("local-command-stdout" | "local-command-stderr" | "bash-stdout", _, output) => {
                let output = output.unwrap_or_default();
                let errors = inside("bash-stderr").filter(|_| output.trim().is_empty());
                Self::Output(errors.unwrap_or(output).trim_end())
            }
            ("task-notification", ..) => {
                let summary = inside("summary").unwrap_or("A task in the background ended");
                let result = inside("result").unwrap_or_default();
                Self::Notification(summary.trim(), result.trim())
            }
            ("system-reminder" | "local-command-caveat", ..) => Self::Hidden(trimmed),
            _ => Self::Prompt(text),
        }
    }
}

/// The text between a tag and its last end tag. The output of a command may contain end tags.
fn between<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let start = text.find(&format!("<{tag}>"))? + tag.len() + 2;
    let rest = &text[start..];
    let end = rest.rfind(&format!("</{tag}>"))?;
    Some(&rest[..end])
}

/// Returns whether a part only has instructions for the model.
pub(super) fn is_instruction(part: &Part<'_>) -> bool {
    match part {
        Part::Text(text) => matches!(UserText::read(text), UserText::Hidden(_)),
        _ => false,
    }
}

/// The parts of a line. An attachment has those of the prompt that was queued.
pub(super) fn parts<'a>(line: &Facts<'a>) -> Vec<Part<'a>> {
    if line.kind != Kind::Attachment {
        return line.parts();
    }
    let attachment = line.object(Member::Attachment).unwrap_or_default();
    Part::of_content(attachment.get("prompt").unwrap_or_default())
}

/// The message of an error line.
pub(super) fn error_text(line: &Facts<'_>) -> Option<String> {
    let error = Members::read(line.text)?.object("error")?;
    let text = error.string("formatted").or(error.string("message"));
    text.map(Cow::into_owned)
}

/// The start of a message on one line of at most `limit` characters.
pub(super) fn preview_of(parts: &[Part<'_>], limit: usize) -> String {
    let text = parts.iter().find_map(|part| match part {
        Part::Text(text) => Some(match UserText::read(text) {
            UserText::Prompt(text)
            | UserText::Notification(text, _)
            | UserText::Output(text)
            | UserText::Interrupt(text)
            | UserText::Hidden(text) => preview(text, limit),
            UserText::Command(name, arguments) => preview(&format!("{name} {arguments}"), limit),
            UserText::Shell(command) => preview(&format!("! {command}"), limit),
        }),
        Part::Call { name, .. } => name.as_deref().map(str::to_owned),
        _ => None,
    });
    text.unwrap_or_default()
}

/// The start of a text on one line of at most `limit` characters.
pub(super) fn preview(text: &str, limit: usize) -> String {
    let mut short = String::new();
    for word in text.split_whitespace() {
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
    fn tags_of_the_cli_are_recognized() {
        let command = "<command-message>hello</command-message>\n\
                       <command-name>/hello</command-name>\n<command-args>world</command-args>";
        for (text, meaning) in [
            ("hello", UserText::Prompt("hello")),
            ("<div> is a tag", UserText::Prompt("<div> is a tag")),
            (command, UserText::Command("/hello", "world")),
            ("<bash-input>ls</bash-input>", UserText::Shell("ls")),
            (
                "<local-command-stdout>a</local-command-stdout>b</local-command-stdout>",
                UserText::Output("a</local-command-stdout>b"),
            ),
            (
                "<bash-stdout></bash-stdout><bash-stderr>no</bash-stderr>",
                UserText::Output("no"),
            ),
            (
                "[Request interrupted by user for tool use]",
                UserText::Interrupt("Request interrupted by user for tool use"),
            ),
            (
                "<system-reminder>x</system-reminder>",
                UserText::Hidden("<system-reminder>x</system-reminder>"),
            ),
            (
                "<task-notification>\n<summary>Done</summary>\n<result>42</result></task-notification>",
                UserText::Notification("Done", "42"),
            ),
            ("<bash-input>torn", UserText::Prompt("<bash-input>torn")),
        ] {
            assert_eq!(UserText::read(text), meaning, "{text}");
        }
    }

    #[test]
    fn previews_are_one_short_line() {
        assert_eq!(preview("  a\n b\tc ", 10), "a b c");
        assert_eq!(preview("äöü äöü", 5), "äöü …");
        assert_eq!(preview(&"x".repeat(100_000), 4), "xxx…");
    }
}
