use super::*;
use crate::progress::TextOrigin::ToolOutput;
use crate::progress::parser::tests::read;

#[test]
fn each_row_is_a_regular_expression() {
    assert_eq!(SET.len(), ROWS.len());
}

#[test]
fn shown_content_is_ignored() {
    let line = "[12/340] CC foo.o";
    assert_eq!(read(line, ToolOutput), "count 12/340 - running");
    for above in [
        "diff --git a/x b/x",
        "commit 1a2b3c4d5e6f7a8b",
        "1a2b3c4 Step 2/7: move",
        "--- a/src/a.rs",
        "$ cat build.log",
        "$ git log --oneline",
        "==> /var/log/a.log <==",
        "     1\t# TODO",
        "build.log.1.gz:2024-11-02 01:10:44 start",
        "12:Step 2 of 7",
        "Job 12 finished 3 days ago",
        "assert_eq!(a, b);",
        "echo \"start\"",
        "cat <<'END'",
        "const OUT = `",
        "## Status",
        "# My project",
        "def progress(done, total):",
        "use std::fmt;",
        "```",
        "Usage: app [--step 2/7]",
        "  --progress   Show progress",
        "       -#, --progress-bar",
        "---",
        "GET /step/2/7 HTTP/1.1",
    ] {
        let text = format!("{above}\n{line}");
        assert_eq!(read(&text, ToolOutput), "nothing", "{above:?}");
    }
}
