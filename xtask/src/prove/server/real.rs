//! The controller on the real CLI: what front ends saw, what the tools did, what the model was
//! told, and what is in the log.

mod forms;
mod front_end;
mod inputs;
mod lives;
mod permissions;
mod prompts;
mod returns;
mod several;
mod stage;
mod stops;
mod story;
mod subagents;

use anyhow::Result;

use super::Inputs;
use crate::cli_package;
use crate::prove::figure::Figure;
use crate::prove::sdk::Variants;

/// Runs every scenario, each in a world of its own.
#[tokio::main(worker_threads = 2)]
pub(super) async fn measure(_: &Inputs) -> Result<Vec<Figure>> {
    let cli = cli_package::ensure()?;
    let figure = Variants::on(cli)
        .add("permission allowed", permissions::allowed)
        .add("batch of three, mixed answers", permissions::batch)
        .add("edited input", permissions::edited)
        .add("denied with a reason", permissions::denied)
        .add("denied, and the turn stopped", permissions::denied_and_stopped)
        .add("nobody answers in time", permissions::timed_out)
        .add("questions, by choices and own words", prompts::questions_answered)
        .add("questions, answered in part", prompts::questions_answered_in_part)
        .add("questions declined", prompts::question_declined)
        .add("plan approved, with a mode", prompts::plan_approved)
        .add("plan rejected, with feedback", prompts::plan_rejected)
        .add("a tool server asks", forms::filled_in)
        .add("a tool server asks in vain", forms::left_empty)
        .add("a dialog, with a choice", forms::dialog_chosen)
        .add("a dialog, declined", forms::dialog_declined)
        .add("interrupted in a tool", stops::in_a_tool)
        .add("interrupted in a text", stops::in_a_text)
        .add("interrupted in a permission", stops::in_a_permission)
        .add("two front ends answer at once", several::at_once)
        .add("a yes that is remembered", several::remembered)
        .add("a front end that comes late", several::joined_late)
        .add("a front end that is cut off and comes again", returns::in_a_text_and_in_a_tool)
        .add("a front end that reads nothing", several::slow_reader)
        .add("a subagent asks", subagents::in_the_turn)
        .add("a subagent asks behind the conversation", subagents::behind_it)
        .add("one call asked twice", several::same_call_again)
        .add("inputs wait for their turn", inputs::queued)
        .add("an input into the running turn", inputs::steered)
        .add("inputs that the CLI merges", inputs::merged)
        .add("an input that makes way", inputs::made_way)
        .add("an input sent again", inputs::once)
        .add("the CLI is killed in a permission", lives::killed)
        .add("shut down, with time for the turn", lives::graceful)
        .add("shut down, without", lives::cut_off)
        .add("closed, and resumed by another controller", lives::resumed)
        .add("lost, and taken over by another controller", lives::taken_over)
        .figure(
            "real CLI: permissions, batches, questions, plans, interrupts, inputs and ends, seen by two front ends",
            "each observed end to end in the conversation",
        )
        .await;
    Ok(vec![figure])
}
