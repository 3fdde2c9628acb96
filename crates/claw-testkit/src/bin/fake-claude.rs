//! A stand-in for the `claude` program: see `claw_testkit::fake_claude`.

use std::process::ExitCode;

fn main() -> ExitCode {
    claw_testkit::fake_claude::main()
}
