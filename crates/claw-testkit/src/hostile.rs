//! Lines that break readers.
//!
//! Real lines, changed in every way that a broken disk, a careless tool, half an emoji or an
//! attacker can change them, each with what a reader must make of it. The rule behind all of them:
//! whatever `JSON.parse` takes as an object is a message with the type that JavaScript would see,
//! and so is what differs from that only by damage that leaves no doubt (bytes that are not UTF-8,
//! raw control characters in strings, a byte order mark, NUL bytes around the object).

mod broken;
mod frames;
mod keys;
mod nesting;
mod numbers;
mod shapes;
mod text;

/// One hostile line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostileLine {
    /// What was done to the line.
    pub name: String,
    /// The line, without a newline at its end.
    pub bytes: Vec<u8>,
    /// What a reader must make of it.
    pub expect: Expect,
    /// The subtype that a reader must find, where that is the point of the line.
    pub subtype: Option<String>,
}

/// What a reader must make of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
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

/// A turn that succeeded. As in recordings, `type` is not the first member.
pub const RESULT_SUCCESS: &str = r#"{"duration_api_ms":812,"stop_reason":"end_turn","session_id":"8a671434-e67a-4a9b-b202-0b380f33f94e","total_cost_usd":0.0123,"usage":{"input_tokens":100,"output_tokens":28,"service_tier":"standard"},"is_error":false,"num_turns":1,"subtype":"success","result":"Done.","type":"result","duration_ms":1614,"uuid":"8c68bf7b-f18d-49ac-abdc-3f9144cf2b17"}"#;
/// A turn that was cut off.
pub const RESULT_ERROR: &str = r#"{"type":"result","subtype":"error_max_turns","is_error":true,"num_turns":3,"errors":["Reached maximum number of turns (3)"],"duration_ms":614,"duration_api_ms":0,"stop_reason":null,"session_id":"8a671434-e67a-4a9b-b202-0b380f33f94e","total_cost_usd":0,"usage":{"input_tokens":0,"output_tokens":0},"uuid":"8c68bf7b-f18d-49ac-abdc-3f9144cf2b18"}"#;
/// A text from the model.
pub const ASSISTANT_TEXT: &str = r#"{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"Hello there."}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":100,"output_tokens":1}},"parent_tool_use_id":null,"session_id":"8a671434-e67a-4a9b-b202-0b380f33f94e","uuid":"bed41302-3a59-424c-99dd-0649d1a68d2b"}"#;
/// A tool call.
pub const ASSISTANT_TOOL_USE: &str = r#"{"type":"assistant","message":{"id":"msg_1","role":"assistant","content":[{"type":"tool_use","id":"toolu_t1","name":"Bash","input":{"command":"touch it"}}]},"session_id":"8a671434-e67a-4a9b-b202-0b380f33f94e","uuid":"bed41302-3a59-424c-99dd-0649d1a68d2c"}"#;
/// A tool result.
pub const USER_TOOL_RESULT: &str = r#"{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_t1","type":"tool_result","content":"(Bash completed with no output)","is_error":false}]},"parent_tool_use_id":null,"session_id":"8a671434-e67a-4a9b-b202-0b380f33f94e","uuid":"dffe1d71-21a6-4e73-ae64-58f764a5dd35","tool_use_result":{"stdout":"","stderr":"","interrupted":false}}"#;
/// The start of a turn.
pub const SYSTEM_INIT: &str = r#"{"type":"system","subtype":"init","cwd":"/home/user/project","session_id":"8a671434-e67a-4a9b-b202-0b380f33f94e","tools":["Task","Bash"],"mcp_servers":[{"name":"files","status":"connected"}],"model":"claude-opus-5-5","permissionMode":"default","uuid":"7512ca50-d2a6-4243-838d-21459dc41289"}"#;
/// A piece of a message that is still being written.
pub const STREAM_EVENT: &str = r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}},"session_id":"8a671434-e67a-4a9b-b202-0b380f33f94e","parent_tool_use_id":null,"uuid":"ba1e12e9-e1ff-435e-a003-7438890df0bd"}"#;
/// A question from the CLI.
pub const CONTROL_REQUEST: &str = r#"{"type":"control_request","request_id":"82bea28e-af18-4441-be03-f1d39f049d6c","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"toolu_t1"}}"#;

/// The lines that are changed, with their types.
const REAL: [(&str, &str); 8] = [
    ("result", RESULT_SUCCESS),
    ("result", RESULT_ERROR),
    ("assistant", ASSISTANT_TEXT),
    ("assistant", ASSISTANT_TOOL_USE),
    ("user", USER_TOOL_RESULT),
    ("system", SYSTEM_INIT),
    ("stream_event", STREAM_EVENT),
    ("control_request", CONTROL_REQUEST),
];

/// All hostile lines. The seed moves what has no natural place (where a line is cut, which bytes
/// are broken); the same seed gives the same bytes.
///
/// ```
/// let lines = claw_testkit::hostile::lines(7);
/// assert!(lines.len() >= 80);
/// assert_eq!(lines, claw_testkit::hostile::lines(7));
/// ```
pub fn lines(seed: u64) -> Vec<HostileLine> {
    let mut out = Collector {
        lines: Vec::new(),
        dice: Dice(seed),
    };
    text::add(&mut out);
    numbers::add(&mut out);
    nesting::add(&mut out);
    keys::add(&mut out);
    shapes::add(&mut out);
    broken::add(&mut out);
    frames::add(&mut out);
    out.lines
}

/// A line of about this many bytes, nearly all of them one tool result, as when a tool reads a big
/// file. It ends in `type` and has an escape every 64 bytes, so that no reader can stop early.
pub fn huge_line(bytes: usize) -> HostileLine {
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

/// Where the lines are gathered.
struct Collector {
    lines: Vec<HostileLine>,
    dice: Dice,
}

impl Collector {
    /// A line that must be read as a message of this type.
    fn message(&mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>, message_type: &str) {
        self.push(name.into(), bytes.into(), message_of(message_type));
    }

    /// A line that must be refused.
    fn refused(&mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.push(name.into(), bytes.into(), Expect::NotJson);
    }

    fn push(&mut self, name: String, bytes: Vec<u8>, expect: Expect) {
        self.lines.push(HostileLine {
            name,
            bytes,
            expect,
            subtype: None,
        });
    }
}

/// Numbers that look random and are not: SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from `low` up to but not including `high`.
    fn between(&mut self, low: usize, high: usize) -> usize {
        let span = high.saturating_sub(low).max(1) as u64;
        low + (self.next() % span) as usize
    }
}

/// Replaces the first place of a text in a line by bytes that need not be text.
fn with_bytes(line: &str, old: &str, new: &[u8]) -> Vec<u8> {
    let (before, after) = line.split_once(old).unwrap_or((line, ""));
    [before.as_bytes(), new, after.as_bytes()].concat()
}

/// Puts a member in front of the others.
fn with_first(line: &str, member: &str) -> String {
    line.replacen('{', &format!("{{{member},"), 1)
}

/// Puts a member behind the others.
fn with_last(line: &str, member: &str) -> String {
    let open = line.strip_suffix('}').unwrap_or(line);
    format!("{open},{member}}}")
}

#[cfg(test)]
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
        for (_, real) in REAL {
            assert!(lines(3).iter().all(|line| line.bytes != real.as_bytes()));
        }
    }

    #[test]
    fn a_huge_line_has_the_size_asked_for() {
        let line = huge_line(1 << 20);
        assert!(line.bytes.len() <= 1 << 20);
        assert!(line.bytes.len() > (1 << 20) - 100);
    }
}
