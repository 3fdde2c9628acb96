//! What a hook's answer must be for the CLI to take it.

use rusty_claw_protocol::control::{ControlResponse, HookCallback};
use rusty_claw_protocol::hook::{
    HookDecision, HookEvent, HookInput, HookOutput, HookPermissionDecision, HookSpecificOutput,
};
use rusty_claw_protocol::{Extra, Json};

/// The CLI takes an answer that it does not understand for no answer, and goes on. So what it
/// would not understand is a failure here, where failing is safe.
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

/// Whether a hook can judge by what it is told. One that guards and is not told what it guards
/// would find nothing to object to.
pub(super) fn acceptable(event: &HookEvent, input: &HookInput) -> Result<(), String> {
    let sent = input.event();
    if sent != *event {
        return Err(format!("a hook for {event} was sent {:?}", sent.as_str()));
    }
    let lacks = |extra: &Extra, name: &str| {
        // What could not be read is kept; text that is not quite Unicode is kept and read.
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

/// The event that a callback was registered for, which its name begins with.
fn registered(callback: &HookCallback) -> HookEvent {
    let name = callback.callback_id.split(['(', '#']).next();
    HookEvent::from(name.unwrap_or_default())
}

/// The event that a callback was sent.
fn sent(callback: &HookCallback) -> Option<HookEvent> {
    callback.input.as_deref().map(HookInput::event)
}

/// What a callback is about: what it was registered for or, for a name that is none of ours, what
/// it was sent.
pub(super) fn event_of(callback: &HookCallback) -> Option<HookEvent> {
    Some(registered(callback))
        .filter(is_known)
        .or_else(|| sent(callback))
}

/// The answer for a hook that has none, so that nothing happens which it might have stopped: by
/// what it was registered for, whatever it was sent.
pub(crate) fn failed(callback: &HookCallback, why: &str) -> ControlResponse {
    let why = format!("a hook of this program failed: {why}");
    // For these two the CLI would go on after an error.
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
