//! Recorded control answers, read by the type that belongs to the request they answer.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use rusty_claw_protocol::control::{ControlPayload, ControlRequest, audit_exchange};
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::{Json, Line, Str};

use crate::samples::same;

/// Every file with what a host wrote, anywhere under `testdata`.
fn host_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            host_files(&path, found);
        } else if path.to_string_lossy().ends_with("stdin.ndjson") {
            found.push(path);
        }
    }
}

fn messages(path: &Path) -> Vec<Message> {
    let bytes = std::fs::read(path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| match Line::decode(line.to_vec()) {
            Line::Message(received) => Some(received.message),
            _ => None,
        })
        .collect()
}

/// The successful answers with a payload, each with the request it answers.
fn exchanges<'a>(
    asked: &'a [Message],
    answered: &'a [Message],
) -> impl Iterator<Item = (&'a ControlRequest, &'a Json)> {
    let requests: HashMap<&Str, &ControlRequest> = asked
        .iter()
        .filter_map(|message| match message {
            Message::ControlRequest {
                request_id,
                request,
                ..
            } => Some((request_id, request)),
            _ => None,
        })
        .collect();
    answered.iter().filter_map(move |message| match message {
        Message::ControlResponse {
            request_id,
            response,
            ..
        } => Some((*requests.get(request_id)?, response.payload()?)),
        _ => None,
    })
}

#[test]
fn every_recorded_answer_is_read_by_its_type() {
    let mut files = Vec::new();
    host_files(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata"),
        &mut files,
    );
    let mut findings: BTreeMap<String, usize> = BTreeMap::new();
    let mut opaque = BTreeSet::new();
    let mut verbs = BTreeSet::new();
    let mut answers = 0;
    for host_file in files {
        let name = host_file.file_name().unwrap().to_string_lossy();
        let cli_file = host_file.with_file_name(name.replace("stdin.ndjson", "stdout.ndjson"));
        let (host, cli) = (messages(&host_file), messages(&cli_file));
        for (request, payload) in exchanges(&host, &cli).chain(exchanges(&cli, &host)) {
            answers += 1;
            let verb = request.tag();
            verbs.insert(verb.to_owned());
            let typed = serde_json::to_value(ControlPayload::read(request, payload)).unwrap();
            assert!(
                same(&typed, &payload.to_value()),
                "{verb} in {}: {payload} was written as {typed}",
                host_file.display()
            );
            let audit = audit_exchange(request, payload)
                .unwrap_or_else(|| panic!("{verb} has no type for {payload}"));
            let unknown = audit
                .unknown
                .iter()
                .map(|(path, tag)| format!("{path} {tag}"));
            for finding in unknown.chain(audit.unread).chain(audit.new_shapes) {
                *findings.entry(format!("{verb} {finding}")).or_default() += 1;
            }
            opaque.extend(audit.opaque.iter().map(|path| format!("{verb} {path}")));
        }
    }
    assert!(answers >= 400, "only {answers} answers are recorded");
    assert!(
        verbs.len() >= 35,
        "only these verbs are answered: {verbs:?}"
    );
    // Hosts that answer wrongly on purpose, to see what the CLI makes of it.
    let on_purpose = [
        "can_use_tool <> ",
        "can_use_tool <maybe> maybe",
        "hook_callback hookSpecificOutput",
    ];
    let findings: Vec<_> = findings
        .into_keys()
        .filter(|finding| !on_purpose.contains(&finding.as_str()))
        .collect();
    assert_eq!(findings, [""; 0]);
    // Somebody else's content, one reason each: inputs and outputs of tools, forms that a server
    // defined, settings of the user, results of MCP methods, choices of a dialog.
    let opaque: Vec<_> = opaque.into_iter().collect();
    insta::assert_snapshot!(opaque.join("\n"), @r##"
    can_use_tool <allow>.updatedInput
    elicitation <accept>.content
    get_settings effective
    get_settings sources[].settings
    hook_callback hookSpecificOutput<PostToolUse>.updatedToolOutput
    hook_callback hookSpecificOutput<PreToolUse>.updatedInput
    mcp_call content
    mcp_message mcp_response.result
    request_user_dialog <completed>.result
    "##);
}
