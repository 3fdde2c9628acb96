//! Session files with known totals, counted again by a reader that shares nothing with what made
//! them.

mod demo;
mod generated;
mod naive;
mod traps;
