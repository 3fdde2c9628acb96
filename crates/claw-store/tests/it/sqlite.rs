//! The contract suite on SQLite, and what only SQLite has.

use std::sync::Arc;

mod child;
mod crashes;
mod disk;
mod fixture;
mod harness;
mod power;
mod processes;
mod schema;
mod upkeep;

use harness::SqliteHarness;

claw_store::contract_tests!(Arc::new(SqliteHarness::new()));
