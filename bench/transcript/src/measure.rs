//! `measure REPORT PROGRAM [ARGUMENTS]`: runs one program and writes its time and memory to REPORT.
//!
//! Each run needs its own process: the kernel keeps the largest peak of all children that a process
//! has waited for, so only a process with one child can read that child's peak. It is small,
//! because a child's peak begins with the memory of the process that started it.

use std::ffi::OsString;
use std::process::{Command, ExitCode};
use std::time::Instant;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeVal;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(report), Some(program)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: measure REPORT PROGRAM [ARGUMENTS]");
        return ExitCode::FAILURE;
    };
    match measure(&report, program, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("measure: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The program has our standard streams, so the report goes to a file.
fn measure(
    report: &OsString,
    program: OsString,
    arguments: impl Iterator<Item = OsString>,
) -> Result<(), Box<dyn std::error::Error>> {
    let begin = Instant::now();
    let status = Command::new(&program)
        .args(arguments)
        .status()
        .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    let wall = begin.elapsed().as_secs_f64();
    let usage: Usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let processor = seconds(usage.user_time()) + seconds(usage.system_time());
    // Linux counts in kibibytes.
    let peak = usage.max_rss().saturating_mul(1024);
    let code = status
        .code()
        .map_or("null".to_owned(), |code| code.to_string());
    std::fs::write(
        report,
        format!("{{\"wall\":{wall},\"processor\":{processor},\"peak\":{peak},\"code\":{code}}}\n"),
    )?;
    Ok(())
}

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}
