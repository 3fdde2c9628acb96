//! Secrets in recorded sessions, and in the files beside a session.

use super::*;

/// Secrets that are added to recorded sessions: prose with context, the same without, and a tool's
/// input. None can be recognized by its shape.
const PROMPT: &str = "DB_PASSWORD=Pl4ntedSecret9\\n/home/alicesmith/x then \
    Pl4ntedSecret9 by alicesmith@laptop, ssh root@203.0.113.77, petar@firma.rs and ";
const INPUT: &str = r#""dbPassword":"planted words","headers":{"Authorization":"Basic planted+credential"},"body":"{\"client_secret\":\"planted deeper\"}""#;
const SECRETS: [&str; 7] = [
    "Pl4ntedSecret9",
    "alicesmith",
    "203.0.113.77",
    "petar@firma",
    "planted words",
    "planted+credential",
    "planted deeper",
];

/// A copy of a file with secrets in it, and how many of its texts have some.
fn plant(from: &Path, to: &Path) -> usize {
    let text = read(from);
    let planted = text
        .replace("\"input\":{}", &format!("\"input\":{{{INPUT}}}"))
        .replace("\"input\":{\"", &format!("\"input\":{{{INPUT},\""))
        .replace(
            "\"role\":\"user\",\"content\":\"",
            &format!("\"role\":\"user\",\"content\":\"{PROMPT}"),
        );
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    std::fs::write(to, &planted).unwrap();
    planted.matches(PROMPT).count() + planted.matches(INPUT).count()
}

#[test]
fn secrets_in_recorded_sessions_are_gone_and_the_sessions_are_as_they_were() {
    let (mut planted, mut emptied) = (0, 0);
    for recorded in recorded() {
        let scratch = tempfile::tempdir().unwrap();
        let root = recorded.path.parent().unwrap();
        for file in whole(&recorded) {
            let to = scratch.path().join(file.path.strip_prefix(root).unwrap());
            planted += plant(&file.path, &to);
        }
        let name = recorded.path.file_name().unwrap();
        let original = SessionFile::at(scratch.path().join(name)).unwrap();
        let out = scratch.path().join("out");
        let report = redacted_into(&original, &out);
        let copy = SessionFile::at(report.main_file().unwrap()).unwrap();
        let name = recorded.path.display();
        for file in &report.files {
            let text = read(file.written.as_ref().unwrap());
            for secret in SECRETS {
                assert!(!text.contains(secret), "{name}: {secret} in {text}");
            }
            assert_eq!(file.lines, read(&file.original).lines().count() as u64);
        }
        assert_eq!(drawn(&copy), drawn(&original), "{name}");
        assert_eq!(findings(&copy), findings(&original), "{name}");
        emptied += report.sum(|file| file.signatures_emptied);
    }
    assert!(planted > 100, "{planted}");
    assert_eq!(emptied, 0);
}

#[test]
fn a_secret_found_in_one_file_is_replaced_in_all() {
    let (_scratch, path) = leaky();
    let beside = path.with_extension("");
    // Only the last file that is read has the context.
    std::fs::write(
        &path,
        read(&path).replace("nothing", "Tr0ub4dor9x of zoesmith"),
    )
    .unwrap();
    std::fs::write(
        beside.join("tool-results/z.txt"),
        "password: Tr0ub4dor9x\n/home/zoesmith/x\n",
    )
    .unwrap();
    // Names of files are redacted too.
    std::fs::write(
        beside.join("tool-results/mallory@corp.com-zoesmith.txt"),
        "x",
    )
    .unwrap();
    // A subagent of an older CLI, and one of another session.
    let folder = path.parent().unwrap();
    let old = read(beside.join("subagents/agent-a1.jsonl"));
    std::fs::write(folder.join("agent-old.jsonl"), &old).unwrap();
    std::fs::write(folder.join("agent-other.jsonl"), old.replace(ID, "other")).unwrap();

    let original = SessionFile::at(&path).unwrap();
    let out = tempfile::tempdir().unwrap();
    let into = out.path().join("copy");
    redacted_into(&original, &into);
    let main = read(into.join(format!("{ID}.jsonl")));
    assert!(main.contains("[assignment-1] of user-1"), "{main}");
    assert!(
        into.join(ID)
            .join("tool-results/[email-3]-user-1.txt")
            .is_file()
    );
    let old = read(into.join("agent-old.jsonl"));
    assert!(old.contains("ask\\n[email-2]"), "{old}");
    assert!(!into.join("agent-other.jsonl").exists());
}

#[test]
fn old_subagents_are_copied_whatever_their_first_line_is() {
    let (scratch, path) = leaky();
    // A copy may have any name.
    let copy = scratch.session("-p", "copy", read(&path));
    let folder = path.parent().unwrap();
    let agent = read(path.with_extension("").join("subagents/agent-a1.jsonl"));
    for (id, original) in [(ID, &path), ("copy", &copy)] {
        let named = agent.replace(ID, id);
        for (name, first) in [
            ("blank", "\n"),
            ("torn", "{\"type\":\"us\n"),
            ("unnamed", "{\"type\":\"summary\"}\n"),
        ] {
            let name = format!("agent-{name}.jsonl");
            std::fs::write(folder.join(name), format!("{first}{named}")).unwrap();
        }
        #[cfg(unix)]
        for link in ["agent-a.jsonl", &format!("{ID}/subagents/agent-a.jsonl")] {
            std::fs::remove_file(folder.join(link)).ok();
            std::os::unix::fs::symlink(folder.join("agent-torn.jsonl"), folder.join(link)).unwrap();
        }
        let out = tempfile::tempdir().unwrap();
        redacted_into(&SessionFile::at(original).unwrap(), out.path());
        for name in ["blank", "torn", "unnamed"] {
            let agent = read(out.path().join(format!("agent-{name}.jsonl")));
            assert!(agent.contains("ask\\n[email-"), "{agent}");
        }
        assert!(!out.path().join("agent-a.jsonl").exists());
    }
    // A file that cannot be read may belong to the session. Only root can read this one.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let locked = folder.join("agent-locked.jsonl");
        std::fs::write(&locked, "{}").unwrap();
        std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
        let original = SessionFile::at(&path).unwrap();
        let report = Redact::new().session(&original, &mut Pseudonyms::new(), None);
        assert_eq!(report.is_ok(), std::fs::File::open(&locked).is_ok());
    }
}

#[test]
fn a_copy_does_not_go_among_the_originals() {
    let (_scratch, path) = leaky();
    let original = SessionFile::at(&path).unwrap();
    let beside = path.with_extension("");
    let before = std::fs::read_dir(&beside).unwrap().count();
    for into in [
        beside.clone(),
        beside.join("new"),
        beside.join("new/../other/deep"),
        beside.join("subagents"),
        path.parent().unwrap().to_path_buf(),
        path.parent().unwrap().join("."),
    ] {
        let refused = Redact::new().session(&original, &mut Pseudonyms::new(), Some(&into));
        assert!(
            matches!(refused, Err(RedactError::AmongOriginals { .. })),
            "{} {refused:?}",
            into.display()
        );
    }
    assert_eq!(std::fs::read_dir(&beside).unwrap().count(), before);
}
