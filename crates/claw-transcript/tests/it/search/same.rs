//! Whatever is in the files and whatever happens to them: the same hits with an index as without.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use claw_testkit::corpus::{SessionCorpus, hostile_contents};
use claw_transcript::{IndexUpdate, SearchQuery, SearchRole};
use proptest::prelude::*;
use serde_json::Value;

use super::indexed::{Indexed, line, settle};
use crate::scratch::{Scratch, testdata};

/// A query, and where in some texts its words are from.
#[derive(Debug, Clone)]
struct Asked {
    members: [prop::sample::Index; 2],
    texts: [prop::sample::Index; 2],
    starts: [prop::sample::Index; 2],
    lengths: [usize; 2],
    how: u8,
    any_case: bool,
    every_role: bool,
}

impl Asked {
    fn any() -> impl Strategy<Value = Self> {
        let index = any::<prop::sample::Index>;
        let lengths = || prop_oneof![1..4_usize, 4..24_usize, 8..24_usize];
        (
            [index(), index()],
            [index(), index()],
            [index(), index()],
            [lengths(), lengths()],
            0..4_u8,
            any::<bool>(),
            any::<bool>(),
        )
            .prop_map(
                |(members, texts, starts, lengths, how, any_case, every_role)| Self {
                    members,
                    texts,
                    starts,
                    lengths,
                    how,
                    any_case,
                    every_role,
                },
            )
    }

    /// A piece of one of the texts.
    fn piece(&self, which: usize, texts: &BTreeMap<String, Vec<String>>) -> String {
        let member = self.members[which].index(texts.len());
        let texts = texts.values().nth(member).expect("there are some");
        let text = self.texts[which].get(texts);
        let start = self.starts[which].index(text.chars().count().max(1));
        text.chars().skip(start).take(self.lengths[which]).collect()
    }

    fn query(&self, texts: &BTreeMap<String, Vec<String>>) -> SearchQuery {
        let (one, other) = (self.piece(0, texts), self.piece(1, texts));
        let flip = |text: String| match self.any_case {
            true => text.chars().flat_map(char::to_uppercase).collect(),
            false => text,
        };
        let (one, other) = (flip(one), flip(other));
        let query = match self.how {
            0 => SearchQuery::phrase(one),
            1 => SearchQuery::words(&format!("{one} {other}")),
            2 => SearchQuery::regex(format!(
                "{}.?{}",
                regex_syntax::escape(&one),
                regex_syntax::escape(&other)
            )),
            _ => SearchQuery::regex(format!(
                "(?:{}|{})",
                regex_syntax::escape(&one),
                regex_syntax::escape(&other)
            )),
        };
        let query = if self.any_case {
            query.any_case()
        } else {
            query
        };
        if self.every_role {
            query.roles(SearchRole::ALL.iter().copied())
        } else {
            query
        }
    }
}

/// All strings of a value that are no ids, and numbers.
fn strings(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) if text.contains(' ') => out.push(text.clone()),
        // What tools are given may be a number.
        Value::Number(number) => out.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
        Value::Object(members) => members.values().for_each(|item| strings(item, out)),
        _ => {}
    }
}

/// A generated corpus with damage, recorded sessions, and every hostile file, with what is in them.
struct Everything {
    indexed: Indexed,
    /// By the member of a line that they are in, so that what is rare is asked for as often.
    texts: BTreeMap<String, Vec<String>>,
}

static EVERYTHING: LazyLock<Everything> = LazyLock::new(|| {
    let out = tempfile::tempdir().unwrap();
    let corpus = SessionCorpus::of_megabytes(0.4).damage_every(2).seed(11);
    corpus.write(out.path()).unwrap();
    let scratch = Scratch::of(&out.path().join(".claude/projects"));
    let mut hostile_files = hostile_contents();
    // What is only long makes every search slow, and is searched in other tests.
    hostile_files.retain(|hostile| hostile.bytes.len() < 1 << 17);
    for (number, hostile) in hostile_files.into_iter().enumerate() {
        let id = format!("44444444-4444-4444-8444-{number:012}");
        scratch.session("-hostile", &id, hostile.bytes);
    }
    let recorded = testdata().join("cli/2.1.325/agent_foreground/sessions");
    scratch.add(&recorded);
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in scratch.library().files().unwrap() {
        settle(&file.path);
        for line in fs::read(&file.path).unwrap().split(|b| *b == b'\n') {
            let Ok(Value::Object(members)) = serde_json::from_slice(line) else {
                let start = String::from_utf8_lossy(&line[..line.len().min(4096)]);
                texts.entry(String::new()).or_default().push(start.into());
                continue;
            };
            for (name, value) in members {
                strings(&value, texts.entry(name).or_default());
            }
        }
    }
    let main = scratch.library().files().unwrap().remove(0);
    let results = main.path.with_extension("").join("tool-results");
    fs::create_dir_all(&results).unwrap();
    let result = "a long result\nwith lines of words\n".repeat(40);
    fs::write(results.join("long.txt"), &result).unwrap();
    texts.insert("tool-results".into(), vec![result]);
    texts.retain(|_, texts| !texts.is_empty());
    let indexed = Indexed::new(scratch);
    indexed.update();
    // All of it is trusted, so that what follows is about the index and not about reading files.
    assert_eq!(indexed.update(), IndexUpdate::default());
    Everything { indexed, texts }
});

/// What happens to one of a few sessions.
#[derive(Debug, Clone)]
enum Event {
    Append(usize, String),
    AppendHalf(usize, String),
    Cut(usize, prop::sample::Index),
    /// The same length, in place.
    Overwrite(usize, prop::sample::Index),
    Replace(usize, String),
    Remove(usize),
    Update,
}

fn event() -> impl Strategy<Value = Event> {
    let file = 0..3_usize;
    let text = "[a-c]{1,6}( [a-c]{2,5}){0,3}";
    let index = any::<prop::sample::Index>;
    prop_oneof![
        4 => (file.clone(), text).prop_map(|(file, text)| Event::Append(file, text)),
        1 => (file.clone(), text).prop_map(|(file, text)| Event::AppendHalf(file, text)),
        1 => (file.clone(), index()).prop_map(|(file, at)| Event::Cut(file, at)),
        1 => (file.clone(), index()).prop_map(|(file, at)| Event::Overwrite(file, at)),
        1 => (file.clone(), text).prop_map(|(file, text)| Event::Replace(file, text)),
        1 => file.prop_map(Event::Remove),
        4 => Just(Event::Update),
    ]
}

fn path_of(indexed: &Indexed, file: usize) -> PathBuf {
    let name = format!("55555555-5555-4555-8555-{file:012}.jsonl");
    indexed.scratch().projects().join("-p").join(name)
}

fn happen(indexed: &Indexed, event: &Event) {
    let append = |file: usize, text: &str| {
        let path = path_of(indexed, file);
        let mut out = fs::File::options()
            .append(true)
            .create(true)
            .open(&path)
            .unwrap();
        out.write_all(text.as_bytes()).unwrap();
        path
    };
    let written = match event {
        Event::Append(file, text) => append(*file, &line(text)),
        Event::AppendHalf(file, text) => append(*file, line(text).trim_end()),
        Event::Cut(file, at) => {
            let path = append(*file, "");
            let length = fs::metadata(&path).unwrap().len() as usize;
            let out = fs::File::options().write(true).open(&path).unwrap();
            out.set_len(at.index(length + 1) as u64).unwrap();
            path
        }
        Event::Overwrite(file, at) => {
            let path = append(*file, "");
            let mut bytes = fs::read(&path).unwrap();
            let length = bytes.len().max(1);
            if let Some(byte) = bytes.get_mut(at.index(length)) {
                *byte = if *byte == b'a' { b'b' } else { b'a' };
            }
            fs::write(&path, bytes).unwrap();
            path
        }
        Event::Replace(file, text) => {
            let path = path_of(indexed, *file);
            let new = path.with_extension("new");
            fs::write(&new, line(text)).unwrap();
            fs::rename(&new, &path).unwrap();
            path
        }
        Event::Remove(file) => {
            // It may not have been there.
            let _ = fs::remove_file(path_of(indexed, *file));
            return;
        }
        Event::Update => {
            indexed.update();
            return;
        }
    };
    settle(&written);
    // Until the system's clock has gone on, nobody can tell two changes apart by it.
    std::thread::sleep(Duration::from_millis(5));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn of_anything_that_is_there(asked in Asked::any()) {
        let everything = &*EVERYTHING;
        everything.indexed.found(&asked.query(&everything.texts));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_to_the_files(events in prop::collection::vec(event(), 1..24)) {
        let scratch = Scratch::new();
        fs::create_dir_all(scratch.projects().join("-p")).unwrap();
        let indexed = Indexed::new(scratch);
        for event in &events {
            happen(&indexed, event);
            for text in ["abc", "cab b", "aa"] {
                indexed.found(&SearchQuery::phrase(text));
            }
        }
    }
}
