use crate::progress::TextOrigin::ToolOutput;
use crate::progress::parser::tests::read;

fn behind(done: u32, end: &str) -> String {
    let before = done - 1;
    let text = format!("Copying {before}/80 shots\nCopying {done}/80 shots\n{end}");
    let update = read(&text, ToolOutput);
    let place = format!("count {done}/80 - ");
    update.strip_prefix(&place).unwrap_or(&update).to_owned()
}

#[test]
fn lines_after_the_last_number_determine_the_state() {
    for (done, end, want) in [
        (38, "", "running"),
        (38, "warning: shot 38 has no thumbnail", "running"),
        (38, "shot 38: timeout, retrying", "running"),
        (38, "0 errors so far", "running"),
        (
            38,
            "Error: ENOSPC: no space left on device, write",
            "failed",
        ),
        (38, "^C", "failed"),
        (38, "Killed", "failed"),
        (38, "make: *** [Makefile:12: copy] Error 1", "failed"),
        (38, "Process exited with code 137", "failed"),
        (38, "Traceback (most recent call last):", "failed"),
        (38, "fatal: could not read from remote", "failed"),
        (38, "Segmentation fault (core dumped)", "failed"),
        (80, "", "finished"),
        (80, "Done.", "finished"),
        (80, "80 copied, 0 failed", "finished"),
        (80, "exit status 2", "failed"),
        (80, "FAILED", "failed"),
    ] {
        assert_eq!(behind(done, end), want, "{done} {end:?}");
    }
}

#[test]
fn unclear_endings_report_nothing() {
    for (done, end) in [
        (38, "the disk may be corrupt"),
        (38, "Done."),
        (80, "3 shots failed to verify"),
        (80, "checksum mismatch for shot 12"),
    ] {
        assert_eq!(behind(done, end), "nothing", "{done} {end:?}");
    }
}
