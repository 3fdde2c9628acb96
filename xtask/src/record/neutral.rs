//! Makes recorded bytes independent of the machine they were recorded on.
//!
//! Everything that is replaced is here; the rest stays as it was printed.

use std::borrow::Cow;

use super::json_text::{self, Edit, Visit};
use super::prose;

/// Prose longer than this is cut.
const PROSE_LIMIT: usize = 60;
/// Strings in session bookkeeping longer than this are prompts or tool text.
const BOOKKEEPING_LIMIT: usize = 160;
/// How much of stderr is kept.
const STDERR_LIMIT: usize = 300;
/// The port every recording shows.
const PORT: &str = "8811";

/// The machine's own values, which must not appear in a recording.
#[derive(Debug, Clone, Default)]
pub(super) struct Neutral {
    /// Texts of this machine and their replacements in the recording, longest first.
    replacements: Vec<(String, String)>,
    /// Whether long strings are what the scenario is about.
    long_text: bool,
}

/// The inputs of [`Neutral`].
#[derive(Debug, Clone)]
pub(super) struct Machine<'a> {
    /// The temporary folder that replaces `/`.
    pub(super) root: &'a str,
    /// The port of the scripted API.
    pub(super) port: u16,
    /// The numeric user.
    pub(super) uid: u32,
    /// The CLI's process.
    pub(super) pid: Option<u32>,
    /// The machine's name, empty if it is too short to be unique.
    pub(super) host: &'a str,
    /// Where the CLI is installed.
    pub(super) binary: &'a str,
    /// What the CLI was given as its key.
    pub(super) key: &'a str,
}

impl Neutral {
    /// Prepares the replacements for one run.
    pub(super) fn new(machine: &Machine<'_>) -> Self {
        let mut replacements = vec![
            (machine.binary.to_owned(), "/opt/claude/claude".to_owned()),
            (machine.root.to_owned(), String::new()),
            // Folder names made from paths, such as projects/-home-user-project.
            (
                machine
                    .root
                    .replace(|c: char| !c.is_ascii_alphanumeric(), "-"),
                String::new(),
            ),
            (
                format!("127.0.0.1:{}", machine.port),
                format!("127.0.0.1:{PORT}"),
            ),
            (
                format!("localhost:{}", machine.port),
                format!("localhost:{PORT}"),
            ),
            (
                format!("/claude-{}/", machine.uid),
                "/claude-1000/".to_owned(),
            ),
            (
                format!("/cc-socks-{}/", machine.uid),
                "/cc-socks-1000/".to_owned(),
            ),
            (machine.key.to_owned(), "[key]".to_owned()),
        ];
        replacements.push((machine.host.to_owned(), "host".to_owned()));
        if let Some(pid) = machine.pid {
            replacements.push((format!("/{pid}.sock"), "/4242.sock".to_owned()));
            replacements.push((format!("\"pid\":{pid}"), "\"pid\":4242".to_owned()));
        }
        replacements.retain(|(from, _)| !from.is_empty());
        Self {
            replacements,
            long_text: false,
        }
    }

    /// Keeps long strings where a scenario is about them; the vendor's known texts still go.
    pub(super) fn long_text(mut self, long_text: bool) -> Self {
        self.long_text = long_text;
        self
    }

    /// Replaces the machine's values.
    pub(super) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for (from, to) in &self.replacements {
            if text.contains(from.as_str()) {
                text = Cow::Owned(text.replace(from.as_str(), to));
            }
        }
        text
    }

    /// The same for bytes that need not be UTF-8.
    pub(super) fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for (from, to) in &self.replacements {
            bytes = replace_bytes(&bytes, from.as_bytes(), to.as_bytes());
        }
        bytes
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
        let kind = Kind::of(&line);
        let edited = match kind {
            Kind::ControlReply | Kind::CommandsChanged => {
                json_text::edit(&line, &mut cut_descriptions)
            }
            Kind::Mirror => json_text::edit(&line, &mut |v| match v.path {
                "entries[]" => bookkeeping_line(v.text).map_or(Edit::Keep, Edit::Replace),
                _ => Edit::Keep,
            }),
            Kind::Other => None,
        };
        self.without_prose(edited.unwrap_or_else(|| line.into_owned()))
    }

    /// One line of a session file.
    pub(super) fn session_line(&self, line: &str) -> String {
        let line = self.text(line);
        self.without_prose(bookkeeping_line(&line).unwrap_or_else(|| line.into_owned()))
    }

    fn without_prose(&self, line: String) -> String {
        prose::cut(&line, self.long_text).unwrap_or(line)
    }
}

/// `bytes` with every `from`, which is not empty, replaced.
fn replace_bytes(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    out.extend_from_slice(rest);
    out
}

enum Kind {
    ControlReply,
    CommandsChanged,
    Mirror,
    Other,
}

impl Kind {
    fn of(line: &str) -> Self {
        match json_text::string_at(line, "type").as_deref() {
            Some("control_response") => Self::ControlReply,
            Some("transcript_mirror") => Self::Mirror,
            Some("system")
                if json_text::string_at(line, "subtype").as_deref() == Some("commands_changed") =>
            {
                Self::CommandsChanged
            }
            _ => Self::Other,
        }
    }
}

/// Cuts what the vendor wrote about commands, agents, models and tools.
fn cut_descriptions(value: Visit<'_>) -> Edit {
    let key = value.path.rsplit('.').next().unwrap_or_default();
    if matches!(key, "description" | "whenToUse" | "argumentHint" | "prompt") {
        Edit::Cut(PROSE_LIMIT)
    } else {
        Edit::Keep
    }
}

/// Cuts prompts and tool text in the lines that hold nothing else, `None` for other lines.
fn bookkeeping_line(line: &str) -> Option<String> {
    let kind = json_text::string_at(line, "type")?;
    if kind != "attachment" && !kind.starts_with("api-request") {
        return None;
    }
    json_text::edit(line, &mut |v| {
        let key = v.path.rsplit('.').next().unwrap_or_default();
        let long_list = v.text.starts_with('[') && v.text.len() > 2_000;
        if matches!(key, "tools" | "entries") && long_list && !v.text.contains(r#"{"elided":"#) {
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
        Neutral::new(&Machine {
            root: "/tmp/cr-abc123",
            port: 40_123,
            uid: 0,
            pid: Some(977),
            host: "build-box-7",
            binary: "/somewhere/target/cli/claude",
            key: "sk-test",
        })
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
        assert_eq!(neutral().long_text(true).session_line(&user), user);
        for once in [out, neutral().stdout_line(&mirror)] {
            assert_eq!(neutral().session_line(&once), once);
            assert_eq!(neutral().stdout_line(&once), once);
        }
    }
}
