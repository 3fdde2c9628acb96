//! Exports of any session are text, and nothing in a session makes a page act.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| rusty_claw_fuzz::export::exporting(data));
