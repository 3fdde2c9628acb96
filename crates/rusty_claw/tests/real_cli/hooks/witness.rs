//! A typed callback for each event, and how often each was called.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use rusty_claw::Options;
use rusty_claw::hook::*;

/// Counts the events that reached a callback for their own type.
#[derive(Debug, Clone, Default)]
pub(super) struct Witness {
    counts: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl Witness {
    fn saw(&self, event: &HookEvent, common: &HookCommon) {
        // An input without its session was not decoded.
        if common.session_id.is_some() {
            let mut counts = self.counts.lock().unwrap();
            *counts.entry(event.as_str().to_owned()).or_default() += 1;
        }
    }

    pub(super) fn counts(&self) -> BTreeMap<String, usize> {
        self.counts.lock().unwrap().clone()
    }
}

/// The output for an event.
type Answer = fn(&HookEvent, &HookCommon) -> HookOutput;

/// One callback for each type of input.
macro_rules! callbacks {
    ($($input:ident)+) => {
        /// The events that have a callback.
        pub(super) fn registered() -> Vec<String> {
            vec![$(<$input as TypedHookInput>::EVENT.as_str().to_owned()),+]
        }

        /// Registers a callback for each event.
        pub(super) fn attend(mut options: Options, witness: &Witness, answer: Answer) -> Options {
            $(
                let seen = witness.clone();
                options = options.hook(Hook::typed(move |input: $input, _| {
                    let event = <$input as TypedHookInput>::EVENT;
                    seen.saw(&event, &input.common);
                    let output = answer(&event, &input.common);
                    async move { output }
                }));
            )+
            options
        }
    };
}

callbacks! {
    SetupInput SessionStartInput SessionEndInput UserPromptSubmitInput UserPromptExpansionInput
    PreToolUseInput PostToolUseInput PostToolUseFailureInput PostToolBatchInput
    PermissionRequestInput PermissionDeniedInput NotificationInput MessageDisplayInput StopInput
    StopFailureInput SubagentStartInput SubagentStopInput TeammateIdleInput TaskCreatedInput
    TaskCompletedInput PreCompactInput PostCompactInput PreModelSwitchInput PostModelSwitchInput
    ElicitationInput ElicitationResultInput ConfigChangeInput InstructionsLoadedInput
    WorktreeCreateInput WorktreeRemoveInput CwdChangedInput FileChangedInput DirectoryAddedInput
}
