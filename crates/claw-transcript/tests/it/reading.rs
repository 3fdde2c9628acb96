//! Listing and reading beyond what the official SDK can be asked about.

use std::io::{Seek as _, SeekFrom, Write as _};

use claw_testkit::processes::cpu_time;
use claw_transcript::{MessageFilter, Role, SessionFilter, SessionLibrary, TranscriptError};
use rusty_claw_protocol::messages::Message;

use crate::scratch::Scratch;

const ID: &str = "00000000-0000-4000-8000-00000000000a";

fn line(uuid: &str, parent: &str, role: &str, text: &str) -> String {
    format!(
        r#"{{"parentUuid":{parent},"isSidechain":false,"type":"{role}","message":{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}]}},"uuid":"{uuid}","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/home/user/project","sessionId":"{ID}"}}"#
    )
}

#[test]
fn a_file_of_two_gigabytes_is_listed_from_its_ends() {
    let scratch = Scratch::new();
    let path = scratch.session("-p", ID, line("u1", "null", "user", "at the start") + "\n");
    let mut file = std::fs::File::options().write(true).open(&path).unwrap();
    // A hole takes no room on disk; reading it whole would take two gigabytes of memory.
    file.seek(SeekFrom::Start(2 << 30)).unwrap();
    let title = format!(
        "\n{{\"type\":\"custom-title\",\"customTitle\":\"At the end\",\"sessionId\":\"{ID}\"}}\n"
    );
    file.write_all(title.as_bytes()).unwrap();
    let start = cpu_time();
    let listed = scratch.library().list(&SessionFilter::new()).unwrap();
    assert_eq!(listed[0].summary, "At the end");
    assert_eq!(listed[0].first_prompt.as_deref(), Some("at the start"));
    assert!(listed[0].file_size > 2 << 30);
    let used = cpu_time() - start;
    assert!(used.as_millis() < 1000, "{used:?}");
}

#[test]
fn broken_lines_stop_nothing() {
    let scratch = Scratch::new();
    let mut content = b"\xEF\xBB\xBF".to_vec();
    content.extend(line("u1", "null", "user", "behind a byte order mark").bytes());
    content.extend(b"\r\n\0\0\0\0\n{\"type\":\"user\",\"uuid\"\n[[[[\n\xff\xfe\n");
    content.extend([b"[".repeat(100_000), b"\n".to_vec()].concat());
    content.extend(line("u2", "\"u1\"", "assistant", "before zeros").bytes());
    content.extend(b"\0\0\0\0\0\0\0\0");
    scratch.session("-p", ID, content);
    let messages = scratch
        .library()
        .messages(ID, &MessageFilter::new())
        .unwrap();
    let told: Vec<_> = messages.iter().map(|m| (m.role, &*m.uuid)).collect();
    assert_eq!(told, [(Role::User, "u1"), (Role::Assistant, "u2")]);
}

#[test]
fn history_goes_through_the_same_types_as_live_messages() {
    let scratch = Scratch::new();
    scratch.session("-p", ID, line("u1", "null", "user", "hello") + "\n");
    let messages = scratch
        .library()
        .messages(ID, &MessageFilter::new())
        .unwrap();
    let message = messages[0].to_message().unwrap();
    assert_eq!(message.session_id(), Some(ID));
    assert!(matches!(message, Message::User(_)), "{message:?}");
}

#[test]
fn pages_of_a_list_make_up_the_whole() {
    let scratch = Scratch::new();
    for n in 0..7 {
        let id = format!("00000000-0000-4000-8000-{n:012}");
        scratch.session(
            &format!("-p{}", n % 3),
            &id,
            line("u1", "null", "user", "x") + "\n",
        );
    }
    let library = scratch.library();
    let ids = |filter: SessionFilter| -> Vec<String> {
        library
            .list(&filter)
            .unwrap()
            .into_iter()
            .map(|info| info.session_id)
            .collect()
    };
    let all = ids(SessionFilter::new());
    assert_eq!(all.len(), 7);
    let pages: Vec<String> = (0..4)
        .flat_map(|page| ids(SessionFilter::new().limit(2).offset(page * 2)))
        .collect();
    assert_eq!(pages, all);
}

#[test]
fn a_library_that_is_not_there_is_empty() {
    let library = SessionLibrary::open("/no/such/folder");
    assert!(library.list(&SessionFilter::new()).unwrap().is_empty());
    assert_eq!(library.info(ID).unwrap(), None);
    let missing = library.messages(ID, &MessageFilter::new()).unwrap_err();
    assert!(matches!(missing, TranscriptError::SessionNotFound { .. }));
}

#[test]
fn a_directory_has_its_own_sessions_and_those_of_its_worktrees() {
    let scratch = Scratch::new();
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    let (main, tree) = (home.join("main"), home.join("tree"));
    // A repository with one linked worktree, as git lays it out.
    let linked = main.join(".git/worktrees/tree");
    std::fs::create_dir_all(&linked).unwrap();
    std::fs::create_dir_all(&tree).unwrap();
    std::fs::write(linked.join("gitdir"), format!("{}/.git\n", tree.display())).unwrap();
    std::fs::write(linked.join("commondir"), "../..\n").unwrap();
    std::fs::write(tree.join(".git"), format!("gitdir: {}\n", linked.display())).unwrap();

    let library = scratch.library();
    let put = |dir: &std::path::Path, id: &str| {
        let key = library.project_of(dir).key;
        scratch.session(key.as_str(), id, line("u1", "null", "user", "x") + "\n");
    };
    put(&main, "00000000-0000-4000-8000-000000000001");
    put(&tree, "00000000-0000-4000-8000-000000000002");
    put(&home, "00000000-0000-4000-8000-000000000003");
    let count = |library: SessionLibrary| library.list(&SessionFilter::new()).unwrap().len();
    assert_eq!(count(library.clone()), 3);
    assert_eq!(count(library.clone().in_dir(&main)), 2);
    assert_eq!(count(library.clone().in_dir(&tree)), 2);
    assert_eq!(count(library.clone().in_dir(&tree).without_worktrees()), 1);
    assert_eq!(count(library.clone().in_dir(&home)), 1);
    let elsewhere = library.clone().in_dir(&home);
    assert_eq!(
        elsewhere
            .info("00000000-0000-4000-8000-000000000001")
            .unwrap(),
        None
    );
}

#[test]
fn two_directories_with_one_key_are_told_apart() {
    let scratch = Scratch::new();
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    let (dashed, nested) = (home.join("a-b"), home.join("a/b"));
    std::fs::create_dir_all(&dashed).unwrap();
    std::fs::create_dir_all(&nested).unwrap();
    let library = scratch.library();
    let key = library.project_of(&dashed).key;
    assert_eq!(key, library.project_of(&nested).key);
    for (n, dir) in [(1, &dashed), (2, &nested)] {
        let id = format!("00000000-0000-4000-8000-{n:012}");
        let text = line("u1", "null", "user", "x");
        let text = text.replace("/home/user/project", dir.to_str().unwrap());
        scratch.session(key.as_str(), &id, text + "\n");
    }
    let listed = library.in_dir(&nested).list(&SessionFilter::new()).unwrap();
    let ids: Vec<&str> = listed.iter().map(|info| &*info.session_id).collect();
    assert_eq!(ids, ["00000000-0000-4000-8000-000000000002"]);
}

#[test]
fn a_long_path_is_also_found_under_another_hash() {
    let scratch = Scratch::new();
    let dir = format!("/no/such/{}", "x".repeat(250));
    let library = scratch.library();
    let key = library.project_of(&dir).key;
    let (kept, _) = key.as_str().rsplit_once('-').unwrap();
    let text = line("u1", "null", "user", "x").replace("/home/user/project", &dir);
    scratch.session(&format!("{kept}-older1"), ID, text + "\n");
    assert!(library.clone().in_dir(&dir).info(ID).unwrap().is_some());
    let near = format!("/no/such/{}y", "x".repeat(249));
    assert!(library.in_dir(near).info(ID).unwrap().is_none());
}
