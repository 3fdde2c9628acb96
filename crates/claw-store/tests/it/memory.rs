//! The contract suite on the memory store.

use std::sync::Arc;

use claw_store::contract::MemoryHarness;

claw_store::contract_tests!(Arc::new(MemoryHarness::new()));
