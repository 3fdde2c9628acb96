//! All files of a library.

use std::fs;

use claw_transcript::{FileRole, SessionLibrary};

#[test]
fn links_are_followed_once_and_agents_outlive_their_session() {
    let dir = tempfile::tempdir().expect("a folder");
    let projects = dir.path().join("projects");
    let write = |path: &str| {
        let path = projects.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, "{}\n").expect("a file");
    };
    write("-real/11111111-1111-4111-8111-111111111111.jsonl");
    write("-real/11111111-1111-4111-8111-111111111111/subagents/agent-a1.jsonl");
    write("-real/11111111-1111-4111-8111-111111111111/subagents/agent-a1.meta.json");
    write("-real/11111111-1111-4111-8111-111111111111/tool-results/x.txt");
    write("-real/22222222-2222-4222-8222-222222222222/subagents/agent-a2.jsonl");
    write("-real/agent-old.jsonl");
    write("-real/11111111-1111-4111-8111-111111111111/subagents/workflows/w/journal.jsonl");
    #[cfg(unix)]
    std::os::unix::fs::symlink("-real", projects.join("-a-link")).expect("a link");
    let files = SessionLibrary::open(dir.path()).files().expect("files");
    let drawn: Vec<String> = files
        .iter()
        .map(|file| {
            let path = file.path.strip_prefix(&projects).expect("inside");
            let role = match &file.role {
                FileRole::Agent { agent_id } => format!("agent {agent_id}"),
                FileRole::Journal => "journal".to_owned(),
                _ => "main".to_owned(),
            };
            let session = file.session_id.as_deref().map_or("-", |id| &id[..4]);
            format!("{} {role} {session}", path.display())
        })
        .collect();
    insta::assert_debug_snapshot!(drawn);
}
