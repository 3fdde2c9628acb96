//! The mistakes that were found in other gateways, with the tests that fail on them.

use anyhow::{Context, Result};

use super::figure::Figure;
use crate::cli_package::workspace_root;

/// A mistake.
struct Trap {
    name: &'static str,
    /// Files below `crates/`, and a test in each.
    tests: &'static [(&'static str, &'static str)],
}

/// The mistakes that an API can have.
#[rustfmt::skip] // A table.
const TRAPS: &[Trap] = &[
    Trap { name: "snapshot before subscribe", tests: &[
        ("claw-gateway/tests/it/traps.rs", "clients_that_attach_while_a_session_is_written_miss_no_event"),
        ("claw-gateway/tests/it/following.rs", "clients_of_stores_resume_anywhere"),
    ] },
    Trap { name: "RAM-only rings presented as resume", tests: &[
        ("claw-gateway/tests/it/gateway.rs", "a_session_goes_on_after_a_restart_of_the_gateway"),
        ("claw-gateway/tests/it/streams/slow.rs", "a_client_that_does_not_read_is_told_to_resync_and_misses_nothing"),
        ("claw-gateway/tests/real_cli/main.rs", "gateway_killed"),
    ] },
    Trap { name: "sequence without epoch", tests: &[
        ("claw-gateway/tests/it/http.rs", "refused_requests_get_a_problem"),
        ("claw-gateway/tests/it/owning.rs", "a_session_that_is_deleted_or_claimed_elsewhere_stops_its_cli"),
    ] },
    Trap { name: "answering an unknown prompt with success", tests: &[
        ("claw-gateway/tests/it/traps.rs", "an_answer_without_its_decision_is_refused_and_the_agent_waits_on"),
        ("claw-gateway/tests/it/routes.rs", "several_answers_have_a_result_each"),
    ] },
    Trap { name: "deny by timeout in under a minute", tests: &[
        ("claw-gateway/tests/it/traps.rs", "interactions_wait_for_people_who_are_away"),
    ] },
    Trap { name: "prefix matching of shell commands", tests: &[
        ("claw-server/tests/it/rules.rs", "hostile_commands_and_paths_are_asked_and_benign_ones_allowed"),
    ] },
    Trap { name: "failing open when a field is missing", tests: &[
        ("claw-gateway/tests/it/traps.rs", "an_answer_without_its_decision_is_refused_and_the_agent_waits_on"),
    ] },
    Trap { name: "plan approval escalating to bypass", tests: &[
        ("claw-gateway/src/answer.rs", "answers_that_do_more_than_decide_one_call_need_more"),
        ("claw-gateway/src/spec.rs", "modes_that_stop_asking_need_admin"),
    ] },
    Trap { name: "one socket per run", tests: &[
        ("claw-gateway/tests/it/streams.rs", "several_sessions_share_a_stream_each_with_its_cursor"),
    ] },
    Trap { name: "new session id on resume", tests: &[
        ("claw-gateway/tests/it/gateway.rs", "a_session_goes_on_after_a_restart_of_the_gateway"),
        ("claw-server/tests/it/controller/reopening.rs", "grants_keys_and_the_conversation_survive_their_owner"),
    ] },
    Trap { name: "closing stdin after a result", tests: &[
        ("claw-gateway/tests/it/traps.rs", "one_cli_serves_the_turns_of_a_session"),
    ] },
    Trap { name: "logs without fsync called durable", tests: &[
        ("claw-store/tests/it/sqlite/crashes.rs", "files_without_unsynced_writes_open_and_have_every_acknowledged_event"),
    ] },
    Trap { name: "authentication off by default", tests: &[
        ("claw/tests/it/serve.rs", "requests_for_other_hosts_and_of_other_pages_are_refused"),
        ("claw-gateway/tests/it/authorisation.rs", "every_route_serves_its_scope_and_its_tenant_only"),
    ] },
];

/// The others.
const NOT_OF_AN_API: &str = "Not of an API: presence-based push suppression (there is no push), text \
    scraping as the primary signal (see the page of the server crate), hard dependency on a vendor \
    cloud (all tests run on one machine).";

/// Counts the mistakes whose tests all exist.
pub(super) fn figures(_: &()) -> Result<Vec<Figure>> {
    let mut missing = Vec::new();
    for trap in TRAPS {
        for (file, test) in trap.tests {
            let path = workspace_root().join("crates").join(file);
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            if !has_test(&text, test) {
                missing.push(format!("{}: there is no test {test} in {file}", trap.name));
            }
        }
    }
    let rows = TRAPS.iter().map(|trap| {
        let names: Vec<&str> = trap.tests.iter().map(|(_, test)| *test).collect();
        format!("{}: {}", trap.name, names.join(", "))
    });
    let name = "mistakes of other gateways that concern an API, each with a test that fails on it";
    let (all, named) = (
        TRAPS.len(),
        TRAPS.iter().filter(|trap| !trap.tests.is_empty()),
    );
    let figure = Figure::new(name, "all")
        .measured(
            format!("{all} traps, {} with a test", named.count()),
            missing.is_empty(),
        )
        .list("Missing", missing)
        .list("Tests", rows)
        .note(NOT_OF_AN_API);
    Ok(vec![figure])
}

/// Whether a file has a test with this name.
fn has_test(text: &str, name: &str) -> bool {
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some((_, rest)) = line.split_once("fn ") {
            if is_test
                && rest
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with('('))
            {
                return true;
            }
            is_test = false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trap_has_tests_that_exist() {
        let figure = &figures(&()).unwrap()[0];
        assert!(figure.passed, "{figure:?}");
    }

    #[test]
    fn only_functions_that_are_run_are_tests() {
        let text = "#[test]\nfn first() {}\nfn second() {}\n#[tokio::test]\nasync fn third() {}";
        let found = ["first", "second", "third", "fir"].map(|name| has_test(text, name));
        assert_eq!(found, [true, false, true, false]);
    }
}
