//! Hooks: which events reach a callback, and whether its output is obeyed.

mod obeyed;
mod provoked;
mod witness;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use claw_testkit::figure::Figure;
use rusty_claw::hook::HookInput;
use rusty_claw_protocol::wire::read_all;
use serde_json::Value;

use self::witness::Witness;
use crate::checks::Checks;
use crate::{testdata, type_model};

/// How many events the real CLI must fire at least.
const FIRED: usize = 17;

/// Which events reach a typed callback.
pub(crate) async fn events() -> Result<Figure> {
    let samples = samples()?;
    let declared: BTreeSet<&str> = samples.keys().map(String::as_str).collect();
    let witness = Witness::default();
    let broken = provoked::run(&witness).await;

    let registered = witness::registered();
    let registered: BTreeSet<&str> = registered.iter().map(String::as_str).collect();
    let counts = witness.counts();
    let is_fired = |event: &&&str| counts.contains_key(**event);
    let fired = declared.iter().filter(is_fired).count();
    let sampled = declared
        .iter()
        .filter(|event| !is_fired(event) && samples[**event]);
    let sampled: Vec<&&str> = sampled.collect();
    let all = fired + sampled.len();
    let passed = declared.len() == 33
        && registered == declared
        && fired >= FIRED
        && all == declared.len()
        && broken.is_empty();
    let lines = counts
        .iter()
        .map(|(event, times)| format!("{event}: {times}"));
    Ok(Figure::new(
        "hook events: fired by the real CLI and delivered typed / all, with those that only samples prove",
        "≥ 17 of 33 / 33 of 33",
    )
    .measured(
        format!("{fired} of {} / {all} of {}", declared.len(), declared.len()),
        passed,
    )
    .list("delivered to the callback for that event's own type, so often", lines)
    .list("proven by samples of the type file only", sampled)
    .list("declared without a callback", declared.difference(&registered))
    .list("situations that broke", broken))
}

/// The events of the type file. True if an event has samples and all decode to its own type.
fn samples() -> Result<BTreeMap<String, bool>> {
    let model = type_model()?;
    let inputs = model["hooks"]["inputs"].as_array().context("no hooks")?;
    let names = inputs.iter().filter_map(|input| input["event"].as_str());
    let mut events: BTreeMap<String, bool> = names.map(|name| (name.to_owned(), false)).collect();
    let mut seen = BTreeSet::new();
    for line in std::fs::read_to_string(testdata("types/samples/hooks.ndjson"))?.lines() {
        let sample: Value = serde_json::from_str(line)?;
        let name = sample["name"].as_str().unwrap_or_default();
        let input = read_all::<HookInput>(&sample["value"].to_string());
        let is_typed = input.is_ok_and(|input| {
            input.event().as_str() == name && !matches!(input, HookInput::Unknown(_))
        });
        // Samples of outputs have no event.
        if let Some(all_typed) = events.get_mut(name) {
            let is_first = seen.insert(name.to_owned());
            *all_typed = is_typed && (is_first || *all_typed);
        }
    }
    Ok(events)
}

/// Whether the output of a callback is obeyed.
pub(crate) async fn obeyed() -> Figure {
    let mut checks = Checks::default();
    checks.part("PreToolUse", obeyed::before).await;
    checks.part("PostToolUse", obeyed::after).await;
    checks
        .part("UserPromptSubmit and Stop", obeyed::around)
        .await;
    checks.part("failing hooks", obeyed::failing).await;
    checks.figure(
        "hooks: what the callback says is done by the real CLI (tool ran or did not, text reached the model)",
        22,
    )
}
