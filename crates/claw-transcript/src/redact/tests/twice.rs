//! The memory of the first pass only changes how much is searched.

use super::*;

/// Lines of every sort: with finds, with secrets found elsewhere, plain, escaped or encoded,
/// broken, with pictures, and empty.
const LINES: [&str; 12] = [
    r#"{"cwd":"C:\\Users\\alicesmith\\x","message":{"content":"mail a@b.io, DB_PASSWORD=Tr0ub4dor9x"}}"#,
    r#"{"message":{"content":"nothing here"}}"#,
    r#"{"message":{"content":"I typed Tr0ub4dor9x again"}}"#,
    r#"{"message":{"content":"\u0054r0ub4dor9x with an escape"}}"#,
    r#"{"message":{"content":"{\"a\":\"Tr0ub4dor9x deeper\"}"}}"#,
    r#"{"toolUseResult":{"file":{"base64":"VHIwdWI0ZG9yOXggcGFja2Vk","type":"text/plain"}}}"#,
    r#"{"toolUseResult":{"file":{"base64":"iVBORw0KGgo=","type":"image/png"}}}"#,
    r#"{"message":{"content":"torn Tr0ub4dor9x"#,
    r#"{"input":{"password":"s3cret words","n":4111111111111111,"c@d.io":1}}"#,
    r#"{"message":{"content":"s3cret words, and e@f.io and a@b.io"}}"#,
    "",
    r#"{"message":{"content":"alicesmith@laptop says nothing"}}"#,
];

fn copied(path: &Path, room: usize, images: bool) -> (String, String) {
    let finder =
        Finder::new(&OwnRules::default(), Detector::is_default, ENTROPY).expect("patterns compile");
    let mut names = Pseudonyms::new();
    let mut pass = Pass::new(&finder, &mut names);
    pass.images = images;
    let seen = Seen::read(&mut pass, path, room).expect("a file");
    assert!(seen.len() <= room);
    let known = Known::new(&finder, &names).expect("words");
    let mut pass = Pass::new(&finder, &mut names);
    pass.known = known.as_ref();
    pass.images = images;
    pass.listed = 100;
    let mut out = Vec::new();
    copy::copy(&mut pass, path, path, seen, &mut out).expect("a file");
    let report = format!("{:?}", pass.file);
    (String::from_utf8(out).expect("text stays text"), report)
}

#[test]
fn any_room_makes_the_same_copy_and_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.jsonl");
    std::fs::write(&path, LINES.join("\n") + "\n").expect("a file");
    for images in [false, true] {
        let (copy, report) = copied(&path, 0, images);
        for secret in [
            "Tr0ub4dor9x",
            "alicesmith",
            "a@b.io",
            "s3cret words",
            "0054r0u",
            "VHIw",
        ] {
            assert!(!copy.contains(secret), "{secret}: {copy}");
        }
        assert!(copy.contains("nothing here") && copy.contains("torn"));
        for room in [1, 2, 3, 5, 8, matches::ROOM] {
            assert_eq!(
                copied(&path, room, images),
                (copy.clone(), report.clone()),
                "{room}"
            );
        }
    }
}

/// If all finds are kept, no line is searched twice.
#[test]
fn nothing_is_searched_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.jsonl");
    let plain = format!("{}\n", LINES[1]).repeat(50);
    std::fs::write(&path, format!("{}\n{plain}{}\n", LINES[0], LINES[1])).expect("a file");
    let finder =
        Finder::new(&OwnRules::default(), Detector::is_default, ENTROPY).expect("patterns compile");
    let mut names = Pseudonyms::new();
    let seen = Seen::read(&mut Pass::new(&finder, &mut names), &path, matches::ROOM);
    let seen = seen.expect("a file");
    let once = finder.searched();
    let mut pass = Pass::new(&finder, &mut names);
    copy::copy(&mut pass, &path, &path, seen, &mut io::sink()).expect("a file");
    // The last line is searched again, because it may have grown.
    assert!(
        finder.searched() - once <= 3,
        "{} more",
        finder.searched() - once
    );
    assert!(once >= 50);
}
