//! What a hook's answer must be for the CLI to take it.

use rusty_claw_protocol::control::{ControlResponse, HookCallback};
use rusty_claw_protocol::hook::{
    HookDecision, HookEvent, HookInput, HookOutput, HookPermissionDecision, HookSpecificOutput,
};

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

/// The answer for a hook that has none, so that nothing happens which it might have stopped.
pub(crate) fn failed(callback: &HookCallback, why: &str) -> ControlResponse {
    let why = format!("a hook of this program failed: {why}");
    // For these two the CLI would go on after an error.
    let closed = match callback.input.as_deref() {
        Some(HookInput::PreToolUse(_)) => Some(HookOutput::deny(why.as_str())),
        Some(HookInput::UserPromptSubmit(_)) => Some(HookOutput::block(why.as_str())),
        _ => None,
    };
    closed
        .and_then(|output| ControlResponse::success(&output).ok())
        .unwrap_or_else(|| ControlResponse::error(why))
}
