//! `claw sessions follow`

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::World;

const ID: &str = "11111111-1111-4111-8111-111111111111";

/// A world with one session, and its file.
fn world() -> (World, PathBuf) {
    let world = World::with(&[]);
    let folder = world.config().join("projects/-srv-shop");
    std::fs::create_dir_all(&folder).unwrap();
    (world, folder.join(format!("{ID}.jsonl")))
}

fn prompt(text: &str) -> String {
    format!(
        r#"{{"parentUuid":null,"type":"user","message":{{"role":"user","content":"{text}"}},"uuid":"{text}","sessionId":"{ID}"}}"#
    )
}

fn prompts(texts: &[&str]) -> String {
    texts.iter().map(|text| prompt(text) + "\n").collect()
}

/// A follower that runs, and what it prints.
struct Following {
    child: Child,
    out: std::sync::mpsc::Receiver<u8>,
    seen: Vec<u8>,
}

impl Following {
    fn start(world: &World, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_claw"))
            .args(["sessions", "follow", ID, "--json"])
            .args(args)
            .env_clear()
            .env("CLAUDE_CONFIG_DIR", world.config())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, out) = std::sync::mpsc::channel();
        let stdout = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            for byte in std::io::BufReader::new(stdout)
                .bytes()
                .map_while(Result::ok)
            {
                if sender.send(byte).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            out,
            seen: Vec::new(),
        }
    }

    /// What it has printed once that is so many rows.
    fn rows(&mut self, count: usize) -> Vec<String> {
        let end = Instant::now() + Duration::from_secs(20);
        while self.seen.iter().filter(|byte| **byte == b'\n').count() < count {
            let left = end.saturating_duration_since(Instant::now());
            let byte = self.out.recv_timeout(left);
            self.seen.push(byte.unwrap_or_else(|_| {
                panic!("only {}", String::from_utf8_lossy(&self.seen));
            }));
        }
        rows(&String::from_utf8(self.seen.clone()).unwrap())
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What each row is about, in short.
fn rows(json: &str) -> Vec<String> {
    let rows = json.lines().map(|row| {
        let row: Value = serde_json::from_str(row).unwrap();
        let mut said = match (&row["entry"]["uuid"], &row["broken"], &row["changed"]) {
            (Value::String(uuid), ..) => uuid.clone(),
            (_, Value::String(why), _) => {
                format!("{why}: {} bytes", row["raw"].as_str().unwrap().len())
            }
            (_, _, Value::String(what)) => format!("{what}, {} kept", row["kept"]),
            _ => panic!("{row}"),
        };
        for mark in ["unfinished", "salvaged"] {
            if row[mark] == true {
                said.push_str(&format!(" ({mark})"));
            }
        }
        said
    });
    rows.collect()
}

#[test]
fn broken_glued_and_unfinished_lines_are_shown() {
    let (world, path) = world();
    let (one, two) = (prompt("one"), prompt("two"));
    let text = format!(
        "{one}{two}\n{}{two}\n{{\"type\":\"us\nnothing\n{one}",
        &one[..60]
    );
    std::fs::write(&path, text).unwrap();
    let place = world.config().join("place.json");
    let args = [
        "sessions",
        "follow",
        ID,
        "--once",
        "--cursor",
        place.to_str().unwrap(),
    ];
    let json = world.prints(&[&args[..], &["--json"]].concat());
    insta::assert_snapshot!(rows(&json).join("\n"));
    // What is not finished was only shown.
    let again = world.prints(&[&args[..], &["--json"]].concat());
    assert_eq!(rows(&again), ["one (unfinished)"]);
    insta::assert_snapshot!(world.prints(&[
        "sessions",
        "follow",
        path.to_str().unwrap(),
        "--once"
    ]));
}

#[test]
fn the_last_lines_are_followed_into_another_file() {
    for replace in [false, true] {
        let (world, path) = world();
        let filling = "x".repeat(500);
        let many: String = (0..50)
            .map(|number| prompt(&format!("old-{number}-{filling}")) + "\n")
            .collect();
        std::fs::write(&path, many + &prompts(&["last"])).unwrap();
        let mut follower = Following::start(&world, &["-n", "1"]);
        assert_eq!(follower.rows(1), ["last"]);
        let (new, what) = (
            prompts(&["a", "b"]),
            if replace { "replaced" } else { "cut" },
        );
        if replace {
            std::fs::write(path.with_extension("new"), new).unwrap();
            std::fs::rename(path.with_extension("new"), &path).unwrap();
        } else {
            std::fs::write(&path, new).unwrap();
        }
        let changed = format!("{what}, 0 kept");
        assert_eq!(follower.rows(4), ["last", &changed, "a", "b"]);
    }
}

#[test]
fn who_goes_on_from_a_place_sees_that_the_file_is_another() {
    let (world, path) = world();
    std::fs::write(&path, prompts(&["a", "b", "c"])).unwrap();
    let place = world.config().join("place.json");
    let place = place.to_str().unwrap();
    world.prints(&["sessions", "follow", ID, "--once", "--cursor", place]);
    let mut follower = Following::start(&world, &["--cursor", place]);
    // Another file with the same and more: only that is shown.
    std::fs::write(path.with_extension("new"), prompts(&["a", "b", "c", "d"])).unwrap();
    std::fs::rename(path.with_extension("new"), &path).unwrap();
    let seen = loop {
        // The change is detected only if the file was polled before.
        let seen = follower.rows(1);
        if seen.last().is_some_and(|row| row == "d") {
            break seen;
        }
        follower.rows(seen.len() + 1);
    };
    assert!(
        seen == ["d"] || seen == ["replaced, 3 kept", "d"],
        "{seen:?}"
    );
    std::fs::write(&path, prompts(&["x"])).unwrap();
    let all = follower.rows(seen.len() + 2);
    assert_eq!(all[seen.len()..], ["cut, 0 kept", "x"]);
}

#[test]
fn what_is_left_of_a_session_is_followed() {
    let (world, path) = world();
    let folder = path.with_extension("").join("subagents");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("agent-a1.jsonl"), prompts(&["one"])).unwrap();
    let json = world.prints(&["sessions", "follow", ID, "--once", "--json"]);
    assert_eq!(rows(&json), ["one"]);
}
