//! Permission questions of the real CLI: asked, and the answers obeyed.

mod answers;
mod asks;
mod failing;
mod path_rules;

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use rusty_claw::Options;
use rusty_claw::permission::{PermissionAsk, PermissionMode};
use tokio::sync::Notify;

use super::super::figure::Figure;
use super::variants::Variants;
use super::{Inputs, World};

pub(crate) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let figure = inputs.runtime.block_on(async {
        Variants::new(inputs)
            .add("allow", answers::allow)
            .add("allow with an edited input", answers::edited)
            .add("allow with a rule for the session", answers::rule)
            .add("allow with the suggested rules", answers::suggested)
            .add("deny with a message", answers::deny)
            .add("deny and interrupt", answers::deny_and_interrupt)
            .add("what a question says", asks::surfaced)
            .add("interrupted while open", failing::interrupted)
            .add(
                "a PermissionRequest hook decides first",
                failing::hook_first,
            )
            .add("questions answered", asks::questions_answered)
            .add("plan approved, with a mode", asks::plan_approved)
            .add("plan rejected", asks::plan_rejected)
            .add("three open, answered backwards", asks::out_of_order)
            .add("rules, then a callback", answers::policy)
            .add("where paths of rules begin", path_rules::same_paths)
            .add("no handler", failing::no_handler)
            .add("asked without a handler", failing::asked_without_handler)
            .add("the handler panics", failing::panics)
            .add("the handler never answers", failing::never_answers)
            .add("the handler ends in an error", failing::ends_in_error)
            .figure("permissions: called and obeyed, on the real CLI", "all")
            .await
    });
    Ok(vec![figure])
}

/// The questions that came, in order.
#[derive(Clone, Default)]
struct Asked {
    asks: Arc<Mutex<Vec<PermissionAsk>>>,
    came: Arc<Notify>,
}

impl Asked {
    fn note(&self, ask: &PermissionAsk) {
        self.asks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(ask.clone());
        self.came.notify_one();
    }

    fn all(&self) -> Vec<PermissionAsk> {
        self.asks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// What they were about, by the ids of the calls.
    fn ids(&self) -> Vec<String> {
        let ids = self.all();
        ids.iter()
            .map(|ask| ask.tool_use_id().to_string())
            .collect()
    }
}

/// Options of a session that asks.
fn asking(world: &World) -> Options {
    world.options().permission_mode(PermissionMode::Default)
}
