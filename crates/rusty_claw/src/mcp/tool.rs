//! A function that the model can call.

use std::sync::Arc;

use rusty_claw_protocol::{Json, Str};
use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::{ToolContext, ToolHandler, ToolResult, arguments, schema};
use crate::BoxFuture;

/// The outcome of a call: a result, or why the arguments are invalid.
type Outcome = Result<ToolResult, String>;
type Run = dyn Fn(ToolContext, &Json) -> BoxFuture<'static, Outcome> + Send + Sync;

/// A function that the model can call.
///
/// Cheap to clone; a tool can be part of several servers. For a plain function
/// [`macro@super::tool`] is shorter, and so is [`macro@super::tools`] for methods. Use this for
/// closures that capture state:
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Arc;
///
/// use rusty_claw::mcp::{McpServer, Tool, ToolError};
/// use rusty_claw::{schemars, serde};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// #[serde(crate = "rusty_claw::serde")]
/// #[schemars(crate = "rusty_claw::schemars")]
/// struct Lookup {
///     /// Whose number.
///     name: String,
/// }
///
/// let book = Arc::new(HashMap::from([("Ada".to_owned(), 1815)]));
/// let lookup = Tool::new("lookup", "Looks up a number.", move |wanted: Lookup| {
///     let book = Arc::clone(&book);
///     async move {
///         let found = book.get(&wanted.name);
///         found.copied().ok_or_else(|| ToolError::new("Nobody of that name."))
///     }
/// });
/// let server = McpServer::new("book").tool(lookup.read_only(true));
/// ```
#[derive(Clone)]
pub struct Tool {
    name: Str,
    definition: Map<String, Value>,
    run: Arc<Run>,
}

impl Tool {
    /// Creates a tool whose arguments are described by their type.
    ///
    /// `name` follows the server's name in what the model calls: letters, digits, `_` and `-`.
    /// `description` tells the model what the tool does and when to use it.
    pub fn new<Shape, H>(name: impl Into<Str>, description: impl Into<String>, handler: H) -> Self
    where
        H: ToolHandler<Shape, Arguments: JsonSchema>,
    {
        Self::made(
            name.into(),
            description,
            schema::of::<H::Arguments>(),
            handler,
        )
    }

    /// Creates a tool with a JSON Schema of your own: from a file, or known only at run time. The
    /// schema must describe an object.
    ///
    /// The arguments are deserialized into the type that the handler takes; [`Json`] keeps them as
    /// they are. They are not checked against the schema.
    ///
    /// ```
    /// use rusty_claw::Json;
    /// use rusty_claw::mcp::Tool;
    /// use rusty_claw::serde_json::json;
    ///
    /// let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    /// let echo = Tool::with_schema("echo", "Says it again.", schema, |arguments: Json| async move {
    ///     arguments.to_string()
    /// });
    /// assert_eq!(echo.name(), "echo");
    /// ```
    pub fn with_schema<Shape, H>(
        name: impl Into<Str>,
        description: impl Into<String>,
        schema: Value,
        handler: H,
    ) -> Self
    where
        H: ToolHandler<Shape>,
    {
        Self::made(name.into(), description, schema, handler)
    }

    fn made<Shape, H: ToolHandler<Shape>>(
        name: Str,
        description: impl Into<String>,
        input_schema: Value,
        handler: H,
    ) -> Self {
        let definition = Map::from_iter([
            ("name".to_owned(), Value::from(name.as_str())),
            ("description".to_owned(), Value::from(description.into())),
            ("inputSchema".to_owned(), schema::completed(input_schema)),
        ]);
        let run = move |context: ToolContext, given: &Json| -> BoxFuture<'static, Outcome> {
            match arguments::read(given) {
                Ok(arguments) => {
                    let call = handler.call(context, arguments);
                    Box::pin(async { Ok(call.await) })
                }
                Err(why) => Box::pin(std::future::ready(Err(why))),
            }
        };
        Self {
            name,
            definition,
            run: Arc::new(run),
        }
    }

    /// Sets the display name.
    pub fn title(self, title: impl Into<String>) -> Self {
        self.annotate("title", Value::from(title.into()))
    }

    /// Sets whether it changes nothing. A hint, which is not enforced.
    pub fn read_only(self, hint: bool) -> Self {
        self.annotate("readOnlyHint", hint.into())
    }

    /// Sets whether it may destroy something, if it is not read-only. The default in MCP is `true`.
    pub fn destructive(self, hint: bool) -> Self {
        self.annotate("destructiveHint", hint.into())
    }

    /// Sets whether repeating a call with the same arguments has no further effect.
    pub fn idempotent(self, hint: bool) -> Self {
        self.annotate("idempotentHint", hint.into())
    }

    /// Sets whether it interacts with the outside world, such as the web. The default in MCP is
    /// `true`.
    pub fn open_world(self, hint: bool) -> Self {
        self.annotate("openWorldHint", hint.into())
    }

    /// Sets whether the model always sees it. Otherwise the CLI may withhold its schema until the
    /// model searches for tools, and a call that fails before then carries a long note about that.
    pub fn always_load(self, always: bool) -> Self {
        self.meta("anthropic/alwaysLoad", always.into())
    }

    /// Sets the terms by which a search for tools finds it.
    pub fn search_hint(self, words: impl Into<String>) -> Self {
        self.meta("anthropic/searchHint", Value::from(words.into()))
    }

    /// Sets the JSON Schema of its structured content. MCP then expects structured content in every
    /// successful result.
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.definition.insert("outputSchema".to_owned(), schema);
        self
    }

    /// Adds a member to MCP's `_meta` of the tool.
    pub fn meta(self, name: impl Into<String>, value: Value) -> Self {
        self.member_of("_meta", name.into(), value)
    }

    fn annotate(self, name: &str, value: Value) -> Self {
        self.member_of("annotations", name.to_owned(), value)
    }

    fn member_of(mut self, object: &str, name: String, value: Value) -> Self {
        let members = self
            .definition
            .entry(object)
            .or_insert_with(|| Map::new().into());
        if let Value::Object(members) = members {
            members.insert(name, value);
        }
        self
    }

    /// The name, without the server's.
    pub fn name(&self) -> &Str {
        &self.name
    }

    /// The entry in the list of tools: name, description, schema, annotations.
    ///
    /// ```
    /// use rusty_claw::mcp::{NoArguments, Tool};
    /// use rusty_claw::serde_json::json;
    ///
    /// let tool = Tool::new("now", "Tells the time.", |_: NoArguments| async { "noon" });
    /// assert_eq!(
    ///     *tool.read_only(true).definition(),
    ///     *json!({
    ///         "name": "now",
    ///         "description": "Tells the time.",
    ///         "inputSchema": {"type": "object", "properties": {}},
    ///         "annotations": {"readOnlyHint": true},
    ///     })
    ///     .as_object()
    ///     .ok_or("not an object")?,
    /// );
    /// # Ok::<(), &str>(())
    /// ```
    pub fn definition(&self) -> &Map<String, Value> {
        &self.definition
    }

    /// Calls the tool. The handler's own code runs only in the future, so that panics are caught
    /// there.
    pub(super) fn call(
        &self,
        context: ToolContext,
        arguments: Json,
    ) -> impl Future<Output = Outcome> + Send + 'static + use<> {
        let run = Arc::clone(&self.run);
        async move { run(context, &arguments).await }
    }
}

debug_fields!(Tool, |tool| name: tool.name);

/// The tools of a type whose methods share its state. Implemented by [`macro@super::tools`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tools",
    label = "not a type with tools",
    note = "put `#[rusty_claw::mcp::tools]` on its impl block and `#[tool]` on the methods"
)]
pub trait ToolSet: Send + Sync + 'static {
    /// Returns the tools, which share this value.
    fn tools(self: Arc<Self>) -> Vec<Tool>;
}

/// A value that a server takes as a tool: a [`Tool`], or a function with [`macro@super::tool`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "put `#[rusty_claw::mcp::tool]` on the function, or make one with `Tool::new(name, description, function)`"
)]
pub trait IntoTool {
    /// Converts to a tool.
    fn into_tool(self) -> Tool;
}

impl IntoTool for Tool {
    fn into_tool(self) -> Tool {
        self
    }
}
