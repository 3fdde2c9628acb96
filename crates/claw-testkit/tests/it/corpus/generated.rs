use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use claw_testkit::corpus::{SessionCorpus, Tokens, Truth};
use serde_json::Value;

use super::naive;

/// Small enough for a debug build, large enough to have everything in it.
fn corpus() -> SessionCorpus {
    SessionCorpus::of_megabytes(5.0).seed(11).damage_every(8)
}

fn bytes_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for file in naive::session_files(folder) {
        let name = file.strip_prefix(folder).unwrap().to_str().unwrap();
        all.insert(name.to_owned(), fs::read(&file).unwrap());
    }
    all
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let write = |corpus: SessionCorpus| {
        let folder = tempfile::tempdir().unwrap();
        corpus.write(folder.path()).unwrap();
        bytes_of(folder.path())
    };
    let first = write(corpus());
    assert!(first == write(corpus()));
    assert!(first != write(corpus().seed(12)));
}

#[test]
fn the_truth_is_what_a_simple_reader_counts() {
    let folder = tempfile::tempdir().unwrap();
    let truth = corpus().write(folder.path()).unwrap();
    agrees(&truth, folder.path());
    assert!(
        truth.broken_lines > 0 && truth.glued_lines > 0,
        "{truth:#?}"
    );
    let files: Vec<_> = bytes_of(folder.path()).into_values().collect();
    assert!(files.iter().any(|file| file.ends_with(b"\r\n")));
    assert!(files.iter().any(|file| !file.ends_with(b"\n")));
}

#[test]
fn it_stays_true_for_small_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = SessionCorpus::of_sessions(150).damage_every(10);
    let truth = corpus.write(folder.path()).unwrap();
    assert_eq!(truth.main_files, 150);
    agrees(&truth, folder.path());
    assert!(truth.forks > 0 && truth.interrupted > 0, "{truth:#?}");
}

#[test]
fn everything_there_is_in_sessions_is_in_a_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = SessionCorpus::of_megabytes(40.0).seed(3);
    let truth = corpus.write(folder.path()).unwrap();
    let found = agrees(&truth, folder.path());
    let batches = BTreeSet::from_iter(found.calls.values()).len();
    for (what, count) in [
        ("agent files", truth.agent_files as usize),
        ("parallel batches", found.calls.len() - batches),
        ("compactions", found.compactions.len()),
        ("edits", found.edits.len()),
        ("interrupts", found.interrupts.len()),
        ("forks", truth.forks as usize),
        ("copied lines", found.copied_lines),
    ] {
        assert!(count > 0, "no {what}");
    }
    assert_eq!(truth.interrupted, found.interrupts.len() as u64);
    assert_eq!(truth.tokens.len(), 4);
    assert!(found.by_type.len() >= 13);
}

#[test]
fn a_clean_corpus_keeps_the_rules_of_session_files() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = SessionCorpus::of_megabytes(10.0).seed(5).clean();
    let truth = corpus.write(folder.path()).unwrap();
    let found = agrees(&truth, folder.path());
    assert!(found.calls.keys().all(|call| found.results.contains(call)));
    assert_eq!(truth.lines, found.by_type.values().sum::<u64>());
    // Copied lines name requests of the session that they are from, so these are for all files.
    let mut requests = BTreeSet::new();
    let mut requested = BTreeSet::new();
    for file in naive::session_files(folder.path()) {
        let mut ids = BTreeSet::new();
        let mut called = BTreeSet::new();
        for entry in naive::entries(&fs::read(&file).unwrap()) {
            if entry["type"] == "api-request" {
                requests.insert(entry["id"].as_str().unwrap().to_owned());
            }
            let Some(id) = entry["uuid"].as_str() else {
                continue;
            };
            let parent = &entry["parentUuid"];
            let known = parent.as_str().is_some_and(|parent| ids.contains(parent));
            assert!(parent.is_null() || known, "{id} hangs in the air");
            assert!(ids.insert(id.to_owned()), "{id} is there twice");
            assert_eq!(entry["timestamp"].as_str().unwrap().len(), 24);
            for block in blocks(&entry) {
                if let Some(call) = block["id"].as_str() {
                    called.insert(call.to_owned());
                }
                if let Some(call) = block["tool_use_id"].as_str() {
                    assert!(called.remove(call), "{call} was not called");
                }
            }
            requested.extend(entry["requestRef"].as_str().map(str::to_owned));
        }
        assert!(called.is_empty(), "{called:?} have no results");
    }
    assert!(!requests.is_empty());
    assert_eq!(requested, requests);
}

fn blocks(entry: &Value) -> &[Value] {
    entry["message"]["content"]
        .as_array()
        .map_or(&[], Vec::as_slice)
}

/// Compares the expected totals with the files.
fn agrees(truth: &Truth, folder: &Path) -> Found {
    let files = naive::session_files(folder);
    let mut found = Found::default();
    let mut messages = BTreeMap::new();
    let (mut bytes, mut lines, mut agent_files) = (0, 0, 0);
    for file in &files {
        let content = fs::read(file).unwrap();
        bytes += content.len() as u64;
        let pieces = content.split(|byte| *byte == b'\n');
        lines += pieces.filter(|piece| !piece.is_empty()).count() as u64;
        let name = file.file_name().unwrap().to_str().unwrap();
        agent_files += u64::from(name.starts_with("agent-"));
        let mut prompts = BTreeMap::new();
        for entry in naive::entries(&content) {
            naive::add(&mut messages, &entry);
            found.add(&entry, &mut prompts);
        }
    }
    assert_eq!(truth.bytes, bytes);
    assert_eq!(truth.lines, lines);
    assert_eq!(truth.files, files.len() as u64);
    assert_eq!(truth.agent_files, agent_files);
    assert_eq!(truth.main_files, truth.files - agent_files);
    spend_agrees(truth, &messages);
    found
}

fn spend_agrees(truth: &Truth, messages: &BTreeMap<String, naive::Message>) {
    assert_eq!(truth.unique_messages, messages.len() as u64);
    let mut tokens = BTreeMap::<&str, [u64; 5]>::new();
    let mut days = BTreeMap::<&str, (u64, [u64; 5], f64)>::new();
    let mut costs = BTreeMap::<&str, f64>::new();
    for message in messages.values() {
        let used = [
            message.input,
            message.output,
            message.cache_5m,
            message.cache_1h,
            message.cache_read,
        ];
        let add = |sum: &mut [u64; 5]| sum.iter_mut().zip(used).for_each(|(sum, n)| *sum += n);
        add(tokens.entry(&message.model).or_default());
        *costs.entry(&message.model).or_default() += message.dollars();
        let day = days.entry(&message.timestamp[..10]).or_default();
        day.0 += 1;
        add(&mut day.1);
        day.2 += message.dollars();
    }
    let numbers = |t: &Tokens| [t.input, t.output, t.cache_5m, t.cache_1h, t.cache_read];
    let near = |left: f64, right: f64| (left - right).abs() < 1e-6;
    let models: Vec<_> = truth.tokens.iter().map(|(m, t)| (*m, numbers(t))).collect();
    assert_eq!(models, tokens.into_iter().collect::<Vec<_>>());
    assert_eq!(truth.cost.len(), costs.len());
    for (model, cost) in &costs {
        assert!(near(*cost, truth.cost[model]), "{model}");
    }
    assert!(near(truth.total_cost, costs.values().sum()));
    assert_eq!(truth.by_day.len(), days.len());
    for (day, (count, used, cost)) in days {
        let told = &truth.by_day[day];
        assert_eq!(
            (told.messages, numbers(&told.tokens)),
            (count, used),
            "{day}"
        );
        assert!(near(told.cost, cost), "{day}");
    }
}

/// What there is but spend.
#[derive(Default)]
struct Found {
    by_type: BTreeMap<String, u64>,
    /// Tool calls, and the messages that they are in.
    calls: BTreeMap<String, String>,
    results: BTreeSet<String>,
    compactions: BTreeSet<String>,
    interrupts: BTreeSet<String>,
    /// Pairs of prompts under one parent.
    edits: BTreeSet<(String, String)>,
    copied_lines: usize,
}

impl Found {
    fn add(&mut self, entry: &Value, prompts: &mut BTreeMap<String, String>) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        *self.by_type.entry(text(&entry["type"])).or_default() += 1;
        // A copy with its own id names its source.
        let from = &entry["forkedFrom"]["messageUuid"];
        self.copied_lines += usize::from(from.is_string());
        let origin = text(if from.is_string() {
            from
        } else {
            &entry["uuid"]
        });
        for block in blocks(entry) {
            if block["type"] == "tool_use" {
                self.calls
                    .insert(text(&block["id"]), text(&entry["message"]["id"]));
            } else if block["type"] == "tool_result" {
                self.results.insert(text(&block["tool_use_id"]));
            } else if block["text"] == "[Request interrupted by user]" {
                self.interrupts.insert(origin.clone());
            }
        }
        if entry["subtype"] == "compact_boundary" {
            self.compactions.insert(origin.clone());
        }
        let is_prompt = entry["type"] == "user"
            && entry["message"]["content"].is_string()
            && entry["isCompactSummary"] != true
            && entry["isSidechain"] == false;
        if is_prompt && entry["parentUuid"].is_string() {
            let parent = text(&entry["parentUuid"]);
            if let Some(old) = prompts.insert(parent, origin.clone()) {
                self.edits.insert((old, origin));
            }
        }
    }
}
