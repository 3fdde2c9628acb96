//! The same as `repair`, on lines that the input describes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rusty_claw_fuzz::{described, repair};

fuzz_target!(|data: &[u8]| repair::repairing(&described::file(data)));
