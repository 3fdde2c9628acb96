//! Makes recorded bytes independent of the machine they were recorded on.
//!
//! Everything that is replaced is here; the rest stays as it was printed.

use super::json_text::{self, Edit, Visit};
use super::{frame, prose};

/// Prose longer than this is cut.
const PROSE_LIMIT: usize = 60;
/// Strings in session bookkeeping longer than this are prompts or tool text.
const BOOKKEEPING_LIMIT: usize = 160;
/// How much of stderr is kept.
const STDERR_LIMIT: usize = 300;

/// The machine's own values, which must not appear in a recording.
#[derive(Debug)]
pub(super) struct Neutral {
    /// Texts of this machine and their replacements in the recording, longest first.
    replacements: Vec<(String, &'static str)>,
    /// Whether long strings are what the scenario is about. The vendor's known texts still go.
    long_text: bool,
}

/// The inputs of [`Neutral`].
#[derive(Debug)]
pub(super) struct Machine<'a> {
    /// The temporary folder that replaces `/`.
    pub(super) root: &'a str,
    /// The port of the scripted API.
    pub(super) port: u16,
    /// The numeric user.
    pub(super) uid: u32,
    /// The CLI's process.
    pub(super) pid: u32,
    /// The machine's name, empty if it is too short to be unique.
    pub(super) host: &'a str,
    /// Where the CLI is installed.
    pub(super) binary: &'a str,
    /// What the CLI was given as its key.
    pub(super) key: &'a str,
}

impl Neutral {
    /// Prepares the replacements for one run.
    pub(super) fn new(machine: &Machine<'_>, long_text: bool) -> Self {
        let Machine { port, uid, pid, .. } = machine;
        let is_folded = |c: char| !c.is_ascii_alphanumeric();
        let mut replacements = vec![
            (machine.binary.to_owned(), "/opt/claude/claude"),
            (machine.root.to_owned(), ""),
            // Folder names made from paths, such as projects/-home-user-project.
            (machine.root.replace(is_folded, "-"), ""),
            (format!("127.0.0.1:{port}"), "127.0.0.1:8811"),
            (format!("localhost:{port}"), "localhost:8811"),
            (format!("/claude-{uid}/"), "/claude-1000/"),
            (format!("/cc-socks-{uid}/"), "/cc-socks-1000/"),
            (machine.key.to_owned(), "[key]"),
            (machine.host.to_owned(), "host"),
            (format!("/{pid}.sock"), "/4242.sock"),
            (format!("\"pid\":{pid}"), "\"pid\":4242"),
        ];
        replacements.retain(|(from, _)| !from.is_empty());
        Self {
            replacements,
            long_text,
        }
    }

    /// Replaces the machine's values.
    pub(super) fn text(&self, text: &str) -> String {
        let replacements = self.replacements.iter();
        replacements.fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }

    /// The same for bytes that need not be UTF-8.
    pub(super) fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            out.extend_from_slice(self.text(chunk.valid()).as_bytes());
            out.extend_from_slice(chunk.invalid());
        }
        out
    }

    /// The start of stderr, without the vendor's source that a stack trace quotes.
    pub(super) fn stderr(&self, text: &str) -> String {
        let text = self.text(text);
        let quoted = text.find("/$bunfs").unwrap_or(text.len());
        let start: String = text[..quoted].chars().take(STDERR_LIMIT).collect();
        match text.chars().count() - start.chars().count() {
            0 => start,
            more => format!("{start}…[+{more} chars elided]"),
        }
    }

    /// One line of stdout.
    pub(super) fn stdout_line(&self, line: &str) -> String {
        let line = self.text(line);
        let kind = frame::kind(&line);
        let edited = match kind.split_once('/').unwrap_or((kind.as_str(), "")) {
            ("control_response", _) | ("system", "commands_changed") => {
                json_text::edit(&line, &mut cut_descriptions)
            }
            ("transcript_mirror", _) => json_text::edit(&line, &mut |v| match v.path {
                "entries[]" => bookkeeping_line(v.text).map_or(Edit::Keep, Edit::Replace),
                _ => Edit::Keep,
            }),
            _ => None,
        };
        prose::cut(edited.unwrap_or(line), self.long_text)
    }

    /// One line of a session file.
    pub(super) fn session_line(&self, line: &str) -> String {
        let line = self.text(line);
        prose::cut(bookkeeping_line(&line).unwrap_or(line), self.long_text)
    }
}

/// Cuts what the vendor wrote about commands, agents, models and tools.
fn cut_descriptions(value: Visit<'_>) -> Edit {
    match value.key() {
        "description" | "whenToUse" | "argumentHint" | "prompt" => Edit::Cut(PROSE_LIMIT),
        _ => Edit::Keep,
    }
}

/// Cuts prompts and tool text in the lines that hold nothing else, `None` for other lines.
fn bookkeeping_line(line: &str) -> Option<String> {
    let kind = json_text::string_at(line, "type")?;
    if kind != "attachment" && !kind.starts_with("api-request") {
        return None;
    }
    json_text::edit(line, &mut |v| {
        let long_list = v.text.starts_with('[') && v.text.len() > 2_000;
        let is_cut = v.text.contains(r#"{"elided":"#);
        if matches!(v.key(), "tools" | "entries") && long_list && !is_cut {
            Edit::First(2)
        } else if v.text.starts_with('"') && v.text.len() > BOOKKEEPING_LIMIT {
            Edit::Cut(PROSE_LIMIT)
        } else {
            Edit::Keep
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn neutral() -> Neutral {
        let machine = Machine {
            root: "/tmp/cr-abc123",
            port: 40_123,
            uid: 0,
            pid: 977,
            host: "build-box-7",
            binary: "/somewhere/target/cli/claude",
            key: "sk-test",
        };
        Neutral::new(&machine, false)
    }

    #[test]
    fn paths_ports_and_names_of_the_machine_go() {
        let line = r#"{"cwd":"/tmp/cr-abc123/home/user/project","t":"/tmp/cr-abc123/home/user/.claude/projects/-tmp-cr-abc123-home-user-project/x.jsonl","o":"/tmp/cr-abc123/tmp/claude-0/a","s":"/tmp/cr-abc123/tmp/cc-socks-0/977.sock","pid":977,"u":"http://127.0.0.1:40123/v1","k":"sk-test","h":"build-box-7","b":"/somewhere/target/cli/claude"}"#;
        let want = r#"{"cwd":"/home/user/project","t":"/home/user/.claude/projects/-home-user-project/x.jsonl","o":"/tmp/claude-1000/a","s":"/tmp/cc-socks-1000/4242.sock","pid":4242,"u":"http://127.0.0.1:8811/v1","k":"[key]","h":"host","b":"/opt/claude/claude"}"#;
        assert_eq!(neutral().stdout_line(line), want);
    }

    #[test]
    fn lines_that_are_not_json_only_lose_paths() {
        assert_eq!(
            neutral().stdout_line("at /tmp/cr-abc123/home/user"),
            "at /home/user"
        );
    }

    #[test]
    fn bytes_that_are_not_text_lose_the_machine_too() {
        assert_eq!(
            neutral().bytes(b"\xff/tmp/cr-abc123/home/user\xfe sk-test\xc3 build-box-7 sk-test"),
            b"\xff/home/user\xfe [key]\xc3 host [key]"
        );
        assert_eq!(neutral().bytes(b"\xf0\x9f"), b"\xf0\x9f");
        assert_eq!(neutral().bytes(b""), b"");
    }

    #[test]
    fn stderr_keeps_its_start_and_no_source() {
        let neutral = neutral();
        assert_eq!(
            neutral.stderr("Error: no /tmp/cr-abc123/home/user"),
            "Error: no /home/user"
        );
        assert_eq!(
            neutral.stderr("Error in hook: 6 | from\"/$bunfs/code/x.js\""),
            "Error in hook: 6 | from\"…[+18 chars elided]"
        );
    }

    #[test]
    fn descriptions_are_cut_in_replies_and_nowhere_else() {
        let long = "d".repeat(90);
        let reply = format!(
            r#"{{"type":"control_response","response":{{"response":{{"commands":[{{"description":"{long}"}}]}}}}}}"#
        );
        assert!(
            neutral()
                .stdout_line(&reply)
                .contains("ddd…[+30 chars elided]")
        );
        let frame = format!(r#"{{"type":"user","description":"{long}","half":"\ud83d"}}"#);
        assert_eq!(neutral().stdout_line(&frame), frame);
    }

    #[test]
    fn session_files_keep_two_tools_and_no_prompts() {
        let long = "p".repeat(2_000);
        let line = format!(
            r#"{{"type":"attachment","attachment":{{"tools":[{{"d":"{long}"}},{{}},{{}},{{}}]}}}}"#
        );
        let out = neutral().session_line(&line);
        assert!(
            out.contains("[+1940 chars elided]") && out.ends_with(r#",{},{"elided":2}]}}"#),
            "{out}"
        );
        let mirror = format!(r#"{{"type":"transcript_mirror","entries":[{line}]}}"#);
        assert!(
            neutral()
                .stdout_line(&mirror)
                .contains("[+1940 chars elided]")
        );
        let user = format!(r#"{{"type":"user","message":"{long}"}}"#);
        assert!(
            neutral()
                .session_line(&user)
                .ends_with("ppp…[+1800 chars elided]\"}")
        );
        let whole = Neutral {
            long_text: true,
            ..neutral()
        };
        assert_eq!(whole.session_line(&user), user);
        for once in [out, neutral().stdout_line(&mirror)] {
            assert_eq!(neutral().session_line(&once), once);
            assert_eq!(neutral().stdout_line(&once), once);
        }
    }
}
