//! Checks of a hook's input and output.

use rusty_claw_protocol::control::{ControlResponse, HookCallback};
use rusty_claw_protocol::hook::{
    HookDecision, HookEvent, HookInput, HookOutput, HookPermissionDecision, HookSpecificOutput,
};
use rusty_claw_protocol::{Extra, Json};

/// Checks an output. The CLI ignores an output that it does not understand and continues, so such
/// an output is a failure here, where failing is safe.
pub(super) fn sendable(event: &HookEvent, output: HookOutput) -> Result<HookOutput, String> {
    let HookOutput::Sync(sync) = &output else {
        return Ok(output);
    };
    if let Some(HookDecision::Unknown(decision)) = &sync.decision {
        return Err(format!(
            "it decided {decision:?}, which is neither approve nor block"
        ));
    }
    if let Some(specific) = &sync.hook_specific_output {
        if specific.tag() != event.as_str() {
            return Err(format!(
                "it answered {event} with something for {}",
                specific.tag()
            ));
        }
        if let HookSpecificOutput::PreToolUse(specific) = specific {
            if let Some(HookPermissionDecision::Unknown(decision)) = &specific.permission_decision {
                return Err(format!(
                    "it decided {decision:?}, which is not allow, deny or ask"
                ));
            }
            if specific
                .updated_input
                .as_ref()
                .is_some_and(|input| !input.is_object())
            {
                return Err("it gave an input that is not an object".to_owned());
            }
        }
    }
    Ok(output)
}

/// Checks that an input is complete. A hook that does not receive what it guards would find nothing
/// to object to.
pub(super) fn acceptable(event: &HookEvent, input: &HookInput) -> Result<(), String> {
    let sent = input.event();
    if sent != *event {
        return Err(format!("a hook for {event} was sent {:?}", sent.as_str()));
    }
    let lacks = |extra: &Extra, name: &str| {
        // Values that could not be parsed are in `extra`. So is text with invalid Unicode, which is
        // readable.
        let unread = |kept: Json| kept.view::<String>().is_none();
        extra.holds(name) && extra.get(name).is_none_or(unread)
    };
    let lacking = match input {
        HookInput::PreToolUse(input) if lacks(&input.extra, "tool_name") => "tool_name",
        HookInput::PreToolUse(input) if !input.tool_input.is_object() => "tool_input",
        HookInput::PermissionRequest(input) if lacks(&input.extra, "tool_name") => "tool_name",
        HookInput::PermissionRequest(input) if !input.tool_input.is_object() => "tool_input",
        HookInput::UserPromptSubmit(input) if lacks(&input.extra, "prompt") => "prompt",
        HookInput::UserPromptExpansion(input) if lacks(&input.extra, "command_name") => {
            "command_name"
        }
        HookInput::UserPromptExpansion(input) if lacks(&input.extra, "prompt") => "prompt",
        HookInput::Unknown(_) if is_known(event) => "shape that this library knows",
        _ => return Ok(()),
    };
    Err(format!("the CLI sent {event} without a {lacking}"))
}

fn is_known(event: &HookEvent) -> bool {
    !matches!(event, HookEvent::Unknown(_))
}

/// The event that a callback was registered for: the beginning of its id.
fn registered(callback: &HookCallback) -> HookEvent {
    let name = callback.callback_id.split(['(', '#']).next();
    HookEvent::from(name.unwrap_or_default())
}

fn sent(callback: &HookCallback) -> Option<HookEvent> {
    callback.input.as_deref().map(HookInput::event)
}

/// The event of a callback: the one that it was registered for or, if its id is not one of ours,
/// the one that it was sent.
pub(super) fn event_of(callback: &HookCallback) -> Option<HookEvent> {
    Some(registered(callback))
        .filter(is_known)
        .or_else(|| sent(callback))
}

/// The response for a hook that failed. It denies or blocks if the event that the hook was
/// registered for, or the one that it was sent, requires it.
pub(crate) fn failed(callback: &HookCallback, why: &str) -> ControlResponse {
    let why = format!("a hook of this program failed: {why}");
    // For these two events the CLI ignores an error and continues.
    let closed = |event| match event {
        HookEvent::PreToolUse => Some(HookOutput::deny(why.as_str())),
        HookEvent::UserPromptSubmit => Some(HookOutput::block(why.as_str())),
        _ => None,
    };
    closed(registered(callback))
        .or_else(|| sent(callback).and_then(closed))
        .and_then(|output| ControlResponse::success(&output).ok())
        .unwrap_or_else(|| ControlResponse::error(why))
}
