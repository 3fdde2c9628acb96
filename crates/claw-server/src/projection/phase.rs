//! The session lifecycle, for display.

use crate::event::{Gap, Lifecycle, LifecycleState};
use crate::ui_message::SessionPhase;

pub(super) fn phase_of(lifecycle: &Lifecycle) -> (SessionPhase, Option<String>) {
    let phase = match &lifecycle.state {
        LifecycleState::Starting => SessionPhase::Starting,
        LifecycleState::Ready => SessionPhase::Ready,
        LifecycleState::Asleep => SessionPhase::Asleep,
        LifecycleState::Parking | LifecycleState::Parked => SessionPhase::Parked,
        LifecycleState::Lost => SessionPhase::Lost,
        LifecycleState::Closed => SessionPhase::Closed,
        LifecycleState::Unknown(other) => SessionPhase::Unknown(other.clone()),
    };
    let code = lifecycle.exit_code;
    let code = code.map(|code| format!("the process ended with exit code {code}"));
    let lost = lifecycle.lost.join(", ");
    let lost = Some(lost).filter(|lost| !lost.is_empty());
    let lost = lost.map(|lost| format!("lost: {lost}"));
    let unknown = lifecycle.unknown_calls.join(", ");
    let unknown = Some(unknown).filter(|unknown| !unknown.is_empty());
    let unknown = unknown.map(|unknown| format!("may have run, without a result: {unknown}"));
    let words: Vec<String> = [lifecycle.reason.clone(), code, lost, unknown]
        .into_iter()
        .flatten()
        .collect();
    (
        phase,
        Some(words.join("; ")).filter(|words| !words.is_empty()),
    )
}

/// Describes lost output of the CLI.
pub(super) fn lost_output(gap: &Gap) -> String {
    format!(
        "output of the agent was lost; {} messages were read from its session file",
        gap.recovered
    )
}
