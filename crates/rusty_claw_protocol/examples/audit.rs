//! Says what of recorded lines the typed messages do not read.
//!
//! ```text
//! cargo run -p rusty_claw_protocol --example audit -- testdata/cli/*/*/stdout.ndjson
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use rusty_claw_protocol::audit::audit_line;
use rusty_claw_protocol::{Json, Line, Received};

fn main() -> std::io::Result<()> {
    let mut found: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut lines = 0_usize;
    for path in std::env::args().skip(1) {
        for line in std::fs::read(Path::new(&path))?.split(|byte| *byte == b'\n') {
            if line.is_empty() {
                continue;
            }
            lines += 1;
            let Ok(audit) = audit_line(line) else {
                *found.entry(("not JSON", path.clone())).or_default() += 1;
                continue;
            };
            let unknown = audit
                .unknown
                .into_iter()
                .map(|(path, tag)| ("unknown", format!("{path} {tag}")));
            let unread = audit.unread.into_iter().map(|path| ("unread", path));
            let shapes = audit.new_shapes.into_iter().map(|path| ("new shape", path));
            let opaque = audit.opaque.into_iter().map(|path| ("opaque", path));
            for key in unknown.chain(unread).chain(shapes).chain(opaque) {
                *found.entry(key).or_default() += 1;
            }
            if let Some(difference) = difference(line) {
                *found.entry(("lost", difference)).or_default() += 1;
            }
        }
    }
    for ((what, place), count) in &found {
        println!("{what:<10} {count:>6}  {place}");
    }
    println!("{lines} lines, {} findings", found.len());
    Ok(())
}

/// The first value that writing the typed message does not give back.
fn difference(line: &[u8]) -> Option<String> {
    let Line::Message(received) = Line::decode(line.to_vec()) else {
        return Some("not JSON".into());
    };
    let Received { message, .. } = *received;
    // Read as text both times: serde_json alone may read a long fraction one unit off.
    let before = Json::from_text(&String::from_utf8_lossy(line))
        .ok()?
        .to_value();
    let after = Json::from_serialize(&message).ok()?.to_value();
    compare(&before, &after, message.message_type().to_owned())
}

fn compare(before: &serde_json::Value, after: &serde_json::Value, path: String) -> Option<String> {
    use serde_json::Value;
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let extra = after
                .keys()
                .find(|key| !before.contains_key(*key))
                .map(|key| format!("{path}.{key} (invented)"));
            let missing = before.iter().find_map(|(key, value)| match after.get(key) {
                Some(other) => compare(value, other, format!("{path}.{key}")),
                None => Some(format!("{path}.{key}")),
            });
            missing.or(extra)
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => before
            .iter()
            .zip(after)
            .find_map(|(before, after)| compare(before, after, format!("{path}[]"))),
        (Value::Number(before), Value::Number(after)) if before.as_f64() == after.as_f64() => None,
        _ if before == after => None,
        _ => Some(path),
    }
}
