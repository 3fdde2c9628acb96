//! Hooks: which events reach a callback, and whether what the callback says is done.

mod obeyed;
mod provoked;
mod witness;

use std::collections::BTreeSet;

use anyhow::Result;
use rusty_claw_protocol::hook::HookInput;
use rusty_claw_protocol::wire::read_all;

use self::witness::Witness;
use super::Inputs;
use super::check::Checks;
use crate::cli_package::workspace_root;
use crate::prove::figure::Figure;
use crate::type_file::{self, samples};

/// How many events must at least be fired by the real CLI.
const FIRED: usize = 17;

/// Which events reach a typed callback.
pub(crate) async fn events(inputs: &Inputs) -> Result<Figure> {
    let model = type_file::pinned(&workspace_root())?;
    let declared: BTreeSet<String> = model
        .hooks
        .inputs
        .iter()
        .map(|input| input.event.clone())
        .collect();
    let decoded = decoded(&samples::generate(&model)?)?;
    let witness = Witness::default();
    let broken = provoked::run(&inputs.cli, &witness).await;

    let registered: BTreeSet<String> = witness::registered().into_iter().collect();
    let counts = witness.counts();
    let fired: BTreeSet<&String> = counts
        .keys()
        .filter(|event| declared.contains(*event))
        .collect();
    let sampled: Vec<&String> = declared
        .iter()
        .filter(|event| !fired.contains(event) && decoded.contains(*event))
        .collect();
    let all = fired.len() + sampled.len();
    let passed = declared.len() == 33
        && registered == declared
        && fired.len() >= FIRED
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
        format!("{} of {} / {all} of {}", fired.len(), declared.len(), declared.len()),
        passed,
    )
    .list("delivered to the callback for that event's own type, so often", lines)
    .list("proven by samples of the type file only", sampled)
    .list("declared without a callback", declared.difference(&registered))
    .list("situations that broke", broken))
}

/// The events of which every sample decodes to the event's own type.
fn decoded(files: &[samples::SampleFile]) -> Result<BTreeSet<String>> {
    let (mut good, mut bad) = (BTreeSet::new(), BTreeSet::new());
    for sample in files
        .iter()
        .filter(|file| file.stem == "hooks")
        .flat_map(|file| &file.samples)
    {
        let text = serde_json::to_string(&sample.value)?;
        let typed = read_all::<HookInput>(&text).is_ok_and(|input| {
            input.event().as_str() == sample.name && !matches!(input, HookInput::Unknown(_))
        });
        let side = if typed { &mut good } else { &mut bad };
        side.insert(sample.name.clone());
    }
    Ok(good.difference(&bad).cloned().collect())
}

/// Whether what a callback says is done.
pub(crate) async fn obeyed(inputs: &Inputs) -> Result<Figure> {
    let mut checks = Checks::default();
    obeyed::run(&inputs.cli, &mut checks).await;
    Ok(checks.figure(
        "hooks: what the callback says is done by the real CLI (tool ran or did not, text reached the model)",
        "all",
        obeyed::COUNT,
    ))
}
