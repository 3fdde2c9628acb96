//! Files on disk after renaming, tagging, archiving and deleting.

use std::time::{Duration, SystemTime};

use claw_transcript::{ForkOptions, MessageFilter, SessionFilter, TranscriptError};

use crate::scratch::Scratch;

const ID: &str = "00000000-0000-4000-8000-00000000000a";
const LINE: &str = "{\"parentUuid\":null,\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"hello\"},\"uuid\":\"u1\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"sessionId\":\"00000000-0000-4000-8000-00000000000a\"}\n";

#[test]
fn titles_and_tags_are_appended_and_shown() {
    let scratch = Scratch::new();
    let path = scratch.session("-p", ID, LINE);
    let library = scratch.library();
    library.rename(ID, "  My \"title\" 🦀\u{feff} ").unwrap();
    library.tag(ID, Some(" \u{fb01}x ")).unwrap();
    library.tag(ID, None).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let appended = [
        r#"{"type":"custom-title","customTitle":"My \"title\" 🦀","sessionId":"00000000-0000-4000-8000-00000000000a"}"#,
        r#"{"type":"tag","tag":"fix","sessionId":"00000000-0000-4000-8000-00000000000a"}"#,
        r#"{"type":"tag","tag":"","sessionId":"00000000-0000-4000-8000-00000000000a"}"#,
        "",
    ];
    assert_eq!(text, format!("{LINE}{}", appended.join("\n")));
    let info = library.info(ID).unwrap().unwrap();
    assert_eq!(info.summary, "My \"title\" 🦀");
    assert_eq!(info.tag, None);
}

#[test]
fn a_torn_last_line_does_not_swallow_a_title() {
    let scratch = Scratch::new();
    let path = scratch.session("-p", ID, format!("{LINE}{{\"type\":\"assist"));
    scratch.library().rename(ID, "Saved").unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(LINE), "the lines before are as they were");
    assert!(
        text.contains("{\"type\":\"assist\n{\"type\":\"custom-title\""),
        "{text}"
    );
    assert_eq!(
        scratch.library().info(ID).unwrap().unwrap().summary,
        "Saved"
    );
}

#[test]
fn archiving_leaves_a_mark_that_only_the_owner_reads() {
    let scratch = Scratch::new();
    let path = scratch.session("-p", ID, LINE);
    let copy = scratch.session("-q", ID, LINE);
    let library = scratch.library();
    assert_eq!(library.info(ID).unwrap().unwrap().archived, None);
    library.archive(ID).unwrap();
    assert_eq!(library.info(ID).unwrap().unwrap().archived, Some(true));
    for path in [&path, &copy] {
        let mark = path.with_extension("").join("archived.json");
        let text = std::fs::read_to_string(&mark).unwrap();
        let (start, end) = (r#"{"archived":true,"at":"20"#, r#"Z","by":"sdk"}"#);
        assert!(text.starts_with(start) && text.ends_with(end), "{text}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &std::path::Path| {
                std::fs::metadata(path).unwrap().permissions().mode() & 0o777
            };
            assert_eq!(mode(&mark), 0o600);
            assert_eq!(mode(mark.parent().unwrap()), 0o700);
        }
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), LINE);
    library.unarchive(ID).unwrap();
    assert_eq!(library.info(ID).unwrap().unwrap().archived, Some(false));
}

#[test]
fn deleting_takes_the_file_and_the_folder_beside_it() {
    let scratch = Scratch::new();
    let path = scratch.session("-p", ID, LINE);
    let other = scratch.session("-p", "00000000-0000-4000-8000-00000000000b", LINE);
    let agents = path.with_extension("").join("subagents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(agents.join("agent-x.jsonl"), LINE).unwrap();
    scratch.library().delete(ID).unwrap();
    assert!(!path.exists() && !path.with_extension("").exists());
    assert!(other.exists());
    let gone = scratch.library().delete(ID).unwrap_err();
    assert!(
        matches!(gone, TranscriptError::SessionNotFound { .. }),
        "{gone}"
    );
}

#[test]
fn refusals_say_what_to_do() {
    let scratch = Scratch::new();
    let path = scratch.session("-p", ID, LINE);
    let library = scratch.library();
    let refused = [
        library.rename(ID, " \u{feff}\n"),
        library.tag(ID, Some("\u{200b}")),
        library.rename("../../etc/passwd", "x"),
        library
            .fork(ID, &ForkOptions::new().up_to("nobody"))
            .map(drop),
    ];
    let texts: Vec<String> = refused
        .iter()
        .map(|r| r.as_ref().unwrap_err().to_string())
        .collect();
    insta::assert_snapshot!(texts.join("\n"));
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        LINE,
        "nothing was written"
    );
}

#[test]
fn a_fork_reads_like_its_original() {
    let scratch = Scratch::new();
    let path = scratch.session("-p", ID, LINE);
    let library = scratch.library();
    let fork = library
        .fork(ID, &ForkOptions::new().title("  Another way "))
        .unwrap();
    let words = |id: &str| -> Vec<String> {
        let messages = library.messages(id, &MessageFilter::new()).unwrap();
        messages
            .iter()
            .map(|m| m.message.as_ref().unwrap().to_string())
            .collect()
    };
    assert_eq!(words(&fork), words(ID));
    assert_eq!(library.info(&fork).unwrap().unwrap().summary, "Another way");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), LINE);
    let left: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 2, "nothing temporary is left behind");
    assert_eq!(library.list(&SessionFilter::new()).unwrap().len(), 2);
}

#[test]
fn of_two_copies_the_newer_counts_and_both_are_deleted() {
    let scratch = Scratch::new();
    let old = scratch.session("-a", ID, LINE.replace("hello", "old"));
    let new = scratch.session("-b", ID, LINE.replace("hello", "new"));
    let file = std::fs::File::options().append(true).open(&old).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3600))
        .unwrap();
    std::fs::create_dir(old.with_extension("")).unwrap();
    let library = scratch.library();
    let listed = library.list(&SessionFilter::new()).unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].summary, "new");
    assert_eq!(library.info(ID).unwrap().unwrap().summary, "new");
    let messages = library.messages(ID, &MessageFilter::new()).unwrap();
    assert!(format!("{messages:?}").contains("new"), "{messages:?}");
    library.rename(ID, "Titled").unwrap();
    assert!(std::fs::read_to_string(&new).unwrap().contains("Titled"));
    assert!(!std::fs::read_to_string(&old).unwrap().contains("Titled"));
    library.delete(ID).unwrap();
    assert!(!new.exists(), "the one that was shown");
    assert!(!old.exists(), "and the one that would be shown next");
    assert!(!old.with_extension("").exists());
    assert!(library.list(&SessionFilter::new()).unwrap().is_empty());
}

#[test]
fn sessions_of_every_sdk_are_a_programs() {
    let scratch = Scratch::new();
    for (at, (entrypoint, shown)) in [
        ("cli", true),
        ("sdk-cli", false),
        ("sdk-ts", false),
        ("sdk-rs", false),
        ("sdk-go", false),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("00000000-0000-4000-8000-00000000001{at}");
        let line = LINE.replacen('{', &format!("{{\"entrypoint\":\"{entrypoint}\","), 1);
        let path = scratch.session("-p", &id, line);
        let filter = SessionFilter::new().programmatic(false);
        let listed = scratch.library().list(&filter).unwrap();
        assert_eq!(!listed.is_empty(), shown, "{entrypoint}");
        std::fs::remove_file(path).unwrap();
    }
}
