//! What can run when a tool is called.

use std::borrow::Cow;

use futures_util::FutureExt;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{IntoToolResult, ToolContext, ToolResult};
use crate::BoxFuture;

/// What can run when a tool is called: an async function or closure that takes its arguments, or
/// a [`ToolContext`] and its arguments.
///
/// `Shape` tells the two apart and is always inferred. Both need their parameter types written out:
///
/// ```
/// use rusty_claw::mcp::{NoArguments, Tool, ToolContext};
///
/// let plain = Tool::new("now", "Tells the time.", |_: NoArguments| async { "noon" });
/// let told_more = Tool::new(
///     "where",
///     "Tells which server this is.",
///     |context: ToolContext, _: NoArguments| async move { context.server_name().to_string() },
/// );
/// ```
#[diagnostic::on_unimplemented(
    message = "this cannot be the function of a tool",
    label = "not the function of a tool",
    note = "a tool's function is async, `Send`, and takes its arguments or a `ToolContext` and its arguments",
    note = "the arguments implement `serde::Deserialize`; the output implements `IntoToolResult`: \
            a value of your own is returned as `Structured(value)`"
)]
pub trait ToolHandler<Shape>: Send + Sync + 'static {
    /// What the model gives.
    type Arguments: DeserializeOwned + Send + 'static;

    /// Runs it. Dropping the future stops it where it waits.
    fn call(
        &self,
        context: ToolContext,
        arguments: Self::Arguments,
    ) -> BoxFuture<'static, ToolResult>;
}

impl<F, A, Running> ToolHandler<(A,)> for F
where
    F: Fn(A) -> Running + Send + Sync + 'static,
    A: DeserializeOwned + Send + 'static,
    Running: Future<Output: IntoToolResult> + Send + 'static,
{
    type Arguments = A;

    fn call(&self, _: ToolContext, arguments: A) -> BoxFuture<'static, ToolResult> {
        self(arguments)
            .map(IntoToolResult::into_tool_result)
            .boxed()
    }
}

impl<F, A, Running> ToolHandler<(ToolContext, A)> for F
where
    F: Fn(ToolContext, A) -> Running + Send + Sync + 'static,
    A: DeserializeOwned + Send + 'static,
    Running: Future<Output: IntoToolResult> + Send + 'static,
{
    type Arguments = A;

    fn call(&self, context: ToolContext, arguments: A) -> BoxFuture<'static, ToolResult> {
        self(context, arguments)
            .map(IntoToolResult::into_tool_result)
            .boxed()
    }
}

/// The arguments of a tool that takes none. What a model gives all the same is ignored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub struct NoArguments {}

// By hand, because a derived schema would tell the model what is written above.
impl JsonSchema for NoArguments {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("NoArguments")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}
