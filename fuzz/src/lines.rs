//! Reading.

use claw_transcript::{Body, Entry, Lines};

/// Checks that reading neither fails nor hangs, that every byte is in one line, and that writing
/// returns the same bytes.
pub fn reading(file: &[u8]) {
    let mut lines = Lines::new(file);
    let mut back = Vec::new();
    let mut count = 0;
    while let Some(line) = lines.next_line().expect("memory can be read") {
        assert_eq!((line.ordinal, line.offset), (count, back.len() as u64));
        assert!(!line.raw.contains(&b'\n'));
        back.extend_from_slice(line.raw);
        back.extend_from_slice(line.end.bytes());
        assert_eq!(line.offset + line.len_with_end(), back.len() as u64);
        count += 1;
        match line.body() {
            Body::Blank => assert!(line.is_blank()),
            Body::Entry(entry) => view(&entry),
            Body::Broken(damage) => {
                assert!(!line.is_blank() && !damage.why.is_empty());
                pieces(line.raw, &damage.pieces);
            }
            _ => {}
        }
    }
    assert_eq!(lines.offset(), file.len() as u64);
    assert_eq!(back, file, "writing what was read");
}

/// Checks that whole entries are inside the bytes, in order and without overlap.
pub fn pieces(raw: &[u8], pieces: &[std::ops::Range<usize>]) {
    let mut done = 0;
    for piece in pieces {
        assert!(done <= piece.start && piece.start < piece.end && piece.end <= raw.len());
        done = piece.end;
        let entry = Entry::read(&raw[piece.clone()]).expect("a piece is an entry");
        view(&entry);
    }
}

/// Calls every accessor of an entry, and checks that JSON values are slices of its text.
pub fn view(entry: &Entry<'_>) {
    let text = entry.text();
    for (name, value) in entry.members() {
        assert!(!value.is_empty());
        let start = value.as_ptr() as usize - text.as_ptr() as usize;
        assert_eq!(&text[start..start + value.len()], value);
        // If two members have the same name, the last one counts.
        let last = entry.members().filter(|(other, _)| *other == name).last();
        assert_eq!(entry.get(name), last.map(|(_, value)| value));
        let _ = entry.string(name);
    }
    let _ = (
        entry.kind(),
        entry.kind_text(),
        entry.dialect(),
        entry.flags(),
    );
    let _ = (entry.uuid(), entry.parent(), entry.session(), entry.agent());
    let _ = (entry.timestamp(), entry.time_ms(), entry.cwd());
    let _ = (entry.subtype(), entry.forked_from(), entry.message_id());
    for part in entry.parts() {
        if let claw_transcript::Part::Answer {
            content: Some(content),
            ..
        } = part
        {
            let _ = claw_transcript::Part::of_content(content);
        }
    }
}
