//! Estimates how much memory an event takes.

use rusty_claw_protocol::Json;

use crate::event::{
    AcceptedInput, EndedTurn, Fact, InputFailure, Interaction, InteractionAnswer, Lane, Lifecycle,
    Opened, ProgressUpdate, SessionEvent,
};
use crate::ui_message::TodoItem;

/// The fixed cost of an event: the struct, its reference counts, and its slot in a collection.
const ENVELOPE: usize = size_of::<SessionEvent>() + 3 * size_of::<usize>();

/// The fixed cost of an entry in a map or a list.
const ENTRY: usize = 48;

/// Estimates how many bytes of memory an event takes, well enough to bound it.
///
/// Everything of variable length counts. Structs are destructured by field, so that a new field
/// does not compile until it is counted.
pub(crate) fn weight(event: &SessionEvent) -> usize {
    let input = event.input.as_ref().map_or(0, |id| id.as_str().len());
    let extra = event.extra.iter();
    let extra = extra.map(|(name, value)| ENTRY + name.len() + json(value));
    ENVELOPE + input + extra.sum::<usize>() + fact(&event.fact)
}

fn fact(fact: &Fact) -> usize {
    match fact {
        Fact::Message(raw) => raw.as_bytes().len(),
        Fact::InputAccepted(input) => accepted(input),
        Fact::InputDelivered(id) | Fact::InputProcessed(id) => id.as_str().len(),
        Fact::InputFailed(InputFailure {
            id,
            indeterminate: _,
            reason,
        }) => id.as_str().len() + reason.len(),
        Fact::InteractionOpened(interaction) => asked(interaction),
        Fact::InteractionAnswered(InteractionAnswer {
            id,
            answer,
            by,
            key,
        }) => id.as_str().len() + json(answer) + text(by) + text(key),
        Fact::InteractionExpired(id) | Fact::InteractionWithdrawn(id) => id.as_str().len(),
        Fact::TurnStarted(inputs) => {
            let inputs = inputs.iter().map(|id| ENTRY + id.as_str().len());
            inputs.sum()
        }
        Fact::TurnEnded(EndedTurn { ending, reason }) => ending.as_str().len() + text(reason),
        Fact::Opened(Opened {
            tenant,
            folder,
            number: _,
            options,
        }) => tenant.len() + folder.len() + options.as_ref().map_or(0, json),
        Fact::CliSession(id) => id.len(),
        Fact::Granted(grant) | Fact::Revoked(grant) => {
            let folder = grant.folder.as_ref();
            grant.target.len() + folder.map_or(0, |folder| folder.as_os_str().len())
        }
        Fact::Omitted(omitted) => omitted.kind.len(),
        Fact::Gap(gap) => gap.missing.iter().map(|one| ENTRY + one.len()).sum(),
        Fact::Lifecycle(lifecycle) => life(lifecycle),
        Fact::Progress(update) => size_of::<ProgressUpdate>() + progress(update),
        Fact::Unknown { kind, body } => kind.len() + json(body),
    }
}

fn accepted(input: &AcceptedInput) -> usize {
    let AcceptedInput {
        id,
        key,
        mode,
        content,
        turn_id,
        from,
        metadata,
    } = input;
    let metadata = metadata.as_ref().map_or(0, json);
    let role = turn_id.as_ref().map_or(0, |turn| turn.role.as_str().len());
    let names = id.as_str().len() + mode.as_str().len() + text(key) + text(from);
    names + role + json(content) + metadata
}

fn asked(interaction: &Interaction) -> usize {
    let Interaction {
        id,
        kind,
        group,
        group_index: _,
        group_size: _,
        tool_use_id,
        tool_name,
        request,
        expires_at_ms: _,
    } = interaction;
    let names = id.as_str().len() + kind.as_str().len() + text(group);
    names + text(tool_use_id) + text(tool_name) + json(request)
}

fn life(lifecycle: &Lifecycle) -> usize {
    let Lifecycle {
        state,
        cli_session_id,
        exit_code: _,
        reason,
        lost,
        unknown_calls,
    } = lifecycle;
    let names = lost.iter().chain(unknown_calls);
    let lost: usize = names.map(|name| ENTRY + name.len()).sum();
    state.as_str().len() + text(cli_session_id) + text(reason) + lost
}

fn progress(update: &ProgressUpdate) -> usize {
    let ProgressUpdate {
        lane,
        subject,
        kind,
        state,
        label,
        detail,
        done: _,
        total: _,
        percent: _,
        tool_uses: _,
        elapsed_ms: _,
        items,
        left_out: _,
        source,
        confidence: _,
        per_minute: _,
        left_ms: _,
        regression,
    } = update;
    let Lane {
        tool_use_id,
        task_id,
        name,
    } = lane;
    let point = |item: &TodoItem| {
        let TodoItem { text, status } = item;
        ENTRY + text.len() + status.as_str().len()
    };
    let items: usize = items.iter().map(point).sum();
    let lane = text(tool_use_id) + text(task_id) + text(name);
    let names = kind.as_str().len() + state.as_str().len() + source.as_str().len();
    let regression = regression.as_ref().map_or(0, |why| why.as_str().len());
    lane + subject.len() + names + text(label) + text(detail) + items + regression
}

fn text(text: &Option<String>) -> usize {
    text.as_ref().map_or(0, String::len)
}

fn json(value: &Json) -> usize {
    value.text().len()
}
