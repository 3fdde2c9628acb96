//! Reading a session file neither fails nor stops, and loses no byte.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| rusty_claw_fuzz::lines::reading(data));
