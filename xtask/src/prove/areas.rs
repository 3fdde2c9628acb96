//! The areas and their groups of figures.

use super::area::Group::{self, Bench, Here, Peers, Simulation};
use super::area::{Area, Suite};
use super::ci;
use crate::{fuzz, mutants, size};

const CLAW: &str = "claw";
const GATEWAY: &str = "claw-gateway";
const PROTOCOL: &str = "rusty_claw_protocol";
const SDK: &str = "rusty_claw";
const SERVER: &str = "claw-server";
const STORE: &str = "claw-store";
const TRANSCRIPT: &str = "claw-transcript";

const fn it(package: &'static str, test: &'static str) -> Group {
    Group::Test(package, "it", test)
}

const fn real(package: &'static str, test: &'static str) -> Group {
    Group::Test(package, "real_cli", test)
}

const fn checker(test: &'static str) -> Group {
    Group::Test(STORE, "checker", test)
}

/// The tests of the contract of a store.
const CONTRACT: usize = 43;
const FIXED: &str =
    "Random choices use fixed seeds, except for the points at which processes are killed.";

#[rustfmt::skip] // Tables.
const AREAS: &[Area] = &[
    Area { name: "protocol", title: "The protocol crate, measured", stamp: FIXED, groups: &[
        ("types", it(PROTOCOL, "types::everything_declared_has_its_own_type")),
        ("recordings", it(PROTOCOL, "recordings::nothing_recorded_is_lost_or_unread")),
        ("samples", it(PROTOCOL, "samples::every_sample_is_read_by_its_type_and_written_back")),
        ("documents", it(PROTOCOL, "documents::every_example_is_read_with_every_member")),
        ("hostile", it(PROTOCOL, "hostile::no_hostile_line_is_misread")),
        ("decode-speed", Bench),
        ("decode-peers", Peers),
        ("decode-memory", Bench),
    ] },
    Area { name: "sdk", title: "The SDK, measured", stamp: "The CLI and the npm package are pinned in `testdata/cli`.", groups: &[
        ("smoke", real(SDK, "smoke")),
        ("permissions", real(SDK, "permissions")),
        ("tools", real(SDK, "tools")),
        ("elicitations", real(SDK, "elicitations")),
        ("verbs", real(SDK, "verbs")),
        ("hooks", real(SDK, "hooks")),
        ("options", real(SDK, "options")),
        ("typescript", real(SDK, "typescript")),
        ("settings", real(SDK, "settings")),
        ("moved", real(SDK, "moved")),
        ("attach", real(SDK, "attach")),
        ("parked-calls", real(SDK, "parked_calls")),
        ("faults", it("claw-bench", "faults::nothing_hangs_is_lost_or_left")),
        ("faults-real", real(SDK, "faults_real")),
        ("interrupt", Bench),
        ("turns", real(SDK, "turns")),
        ("starts", real(SDK, "starts")),
        ("fault-peers", Peers),
        ("cost-start", Bench),
        ("cost-turn", Bench),
        ("cost-messages", Peers),
        ("cost-idle", Bench),
        ("sessions", real(SDK, "sessions")),
        ("examples", real(SDK, "examples")),
        ("messages", real(SDK, "messages")),
    ] },
    Area { name: "transcript", title: "Session files, measured",
        stamp: "Times are medians of rounds in which all contenders take turns, warm pages, two \
                processors; beside them the smallest and the largest.", groups: &[
        ("bytes", it(TRANSCRIPT, "bytes::every_file_is_written_back_as_it_was")),
        ("traps", it(TRANSCRIPT, "usage::trapped::all_thirty_traps_are_counted_right")),
        ("usage-truth", it(TRANSCRIPT, "usage::generated::a_corpus_is_counted_exactly")),
        ("mutations", it(TRANSCRIPT, "mutations::planted_violations_are_found_and_clean_sessions_raise_no_alarm")),
        ("repair", real(TRANSCRIPT, "repair")),
        ("review", real(TRANSCRIPT, "review")),
        ("redact", real(TRANSCRIPT, "redact")),
        ("kinds", it(TRANSCRIPT, "kinds::recorded_lines_names_and_examples_are_known")),
        ("usage-speed", Bench),
        ("check-speed", Bench),
        ("html-speed", Bench),
        ("list", Bench),
        ("memory", Bench),
        ("search", Bench),
        ("follow", it(TRANSCRIPT, "following::no_line_is_lost_or_doubled_by_rotation_cuts_and_replacements")),
        ("traps-peers", Peers),
        ("truth-peers", Peers),
        ("usage-peers", Peers),
        ("html-peers", Peers),
    ] },
    Area { name: "server", title: "The server crate, measured", stamp: FIXED, groups: &[
        ("server-documents", it(SERVER, "documents::examples_are_reproduced_as_printed")),
        ("server-recordings", it(SERVER, "resumability::every_recorded_turn_and_tool_ends_once")),
        ("resumability", it(SERVER, "resumability::clients_resume_anywhere_and_show_what_is_stored")),
        ("real", real(SERVER, "real")),
        ("rules", it(SERVER, "rules::hostile_commands_and_paths_are_asked_and_benign_ones_allowed")),
        ("decisions", Bench),
        ("progress", it(SERVER, "progress_texts::parser_is_precise_and_small")),
        ("streams", it(SERVER, "progress_streams::progress_is_that_of_the_labels_and_goes_back_for_a_reason_only")),
        ("slow-sink", Bench),
        ("many-sessions", Bench),
        ("project-speed", Bench),
    ] },
    Area { name: "store", title: "The log, measured", stamp: "Events have 1 KB on average. Random choices use fixed seeds, except for the points at which processes are killed.", groups: &[
        ("contract-memory", Group::Suite(&Suite { name: "contract suite in memory; 36, 37, 40 and 41 need a disk and are excused", filter: "package(claw-store) & binary(it) & test(/^memory::/)", least: CONTRACT, variables: &[], other_servers: false })),
        ("contract-sqlite", Group::Suite(&Suite { name: "contract suite on SQLite", filter: "package(claw-store) & binary(it) & test(/^sqlite::/)", least: CONTRACT, variables: &[], other_servers: false })),
        ("contract-one", Group::Suite(&Suite { name: "contract suite on JetStream 2.15.1, one server; lost acknowledgements, outages, a server that lags, new partitions", filter: "package(claw-store) & binary(jetstream) & not test(/^(three|servers)::/)", least: CONTRACT + 6, variables: &[], other_servers: false })),
        ("contract-three", Group::Suite(&Suite { name: "contract suite on JetStream 2.15.1, three servers", filter: "package(claw-store) & binary(jetstream) & test(/^three::/)", least: CONTRACT, variables: &[], other_servers: false })),
        ("versions", Group::Suite(&Suite { name: "on JetStream: 2.9.10 is refused, 2.12.8 works, durability is what servers report", filter: "package(claw-store) & binary(jetstream) & test(/^servers::/)", least: 5, variables: &[], other_servers: true })),
        ("laws", it(GATEWAY, "following::clients_of_stores_resume_anywhere")),
        ("answers", it(GATEWAY, "answering::answers_on_stores_count_once")),
        ("killed", it(GATEWAY, "killed::nothing_acknowledged_is_lost_when_the_owner_is_killed")),
        ("killed-real", real(GATEWAY, "killed_real")),
        ("open", Bench),
        ("append-sqlite", Bench),
        ("visible-sqlite", Bench),
        ("replay-sqlite", Bench),
        ("scale-sqlite", Bench),
        ("followers", Bench),
        ("erased", checker("erased::nothing_is_left_of_an_erased_session")),
        ("append-jetstream", Bench),
        ("visible-jetstream", Bench),
        ("scale-jetstream", Bench),
        ("planted", Here(|args| mutants::measure(&args.bugs, Some("checker")))),
        ("sqlite-kills", checker("sqlite::kills_during_load_lose_and_double_nothing")),
        ("sqlite-power", it(STORE, "sqlite::crashes::files_without_unsynced_writes_open_and_have_every_acknowledged_event")),
        ("faults-kills", checker("nemesis::killed_servers_lose_and_double_nothing")),
        ("faults-pauses", checker("nemesis::paused_leaders_lose_and_double_nothing")),
        ("faults-networks", checker("nemesis::cut_networks_lose_and_double_nothing")),
        ("faults-processes", checker("nemesis::processes_that_are_cut_off_or_paused_lose_their_sessions_only")),
        ("faults-power", checker("nemesis::power_cuts_lose_and_double_nothing")),
        ("faults-slow", checker("nemesis::slow_networks_lose_and_double_nothing")),
        ("takeover-sqlite", checker("takeover::sqlite_sessions_get_a_new_owner_in_time")),
        ("takeover-jetstream", checker("takeover::jetstream_sessions_get_a_new_owner_in_time_and_none_is_stolen")),
        ("size", Here(|_| size::code_lines_of(&[STORE, SERVER]))),
    ] },
    Area { name: "gateway", title: "The gateway, measured", stamp: FIXED, groups: &[
        ("gateway-killed", real(GATEWAY, "gateway_killed")),
        ("disconnects", it(GATEWAY, "client::resuming::a_client_that_is_cut_off_has_the_state_of_one_that_stayed")),
        ("disconnects-typescript", it(GATEWAY, "typescript::programs_of_the_typescript_client_run")),
        ("authorisation", it(GATEWAY, "authorisation::every_route_serves_its_scope_and_its_tenant_only")),
        ("revoked", it(GATEWAY, "hostile::a_revoked_device_is_disconnected_while_it_does_not_read")),
        ("damaged", it(GATEWAY, "hostile::damaged_requests_are_refused_without_server_errors")),
        ("browser", Group::Test(CLAW, "outside", "browser")),
        ("schemathesis", Group::Test(CLAW, "outside", "schemathesis")),
        // The recorded frames have the session numbers of a store in memory.
        ("jetstream", Group::Suite(&Suite { name: "test suite of the gateway on one JetStream server, and `claw serve` on it", filter: "package(claw-gateway) & binary(it) & not test(/fixtures::/) | package(claw) & binary(outside) & test(/^jetstream::/)", least: 100, variables: &[("CLAW_ON_JETSTREAM", "1")], other_servers: false })),
        ("isolation", real(GATEWAY, "isolation")),
        ("latency", Bench),
        ("load", Bench),
        ("clients", Bench),
        ("readme", real(CLAW, "readme")),
        ("gateway-peers", Peers),
        ("size", Here(|_| size::code_lines_of(&[GATEWAY, CLAW]))),
    ] },
    Area { name: "survive", title: "Sessions that survive, measured", stamp: FIXED, groups: &[
        ("killed-anywhere", real(CLAW, "killed_anywhere")),
        ("upgraded", real(CLAW, "upgraded")),
        ("awake-limit", real(CLAW, "awake_limit")),
        ("parked", real(CLAW, "parked")),
        ("unknown", real(CLAW, "unknown")),
        ("siblings", real(CLAW, "siblings")),
        ("week", real(CLAW, "week")),
        ("sleep-wake", real(CLAW, "sleep_wake")),
        ("restored", real(GATEWAY, "restored")),
        ("asleep", it(GATEWAY, "asleep::a_wake_takes_as_long_among_many_sleeping_sessions")),
        ("simulation", Simulation),
        ("planted", Here(|args| mutants::measure(&args.bugs, Some("simulation")))),
        ("size", Here(|_| size::code_lines_of(&[GATEWAY]))),
    ] },
    Area { name: "fuzz", title: "Fuzzing", stamp: "Ten minutes for each target.", groups: &[
        ("fuzz", Here(|args| fuzz::figures(if args.quick { 10 } else { 600 }))),
    ] },
    Area { name: "mutants", title: "Planted bugs", stamp: "The bugs are in [testdata/mutants](../../testdata/mutants/README.md).", groups: &[
        ("tests", Here(|args| mutants::measure(&args.bugs, Some("tests")))),
        ("contract", Here(|args| mutants::measure(&args.bugs, Some("contract")))),
        ("checker", Here(|args| mutants::measure(&args.bugs, Some("checker")))),
        ("simulation", Here(|args| mutants::measure(&args.bugs, Some("simulation")))),
    ] },
    Area { name: "ci", title: "CI and its tools, measured", stamp: "Two cores; each run in a fresh clone with an empty target folder.", groups: ci::GROUPS },
];

/// The names of all areas.
pub(super) fn names() -> Vec<&'static str> {
    AREAS.iter().map(|area| area.name).collect()
}

pub(super) fn named(name: &str) -> Option<&'static Area> {
    AREAS.iter().find(|area| area.name == name)
}

/// The groups of `claw-bench`.
pub(crate) fn bench_groups() -> impl Iterator<Item = &'static str> {
    let groups = AREAS.iter().flat_map(|area| area.groups);
    groups
        .filter(|(_, group)| matches!(group, Bench))
        .map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ci::named_tests::{exists, sources};

    #[test]
    fn every_group_names_one_test_or_bench_and_has_its_own_record() {
        let sources = sources().unwrap();
        let contains = |folder: &str, text: &str| {
            let mut files = sources.iter().filter(|(name, _)| name.starts_with(folder));
            files.any(|(_, source)| source.contains(text))
        };
        let mut names = Vec::new();
        for (name, group) in AREAS.iter().flat_map(|area| area.groups) {
            let is_there = match group {
                Group::Test("claw-bench", _, test) => exists("bench", test, &sources),
                // Tests of the SDK on the real CLI are rows of a macro.
                Group::Test(SDK, "real_cli", test) => contains(
                    "crates/rusty_claw/tests/real_cli/",
                    &format!("\n    {test}: "),
                ),
                Group::Test(package, _, test) => exists(package, test, &sources),
                Bench => contains("bench/src/", &format!("(\"{name}\", ")),
                Peers => contains("peers/src/", &format!("(\"{name}\", ")),
                Simulation | Group::Suite(_) | Here(_) => continue,
            };
            assert!(is_there, "{name}");
            assert!(!names.contains(name), "two groups have the name {name}");
            names.push(*name);
        }
    }
}
