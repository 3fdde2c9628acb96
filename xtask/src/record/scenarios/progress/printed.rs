//! What commands print: runners and builds that count, and texts that look like it.

use super::super::super::scenario::Scenario;
use super::super::super::script::{bash, blocks, say};
use super::{agent, shell, todo};

const PYTEST: &str = "cat <<'END'
============================= test session starts ==============================
collected 12 items

tests/test_parse.py .......                                              [ 58%]
tests/test_print.py .....                                                [100%]

============================== 12 passed in 0.42s ==============================
END
";
const JEST: &str = "cat <<'END'
PASS src/add.test.js
FAIL src/sub.test.js
  ● sub › takes away

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 7 passed, 8 total
Snapshots:   0 total
Time:        1.204 s
END
exit 1
";
const CARGO: &str = "cat <<'END'

running 5 tests
test reads_a_line ... ok
test reads_nothing ... ok
test writes_a_line ... FAILED
test writes_nothing ... ok
test ends ... ok

test result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.01s
END
exit 101
";
const TAP: &str = "cat <<'END'
1..4
ok 1 - opens
ok 2 - reads
ok 3 - writes
ok 4 - closes
END
";
const UNITTEST: &str = "cat <<'END'
......
----------------------------------------------------------------------
Ran 6 tests in 0.004s

OK
END
";
const CMAKE: &str = "cat <<'END'
[ 12%] Building C object CMakeFiles/app.dir/a.c.o
[ 37%] Building C object CMakeFiles/app.dir/b.c.o
[ 57%] Building C object CMakeFiles/app.dir/c.c.o
[ 75%] Building C object CMakeFiles/app.dir/d.c.o
END
";
const NINJA: &str = "cat <<'END'
[12/340] CC foo.o
[13/340] CC bar.o
[14/340] CC baz.o
END
";
const CLONE: &str = "printf \"Cloning into 'thing'...\\n\"
printf 'Receiving objects:  37%% (512/1384)\\r'
printf 'Receiving objects: 100%% (1384/1384), 2.10 MiB | 5.00 MiB/s, done.\\n'
";
const DOCKER: &str = "cat <<'END'
#4 [1/4] FROM docker.io/library/node:22
#5 [2/4] WORKDIR /app
#6 [3/4] RUN npm ci
END
";
const BAR: &str = "printf ' 10%%|█         | 10/100 [00:03<00:27,  3.3it/s]\\r'
printf ' 45%%|████▌     | 45/100 [00:12<00:15,  3.6it/s]\\n'
";
const SHARE: &str = "printf 'Uploading... 20%%\\rUploading... 62%%\\n'
";
const LOG: &str = "2026-11-14 23:01:07 INFO  worker started
2026-11-14 23:01:09 INFO  processed 45/100 files
2026-11-14 23:01:12 WARN  disk 91% full
2026-11-14 23:01:15 INFO  12 passed, 1 failed
";
const SOURCE: &str = "// Running test 5 of 20
fn report(done: u32) { println!(\"step {done}/7\"); }
const BAR: &str = \"[####    ] 40%\";
";

fn scripts(name: &'static str, about: &'static str) -> Scenario {
    Scenario::new(name, about)
        .flags("--allowedTools Bash,TodoWrite")
        .file("/home/user/project/py.sh", PYTEST)
        .file("/home/user/project/js.sh", JEST)
        .file("/home/user/project/rs.sh", CARGO)
        .file("/home/user/project/build.sh", NINJA)
}

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        scripts("progress_out_tests", "what five test runners print")
            .file("/home/user/project/tap.sh", TAP)
            .file("/home/user/project/unit.sh", UNITTEST)
            .api([
                bash("t1", "sh py.sh"),
                bash("t2", "sh js.sh"),
                bash("t3", "sh rs.sh"),
                bash("t4", "sh tap.sh"),
                bash("t5", "sh unit.sh"),
                say("That is all."),
            ])
            .init()
            .ask("go"),
        scripts("progress_out_builds", "what builds, copies and bars print")
            .file("/home/user/project/cmake.sh", CMAKE)
            .file("/home/user/project/clone.sh", CLONE)
            .file("/home/user/project/image.sh", DOCKER)
            .file("/home/user/project/train.sh", BAR)
            .file("/home/user/project/upload.sh", SHARE)
            .api([
                bash("b1", "sh cmake.sh | head -3"),
                bash("b2", "sh build.sh"),
                bash("b3", "sh clone.sh"),
                bash("b4", "sh image.sh"),
                bash("b5", "sh train.sh"),
                bash("b6", "sh upload.sh"),
                say("That is enough."),
            ])
            .init()
            .ask("go"),
        scripts(
            "progress_out_nothing",
            "logs, hits, commits and tables, of which none says how far the work is",
        )
        .file("/home/user/.gitconfig", "[user]\nname = Somebody\nemail = somebody@example.com\n")
        .file("/home/user/project/app.log", LOG)
        .file("/home/user/project/src/report.rs", SOURCE)
        .api([
            bash("n1", "cat app.log"),
            bash("n2", "grep -rn 'test\\|step' src"),
            bash("n3", "printf 'Name      Stmts   Miss  Cover\\nparse.py    120     12    90%%\\nTOTAL       812    102    87%%\\n'"),
            bash("n4", "git init -q && git commit -q --allow-empty -m 'Step 2/7: split the parser' && git commit -q --allow-empty -m 'Fix 3 of 12 warnings' && git log --oneline"),
            bash("n5", "printf 'added 312 packages in 4s\\n\\n41 packages are looking for funding\\n'"),
            bash("n6", "diff -u src/report.rs app.log"),
            say("There is nothing to see."),
        ])
        .init()
        .ask("go"),
        scripts(
            "progress_out_agent",
            "a subagent that tests and builds, then its agent does",
        )
        .api([
            blocks([agent("g1", "SUBRUN test it", "general-purpose")]),
            blocks([shell("s1", "sh py.sh")]).when("SUBRUN"),
            blocks([shell("s2", "sh build.sh")]).when("SUBRUN"),
            blocks([shell("s3", "cat py.sh")]).when("SUBRUN"),
            say("It is tested.").when("SUBRUN"),
            bash("m1", "sh rs.sh"),
            say("That is all."),
        ])
        .init()
        .ask("go"),
        scripts(
            "progress_out_list",
            "what a runner prints beside a list that counts, and in the turn after",
        )
        .env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1")
        .env("CLAUDE_CODE_ENABLE_TASKS", "0")
        .api([
            blocks([todo("l1", &["-test", "ship"])]),
            bash("o1", "sh py.sh"),
            blocks([todo("l2", &["+test", "+ship"])]),
            bash("o2", "sh js.sh"),
            say("Shipped."),
            bash("o3", "sh rs.sh"),
            bash("o4", "sh py.sh"),
            say("Better now."),
        ])
        .init()
        .ask("go")
        .ask("again"),
    ]
}
