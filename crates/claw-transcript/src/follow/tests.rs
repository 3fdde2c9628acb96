use std::fs::OpenOptions;
use std::io::Write as _;

use super::*;

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

fn read(follower: &mut Follower) -> String {
    let mut out = String::new();
    follower
        .poll(|found| match found {
            Followed::Line(line) => {
                out.push_str(&line.text());
                out.push(' ');
            }
            Followed::Changed(change) => out.push_str(&format!("{change:?} ")),
        })
        .expect("readable");
    out.trim_end().to_owned()
}

#[test]
fn a_line_is_given_once_it_is_whole() {
    let world = World::new();
    let mut follower = Follower::new(world.path());
    assert_eq!(read(&mut follower), "");
    world.append("a\nb");
    assert_eq!(read(&mut follower), "a");
    world.append("c\n\n");
    assert_eq!(read(&mut follower), "bc");
    assert_eq!(read(&mut follower), "");
}

#[test]
fn a_rotated_file_is_read_to_its_end_and_those_between_too() {
    let world = World::new();
    world.append("a\n");
    let mut follower = Follower::new(world.path());
    assert_eq!(read(&mut follower), "a");
    world.append("b\n");
    let old = |number: u32| {
        let mut name = world.path().into_os_string();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    std::fs::rename(world.path(), old(1)).expect("renamed");
    assert_eq!(read(&mut follower), "b");
    world.append("c\n");
    std::fs::rename(old(1), old(2)).expect("renamed");
    std::fs::rename(world.path(), old(1)).expect("renamed");
    world.append("d");
    assert_eq!(read(&mut follower), "Replaced c Replaced");
    std::fs::rename(old(2), old(3)).expect("renamed");
    std::fs::rename(old(1), old(2)).expect("renamed");
    std::fs::rename(world.path(), old(1)).expect("renamed");
    world.append("e\n");
    assert_eq!(read(&mut follower), "d Replaced e");
}

#[test]
fn a_file_that_is_cut_goes_on_behind_what_is_left() {
    let world = World::new();
    world.append("a\nb\nc\n");
    let mut follower = Follower::new(world.path());
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
    assert_eq!(read(&mut follower), "Cut { kept: 0 }");
    world.append("a\n");
    assert_eq!(read(&mut follower), "a");
}

#[test]
fn a_cursor_goes_on_in_another_process_and_knows_a_stranger() {
    let world = World::new();
    world.append("a\nb\n");
    let mut follower = Follower::new(world.path());
    assert_eq!(read(&mut follower), "a b");
    let cursor = follower.cursor().expect("readable").expect("a place");
    let kept = serde_json::to_string(&cursor).expect("JSON");
    let cursor: Cursor = serde_json::from_str(&kept).expect("a cursor");
    world.append("c\n");
    let mut resumed = Follower::resume(world.path(), cursor.clone());
    assert_eq!(read(&mut resumed), "c");
    std::fs::write(world.path(), "x\ny\nz\n").expect("written");
    let mut stranger = Follower::resume(world.path(), cursor);
    assert_eq!(read(&mut stranger), "Cut { kept: 0 } x y z");
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
    assert_eq!(read(&mut follower), "Replaced b Replaced c");
    world.append("d\n");
    assert_eq!(read(&mut follower), "d");
}
