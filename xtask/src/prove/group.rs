//! How a group of figures is measured.

use anyhow::Result;

use super::figure::Figure;

/// How the figures of a group are measured.
pub(crate) enum Group<I> {
    /// By a function of this program.
    Here(fn(&I) -> Result<Vec<Figure>>),
    /// By the test in `tests/real_cli/main.rs` of a package that has the name of the group, with `_`
    /// for `-`.
    Test(&'static str),
    /// By this test in `tests/it` of a package.
    It(&'static str, &'static str),
    /// By this test in `tests/checker` of the store, which starts NATS servers and needs root.
    Checker(&'static str),
    /// By the test `simulation` of a package, which is built in release.
    Simulation(&'static str),
    /// By a program of `bench/`, which is started with the name of the group.
    Bench(&'static Bench),
}

// Derived, these would require the same of `I`.
impl<I> Clone for Group<I> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I> Copy for Group<I> {}

/// A program of `bench/`, built in release.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bench {
    /// The folder of its workspace, below `bench/`, if it is not `bench/` itself.
    pub(crate) workspace: &'static str,
    pub(crate) program: &'static str,
    pub(crate) features: &'static [&'static str],
    /// Programs of the main workspace that it starts: arguments of `cargo build`.
    pub(crate) needs: &'static [&'static str],
}
