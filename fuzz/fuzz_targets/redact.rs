//! Redacting any session keeps its lines whole, and a second time changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| rusty_claw_fuzz::redact::redacting(data));
