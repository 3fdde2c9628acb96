//! Tool handlers.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{IntoToolResult, ToolContext, ToolResult};
use crate::BoxFuture;

/// The function of a tool: an async function or closure that takes its arguments, or a
/// [`ToolContext`] and its arguments.
///
/// `Shape` distinguishes the two and is always inferred. Both need explicit parameter types:
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
    /// The type of the arguments.
    type Arguments: DeserializeOwned + Send + 'static;

    /// Runs the tool. Dropping the future stops it at its current await point.
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
        let running = self(arguments);
        Box::pin(async { running.await.into_tool_result() })
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
        let running = self(context, arguments);
        Box::pin(async { running.await.into_tool_result() })
    }
}

/// The arguments of a tool that takes none. Arguments that the model passes anyway are ignored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub struct NoArguments {}

// By hand, because a derived schema would send the comment above to the model.
impl JsonSchema for NoArguments {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("NoArguments")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}
