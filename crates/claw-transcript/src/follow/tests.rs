mod sessions;

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

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

/// Does not wait: a state that was seen twice is accepted.
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

/// Resumes as another process would.
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
    // A file without a complete line may become anything.
    assert_eq!(read(&mut follower), "Rotated c");
    assert_eq!(read(&mut follower), "Rotated");
    std::fs::rename(world.old(2), world.old(3)).expect("renamed");
    std::fs::rename(world.old(1), world.old(2)).expect("renamed");
    std::fs::rename(world.path(), world.old(1)).expect("renamed");
    world.append("e\n");
    assert_eq!(read(&mut follower), "Rotated e");
    // It is never completed.
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
    // Truncated and grown beyond what was read: the size alone does not show this.
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
    // In place: polled when empty, half written and complete.
    std::fs::write(world.path(), "").expect("written");
    assert_eq!(read(&mut follower), "");
    world.append("a\nb");
    assert_eq!(read(&mut follower), "");
    world.append("\nc\n");
    assert_eq!(read(&mut follower), "c");
    // Replaced by another file; the old one is gone.
    let new = world.dir.path().join("new");
    std::fs::write(&new, "a\nb\nc\nd\n").expect("written");
    std::fs::rename(&new, world.path()).expect("renamed");
    assert_eq!(read(&mut follower), "Replaced { kept: 3 } d");
    // Replaced by another file; the old one is kept, but not as a rotation.
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
fn a_replaced_file_is_read_by_the_next_poll() {
    let world = World::new();
    world.append("a\n");
    // It would be seen in an hour if anything waited.
    let mut follower = Follower::new(world.path()).patience(Duration::from_secs(3600));
    assert_eq!(read(&mut follower), "a");
    let new = world.dir.path().join("new");
    for number in 0..5 {
        std::fs::write(&new, format!("{number}\n")).expect("written");
        std::fs::rename(&new, world.path()).expect("renamed");
        let expected = format!("Replaced {{ kept: 0 }} {number}");
        assert_eq!(read(&mut follower), expected);
    }
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
    // Replaced by a file with the same lines and more.
    let new = world.dir.path().join("new");
    std::fs::write(&new, "a\nb\nc\nd\n").expect("written");
    std::fs::rename(&new, world.path()).expect("renamed");
    let mut other = resumed(&mut other);
    assert_eq!(read(&mut other), "d");
    // Rotated with an unread line.
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
fn a_file_that_took_the_place_of_another_and_was_rotated_away_is_read() {
    let world = World::new();
    let numbered = |number: u32| world.dir.path().join(format!("session.jsonl.{number}"));
    // From before the file was followed.
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
