use std::fs::OpenOptions;
use std::io::Write as _;

use super::*;
use crate::lines::LineEnd;

struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        Self { dir }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("session.jsonl")
    }

    fn old(&self, number: u32) -> PathBuf {
        self.dir.path().join(format!("session.jsonl.{number}"))
    }

    fn append(&self, text: &str) {
        let mut options = OpenOptions::new();
        let mut file = options
            .append(true)
            .create(true)
            .open(self.path())
            .expect("a file");
        file.write_all(text.as_bytes()).expect("written");
    }
}

/// Does not wait: what looks the same twice is so.
fn hasty(follower: Follower) -> Follower {
    follower.patience(Duration::ZERO)
}

fn said(found: Followed<'_>) -> String {
    match found {
        Followed::Line(line) if line.end == LineEnd::None => format!("{}…", line.text()),
        Followed::Line(line) => line.text().into_owned(),
        Followed::Changed(change) => format!("{change:?}"),
    }
}

fn read(follower: &mut Follower) -> String {
    let mut out = Vec::new();
    let polled = follower.poll(|found| out.push(said(found)));
    polled.expect("readable");
    out.join(" ")
}

fn finish(follower: &mut Follower) -> String {
    let mut out = Vec::new();
    let polled = follower.finish(|found| out.push(said(found)));
    polled.expect("readable");
    out.join(" ")
}

/// As another process does it.
fn resumed(follower: &mut Follower) -> Follower {
    let cursor = follower.cursor().expect("known").expect("a place");
    let kept = serde_json::to_string(&cursor).expect("JSON");
    let cursor = serde_json::from_str(&kept).expect("a cursor");
    hasty(Follower::resume(follower.path(), cursor))
}

#[test]
fn a_line_is_given_once_it_is_whole() {
    let world = World::new();
    let mut follower = Follower::new(world.path());
    assert_eq!(read(&mut follower), "");
    world.append("a\nb");
    assert_eq!(read(&mut follower), "a");
    world.append("c\n\n");
    assert_eq!(read(&mut follower), "bc ", "a blank line is a line");
    assert_eq!(read(&mut follower), "");
}

#[test]
fn a_rotated_file_is_read_to_its_end_and_those_between_too() {
    let world = World::new();
    world.append("a\n");
    let mut follower = hasty(Follower::new(world.path()));
    assert_eq!(read(&mut follower), "a");
    world.append("b\n");
    std::fs::rename(world.path(), world.old(1)).expect("renamed");
    assert_eq!(read(&mut follower), "b");
    world.append("c\n");
    std::fs::rename(world.old(1), world.old(2)).expect("renamed");
    std::fs::rename(world.path(), world.old(1)).expect("renamed");
    world.append("d");
    // A file without a line may become anything.
    assert_eq!(read(&mut follower), "Rotated c");
    assert_eq!(read(&mut follower), "Rotated");
    std::fs::rename(world.old(2), world.old(3)).expect("renamed");
    std::fs::rename(world.old(1), world.old(2)).expect("renamed");
    std::fs::rename(world.path(), world.old(1)).expect("renamed");
    world.append("e\n");
    assert_eq!(read(&mut follower), "Rotated e");
    // Nobody finishes it.
    assert_eq!(read(&mut follower), "");
    assert_eq!(read(&mut follower), "d…");
    assert_eq!(read(&mut follower), "");
}

#[test]
fn what_is_written_to_a_file_that_was_rotated_away_is_read() {
    let world = World::new();
    let mut options = OpenOptions::new();
    let file = options.append(true).create(true).open(world.path());
    let mut old = file.expect("a file");
    old.write_all(b"a\nhal").expect("written");
    let mut follower = Follower::new(world.path());
    assert_eq!(read(&mut follower), "a");
    std::fs::rename(world.path(), world.old(1)).expect("renamed");
    world.append("new\n");
    assert_eq!(read(&mut follower), "Rotated new");
    assert_eq!(read(&mut follower), "");
    old.write_all(b"f\nmore\n").expect("written");
    assert_eq!(read(&mut follower), "half more");
    old.write_all(b"end").expect("written");
    assert_eq!(read(&mut follower), "");
    assert_eq!(finish(&mut follower), "end…");
    assert_eq!(finish(&mut follower), "");
}

#[test]
fn a_file_that_is_cut_goes_on_behind_what_is_left() {
    let world = World::new();
    world.append("a\nb\nc\n");
    let mut follower = hasty(Follower::new(world.path()));
    assert_eq!(read(&mut follower), "a b c");
    let file = OpenOptions::new().write(true).open(world.path());
    let file = file.expect("a file");
    file.set_len(4).expect("cut");
    world.append("d\n");
    assert_eq!(read(&mut follower), "Cut { kept: 2 } d");
    // Cut and grown beyond what was read: the size alone does not say so.
    file.set_len(2).expect("cut");
    world.append("something longer\nmore\n");
    assert_eq!(read(&mut follower), "Cut { kept: 1 } something longer more");
    file.set_len(0).expect("cut");
    assert_eq!(read(&mut follower), "");
    assert_eq!(read(&mut follower), "Cut { kept: 0 }");
    world.append("a\n");
    assert_eq!(read(&mut follower), "a");
}

#[test]
fn a_file_that_is_written_anew_is_not_given_twice() {
    let world = World::new();
    world.append("a\nb\n");
    let mut follower = Follower::new(world.path());
    assert_eq!(read(&mut follower), "a b");
    // In place: seen empty, half done and done.
    std::fs::write(world.path(), "").expect("written");
    assert_eq!(read(&mut follower), "");
    world.append("a\nb");
    assert_eq!(read(&mut follower), "");
    world.append("\nc\n");
    assert_eq!(read(&mut follower), "c");
    // By another file, with the old one gone.
    let new = world.dir.path().join("new");
    std::fs::write(&new, "a\nb\nc\nd\n").expect("written");
    std::fs::rename(&new, world.path()).expect("renamed");
    assert_eq!(read(&mut follower), "Replaced { kept: 3 } d");
    // By another file, with the old one kept: no rotation.
    std::fs::rename(world.path(), world.dir.path().join("backup")).expect("renamed");
    world.append("a\nb\nX\nd\ne\n");
    let mut all = String::new();
    for _ in 0..200 {
        all.push_str(&read(&mut follower));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(all, "Replaced { kept: 2 } X d e");
}

#[test]
fn nothing_waits_for_a_file_that_is_replaced() {
    let world = World::new();
    world.append("a\n");
    let mut follower = Follower::new(world.path());
    assert_eq!(read(&mut follower), "a");
    let new = world.dir.path().join("new");
    // A machine may be busy once, but not each time.
    let shortest = (0..5).map(|number| {
        std::fs::write(&new, format!("{number}\n")).expect("written");
        std::fs::rename(&new, world.path()).expect("renamed");
        let start = Instant::now();
        let said = read(&mut follower);
        assert_eq!(said, format!("Replaced {{ kept: 0 }} {number}"));
        start.elapsed()
    });
    assert!(shortest.min() < Some(Duration::from_millis(40)));
}

#[test]
fn a_cursor_goes_on_in_another_process_and_knows_a_stranger() {
    let world = World::new();
    world.append("a\nb\n");
    let mut follower = Follower::new(world.path());
    assert_eq!(read(&mut follower), "a b");
    let mut other = resumed(&mut follower);
    world.append("c\n");
    assert_eq!(read(&mut other), "c");
    // Replaced with the same and more.
    let new = world.dir.path().join("new");
    std::fs::write(&new, "a\nb\nc\nd\n").expect("written");
    std::fs::rename(&new, world.path()).expect("renamed");
    let mut other = resumed(&mut other);
    assert_eq!(read(&mut other), "d");
    // Rotated away with something unread.
    world.append("e\n");
    std::fs::rename(world.path(), world.old(1)).expect("renamed");
    world.append("f\n");
    let mut other = resumed(&mut other);
    assert_eq!(read(&mut other), "e", "somebody may be writing it anew");
    assert_eq!(read(&mut other), "Rotated f");
    std::fs::write(world.path(), "x\ny\nz\n").expect("written");
    let mut other = resumed(&mut other);
    assert_eq!(read(&mut other), "Cut { kept: 0 } x y z");
}

#[test]
fn who_was_resumed_sees_what_is_cut_later() {
    for (new, expected) in [
        ("x\n", "Cut { kept: 0 } x"),
        (
            "x\ny\nz\nlonger than it was\n",
            "Cut { kept: 0 } x y z longer than it was",
        ),
    ] {
        let world = World::new();
        world.append("a\nb\nc\n");
        let mut follower = Follower::new(world.path());
        assert_eq!(read(&mut follower), "a b c");
        let mut other = resumed(&mut follower);
        assert_eq!(read(&mut other), "");
        std::fs::write(world.path(), new).expect("written");
        let said = [read(&mut other), read(&mut other)].concat();
        assert_eq!(said, expected);
    }
}

#[test]
fn a_place_is_not_lost_while_a_file_is_in_doubt() {
    let world = World::new();
    world.append("a\nb\nc\n");
    let mut follower = Follower::new(world.path());
    assert_eq!(read(&mut follower), "a b c");
    let mut other = resumed(&mut follower);
    std::fs::write(world.path(), "a\n").expect("written");
    assert_eq!(read(&mut other), "", "somebody may be writing it anew");
    let mut third = resumed(&mut other);
    world.append("b\nc\nd\n");
    assert_eq!(read(&mut third), "d");
}

#[test]
fn the_last_lines_are_given_and_then_all_of_another_file() {
    for replace in [false, true] {
        let world = World::new();
        world.append("a long line that is before it all\nb\nc\n");
        let mut follower = hasty(Follower::last(world.path(), 1));
        assert_eq!(read(&mut follower), "c");
        world.append("d\n");
        assert_eq!(read(&mut follower), "d");
        let new = world.dir.path().join("new");
        if replace {
            std::fs::write(&new, "x\ny\n").expect("written");
            std::fs::rename(&new, world.path()).expect("renamed");
        } else {
            std::fs::write(world.path(), "x\ny\n").expect("written");
        }
        let said = [read(&mut follower), read(&mut follower)].concat();
        let what = if replace { "Replaced" } else { "Cut" };
        assert_eq!(said, format!("{what} {{ kept: 0 }} x y"));
    }
}

#[test]
fn the_last_line_is_given_at_the_end_only() {
    let world = World::new();
    world.append("a\nb");
    let mut follower = Follower::new(world.path());
    assert_eq!(read(&mut follower), "a");
    assert_eq!(finish(&mut follower), "b…");
    world.append("c\n");
    assert_eq!(read(&mut follower), "bc");
    assert_eq!(finish(&mut follower), "");
}

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

#[test]
fn a_file_that_took_the_place_of_another_and_was_rotated_away_is_read() {
    let world = World::new();
    let numbered = |number: u32| world.dir.path().join(format!("session.jsonl.{number}"));
    // From before anybody followed.
    std::fs::write(numbered(1), "old\n").expect("written");
    world.append("a\n");
    let mut follower = Follower::new(world.path());
    assert_eq!(read(&mut follower), "a");
    let new = world.dir.path().join("new");
    std::fs::write(&new, "b\n").expect("written");
    std::fs::rename(&new, world.path()).expect("renamed");
    std::fs::rename(numbered(1), numbered(2)).expect("renamed");
    std::fs::rename(world.path(), numbered(1)).expect("renamed");
    world.append("c\n");
    assert_eq!(read(&mut follower), "Replaced { kept: 0 } b Rotated c");
    world.append("d\n");
    assert_eq!(read(&mut follower), "d");
}

/// How many files this process has open under a folder.
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
    // One that is closed grows, one is replaced, one is cut.
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
