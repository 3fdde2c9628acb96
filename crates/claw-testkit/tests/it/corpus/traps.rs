use std::fs;

use claw_testkit::corpus::{hostile_files, traps};
use serde_json::Value;

use super::naive;

#[test]
fn the_totals_of_every_trap_are_those_of_a_simple_reader() {
    let folder = tempfile::tempdir().unwrap();
    let traps = traps::write_all(folder.path()).unwrap();
    assert_eq!(traps.len(), 30);
    for trap in traps {
        let files = naive::session_files(&folder.path().join(trap.name));
        assert!(!files.is_empty(), "{} has no files", trap.name);
        let messages = naive::messages(&files);
        let sum = |part: fn(&naive::Message) -> u64| messages.values().map(part).sum::<u64>();
        let expected = &trap.expected;
        assert_eq!(messages.len() as u64, expected.messages, "{}", trap.name);
        assert_eq!(sum(|m| m.input), expected.input, "{}", trap.name);
        assert_eq!(sum(|m| m.output), expected.output, "{}", trap.name);
        assert_eq!(
            sum(|m| m.cache_1h),
            expected.cache_write_1h,
            "{}",
            trap.name
        );
        assert_eq!(
            sum(|m| m.cache_5m + m.cache_1h),
            expected.cache_write,
            "{}",
            trap.name
        );
        assert_eq!(sum(|m| m.cache_read), expected.cache_read, "{}", trap.name);
        let cost: f64 = messages.values().map(naive::Message::dollars).sum();
        assert!(
            (cost - expected.cost).abs() < 1e-12,
            "{}: {cost}",
            trap.name
        );
    }
}

#[test]
fn expected_json_says_what_the_traps_say() {
    let folder = tempfile::tempdir().unwrap();
    let traps = traps::write_all(folder.path()).unwrap();
    let text = fs::read_to_string(folder.path().join("expected.json")).unwrap();
    let written: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(written.as_object().unwrap().len(), traps.len());
    for trap in traps {
        let expected = serde_json::to_value(&trap.expected).unwrap();
        assert_eq!(written[trap.name], expected);
    }
    assert_eq!(written["t05_cache_1h"]["cacheWrite"], 100_000);
    assert_eq!(written["t28_tz"]["days"][3]["day"], "2026-10-01");
}

#[test]
fn writing_twice_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = || -> Vec<Vec<u8>> {
        traps::write_all(folder.path()).unwrap();
        hostile_files(&folder.path().join("hostile")).unwrap();
        let files = naive::session_files(folder.path());
        files.iter().map(|file| fs::read(file).unwrap()).collect()
    };
    assert!(bytes() == bytes());
}
