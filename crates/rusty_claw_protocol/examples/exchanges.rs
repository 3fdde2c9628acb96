//! Says what of recorded control answers the typed payloads do not read.
//!
//! ```text
//! cargo run -p rusty_claw_protocol --example exchanges -- testdata/cli/*/*/stdin.ndjson
//! ```
//!
//! Each file is what the host wrote; what the CLI wrote stands beside it, with `stdout` in place
//! of `stdin`.

use std::collections::{BTreeMap, HashMap};

use rusty_claw_protocol::control::{ControlPayload, ControlRequest, audit_exchange};
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::{Line, Str};

fn main() -> std::io::Result<()> {
    let mut found: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut answers = 0_usize;
    for host_path in std::env::args().skip(1) {
        let host = messages(&host_path)?;
        let cli = match host_path.rsplit_once("stdin") {
            Some((before, after)) => messages(&format!("{before}stdout{after}"))?,
            None => Vec::new(),
        };
        for (asked, answered) in [(&host, &cli), (&cli, &host)] {
            let requests = requests(asked);
            for message in answered {
                let Message::ControlResponse {
                    request_id,
                    response,
                    ..
                } = message
                else {
                    continue;
                };
                let (Some(request), Some(payload)) = (requests.get(request_id), response.payload())
                else {
                    continue;
                };
                answers += 1;
                let verb = request.tag();
                let Some(audit) = audit_exchange(request, payload) else {
                    *found.entry(("untyped", verb.to_owned())).or_default() += 1;
                    continue;
                };
                let unknown = audit
                    .unknown
                    .into_iter()
                    .map(|(path, tag)| ("unknown", format!("{path} {tag}")));
                let unread = audit.unread.into_iter().map(|path| ("unread", path));
                let shapes = audit.new_shapes.into_iter().map(|path| ("new shape", path));
                let opaque = audit.opaque.into_iter().map(|path| ("opaque", path));
                for (what, path) in unknown.chain(unread).chain(shapes).chain(opaque) {
                    *found.entry((what, format!("{verb} {path}"))).or_default() += 1;
                }
                let typed = ControlPayload::read(request, payload);
                if serde_json::to_value(&typed).ok() != Some(payload.to_value()) {
                    *found.entry(("changed", verb.to_owned())).or_default() += 1;
                }
            }
        }
    }
    for ((what, place), count) in &found {
        println!("{what:<10} {count:>6}  {place}");
    }
    println!("{answers} answers, {} findings", found.len());
    Ok(())
}

fn messages(path: &str) -> std::io::Result<Vec<Message>> {
    Ok(std::fs::read(path)?
        .split(|byte| *byte == b'\n')
        .filter_map(|line| match Line::decode(line.to_vec()) {
            Line::Message(received) => Some(received.message),
            _ => None,
        })
        .collect())
}

fn requests(messages: &[Message]) -> HashMap<&Str, &ControlRequest> {
    messages
        .iter()
        .filter_map(|message| match message {
            Message::ControlRequest {
                request_id,
                request,
                ..
            } => Some((request_id, request)),
            _ => None,
        })
        .collect()
}
