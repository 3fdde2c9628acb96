//! Session files from few bytes: five describe a line, so that random bytes vary the tree of
//! messages and not the syntax of JSON.

/// The number of ids. It is small, so that lines refer to each other.
const NAMES: u8 = 12;

/// What lines of the twelve kinds hold, with `$1` and `$2` for ids; the last row is the eleventh kind
/// without a text.
const CONTENTS: &str = include_str!("described.txt");

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
    let row = match (kind % 12, name) {
        (10, 0) => 12,
        (kind, _) => usize::from(kind),
    };
    let content = CONTENTS.lines().nth(row).unwrap_or_default();
    let content = content
        .replace("$1", &name.to_string())
        .replace("$2", &also.to_string());
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
