//! An index changes how much is read, and nothing else.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use claw_testkit::corpus::SessionCorpus;
use claw_transcript::{IndexUpdate, SearchIndex, SearchQuery, SearchRole, TranscriptError};

use super::hits;
use crate::scratch::Scratch;

const ID: &str = "33333333-3333-4333-8333-333333333333";

pub(super) struct Indexed {
    scratch: Scratch,
    cache: tempfile::TempDir,
}

impl Indexed {
    pub(super) fn new(scratch: Scratch) -> Self {
        let cache = tempfile::tempdir().unwrap();
        Self { scratch, cache }
    }

    pub(super) fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    fn index(&self) -> SearchIndex {
        SearchIndex::open(self.cache.path(), &self.scratch.library()).unwrap()
    }

    pub(super) fn update(&self) -> IndexUpdate {
        // What changed just now is not trusted yet, whatever its time says.
        std::thread::sleep(Duration::from_millis(30));
        self.index().update(&self.scratch.library(), None).unwrap()
    }

    /// What is found, which must be the same with and without; and how much was read for it.
    pub(super) fn found(&self, query: &SearchQuery) -> (Vec<String>, u64) {
        let rows = |query: &SearchQuery| -> Vec<String> {
            let found = hits(&self.scratch, query);
            found.iter().map(|hit| format!("{hit:?}")).collect()
        };
        let without = rows(query);
        let with = query.clone().index(&self.index());
        assert_eq!(rows(&with), without, "{query:?}");
        let mut searched = with.run(&self.scratch.library()).unwrap();
        searched.by_ref().for_each(drop);
        (without, searched.bytes_read())
    }

    fn count(&self, text: &str) -> usize {
        self.found(&SearchQuery::phrase(text)).0.len()
    }
}

pub(super) fn line(text: &str) -> String {
    let content = serde_json::to_string(text).unwrap();
    format!(r#"{{"type":"user","sessionId":"{ID}","message":{{"content":{content}}}}}"#) + "\n"
}

/// Leaves a file alone for a while, as far as its time says.
pub(super) fn settle(path: &Path) {
    let file = File::options().append(true).open(path).unwrap();
    let past = SystemTime::now() - Duration::from_secs(60);
    file.set_modified(past).unwrap();
}

/// A session with many blocks, and a word in one of them.
fn one_session() -> (Indexed, PathBuf) {
    let scratch = Scratch::new();
    let mut text = String::new();
    for number in 0..800 {
        let filler = format!("{number} lorem ipsum dolor sit amet ").repeat(20);
        text.push_str(&line(&filler));
        if number == 400 {
            text.push_str(&line("here is the Zwetschgenknödel, 日本語"));
        }
    }
    let path = scratch.session("-p", ID, text);
    settle(&path);
    (Indexed::new(scratch), path)
}

#[test]
fn a_corpus_gives_the_same_hits_with_less_reading() {
    let out = tempfile::tempdir().unwrap();
    SessionCorpus::of_megabytes(1.0).write(out.path()).unwrap();
    let scratch = Scratch::of(&out.path().join(".claude/projects"));
    let files = scratch.library().files().unwrap();
    let bytes: u64 = files.iter().map(|file| file.len).sum();
    let indexed = Indexed::new(scratch);
    indexed.update();
    let size = fs::metadata(indexed.index().path()).unwrap().len();
    assert!(size < bytes / 25, "{size} for {bytes}");
    for text in ["error", "\n\n", "é", "Bash", "no such thing"] {
        indexed.found(&SearchQuery::phrase(text).any_case());
        let every = SearchQuery::phrase(text).roles(SearchRole::ALL.iter().copied());
        indexed.found(&every);
    }
    indexed.found(&SearchQuery::words("the error"));
    indexed.found(&SearchQuery::regex("(struct|enum) [A-Z][a-z]+"));
    indexed.found(&SearchQuery::regex(r"\d{5}"));
    indexed.found(&SearchQuery::phrase("uuid").raw());
    let (none, read) = indexed.found(&SearchQuery::phrase("Zwetschgenknödel"));
    assert!(none.is_empty() && read < bytes / 10, "{read} of {bytes}");
}

#[test]
fn a_rare_word_is_found_in_one_block() {
    let (indexed, path) = one_session();
    indexed.update();
    let bytes = fs::metadata(path).unwrap().len();
    for query in [
        SearchQuery::phrase("Zwetschgenknödel"),
        SearchQuery::phrase("ZWETSCHGENKNÖDEL").any_case(),
        SearchQuery::regex("Zwetsch[a-z]*kn"),
        SearchQuery::words("Zwetschgenknödel 日本語"),
    ] {
        let (found, read) = indexed.found(&query);
        assert_eq!(found.len(), 1);
        assert!(read < bytes / 3, "{query:?} read {read} of {bytes}");
    }
    // Two characters are little to go by.
    let (found, read) = indexed.found(&SearchQuery::phrase("日本"));
    assert!(found.len() == 1 && read < bytes, "{read}");
}

#[test]
fn every_text_that_is_searched_is_in_the_index() {
    let (indexed, path) = one_session();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    let lines = [
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"Vanillekipferl"}]},"toolUseResult":{"stdout":"Linzertorte"}}"#,
        r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"Sachertorte"}]}}"#,
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Buchtel","input":{"a":[{"b":"Germkn\u00f6del"}]}}]}}"#,
        r#"{"type":"attachment","attachment":{"type":"file","content":"Esterházyschnitte"}}"#,
        r#"{"type":"custom-title","customTitle":"Apfelstrudel"}"#,
        r#"{"type":"system","subtype":"informational","content":"Topfengolatsche"}"#,
        r#"{"type":"user","mess{"parentUuid":null,"type":"user","uuid":"u","timestamp":"2026-11-15T02:25:24.576Z","sessionId":"s","message":{"content":"Schaumrolle"}}"#,
    ];
    writeln!(file, "{}", lines.join("\n")).unwrap();
    settle(&path);
    indexed.update();
    for word in [
        "Vanillekipferl",
        "Linzertorte",
        "Sachertorte",
        "Buchtel",
        "Germknödel",
        "Esterházyschnitte",
        "Apfelstrudel",
        "Topfengolatsche",
        "Schaumrolle",
    ] {
        let every = SearchQuery::phrase(word).roles(SearchRole::ALL.iter().copied());
        let (found, read) = indexed.found(&every);
        assert_eq!(found.len(), 1, "{word}");
        let bytes = fs::metadata(&path).unwrap().len();
        assert!(read < bytes, "{word}: {read} of {bytes}");
    }
}

#[test]
fn a_file_that_grows_is_searched_to_its_end_and_read_from_there() {
    let (indexed, path) = one_session();
    indexed.update();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    write!(
        file,
        "{}{}",
        line("Powidltascherl"),
        line("half").trim_end()
    )
    .unwrap();
    assert_eq!(indexed.count("Powidltascherl"), 1);
    assert_eq!(indexed.count("half"), 1);
    settle(&path);
    let before = fs::metadata(indexed.index().path()).unwrap().len();
    indexed.update();
    let after = fs::metadata(indexed.index().path()).unwrap().len();
    assert!(after > before && after - before < 1000, "{before} {after}");
    indexed.update();
    assert_eq!(fs::metadata(indexed.index().path()).unwrap().len(), after);
    let (found, read) = indexed.found(&SearchQuery::phrase("Powidltascherl"));
    assert_eq!(found.len(), 1);
    let bytes = fs::metadata(&path).unwrap().len();
    assert!(read < bytes / 3, "{read} of {bytes}");
    assert_eq!(indexed.count("half"), 1);
    assert_eq!(indexed.count("Zwetschgenknödel"), 1);
}

#[test]
fn files_that_are_cut_written_anew_or_replaced_are_searched_as_they_are() {
    let (indexed, path) = one_session();
    indexed.update();
    let whole = fs::read_to_string(&path).unwrap();
    let change = |content: &str| {
        fs::write(&path, content).unwrap();
        settle(&path);
    };
    // Cut short.
    change(&whole[..whole.len() / 2]);
    assert_eq!(
        indexed.count("Zwetschgenknödel"),
        usize::from(whole[..whole.len() / 2].contains("Zwetsch"))
    );
    // Of the same length, in the same file.
    let other = whole.replace("Zwetschgen", "Marillen__");
    assert_eq!(other.len(), whole.len());
    change(&other);
    assert_eq!(indexed.count("Marillen__knödel"), 1);
    assert_eq!(indexed.count("Zwetschgenknödel"), 0);
    indexed.update();
    assert_eq!(indexed.count("Marillen__knödel"), 1);
    // Another file in its place.
    let new = path.with_extension("new");
    fs::write(&new, line("Kaiserschmarrn") + &whole).unwrap();
    fs::rename(&new, &path).unwrap();
    settle(&path);
    assert_eq!(indexed.count("Kaiserschmarrn"), 1);
    indexed.update();
    assert_eq!(indexed.count("Kaiserschmarrn"), 1);
    assert_eq!(indexed.count("Marillen__knödel"), 0);
    fs::remove_file(&path).unwrap();
    assert_eq!(indexed.count("Kaiserschmarrn"), 0);
    indexed.update();
}

#[test]
fn an_index_that_is_broken_is_not_believed() {
    let (indexed, _) = one_session();
    indexed.update();
    let path = indexed.index().path().to_path_buf();
    let good = fs::read(&path).unwrap();
    for at in (0..good.len()).step_by(good.len() / 23) {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        fs::write(&path, &bad).unwrap();
        assert_eq!(indexed.count("Zwetschgenknödel"), 1, "at {at}");
        fs::write(&path, &good[..at]).unwrap();
        assert_eq!(indexed.count("Zwetschgenknödel"), 1, "cut at {at}");
    }
    for bad in [&b"claw search 9999 and more"[..], b"x"] {
        fs::write(&path, bad).unwrap();
        assert_eq!(indexed.count("Zwetschgenknödel"), 1);
        let update = indexed.update();
        assert_eq!(update.thrown_away, bad.len() as u64);
        assert_eq!(update.files_read, 1);
        assert_eq!(fs::read(&path).unwrap(), good);
    }
    assert_eq!(indexed.update(), IndexUpdate::default());
    assert_eq!(indexed.count("Zwetschgenknödel"), 1);
}

#[test]
fn what_is_known_of_sessions_that_are_gone_is_forgotten() {
    let scratch = Scratch::new();
    let mut paths = Vec::new();
    for number in 0..3_u32 {
        let mut text = String::new();
        // Text of which no three characters are like any others fills the index.
        for at in 0..900_000_u32 / 64 {
            let words =
                (0..64).map(|word| char::from_u32(0x4E00 + (at * 64 + word * 7919) % 20_000));
            text.push_str(&line(&words.flatten().collect::<String>()));
        }
        let id = ID.replacen("33333333", &format!("{number:08}"), 1);
        let path = scratch.session("-p", &id, text);
        settle(&path);
        paths.push(path);
    }
    let indexed = Indexed::new(scratch);
    assert_eq!(indexed.update().files_read, 3);
    let size = || fs::metadata(indexed.index().path()).unwrap().len();
    let full = size();
    fs::remove_file(&paths[0]).unwrap();
    fs::remove_file(&paths[2]).unwrap();
    assert_eq!(indexed.update(), IndexUpdate::default());
    assert!(size() < full / 2, "{} of {full}", size());
    assert_eq!(indexed.update(), IndexUpdate::default());
    assert_eq!(indexed.count("in none of them"), 0);
}

#[test]
fn it_is_not_kept_among_the_files_of_the_cli() {
    let scratch = Scratch::new();
    let library = scratch.library();
    let inside = library.config_dir().join("cache/claw");
    let error = SearchIndex::open(inside, &library).unwrap_err();
    assert!(matches!(error, TranscriptError::IndexInConfigDir { .. }));
}
