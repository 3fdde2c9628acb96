//! Session files from few bytes: five describe a line, so that random bytes vary the tree of
//! messages and not the syntax of JSON.

/// The number of ids. It is small, so that lines refer to each other.
const NAMES: u8 = 12;

/// The file that some bytes describe.
pub fn file(described: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    for line in described.chunks_exact(5).take(40) {
        write_line(&mut file, [line[0], line[1], line[2], line[3], line[4]]);
    }
    file
}

fn write_line(file: &mut Vec<u8>, [kind, own, above, more, damage]: [u8; 5]) {
    let own = own % NAMES;
    let parent = match above % (NAMES + 4) {
        name @ 0..NAMES => format!("\"parentUuid\":\"{}\",", uuid(name)),
        12 | 13 => "\"parentUuid\":null,".to_owned(),
        14 => "\"parentUuid\":7,".to_owned(),
        _ => String::new(),
    };
    let side = match more >> 6 {
        0 | 1 => "\"isSidechain\":false,",
        2 => "\"isSidechain\":true,",
        _ => "\"isSidechain\":true,\"agentId\":\"a1\",",
    };
    let name = more % 6;
    let also = (more >> 3) % 6;
    let content = match kind % 12 {
        0 | 1 => format!(r#""type":"user","message":{{"role":"user","content":"P{name}"}}"#),
        2 => user(&result(name)),
        3 => user(&format!("{},{}", result(name), result(also))),
        4 => user(&format!(
            r#"{},{{"type":"text","text":"and"}}"#,
            result(name)
        )),
        5 | 6 => reply(also, r#"{"type":"text","text":"said"}"#),
        7 => reply(also, &call(name)),
        8 => reply(also, &format!("{},{}", call(name), call(also))),
        9 => boundary(name, also),
        10 if name == 0 => r#""type":"user","message":{"role":"user","content":""}"#.to_owned(),
        10 => r#""type":"user","isCompactSummary":true,"message":{"role":"user","content":"S"}"#
            .to_owned(),
        _ => r#""type":"attachment","attachment":{"type":"date"}"#.to_owned(),
    };
    let time =
        "\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"sessionId\":\"s\",\"version\":\"2.1.325\"";
    let mut line = format!(
        "{{{parent}{side}{content},\"uuid\":\"{}\",{time}}}",
        uuid(own)
    )
    .into_bytes();
    let mut end: &[u8] = b"\n";
    match damage {
        0..8 => line.truncate(usize::from(damage) * 30),
        8 => end = b"",
        9 => line.splice(0..0, [0; 3]).for_each(drop),
        10 => line.splice(0..0, *b"\xEF\xBB\xBF").for_each(drop),
        11 => end = b"\r\n",
        12 => line.insert(line.len() / 2, 0xFF),
        13 => line = vec![0; 8],
        14 => line.clear(),
        15 => line.extend_from_within(..),
        _ => {}
    }
    file.extend(line);
    file.extend(end);
}

fn uuid(name: u8) -> String {
    format!("00000000-0000-4000-8000-{name:012}")
}

fn result(call: u8) -> String {
    format!(r#"{{"tool_use_id":"t{call}","type":"tool_result","content":"R{call}"}}"#)
}

fn user(blocks: &str) -> String {
    format!(r#""type":"user","message":{{"role":"user","content":[{blocks}]}}"#)
}

fn call(id: u8) -> String {
    format!(r#"{{"type":"tool_use","id":"t{id}","name":"Bash","input":{{}}}}"#)
}

fn reply(id: u8, block: &str) -> String {
    format!(
        r#""type":"assistant","message":{{"id":"m{id}","role":"assistant","content":[{block}],"usage":{{"output_tokens":1}}}}"#
    )
}

fn boundary(kept: u8, anchor: u8) -> String {
    let (kept, anchor) = (uuid(kept), uuid(anchor));
    format!(
        r#""type":"system","subtype":"compact_boundary","content":"c","compactMetadata":{{"trigger":"auto","preservedMessages":{{"anchorUuid":"{anchor}","uuids":["{kept}"]}}}}"#
    )
}
