//! What the decoder does not read of a recorded run: lines of both sides, and answers by the
//! requests that they answer.

use rusty_claw_protocol::audit::Audit;
use rusty_claw_protocol::control::audit_exchange;
use rusty_claw_protocol::messages::Message;

use super::modelled::{Findings, audit_line};
use super::recordings::Scenario;
use crate::exchanges;
use crate::prove::opaque;

/// Who wrote a line. Only the host writes what is wrong on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writer {
    Host,
    Cli,
}

pub(crate) fn add_scenario(findings: &mut Findings, scenario: &Scenario) {
    let host = side(findings, Writer::Host, &scenario.name, &scenario.stdin);
    let cli = side(findings, Writer::Cli, &scenario.name, &scenario.stdout);
    exchanges(findings, Writer::Cli, &scenario.name, &host, &cli);
    exchanges(findings, Writer::Host, &scenario.name, &cli, &host);
}

fn side(findings: &mut Findings, writer: Writer, name: &str, bytes: &[u8]) -> Vec<Message> {
    let mut messages = Vec::new();
    let lines = bytes.split(|byte| *byte == b'\n');
    for line in lines.filter(|line| !line.is_empty()) {
        match audit_line(line) {
            Err(_) if writer == Writer::Host => {
                findings.lines += 1;
                findings.not_json += 1;
            }
            answer => findings.add(name, answer.map(|audit| excused(writer, "", audit))),
        }
        messages.extend(Message::from_json(&String::from_utf8_lossy(line)).ok());
    }
    messages
}

fn exchanges(
    findings: &mut Findings,
    writer: Writer,
    name: &str,
    asked: &[Message],
    answered: &[Message],
) {
    for (request, payload) in exchanges::pairs(asked, answered) {
        let verb = request.tag();
        let audit = audit_exchange(request, payload)
            .map(|audit| excused(writer, &format!("{verb}: "), audit));
        findings.add_exchange(name, verb, audit);
    }
}

/// Takes out what scenarios write wrong on purpose, by the list that the proof reviews.
fn excused(writer: Writer, prefix: &str, mut audit: Audit) -> Audit {
    if writer == Writer::Cli {
        return audit;
    }
    let wrong = opaque::entries(opaque::WRONG_ON_PURPOSE);
    let is_listed = |path: String| wrong.iter().any(|(listed, _)| *listed == path);
    audit
        .unread
        .retain(|path| !is_listed(format!("{prefix}{path}")));
    audit
        .new_shapes
        .retain(|path| !is_listed(format!("{prefix}{path}")));
    audit
        .unknown
        .retain(|(path, tag)| !is_listed(format!("{prefix}{path} (unknown `{tag}`)")));
    audit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(stdin: &str, stdout: &str) -> Vec<String> {
        let mut findings = Findings::default();
        let scenario = Scenario {
            name: "test".to_owned(),
            stdin: stdin.as_bytes().to_vec(),
            stdout: stdout.as_bytes().to_vec(),
        };
        add_scenario(&mut findings, &scenario);
        let gaps = findings.gaps.keys();
        gaps.map(|gap| format!("{}: {}", gap.cause.label(), gap.path))
            .collect()
    }

    #[test]
    fn answers_are_read_by_the_request_they_answer() {
        let request = r#"{"type":"control_request","request_id":"1","request":{"subtype":"set_model","model":"m"}}"#;
        let answer = r#"{"type":"control_response","response":{"subtype":"success","request_id":"1","response":{"model":"m","odd":1}}}"#;
        assert_eq!(gaps(request, answer), ["unread field: set_model: odd"]);
        assert_eq!(gaps(answer, request), ["unread field: set_model: odd"]);
        assert_eq!(gaps("", answer).len(), 0);
    }

    #[test]
    fn both_sides_are_read_and_only_the_host_is_excused() {
        let odd = r#"{"type":"keep_alive","odd":1}"#;
        assert_eq!(gaps(odd, "").len(), 1);
        assert_eq!(gaps("", odd).len(), 1);
        assert_eq!(gaps("not JSON", "").len(), 0);
        assert_eq!(gaps("", "not JSON").len(), 1);
        let wrong = r#"{"type":"wibble"}"#;
        assert_eq!(gaps(wrong, "").len(), 0);
        assert_eq!(gaps("", wrong).len(), 1);
    }
}
