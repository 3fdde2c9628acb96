//! The model, and what it may spend.

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{Effort, InitializeRequest, ThinkingDisplay};
use serde::Serialize;

use super::Options;
use super::argv::Argv;
use super::check::{bad, name_in_list, named};
use super::json_value::JsonValue;
use crate::error::StartError;

/// The model, and what it may spend.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    name: Option<Str>,
    fallbacks: Vec<Str>,
    thinking: Option<Thinking>,
    thinking_display: Option<ThinkingDisplay>,
    effort: Option<Effort>,
    betas: Vec<Str>,
    max_turns: Option<u32>,
    max_budget_usd: Option<f64>,
    task_budget: Option<u64>,
    json_schema: Option<JsonValue>,
}

/// Whether the model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Thinking {
    /// As much as it finds right: what newer models do by themselves.
    Adaptive,
    /// At most this many tokens; for older models.
    Budget(u32),
    /// Not at all.
    Disabled,
}

impl Options {
    /// The model, by its full name or one of the CLI's short ones (`opus`, `sonnet`). The CLI's
    /// own default unless set. A name that does not exist starts well and fails the first turn.
    pub fn model(mut self, name: impl Into<Str>) -> Self {
        self.model.name = Some(name.into());
        self
    }

    /// A model to fall back to when the first is overloaded or missing. None unless set. Call it
    /// again for more, in the order they are tried. Every turn tries the first model again.
    pub fn fallback_model(mut self, name: impl Into<Str>) -> Self {
        self.model.fallbacks.push(name.into());
        self
    }

    /// Whether the model thinks before it answers. As the model does by itself unless set.
    pub fn thinking(mut self, thinking: Thinking) -> Self {
        self.model.thinking = Some(thinking);
        self
    }

    /// What of the model's thinking is shown. As the CLI has it unless set.
    pub fn thinking_display(mut self, display: ThinkingDisplay) -> Self {
        self.model.thinking_display = Some(display);
        self
    }

    /// How hard the model tries. As the CLI has it unless set. The CLI warns about a level that
    /// it does not know, and goes on without.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.model.effort = Some(effort);
        self
    }

    /// Features of the API that are still being tried, by the name of their header. Adds to those
    /// named before. The CLI warns about one that it does not let through.
    pub fn betas<N: Into<Str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.model.betas.extend(names.into_iter().map(Into::into));
        self
    }

    /// How many times the model may be called in one turn. No limit unless set. Beyond it the
    /// turn ends with the error `error_max_turns`.
    pub fn max_turns(mut self, turns: u32) -> Self {
        self.model.max_turns = Some(turns);
        self
    }

    /// How many US dollars the session may cost. No limit unless set. Beyond it the turn ends
    /// with the error `error_max_budget_usd`.
    pub fn max_budget_usd(mut self, dollars: f64) -> Self {
        self.model.max_budget_usd = Some(dollars);
        self
    }

    /// How many tokens a task may take, which the model is told so that it can pace itself. Not
    /// told unless set. Nothing is cut off.
    pub fn task_budget(mut self, tokens: u64) -> Self {
        self.model.task_budget = Some(tokens);
        self
    }

    /// The shape of the answer that every turn must end with: a JSON Schema of an object. Free
    /// text unless set. The CLI gives the model a tool for it and has it try again when the
    /// answer does not fit.
    ///
    /// Takes whatever serialises to the schema: a `serde_json::Value`, a [`Json`](crate::Json), a
    /// type of your own. It travels in `initialize`, so it may be of any size.
    pub fn json_schema(mut self, schema: impl Serialize) -> Self {
        self.model.json_schema = Some(JsonValue::new(&schema));
        self
    }
}

impl Model {
    pub(super) fn check(&self) -> Result<(), StartError> {
        if let Some(name) = &self.name {
            named("model", name)?;
        }
        for fallback in &self.fallbacks {
            name_in_list("fallback_model", fallback)?;
            if Some(fallback) == self.name.as_ref() {
                return Err(bad(
                    "fallback_model",
                    format!("{fallback} is the model itself; name another"),
                ));
            }
        }
        for beta in &self.betas {
            name_in_list("betas", beta)?;
        }
        if self.thinking == Some(Thinking::Budget(0)) {
            return Err(bad("thinking", "has no tokens; use Thinking::Disabled"));
        }
        if self.max_turns == Some(0) {
            return Err(bad("max_turns", "is zero, so no turn could be run"));
        }
        if let Some(dollars) = self.max_budget_usd
            && !(dollars.is_finite() && dollars > 0.0)
        {
            return Err(bad(
                "max_budget_usd",
                format!("{dollars} is no amount above zero"),
            ));
        }
        if self.task_budget == Some(0) {
            return Err(bad("task_budget", "is zero; leave it out for no budget"));
        }
        if let Some(schema) = &self.json_schema {
            schema.object("json_schema")?;
        }
        Ok(())
    }

    pub(super) fn argv(&self, argv: &mut Argv) {
        match self.thinking {
            Some(Thinking::Adaptive) => argv.value("--thinking", "adaptive"),
            Some(Thinking::Budget(tokens)) => argv.value("--max-thinking-tokens", tokens),
            Some(Thinking::Disabled) => argv.value("--thinking", "disabled"),
            None => {}
        }
        argv.value_if("--thinking-display", self.thinking_display.as_ref());
        argv.value_if("--effort", self.effort.as_ref());
        argv.value_if("--max-turns", self.max_turns);
        argv.value_if("--max-budget-usd", self.max_budget_usd);
        argv.value_if("--task-budget", self.task_budget);
        argv.value_if("--model", self.name.as_ref());
        argv.list_if("--fallback-model", &self.fallbacks);
        argv.list_if("--betas", &self.betas);
    }

    pub(super) fn initialize(&self, initialize: &mut InitializeRequest) {
        initialize.json_schema = self.json_schema.as_ref().and_then(JsonValue::json).cloned();
    }
}
