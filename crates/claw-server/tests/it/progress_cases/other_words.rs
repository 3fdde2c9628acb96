//! What was tried when the reader learned from three more authors: the same meaning in other
//! words, and what only looks like it.

/// What an agent says, and the update in it.
pub(crate) const SAID: &[(&str, &str)] = &[
    (
        "All 12 endpoints now go through the rate limiter.",
        "count 12/12 - finished",
    ),
    (
        "All nine services now import the shared client, and the old one is gone.",
        "count 9/9 - finished",
    ),
    (
        "All 34 templates now use the new header partial.",
        "count 34/34 - finished",
    ),
    (
        "All six dashboards now point at the new data source.",
        "count 6/6 - finished",
    ),
    (
        "All 15 widgets inherit from `BaseWidget` now.",
        "count 15/15 - finished",
    ),
    (
        "That was phase 4 of 4. The rollout is complete and the dashboards look calm.",
        "step 4/4 - finished",
    ),
    (
        "That was step 7 of 7, everything is in place.",
        "step 7/7 - finished",
    ),
    (
        "Round 3 of 3 gave the same numbers. The benchmark is done, results are in `bench.md`.",
        "step 3/3 - finished",
    ),
    (
        "Now on step 8 of 8, the docs. I'll report back once I'm done.",
        "step 8/8 - running",
    ),
    (
        "Step 5 of 5: writing the release notes. The build is still running.",
        "step 5/5 - running",
    ),
    (
        "Step 2/5 (schema change) failed because the table is locked.",
        "step 2/5 - failed",
    ),
    (
        "Step 2/5 (schema change) is done, on to the backfill.",
        "step 2/5 - running",
    ),
    (
        "12 of 30 files (all of them in `src/api`) are converted so far.",
        "count 12/30 - running",
    ),
    (
        "The upload stopped at file 4 of 9 (the big one) with a 413.",
        "count 4/9 - failed",
    ),
    (
        "I launched three agents to look for callers, and all are back with results.",
        "subagent 3/3 - finished",
    ),
    (
        "I sent four agents out. All have returned by now, and I'm merging what they found.",
        "subagent 4/4 - finished",
    ),
    (
        "I started 4 subagents to port the pages. All have finished, but one failed with a merge conflict.",
        "subagent 4/4 - failed",
    ),
    (
        "I dispatched two agents for the review. Both are back.",
        "subagent 2/2 - finished",
    ),
    (
        "I've launched three agents. All files they touch are on a branch.",
        "subagent -/3 - running",
    ),
    (
        "I've launched three agents. Once all are done I'll merge.",
        "subagent -/3 - running",
    ),
    (
        "The suite ended with 3 failures (87 passed, 3 failed).",
        "test_run 90/90 - failed",
    ),
    (
        "Tests finished: 1 failure (119 passed, 1 failed), the flaky one again.",
        "test_run 120/120 - failed",
    ),
    (
        "Test run done without failures (44 passed, 1 skipped).",
        "test_run 45/45 - finished",
    ),
    (
        "The test run failed: 2 of 12 specs time out in CI mode.",
        "test_run 12/12 - failed",
    ),
    (
        "Kicking off the integration tests now while I look at the logs.",
        "test_run - - running",
    ),
    (
        "I'm running the unit tests again with the patched driver.",
        "test_run - - running",
    ),
    (
        "Starting the end-to-end suite before I touch anything else.",
        "test_run - - running",
    ),
    (
        "Downloaded 12.5 of 12.5 MB, signature ok.",
        "count 12.5/12.5 - finished",
    ),
    (
        "Uploaded 3.1 of 8 GB to the bucket, continuing.",
        "count 3.1/8 - running",
    ),
    ("The copy is at 700 of 950 GB.", "count 700/950 - running"),
    (
        "All 6 steps are done: schema, backfill, both readers and the switch.",
        "step 6/6 - finished",
    ),
    (
        "All 5 buckets have been moved: three to eu-west, both archives to Glacier.",
        "count 5/5 - finished",
    ),
    (
        "All five tasks are complete. The last one, task 5 of 5, took two minutes.",
        "step 5/5 - finished",
    ),
    (
        "19 of 19 selectors now use data attributes.",
        "count 19/19 - finished",
    ),
    (
        "That makes 8 of 8 screens, and all of them now use the theme.",
        "count 8/8 - finished",
    ),
    (
        "11/11 controllers now extend the base class.",
        "count 11/11 - finished",
    ),
    (
        "Running the Cypress suite now (58 tests), about three minutes.",
        "test_run 0/58 - running",
    ),
    (
        "Kicking off the backend tests, 204 tests in total.",
        "test_run 0/204 - running",
    ),
    ("Running the Playwright suite now.", "test_run - - running"),
    ("I'm running the payment tests now.", "test_run - - running"),
    (
        "Starting the regression suite in the background.",
        "test_run - - running",
    ),
    (
        "Fertig: alle 4 Schritte sind durch, der Dienst startet wieder.",
        "step 4/4 - finished",
    ),
    (
        "Fertig, alle 12 Dateien sind umgestellt.",
        "count 12/12 - finished",
    ),
    (
        "Alle 7 Tabellen sind migriert, der Dienst läuft wieder.",
        "count 7/7 - finished",
    ),
    (
        "The integration tests pass again, on Linux and on both Mac runners.",
        "test_run - - finished",
    ),
    (
        "All tests pass, under Python 3.11 and 3.12.",
        "test_run - - finished",
    ),
    (
        "The suite is green now, in debug and in release mode.",
        "test_run - - finished",
    ),
    (
        "I got through 6 of the 15 repositories before the token was revoked.",
        "count 6/15 - failed",
    ),
    (
        "It had processed 40 of 96 clips before the disk filled up.",
        "count 40/96 - failed",
    ),
    (
        "I migrated 3 of the 10 tenants before the connection dropped, and I can't reconnect.",
        "count 3/10 - failed",
    ),
    (
        "21 of 50 pages were crawled before we hit the rate limit.",
        "count 21/50 - failed",
    ),
    (
        "8 of 20 stories rewritten before lunch, the rest follows now.",
        "count 8/20 - running",
    ),
    (
        "I got through 5 of the 12 before the container was OOM-killed; I've restarted it and I'm continuing.",
        "count 5/12 - running",
    ),
    ("Moving on to part 2 of 3: the masks.", "step 2/3 - running"),
    (
        "Step 3 of 7 failed on the first try. I've restarted the database and I'm retrying it now.",
        "step 3/7 - running",
    ),
    (
        "Step 3 of 7 failed. I restarted the database, and it failed again.",
        "step 3/7 - failed",
    ),
    (
        "Step 3 of 7 failed. I'd fix the config before restarting it.",
        "step 3/7 - failed",
    ),
    (
        "The import died at row 40 of 90. Resuming from there.",
        "count 40/90 - running",
    ),
    (
        "Stage 2 of 4 is finished. Stage 3 needs your approval, so I'm waiting.",
        "step 2/4 - running",
    ),
    (
        "Step 2 of 4 is running now. Step 3 is the one that will take long.",
        "step 2/4 - running",
    ),
    (
        "The agent that was checking the licences came back with a timeout.",
        "subagent - - failed",
    ),
    (
        "The subagent that looked at the CSS has finished and found two unused files.",
        "subagent - - finished",
    ),
    (
        "The agent that is reading the specs is still running.",
        "subagent - - running",
    ),
    (
        "Of the six agents, three are done and one crashed; the other two are still at it.",
        "subagent 4/6 - running",
    ),
    (
        "Of my three agents two returned clean results, one failed on a lock file.",
        "subagent 3/3 - failed",
    ),
    ("The backfill's at 60 % now.", "percent - 60 running"),
    (
        "The download's at 35 %, so I'll wait a bit.",
        "percent - 35 running",
    ),
    (
        "Retrying upload 3 of 20 after a connection reset.",
        "count 3/20 - running",
    ),
    (
        "Patching file 5 of 12, the one with the odd encoding.",
        "count 5/12 - running",
    ),
    (
        "Re-encoding clip 2 of 9 with a lower bitrate.",
        "count 2/9 - running",
    ),
    (
        "Ich lasse jetzt die 18 Integrations-Tests laufen.",
        "test_run 0/18 - running",
    ),
    (
        "I've started the 77 integration tests, back in a minute.",
        "test_run 0/77 - running",
    ),
    (
        "I've kicked off the test suite again.",
        "test_run - - running",
    ),
    (
        "Everything's green: 41/41 on both platforms.",
        "test_run 41/41 - finished",
    ),
    ("All green: 17/17 tests.", "test_run 17/17 - finished"),
    (
        "Training crashed in epoch 12 of 40 with a CUDA out of memory error.",
        "step 12/40 - failed",
    ),
    (
        "Provisioning stopped at stage 3 of 8 because the quota is used up.",
        "step 3/8 - failed",
    ),
    (
        "Copying the attachments: 55 of 200 were through when the disk ran full.",
        "count 55/200 - failed",
    ),
    (
        "90 of 300 rows were updated when the connection dropped. I've rolled nothing back.",
        "count 90/300 - failed",
    ),
    ("Now 3 failing out of 58.", "test_run 58/58 - failed"),
    ("Down to 2 failures out of 40.", "test_run 40/40 - failed"),
    (
        "So far I've gone through 8 of the 20 components; nothing surprising yet.",
        "count 8/20 - running",
    ),
    (
        "8 of 20 components reviewed, continuing with the forms.",
        "count 8/20 - running",
    ),
    (
        "I have three of the seven adapters compiling again. Next up is the S3 one.",
        "count 3/7 - running",
    ),
    (
        "Quick status: 14 of 32 stored procedures ported, the next batch is reporting.",
        "count 14/32 - running",
    ),
    (
        "Roughly 70 % of the way through the rename now.",
        "percent - 70 running",
    ),
    (
        "I'm about a quarter done (25 %) with reading the codebase.",
        "percent - 25 running",
    ),
    (
        "Second of three passes: tightening the types.",
        "step 2/3 - running",
    ),
    (
        "Done — all 16 feature flags have been removed and the code paths collapsed.",
        "count 16/16 - finished",
    ),
    (
        "Finished importing all 200 contacts.",
        "count 200/200 - finished",
    ),
    (
        "Ran the whole suite: 331 tests, all green.",
        "test_run 331/331 - finished",
    ),
    (
        "Ran the suite after the change: 61 pass, 3 fail.",
        "test_run 64/64 - failed",
    ),
    (
        "13 of 15 tests pass; the two failures are in `auth`.",
        "test_run 15/15 - failed",
    ),
    (
        "The test suite failed with an import error before anything ran.",
        "test_run - - failed",
    ),
    (
        "Tests are green again, so I'm committing.",
        "test_run - - finished",
    ),
    (
        "Four agents are now working on the modules in parallel.",
        "subagent -/4 - running",
    ),
    (
        "I'll hand this to a subagent and continue with the docs.",
        "subagent - - running",
    ),
    (
        "Two of the three agents are back; I'm still waiting for the one on the frontend.",
        "subagent 2/3 - running",
    ),
    (
        "The explore agent is done: the config is loaded in two places.",
        "subagent - - finished",
    ),
    (
        "The research agent timed out, so I'll search myself.",
        "subagent - - failed",
    ),
    (
        "I could only fix 5 of the 8 warnings, the other three are in generated code, so I stopped there.",
        "count 5/8 - failed",
    ),
    (
        "The export aborted after 30 of 45 tables with a permission error.",
        "count 30/45 - failed",
    ),
    (
        "Deployment failed at step 4 of 6: the health check never went green.",
        "step 4/6 - failed",
    ),
    (
        "Nine of the 24 migrations have been squashed, I'm taking the rest table by table.",
        "count 9/24 - running",
    ),
    (
        "I'm 6 of 11 files into the type annotations.",
        "count 6/11 - running",
    ),
    (
        "With that, 18 of 18 call sites are off the deprecated API.",
        "count 18/18 - finished",
    ),
    (
        "Two of six locales finished: `de` and `fr`. `ja` is next.",
        "count 2/6 - running",
    ),
    (
        "And that's all seven images rebuilt and pushed.",
        "count 7/7 - finished",
    ),
    (
        "I've now removed the flag from all 13 templates.",
        "count 13/13 - finished",
    ),
    (
        "After 3 of the 12 uploads the API started returning 429, and I gave up.",
        "count 3/12 - failed",
    ),
    (
        "The scraper got blocked after 100 of 250 pages.",
        "count 100/250 - failed",
    ),
    (
        "Starting with part 1 of 3, the data model.",
        "step 1/3 - running",
    ),
    (
        "Three of the four steps are behind us; what's left is the cut-over.",
        "step 3/4 - running",
    ),
    (
        "The fifth and final step is done, so all 5 steps are complete.",
        "step 5/5 - finished",
    ),
    (
        "I'm stuck on step 2 of 6: the registry refuses my credentials.",
        "step 2/6 - failed",
    ),
    (
        "The index rebuild is 90 % complete.",
        "percent - 90 running",
    ),
    (
        "Encoding has reached 55 %, no dropped frames so far.",
        "percent - 55 running",
    ),
    (
        "The restore broke off at 12 % with a checksum error.",
        "percent - 12 failed",
    ),
    (
        "Full suite after the refactoring: 210 passed, none failed.",
        "test_run 210/210 - finished",
    ),
    (
        "After the merge 46 of the 48 tests pass, two snapshot tests need an update.",
        "test_run 48/48 - failed",
    ),
    (
        "The tests crashed on startup with a missing fixture.",
        "test_run - - failed",
    ),
    (
        "Running all 95 tests with the race detector on now.",
        "test_run 0/95 - running",
    ),
    (
        "30 of 95 tests done, all green so far.",
        "test_run 30/95 - running",
    ),
    (
        "I added 3 tests, and all 9 in the file pass.",
        "test_run 9/9 - finished",
    ),
    (
        "I've put two agents on it: one reads the server, one the client.",
        "subagent -/2 - running",
    ),
    (
        "One of the two agents has reported back; the other is still digging through the logs.",
        "subagent 1/2 - running",
    ),
    (
        "Spinning up five subagents, one per service.",
        "subagent -/5 - running",
    ),
    (
        "All five subagents are done; I'm consolidating their findings now.",
        "subagent 5/5 - finished",
    ),
    (
        "Waiting for the security agent to finish.",
        "subagent - - running",
    ),
    (
        "My agent for the database part crashed, I'll redo that part by hand.",
        "subagent - - failed",
    ),
    (
        "Fünf von neun Modulen sind umgebaut, als Nächstes kommt der Scheduler.",
        "count 5/9 - running",
    ),
    (
        "J'ai traité 120 des 400 fiches, je continue.",
        "count 120/400 - running",
    ),
    (
        "I'm 4 of 15 chapters into the proofreading.",
        "count 4/15 - running",
    ),
    (
        "The crawler was throttled after 60 of 90 sites and I had to stop it.",
        "count 60/90 - failed",
    ),
    (
        "I wrote 2 tests for it, and all 12 pass.",
        "test_run 12/12 - finished",
    ),
    (
        "5 of 5 apps are off the old cluster now.",
        "count 5/5 - finished",
    ),
];

/// What looks like progress and reports none.
pub(crate) const SAID_NOTHING: &[&str] = &[
    "All 12 callers now need an extra argument, so this is a breaking change.",
    "All 8 cores now show high load.",
    "All three options use the same API.",
    "All 14 handlers use the deprecated logger, which is why the warning shows up everywhere.",
    "In the current design all 5 workers share one connection.",
    "Step 2 of 4 (the schema change) is the risky one.",
    "Running the tests while the server is up causes port conflicts.",
    "I'll write a test suite before I start refactoring.",
    "The volume has 38 of 40 GB used.",
    "We used 3.5 of the 4 GB of heap in that run.",
    "The dump takes 12 of the 20 GB on that disk.",
    "12 of 16 GB in use on the runner.",
    "5 of the 9 jobs use a self-hosted runner.",
    "14 of the 20 queries use an index.",
    "Running the migration tests locally needs Docker.",
    "Running the Playwright suite takes six minutes (312 tests).",
    "The unit tests pass on Node 18 only.",
    "Part 2 of the refactoring is harder than part 1.",
    "Of the five agents in the config, two have the wrong model.",
    "Of the 4 agents, two are written in Python.",
    "The cluster's at 80 % CPU.",
    "The cache's at 95 % and will evict soon.",
    "Adoption's at 80 % now according to the dashboard.",
    "Following item 3 of 5 on your list, I kept the old name.",
    "Regarding question 3 of 5: yes, that works.",
    "I've started writing tests for the parser.",
    "I've started a new test file for it.",
    "The traffic moves 10 % → 50 % → 100 % over three days.",
    "Memory went 40 % → 85 % during the load test.",
    "3 of 12 nodes were down when the alert fired.",
    "14 of 20 users were logged in when the server crashed.",
    "There were 2 failures out of 58 requests.",
    "The deploy failed 3 out of 5 times.",
    "I looked at the flamegraph: 3 of the 10 hottest functions are in the JSON decoder.",
    "Only 2 of the 14 environment variables are actually read anywhere.",
    "About 60 % of the bundle is moment.js and its locales.",
    "The config has 4 of 6 fields set; the other two fall back to defaults.",
    "7 of the 9 dependencies haven't been released in two years.",
    "Your teammate already merged 3 of the 5 PRs in that stack.",
    "In the last session we had finished 6 of 10 tasks.",
    "The README says the migration has 5 steps; step 3 of 5 is marked as manual.",
    "Per the changelog, 12 of the 15 APIs were removed in v3.",
    "CI shows 2 of 8 jobs failing on main, unrelated to this branch.",
    "According to the log, the worker stopped at record 4,001 of 9,000 last night.",
    "I'd split this into 3 phases: schema first, then the writers, then the readers.",
    "If you agree I'll start with step 1 of 4 tomorrow.",
    "The retry logic gives up after 3 of 5 attempts.",
    "Two of the three approaches need a schema change.",
    "Each of the 4 workers handles 25 % of the queue.",
    "The new index makes the query 70 % faster.",
    "The test covers 8 of the 11 branches.",
    "The loop stops at 10 of 12 because of an off-by-one error.",
    "We're at 92 % of the API quota for today.",
    "9 of the 12 warnings come from the same header.",
    "4 of the 5 failing builds share the same base image.",
    "I counted 18 of 40 components that still import lodash.",
    "Would you like me to continue with the remaining 3 of 8 files?",
    "The function returns early for 2 of the 3 cases.",
    "Half of the 20 endpoints are undocumented.",
    "I found that 5 of the 7 flaky tests depend on the clock.",
    "The agents in `.claude/agents` are three: planner, coder and tester.",
    "You could run two agents in parallel for that.",
    "The old script processed 80 % of the rows and silently dropped the others.",
    "The bot has answered 45 of 60 issues since January.",
    "Rows 3 of 12 and 7 of 12 look odd to me.",
    "Alice finished 4 of her 6 tickets.",
    "The tests take 4 of the 6 minutes of the pipeline.",
    "All 12 checks in that file are disabled.",
    "All 5 reviewers have approved the pull request.",
    "Both functions are exported from the same module.",
    "All 30 rows were created by the seed script in 2021.",
    "Only 1 in 4 requests is cached.",
    "This is the 3rd of 4 releases planned for this quarter.",
    "3 of 10 customers asked for this last quarter.",
    "The script handles 5 of the 7 date formats.",
    "Our plan covers 4 of 6 regions this year.",
    "It's a 5-step process: step 2 of 5 asks for your API key.",
    "The battery was at 40 % when the update began.",
    "The deck is 12 of 30 slides about pricing.",
    "Coverage is up from 71 % to 83 % with the new tests.",
    "In the fixture, `progress` is 3/5 and `state` is running.",
    "I'd say we're 80 % likely to hit this again.",
    "Two of the four tests in that file are skipped on Windows.",
    "The upload endpoint accepts 3 of the 5 formats you listed.",
    "6 of the 8 functions I looked at lack docstrings.",
    "Three of the nine PRs you asked about are already merged.",
    "As of this morning, Ben had reviewed 4 of 7 files.",
    "The agent framework we use supports three agents at once.",
    "The nightly job failed on 2 of 7 days.",
    "Next I would convert the remaining 4 of 9 files, but that needs your OK.",
    "The table has 12 columns, 5 of which are nullable.",
    "5 of 6 replicas are healthy.",
    "I chose 3 of the 8 suggestions because the others conflict.",
    "The error appears in 4 of the 6 browsers.",
    "The disk is 85 % full, so I cleaned the cache first.",
    "With the patch, 9 of 10 requests finish under 50 ms.",
    "The course has 12 modules, and module 3 of 12 explains borrowing.",
    "Our SLO is 99.9 %, we're at 99.5 %.",
    "If tests 1 of 4 fails, the others are skipped.",
    "The function is called by 3 of the 5 agents defined in the YAML file.",
    "I'm one of 5 people in the on-call rotation.",
    "All 3 servers are off the load balancer since yesterday.",
    "The account was blocked after 3 of 5 login attempts.",
    "4 of 9 lamps are off the grid.",
];
