//! The command line, read as the CLI reads it.

use std::fmt::Write as _;

/// The CLI version that the program reports.
pub(super) const VERSION: &str = "2.1.325";

/// Every flag that the CLI accepts, with the mark of its value: `<one>`, `<many...>`, `[optional]`.
const FLAGS: &str = include_str!("../../../data/fake_claude_flags.txt");

/// What a flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    One,
    Many,
    Perhaps,
}

/// The flags that were given, each by its long name, and the words that belong to none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Flags {
    given: Vec<(&'static str, Option<String>)>,
    pub(super) words: Vec<String>,
    /// The first flag that the CLI does not accept.
    pub(super) unknown: Option<String>,
    /// A flag without its value, with its mark.
    pub(super) without_value: Option<&'static str>,
}

impl Flags {
    pub(super) fn parse(arguments: impl IntoIterator<Item = String>) -> Self {
        let mut flags = Self::default();
        let mut arguments = arguments.into_iter().peekable();
        while let Some(argument) = arguments.next() {
            if argument == "--" {
                flags.words.extend(arguments.by_ref());
            } else if !argument.starts_with('-') || argument == "-" {
                flags.words.push(argument);
            } else {
                let (name, inline) = match argument.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None => (argument.as_str(), None),
                };
                let Some((spec, takes)) = find(name) else {
                    flags.unknown.get_or_insert_with(|| name.to_owned());
                    continue;
                };
                let long = long_name(spec);
                let value = match takes {
                    _ if inline.is_some() => inline,
                    Takes::Nothing => None,
                    Takes::Perhaps => arguments.next_if(|next| !next.starts_with('-')),
                    Takes::One | Takes::Many => {
                        let value = arguments.next();
                        if value.is_none() {
                            flags.without_value.get_or_insert(spec);
                        }
                        value
                    }
                };
                flags.given.push((long, value));
                if takes == Takes::Many {
                    while let Some(more) = arguments.next_if(|next| !next.starts_with('-')) {
                        flags.given.push((long, Some(more)));
                    }
                }
            }
        }
        flags
    }

    pub(super) fn has(&self, long: &str) -> bool {
        self.given.iter().any(|(name, _)| *name == long)
    }

    /// The last value that was given.
    pub(super) fn value(&self, long: &str) -> Option<&str> {
        let (_, value) = self.given.iter().rfind(|(name, _)| *name == long)?;
        value.as_deref()
    }
}

fn names(spec: &'static str) -> impl Iterator<Item = &'static str> {
    spec.split([' ', ',']).filter(|part| part.starts_with('-'))
}

/// The first long name: the one that the rest of the program asks for.
fn long_name(spec: &'static str) -> &'static str {
    names(spec)
        .find(|name| name.starts_with("--"))
        .unwrap_or(spec)
}

fn find(name: &str) -> Option<(&'static str, Takes)> {
    let spec = FLAGS
        .lines()
        .find(|spec| names(spec).any(|known| known == name))?;
    let takes = if spec.ends_with("...>") {
        Takes::Many
    } else if spec.ends_with('>') {
        Takes::One
    } else if spec.ends_with(']') {
        Takes::Perhaps
    } else {
        Takes::Nothing
    };
    Some((spec, takes))
}

/// The help: names and marks, in the CLI's layout.
pub(super) fn help() -> String {
    let mut text = String::from(
        "Usage: claude [options] [command] [prompt]\n\n\
         fake-claude: a stand-in for tests. It says what its script says.\n\nOptions:\n",
    );
    for flag in FLAGS.lines() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {flag}");
    }
    text.push_str("\nEnvironment:\n  FAKE_CLAUDE_SCRIPT    a script's path, or the script\n");
    text
}

#[cfg(test)]
mod tests {
    use super::Flags;

    fn parse(line: &str) -> Flags {
        Flags::parse(line.split(' ').map(str::to_owned))
    }

    #[test]
    fn both_spellings_of_a_value_are_read() {
        let flags = parse("--model=a --session-id b --allowed-tools X Y -p hello --verbose");
        assert_eq!(flags.value("--model"), Some("a"));
        assert_eq!(flags.value("--session-id"), Some("b"));
        assert_eq!(flags.value("--allowedTools"), Some("Y"));
        assert_eq!(flags.words, ["hello"]);
        assert!(flags.has("--print") && flags.has("--verbose"));
        assert_eq!(flags.unknown, None);
    }

    #[test]
    fn a_value_may_look_like_a_flag_where_the_cli_takes_it() {
        let flags = parse("--append-system-prompt --verbose --resume --bare --settings");
        assert_eq!(flags.value("--append-system-prompt"), Some("--verbose"));
        assert!(flags.has("--resume") && flags.value("--resume").is_none());
        assert_eq!(flags.without_value, Some("--settings <file-or-json>"));
    }

    #[test]
    fn the_first_unknown_flag_is_named() {
        assert_eq!(
            parse("--bare --frob=1 --x").unknown.as_deref(),
            Some("--frob")
        );
    }
}
