//! Sessions with subagents.

use super::*;

#[test]
fn a_session_is_its_file_and_those_of_its_subagents() {
    let world = World::new();
    world.append("main\n");
    let main = crate::SessionFile::at(world.path()).expect("a file");
    let mut follower = SessionFollower::new(main.clone());
    let mut seen = Vec::new();
    let mut take = |follower: &mut SessionFollower| {
        seen.clear();
        follower
            .poll(|file, found| {
                if let Followed::Line(line) = found {
                    let name = file.path.file_name().expect("a name");
                    seen.push(format!("{}: {}", name.to_string_lossy(), line.text()));
                }
            })
            .expect("readable");
        seen.join(", ")
    };
    assert_eq!(take(&mut follower), "session.jsonl: main");
    let agents = world.dir.path().join("session/subagents");
    std::fs::create_dir_all(&agents).expect("a folder");
    std::fs::write(agents.join("agent-a.jsonl"), "one\n").expect("written");
    world.append("more\n");
    assert_eq!(
        take(&mut follower),
        "session.jsonl: more, agent-a.jsonl: one"
    );
    let cursor = follower.cursor().expect("readable");
    world.append("last\n");
    let mut resumed = SessionFollower::resume(main, cursor);
    assert_eq!(take(&mut resumed), "session.jsonl: last");
}

/// Returns the number of files that this process has open in a folder.
#[cfg(target_os = "linux")]
fn open_under(folder: &Path) -> usize {
    let open = std::fs::read_dir("/proc/self/fd").expect("a list of open files");
    let targets = open
        .flatten()
        .filter_map(|entry| entry.path().read_link().ok());
    targets.filter(|target| target.starts_with(folder)).count()
}

#[test]
#[cfg(target_os = "linux")]
fn few_files_are_open_however_many_subagents_there_are() {
    let world = World::new();
    world.append("main\n");
    let agents = world.dir.path().join("session/subagents");
    std::fs::create_dir_all(&agents).expect("a folder");
    let agent = |number: u32| agents.join(format!("agent-{number:03}.jsonl"));
    for number in 0..200 {
        std::fs::write(agent(number), format!("a{number}\n")).expect("written");
    }
    let main = crate::SessionFile::at(world.path()).expect("a file");
    let mut follower = SessionFollower::new(main);
    let folder = world.dir.path().canonicalize().expect("a folder");
    let mut most = 0;
    let mut take = |follower: &mut SessionFollower| {
        let mut seen = Vec::new();
        let polled = follower.poll(|_, found| {
            most = most.max(open_under(&folder));
            seen.push(said(found));
        });
        polled.expect("readable");
        most = most.max(open_under(&folder));
        seen
    };
    assert_eq!(take(&mut follower).len(), 201);
    assert_eq!(take(&mut follower).len(), 0);
    // A closed file grows, one is replaced, one is rewritten.
    let mut options = OpenOptions::new();
    let mut file = options.append(true).open(agent(3)).expect("a file");
    file.write_all(b"more\n").expect("written");
    let new = world.dir.path().join("new");
    std::fs::write(&new, "a5\nmore5\n").expect("written");
    std::fs::rename(&new, agent(5)).expect("renamed");
    std::fs::write(agent(7), "other\n").expect("written");
    let mut seen = take(&mut follower);
    seen.sort();
    assert_eq!(seen, ["Cut { kept: 0 }", "more", "more5", "other"]);
    let cursor = follower.cursor().expect("known");
    assert_eq!(cursor.len(), 201);
    assert!((2..80).contains(&most), "{most} files were open");
}

#[test]
fn subagents_of_older_versions_belong_to_the_session_that_they_name() {
    let world = World::new();
    let id = "11111111-1111-4111-8111-111111111111";
    let main = world.dir.path().join(format!("{id}.jsonl"));
    std::fs::write(&main, "main\n").expect("written");
    let write = |name: &str, session: &str| {
        let line = format!("{{\"type\":\"user\",\"sessionId\":\"{session}\"}}\n");
        std::fs::write(world.dir.path().join(name), line).expect("written");
    };
    write("agent-1.jsonl", id);
    write("agent-2.jsonl", "22222222-2222-4222-8222-222222222222");
    let main = crate::SessionFile::at(&main).expect("a file");
    let mut follower = SessionFollower::new(main);
    let mut names = Vec::new();
    let polled = follower.poll(|file, _| {
        let name = file.path.file_name().expect("a name");
        names.push(name.to_string_lossy().into_owned());
    });
    polled.expect("readable");
    assert_eq!(names, [format!("{id}.jsonl"), "agent-1.jsonl".to_owned()]);
}
