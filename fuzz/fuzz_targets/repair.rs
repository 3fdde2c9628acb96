//! A repair of any bytes ends in a file that needs none, and loses no line that was whole.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| rusty_claw_fuzz::repair::repairing(data));
