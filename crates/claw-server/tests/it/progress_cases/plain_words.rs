//! Plain sentences that the reader once missed, in variants, and what only looks like them: what
//! agents did with what is theirs, what an agent was sent to do, how far something came before it
//! broke, and how far tests are.

/// What an agent says, and the update in it.
pub(crate) const SAID: &[(&str, &str)] = &[
    (
        "Both agents have now finished their searches.",
        "subagent 2/2 - finished",
    ),
    (
        "All three agents have finished their part of the audit.",
        "subagent 3/3 - finished",
    ),
    (
        "Both sub-agents have delivered their reports.",
        "subagent 2/2 - finished",
    ),
    (
        "2 of the 3 agents have finished their part.",
        "subagent 2/3 - running",
    ),
    (
        "The two research agents are still working on their modules.",
        "subagent -/2 - running",
    ),
    (
        "I launched four agents. All four have finished their searches.",
        "subagent 4/4 - finished",
    ),
    (
        "The review agent has completed their checklist.",
        "subagent - - finished",
    ),
    (
        "I've started a sub-agent that traces every caller of `decode()`. Meanwhile I'm reading the tests.",
        "subagent - - running",
    ),
    (
        "I've launched three agents that each read every third module.",
        "subagent -/3 - running",
    ),
    (
        "Launching an agent that reads every migration and notes the locks it takes.",
        "subagent - - running",
    ),
    (
        "I just spawned a sub-agent which looks for every place where the token is logged.",
        "subagent - - running",
    ),
    (
        "I've started two agents that check what failed in each crate.",
        "subagent -/2 - running",
    ),
    (
        "Dispatched an agent that shows every route to the linter.",
        "subagent - - running",
    ),
    (
        "The download got to 63% and then the connection broke. It failed for good.",
        "percent - 63 failed",
    ),
    (
        "The upload made it to 81 % and then the server died.",
        "percent - 81 failed",
    ),
    (
        "The import got as far as 40 % and then it crashed.",
        "percent - 40 failed",
    ),
    (
        "The restore got to 55% before the disk filled up. It failed.",
        "percent - 55 failed",
    ),
    ("The migration has got to 35 %.", "percent - 35 running"),
    (
        "The indexing got to 92 % and then the connection dropped. I've restarted it and it continues.",
        "percent - 92 running",
    ),
    (
        "The sync made it to 18 percent, then the process was killed.",
        "percent - 18 failed",
    ),
    (
        "I've copied 12 of 40 files, and then the connection broke.",
        "count 12/40 - failed",
    ),
    (
        "Tests are still going, 120/312 done, no failures so far.",
        "test_run 120/312 - running",
    ),
    (
        "The tests are still going: 45 of 90 done, nothing failed so far.",
        "test_run 45/90 - running",
    ),
    (
        "The suite is under way, 30/200 done, no failures yet.",
        "test_run 30/200 - running",
    ),
    (
        "Unit tests are still running, 88/400 done, none failed.",
        "test_run 88/400 - running",
    ),
    (
        "The integration tests are in progress, 17 of 64 through, no failures.",
        "test_run 17/64 - running",
    ),
    (
        "The e2e suite is still going, 7/31 done.",
        "test_run 7/31 - running",
    ),
    (
        "Still going. The integration suite is at test 120 of 600, no failures so far.",
        "test_run 120/600 - running",
    ),
    (
        "The Playwright suite has reached test 12 of 80.",
        "test_run 12/80 - running",
    ),
    (
        "The end-to-end suite is on test 5 of 18 now.",
        "test_run 5/18 - running",
    ),
    (
        "The slow regression suite got to test 300 of 410, all green so far.",
        "test_run 300/410 - running",
    ),
    (
        "Our browser suite is at spec 9 of 44, nothing red yet.",
        "test_run 9/44 - running",
    ),
    (
        "The integration tests are at test 33 of 70.",
        "test_run 33/70 - running",
    ),
    (
        "The two agents that I launched have finished their searches.",
        "subagent 2/2 - finished",
    ),
    (
        "The agents have finished their searches.",
        "subagent - - finished",
    ),
    (
        "The migration tests are still going, 12/40 done, nothing failed.",
        "test_run 12/40 - running",
    ),
    (
        "The tests are in progress, 12/40 ported.",
        "count 12/40 - running",
    ),
    (
        "I've copied 12 of 40 files, and then the database connection dropped. Reconnecting.",
        "count 12/40 - running",
    ),
    (
        "I've converted 12 of 40 files so far and none failed.",
        "count 12/40 - running",
    ),
    (
        "I've started an agent that is reading every changelog.",
        "subagent - - running",
    ),
    (
        "I've launched two agents who go through every open issue.",
        "subagent -/2 - running",
    ),
    (
        "I've launched an agent that will read every one of their modules.",
        "subagent - - running",
    ),
];

/// What an agent says, without an update in it.
pub(crate) const SAID_NOTHING: &[&str] = &[
    "Both estate agents have finished their viewings.",
    "This script starts an agent that reads every file.",
    "The tutorial starts an agent that reads every file.",
    "Starting an agent that reads every file is expensive.",
    "To start an agent that reads every file, call `spawn()`.",
    "Their two agents have finished their searches.",
    "The failing tests are at test 33 of 70.",
    "The race is in the integration suite at test 120 of 600.",
    "The old suite is at test 12 of 80.",
    "My download got to 63 % of the quota.",
    "The load of the build got to 95 %.",
    "During the import memory got to 90 %.",
    "Anna's download got to 63 % and then the connection broke.",
    "The tests are still going stale, 3/4 of the mocks are wrong.",
    "Tests are going to be split, one of two files each.",
    "Their agents have finished the searches.",
    "Both agents said their quota was used up by another team yesterday.",
    "Agents that have finished their work should be closed.",
    "Last week both agents finished their searches.",
    "I could start a sub-agent that traces every caller.",
    "I use an agent that can read every file.",
    "You started an agent that reads every caller.",
    "I started an agent that crashed yesterday.",
    "Once I've started a sub-agent that reads every file, I'll go on.",
    "The download got to 63% on my colleague's machine and then the connection broke.",
    "Coverage got to 63% and then it fell again.",
    "The CPU got to 95 % and then the fan started.",
    "The error rate got to 12 % and then the connection broke.",
    "The battery made it to 40 %.",
    "If the download gets to 63% and then the connection breaks, it starts over.",
    "Tests are still going into `tests/old`, 3/4 of the team prefers it so.",
    "The nightly tests are still going, 120/312 done.",
    "Rewriting the tests is still going, see page 12/31.",
    "Anna's suite is at test 12 of 80.",
    "The upstream suite is at test 120 of 600.",
    "The log says the integration suite is at test 120 of 600.",
    "The flaky one in the integration suite is test 120 of 600.",
    "The CI suite is at test 120 of 600.",
];
