//! The tests of every run.

use crate::seeds::run;

/// Seeds that have shown a bug.
///
/// - 14, 21: a store that failed during an attach made the gateway kill a running CLI.
/// - 20: an input that a parked process had received stayed open, and the session never rested.
const KEPT: [u64; 3] = [14, 20, 21];

#[test]
fn kept_seeds_have_no_violation() {
    for seed in KEPT {
        let shown = run(seed);
        assert!(shown.wrong.is_empty(), "SEED={seed}: {:#?}", shown.wrong);
    }
}

/// Without `tokio_unstable`, the order of `select!` differs.
#[test]
#[cfg_attr(
    not(tokio_unstable),
    ignore = "needs RUSTFLAGS=\"--cfg tokio_unstable\""
)]
fn a_seed_has_the_same_history_each_time() {
    for seed in 0..20 {
        let (one, other) = (run(seed).history, run(seed).history);
        let mut lines = one.lines().zip(other.lines());
        let first = lines.position(|(one, other)| one != other);
        if let Some(at) = first {
            let context = |text: &str| {
                text.lines()
                    .skip(at.saturating_sub(2))
                    .take(4)
                    .collect::<Vec<_>>()
                    .join("\n")
            };
            panic!(
                "seed {seed} differs in line {at}:\n{}\n---\n{}",
                context(&one),
                context(&other)
            );
        }
        assert_eq!(one.len(), other.len(), "seed {seed}");
    }
}
