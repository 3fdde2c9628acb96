use std::fs;

use claw_testkit::corpus::{hostile_files, traps};

use super::naive;

#[test]
fn the_totals_of_every_trap_are_those_of_a_simple_reader() {
    let folder = tempfile::tempdir().unwrap();
    let traps = traps::write_all(folder.path()).unwrap();
    assert_eq!(traps.len(), 30);
    assert_eq!(traps[27].expected.days[3].day, "2026-10-01");
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
