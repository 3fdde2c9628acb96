//! The model and its budgets.

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{Effort, InitializeRequest, ThinkingDisplay};
use serde::Serialize;

use super::argv::Argv;
use super::check::{bad, name_in_list, named};
use super::fields::{Model, Options, Thinking};
use super::json_value::JsonValue;
use crate::error::StartError;

impl Options {
    /// The model, by its full name or a short name of the CLI (`opus`, `sonnet`). The CLI's own
    /// default unless set. A name that does not exist fails the first turn, not the start.
    pub fn model(mut self, name: impl Into<Str>) -> Self {
        self.model.name = Some(name.into());
        self
    }

    /// A fallback for a model that is overloaded or missing. None by default. Call it again for
    /// more; they are tried in this order. Every turn tries the first model again.
    pub fn fallback_model(mut self, name: impl Into<Str>) -> Self {
        self.model.fallbacks.push(name.into());
        self
    }

    /// Whether the model thinks before it answers. The model's own default unless set.
    pub fn thinking(mut self, thinking: Thinking) -> Self {
        self.model.thinking = Some(thinking);
        self
    }

    /// How the model's thinking is shown. The CLI's own default unless set.
    pub fn thinking_display(mut self, display: ThinkingDisplay) -> Self {
        self.model.thinking_display = Some(display);
        self
    }

    /// How much effort the model makes. The CLI's own default unless set. The CLI warns about an
    /// unknown level and ignores it.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.model.effort = Some(effort);
        self
    }

    /// Beta features of the API, by their header values. Added to those set before. The CLI warns
    /// about a feature that it does not allow.
    pub fn betas<N: Into<Str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.model.betas.extend(names.into_iter().map(Into::into));
        self
    }

    /// Maximum number of model calls in one turn. No limit by default. Beyond it the turn ends with
    /// the error `error_max_turns`.
    pub fn max_turns(mut self, turns: u32) -> Self {
        self.model.max_turns = Some(turns);
        self
    }

    /// Maximum cost of the session in US dollars. No limit by default. Beyond it the turn ends with
    /// the error `error_max_budget_usd`.
    pub fn max_budget_usd(mut self, dollars: f64) -> Self {
        self.model.max_budget_usd = Some(dollars);
        self
    }

    /// A token budget for a task, which is given to the model so that it can pace itself. None by
    /// default. It is not enforced.
    pub fn task_budget(mut self, tokens: u64) -> Self {
        self.model.task_budget = Some(tokens);
        self
    }

    /// A JSON Schema of an object that the answer of every turn must match. Free text by default.
    /// The CLI gives the model a tool for it, and lets it try again if the answer does not match.
    ///
    /// Accepts anything that serialises to the schema: a `serde_json::Value`, a
    /// [`Json`](crate::Json), your own type. It is sent in `initialize`, so it may have any size.
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
