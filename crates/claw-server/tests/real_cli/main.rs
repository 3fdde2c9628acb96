//! The controller on the real CLI: what front ends received, what the tools did, what the model
//! received, and what the log contains. `cargo xtask prove server --only real` runs it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

#[macro_use]
#[path = "../common/assertions.rs"]
mod assertions;
mod forms;
#[path = "../common/front_end.rs"]
mod front_end;
mod inputs;
mod interactions;
mod lives;
mod permissions;
#[path = "../common/phone.rs"]
mod phone;
mod seen;
mod several;
mod stage;
mod stops;
mod story;
mod subagents;

use std::convert::Infallible;

use claw_testkit::figure::record;
use claw_testkit::real_cli::Variants;

/// Runs every scenario in its own world.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn real() {
    let figure = Variants::new()
        .add("permission allowed", run(permissions::allowed()))
        .add("batch of three, mixed answers", run(permissions::batch()))
        .add("edited input", run(permissions::edited()))
        .add("denied with a reason", run(permissions::denied()))
        .add("denied, and the turn stopped", run(permissions::denied_and_stopped()))
        .add("nobody answers in time", run(permissions::timed_out()))
        .add("questions, by choices and own words", run(interactions::questions_answered()))
        .add("questions, answered in part", run(interactions::questions_answered_in_part()))
        .add("questions declined", run(interactions::question_declined()))
        .add("plan approved, with a mode", run(interactions::plan_approved()))
        .add("plan rejected, with feedback", run(interactions::plan_rejected()))
        .add("a tool server asks", run(forms::filled_in()))
        .add("a tool server asks in vain", run(forms::left_empty()))
        .add("a dialog, with a choice", run(forms::dialog_chosen()))
        .add("a dialog, declined", run(forms::dialog_declined()))
        .add("interrupted in a tool", run(stops::in_a_tool()))
        .add("interrupted in a text", run(stops::in_a_text()))
        .add("interrupted in a permission", run(stops::in_a_permission()))
        .add("two front ends answer at once", run(several::at_once()))
        .add("a yes that is remembered", run(several::remembered()))
        .add("a front end that comes late", run(several::joined_late()))
        .add("a front end that is cut off and comes again", run(several::cut_off()))
        .add("a front end that reads nothing", run(several::slow_reader()))
        .add("a subagent asks", run(subagents::in_the_turn()))
        .add("a subagent asks behind the conversation", run(subagents::in_background()))
        .add("one call asked twice", run(several::same_call_again()))
        .add("inputs wait for their turn", run(inputs::queued()))
        .add("an input into the running turn", run(inputs::steered()))
        .add("inputs that the CLI merges", run(inputs::merged()))
        .add("an input that makes way", run(inputs::made_way()))
        .add("an input sent again", run(inputs::once()))
        .add("the CLI is killed in a permission", run(lives::killed()))
        .add("shut down, with time for the turn", run(lives::graceful()))
        .add("shut down, without", run(lives::cut_off()))
        .add("closed, and resumed by another controller", run(lives::resumed()))
        .add("lost, and taken over by another controller", run(lives::taken_over()))
        .figure(
            "real CLI: permissions, batches, questions, plans, interrupts, inputs and ends, seen by two front ends",
            "each observed end to end in the conversation",
        );
    record("real", vec![figure.await]);
}

/// A scenario fails by panicking.
async fn run(scenario: impl Future<Output = String>) -> Result<String, Infallible> {
    Ok(scenario.await)
}
