//! Lines that break readers.
//!
//! Real lines, changed as a broken disk, a careless tool or an attacker can change them, each with
//! the expected result. The rule: whatever `JSON.parse` accepts as an object is a message with the
//! type that JavaScript would see, also with bytes that are not UTF-8, raw control characters in
//! strings, a byte order mark, or NUL bytes around the object.
//!
//! Most lines are rows of `lines.txt`.

use claw_testkit::{Dice, fixture};

/// The rows, as the file itself explains them.
const DATA: &str = include_str!("lines.txt");

/// One hostile line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostileLine {
    /// What was done to the line.
    pub(crate) name: String,
    /// The line, without a newline at its end.
    pub(crate) bytes: Vec<u8>,
    /// The expected result.
    pub(crate) expect: Expect,
    /// The subtype that a reader must find, where that is the point of the line.
    pub(crate) subtype: Option<String>,
}

/// The expected result of reading a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expect {
    /// A message.
    Message {
        /// Its type, as JavaScript sees it; empty when it has none.
        message_type: String,
        /// Whether it ends a turn.
        is_final: bool,
    },
    /// Not a JSON object.
    NotJson,
}

/// All hostile lines. The seed decides what the data leaves open (where a line is cut, which bytes
/// are broken); the same seed gives the same bytes.
pub(crate) fn lines(seed: u64) -> Vec<HostileLine> {
    let mut dice = Dice::new(seed);
    let mut out = Lines::default();
    for [name, message_type, base, old, new] in rows("lines") {
        out.push(name, &text_of(message_type), changed(base, old, new));
    }
    for [member, message_type, base, old, new] in rows("members") {
        for [kind, value, ..] in rows("kinds") {
            let line = changed(base, old, &new.replace('@', value));
            out.push(format!("{member}: {kind}"), message_type, line);
        }
    }
    for [place, message_type, base, old, new] in rows("places") {
        for [value, nested, ..] in rows("nested") {
            let line = changed(base, old, &new.replace('@', nested));
            out.push(
                format!("{value}, 10000 deep, in {place}"),
                message_type,
                line,
            );
        }
    }
    out.add_types();
    out.add_numbers();
    out.add_changes_of_success(&mut dice);
    out.add_sizes(&mut dice);
    out.add_changes_of_all(&mut dice);
    out.0
}

/// A line of about this many bytes, nearly all of them one tool result, as when a tool reads a big
/// file. It ends in `type` and has an escape every 64 bytes, so that no reader can stop early.
pub(crate) fn huge_line(bytes: usize) -> HostileLine {
    const HEAD: &str = r#"{"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_t1","content":""#;
    const PIECE: &str = r"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcd\n";
    const TAIL: &str = r#""}]},"session_id":"8a671434-e67a-4a9b-b202-0b380f33f94e","type":"user"}"#;
    let pieces = bytes.saturating_sub(HEAD.len() + TAIL.len()) / PIECE.len();
    let mut line = String::with_capacity(bytes + PIECE.len());
    line.push_str(HEAD);
    (0..pieces).for_each(|_| line.push_str(PIECE));
    line.push_str(TAIL);
    HostileLine {
        name: format!("a line of {bytes} bytes"),
        bytes: line.into_bytes(),
        expect: message_of("user"),
        subtype: None,
    }
}

fn message_of(message_type: &str) -> Expect {
    Expect::Message {
        message_type: message_type.to_owned(),
        is_final: message_type == "result",
    }
}

/// The message type of a row whose line is not a JSON object.
const REFUSED: &str = "refused";

/// The rows of a section. A missing column is empty.
fn rows(section: &str) -> impl Iterator<Item = [&'static str; 5]> {
    let header = format!("[{section}]");
    DATA.lines()
        .skip_while(move |line| *line != header)
        .skip(1)
        .take_while(|line| !line.is_empty())
        .map(|line| {
            let mut columns = line.split('\t');
            [(); 5].map(|()| columns.next().unwrap_or_default())
        })
}

/// A line of the section `real`.
fn real(name: &str) -> &'static str {
    rows("real")
        .find(|row| row[0] == name)
        .map_or("", |[_, _, line, ..]| line)
}

/// A line as the columns of a change describe it.
fn changed(base: &str, old: &str, new: &str) -> Vec<u8> {
    let new = fixture::decode(new);
    let line = real(base).as_bytes();
    let at = line
        .windows(old.len().max(1))
        .position(|window| window == old.as_bytes());
    match (old, at) {
        ("first", _) => [b"{", new.as_slice(), b",", &line[1..]].concat(),
        ("last", _) => [&line[..line.len() - 1], b",", &new, b"}"].concat(),
        ("before", _) => [new.as_slice(), line].concat(),
        (_, Some(at)) => [&line[..at], &new, &line[at + old.len()..]].concat(),
        (_, None) => new,
    }
}

fn text_of(column: &str) -> String {
    String::from_utf8_lossy(&fixture::decode(column)).into_owned()
}

/// Puts a member behind the others.
fn with_last(line: &str, member: &str) -> String {
    let open = line.strip_suffix('}').unwrap_or(line);
    format!("{open},{member}}}")
}

#[derive(Default)]
struct Lines(Vec<HostileLine>);

impl Lines {
    fn push(&mut self, name: impl Into<String>, message_type: &str, bytes: impl Into<Vec<u8>>) {
        let expect = match message_type {
            REFUSED => Expect::NotJson,
            message_type => message_of(message_type),
        };
        self.0.push(HostileLine {
            name: name.into(),
            bytes: bytes.into(),
            expect,
            subtype: None,
        });
    }

    /// Types that change at the end of a line. Of several equal keys the last one counts.
    fn add_types(&mut self) {
        for [kind, members, ..] in rows("types") {
            let rest = format!(r#""type":"{kind}",{members},"session_id":"s","uuid":"u""#);
            self.push(
                format!("{kind} that turns out to be a result"),
                "result",
                format!(r#"{{{rest},"type":"result","subtype":"success"}}"#),
            );
            for (about, first) in [("nobody knows", "\"bogus\""), ("is a list", "[\"result\"]")] {
                self.push(
                    format!("{kind} behind a type that {about}"),
                    kind,
                    format!(r#"{{"type":{first},{rest}}}"#),
                );
            }
        }
        self.push(
            "two requests, the first is empty",
            "control_request",
            r#"{"type":"control_request","request_id":"1","request":{},"request":{"subtype":"can_use_tool","tool_name":"Bash","input":{}}}"#,
        );
        if let Some(line) = self.0.last_mut() {
            line.subtype = Some("can_use_tool".to_owned());
        }
    }

    /// Each number in an integer, in a count of tokens, in a float and in an unknown member.
    fn add_numbers(&mut self) {
        for [name, number, ..] in rows("numbers") {
            let line = real("result_success")
                .replace("1614", number)
                .replace("\"num_turns\":1", &format!("\"num_turns\":{number}"))
                .replace("0.0123", number)
                .replace("_tokens\":28", &format!("_tokens\":{number}"));
            let line = with_last(&line, &format!("\"new_counter\":[{number}]"));
            self.push(format!("{name} in every number"), "result", line);
        }
    }

    /// Encodings, white space, and floods of members.
    fn add_changes_of_success(&mut self, dice: &mut Dice) {
        let success = real("result_success");
        let count = dice.between(8, 64);
        let noise: Vec<u8> = (0..count).map(|_| 0x80 | (dice.number() as u8)).collect();
        let (before, behind) = real("user_tool_result")
            .split_once("(Bash")
            .unwrap_or_default();
        self.push(
            "random bytes that are not UTF-8",
            "user",
            [before.as_bytes(), &noise, behind.as_bytes()].concat(),
        );
        let utf16: Vec<u8> = success.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked = [b"\xff\xfe", utf16.as_slice()].concat();
        self.push("a line in UTF-16", REFUSED, utf16);
        self.push("a line in UTF-16 with its mark", REFUSED, marked);
        let mut spaced = String::from(" \t\r ");
        for c in real("result_error").chars() {
            match c {
                '{' | '}' | '[' | ']' | ',' => spaced.push_str(&format!(" \t{c}\r\n ")),
                c => spaced.push(c),
            }
        }
        self.push(
            "white space everywhere",
            "result",
            spaced.replace("\":", "\" \n:\t "),
        );
        self.push(
            "a mark, white space and a carriage return",
            "result",
            format!("\u{feff} \t{success} \r\r"),
        );
        let text = real("assistant_text");
        self.push("two objects glued", REFUSED, format!("{text}{success}"));
        self.push(
            "two objects with a NUL between",
            REFUSED,
            format!("{text}\0{success}"),
        );
        self.push(
            "twice: an unknown member",
            "result",
            with_last(&success.replacen('{', "{\"new\":1,", 1), "\"new\":2"),
        );
        let flood = |count: usize, member: &dyn Fn(usize) -> String| {
            (0..count).map(member).collect::<Vec<_>>().join(",")
        };
        let unknown = |index| format!("\"k{index}\":{index}");
        let models = flood(20_000, &|index| {
            format!(r#""m{index}":{{"inputTokens":{index}}}"#)
        });
        let ids = flood(20_000, &|_| r#""uuid":"x""#.to_owned());
        let floods = [
            (
                "twenty thousand models in the usage",
                format!("\"modelUsage\":{{{models}}}"),
            ),
            (
                "twenty thousand new members and as many ids",
                format!("{},{ids}", flood(20_000, &unknown)),
            ),
            (
                "one new member twenty thousand times",
                flood(20_000, &|index| format!("\"new\":{index}")),
            ),
        ];
        for (name, members) in floods {
            self.push(name, "result", with_last(success, &members));
        }
        self.push(
            "five thousand new members",
            "result",
            success.replacen('{', &format!("{{{},", flood(5_000, &unknown)), 1),
        );
    }

    fn add_sizes(&mut self, dice: &mut Dice) {
        let length = (1 << 20) + dice.between(0, 1 << 10);
        let text = |filler: String| real("assistant_text").replace("Hello there.", &filler);
        self.push(
            "a text of a megabyte",
            "assistant",
            text("a".repeat(length)),
        );
        self.push(
            "a megabyte of escaped quotes",
            "assistant",
            text("\\\"".repeat(length / 2)),
        );
        self.push(
            "a megabyte of half surrogates",
            "result",
            real("result_success").replace("Done.", &"\\ud83d".repeat(length / 6)),
        );
        self.push(
            "a megabyte of spaces before the type",
            "result",
            format!("{{{}\"type\":\"result\"}}", " ".repeat(length)),
        );
    }

    fn add_changes_of_all(&mut self, dice: &mut Dice) {
        for (index, [_, message_type, line, ..]) in rows("real").enumerate() {
            let bytes = line.as_bytes();
            let (name, around) = match index % 4 {
                0 => ("a byte order mark", [b"\xef\xbb\xbf", bytes].concat()),
                1 => ("a carriage return at the end", [bytes, b"\r"].concat()),
                2 => ("NUL bytes before", [&[0; 512], bytes].concat()),
                _ => ("NUL bytes behind", [bytes, &[0; 4096]].concat()),
            };
            self.push(format!("{name}: line {index}"), message_type, around);
            self.push(
                format!("a new member in every object of line {index}"),
                message_type,
                line.replace('{', r#"{"new_member":{"a":[1,null,"x"]},"#),
            );
            for part in 0..4 {
                let quarter = bytes.len() / 4;
                let cut = dice.between(quarter * part + 1, quarter * (part + 1));
                self.push(
                    format!("line {index} cut in quarter {part}"),
                    REFUSED,
                    &bytes[..cut],
                );
                self.push(
                    format!("line {index} without its head, quarter {part}"),
                    REFUSED,
                    &bytes[bytes.len() - cut..],
                );
            }
        }
    }
}

mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_lines_are_all_different() {
        let lines = lines(0);
        assert!(lines.len() >= 110, "only {} lines", lines.len());
        let names: BTreeSet<_> = lines.iter().map(|line| &line.name).collect();
        assert_eq!(names.len(), lines.len());
        let bytes: BTreeSet<_> = lines.iter().map(|line| &line.bytes).collect();
        assert_eq!(bytes.len(), lines.len());
    }

    #[test]
    fn every_change_changes_a_line() {
        let lines = lines(3);
        assert_eq!(lines, super::lines(3));
        for real in rows("real") {
            assert!(lines.iter().all(|line| line.bytes != real[2].as_bytes()));
        }
    }

    #[test]
    fn a_huge_line_has_the_size_asked_for() {
        let line = huge_line(1 << 20);
        assert!(line.bytes.len() <= 1 << 20);
        assert!(line.bytes.len() > (1 << 20) - 100);
    }
}
