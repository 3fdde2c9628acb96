//! Permission requests of the real CLI: asked, and the answers obeyed.

mod answers;
mod asks;
mod failing;

use std::sync::{Arc, Mutex};

use claw_testkit::figure::Figure;
use claw_testkit::real_cli::Variants;
use rusty_claw::Options;
use rusty_claw::permission::{PermissionAnswer, PermissionAsk, PermissionMode};
use tokio::sync::Notify;

pub(crate) async fn figure() -> Figure {
    Variants::new()
        .add("allow", answers::allow())
        .add("allow with an edited input", answers::edited())
        .add("allow with a rule for the session", answers::rule())
        .add("allow with the suggested rules", answers::suggested())
        .add("deny with a message", answers::deny())
        .add("deny and interrupt", answers::deny_and_interrupt())
        .add("what a question says", asks::surfaced())
        .add("interrupted while open", failing::interrupted())
        .add(
            "a PermissionRequest hook decides first",
            failing::hook_first(),
        )
        .add("questions answered", asks::questions_answered())
        .add("plan approved, with a mode", asks::plan_approved())
        .add("plan rejected", asks::plan_rejected())
        .add("three open, answered backwards", asks::out_of_order())
        .add("rules, then a callback", answers::policy())
        .add("where paths of rules begin", answers::same_paths())
        .add("no handler", failing::no_handler())
        .add("asked without a handler", failing::asked_without_handler())
        .add("the handler panics", failing::panics())
        .add("the handler never answers", failing::never_answers())
        .add("the handler ends in an error", failing::ends_in_error())
        .figure("permissions: called and obeyed, on the real CLI", "all")
        .await
}

/// The requests that came, in order.
#[derive(Clone, Default)]
struct Asked {
    asks: Arc<Mutex<Vec<PermissionAsk>>>,
    came: Arc<Notify>,
}

impl Asked {
    fn note(&self, ask: &PermissionAsk) {
        self.asks.lock().unwrap().push(ask.clone());
        self.came.notify_one();
    }

    fn all(&self) -> Vec<PermissionAsk> {
        self.asks.lock().unwrap().clone()
    }

    /// The ids of their calls.
    fn ids(&self) -> Vec<String> {
        let asks = self.all();
        asks.iter()
            .map(|ask| ask.tool_use_id().to_string())
            .collect()
    }
}

/// Options of a session that asks.
fn asking(options: Options) -> Options {
    options.permission_mode(PermissionMode::Default)
}

/// Options of a session that asks, with a handler that notes each request.
fn answering(
    options: Options,
    asked: &Asked,
    answer: impl Fn(&PermissionAsk) -> PermissionAnswer + Send + Sync + 'static,
) -> Options {
    let asked = asked.clone();
    asking(options).can_use_tool(move |ask: PermissionAsk| {
        asked.note(&ask);
        let answer = answer(&ask);
        async move { answer }
    })
}
