//! The laws that the fuzzer tries, on some hundred files in every run.
#![allow(
    unreachable_pub,
    reason = "the laws are public where the fuzzer takes them from"
)]

#[path = "../../../../fuzz/src/described.rs"]
mod described;
#[path = "../../../../fuzz/src/lines.rs"]
mod lines;
#[path = "../../../../fuzz/src/repair.rs"]
mod repair;
#[path = "../../../../fuzz/src/scratch.rs"]
mod scratch;

/// Bytes that describe lines, more or less like a conversation; the same ones for a seed.
fn description(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut dice = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as u8
    };
    let disorder = dice() % 4;
    let mut bytes = Vec::new();
    for at in 0..1 + dice() % 12 {
        let kind = dice();
        let own = if disorder == 0 { dice() } else { at };
        let parent = match at {
            _ if disorder < 2 || dice() % 6 == 0 => dice(),
            0 => 12,
            at => at - 1,
        };
        let more = if disorder == 3 { dice() % 64 } else { dice() };
        let damage = if dice() % 4 == 0 { dice() % 18 } else { 255 };
        bytes.extend([kind, own, parent, more, damage]);
    }
    bytes
}

#[test]
fn described_files_are_read_and_repaired_by_the_laws() {
    let seeds = match std::env::var("LAWS_SEEDS") {
        Ok(seeds) => seeds.parse().unwrap(),
        Err(_) => 200,
    };
    let first: u64 = std::env::var("LAWS_FIRST").map_or(0, |first| first.parse().unwrap());
    for seed in first..first + seeds {
        let file = described::file(&description(seed));
        let tried = std::panic::catch_unwind(|| {
            lines::reading(&file);
            repair::repairing(&file);
        });
        assert!(
            tried.is_ok(),
            "seed {seed}:\n{}",
            String::from_utf8_lossy(&file)
        );
    }
}
