//! Functions of your program as tools for the model.
//!
//! The CLI calls these tools over its existing pipe: no further process, no port, and the functions
//! share the state of your program. Put [`macro@tool`] on an async function and add it to a server:
//!
//! ```
//! use rusty_claw::mcp::{McpServer, ToolError, tool};
//!
//! /// Divides one number by another.
//! #[tool(read_only)]
//! async fn divide(
//!     /// What is divided.
//!     dividend: f64,
//!     /// By what; not zero.
//!     divisor: f64,
//! ) -> Result<f64, ToolError> {
//!     if divisor == 0.0 {
//!         return Err(ToolError::new("The divisor is 0; give another."));
//!     }
//!     Ok(dividend / divisor)
//! }
//!
//! let server = McpServer::new("calc").tool(divide);
//! assert_eq!(server.tool_names().collect::<Vec<_>>(), ["mcp__calc__divide"]);
//! ```
//!
//! The model sees the tool as `mcp__calc__divide`, with the doc comments as its description.
//! Permission rules use the same name.
//!
//! Where to look:
//! - [`macro@tool`]: a function as a tool. [`macro@tools`]: methods of a type as tools that share
//!   its state. [`Tool::new`]: a closure as a tool.
//! - [`IntoToolResult`]: what a tool may return. [`ToolResult`]: text, images, structured content.
//! - [`ToolContext`]: the current call, its cancellation and its progress.
//! - [`McpServer`]: tools under a name. [`McpConnection`]: one session's connection to a server,
//!   for programs that transport the messages themselves; a session does this for you.

mod arguments;
mod connection;
mod context;
mod handler;
mod into_result;
mod output;
mod result;
mod schema;
mod server;
mod tool;

pub use connection::McpConnection;
pub use context::ToolContext;
pub use handler::{NoArguments, ToolHandler};
pub use into_result::{IntoToolResult, Structured, ToolError};
#[doc(hidden)]
pub use output::{OutputType, WrapOutput};
pub use result::{TextResource, ToolContent, ToolResult};
pub use server::{InvalidMcpServer, McpServer};
pub use tool::{IntoTool, Tool, ToolSet};
// The session and its callbacks use the same type for cancellation.
pub use tokio_util::sync::CancellationToken;

/// The function becomes a value of the same name, which [`McpServer::tool`] takes. The function
/// itself is still available as `name::call`, for tests and for other code. The doc comment is the
/// tool's description for the model.
///
/// ```
/// use rusty_claw::mcp::{McpServer, tool};
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// async fn add(
///     /// The first.
///     a: f64,
///     /// The second.
///     b: f64,
/// ) -> f64 {
///     a + b
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let server = McpServer::new("calc").tool(add);
/// assert_eq!(add::call(1.0, 2.0).await, 3.0);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Parameters
///
/// The first may be a [`ToolContext`]. The others are the arguments, in one of two forms:
///
/// - **One struct** with all of them, which implements `serde::Deserialize` and
///   `schemars::JsonSchema`: `async fn add(numbers: Numbers)`.
/// - **One parameter for each**: `async fn add(a: f64, b: f64)`. The model may omit an `Option`.
///   Doc comments, or `#[arg(doc = "…")]`, describe the parameter to the model;
///   `#[arg(name = "…")]` renames it, and `#[arg(default)]` or `#[arg(default = expression)]` makes
///   it optional. `#[serde(…)]` and `#[schemars(…)]` work as on a field.
///
/// A single parameter is the struct, unless its type cannot be one (a number, `bool`, `String`,
/// `Vec`, `Option` and the like) or it has `#[arg]`. If the type turns out not to be a struct, the
/// session does not start.
///
/// # Options
///
/// `name = "…"` and `description = "…"` replace the function's name and doc comment; `title = "…"`
/// is a display name; the hints `read_only`, `destructive`, `idempotent` and `open_world` take
/// `= false` for the opposite; `always_load` shows the tool to the model without a search;
/// `search_hint = "…"` lists search terms; `crate = "…"` is the path to this library if it is
/// renamed or only reachable through another crate: `crate = "my_prelude::rusty_claw"`.
///
/// # Output
///
/// Anything that implements [`IntoToolResult`]: text, numbers, [`serde_json::Value`],
/// [`ToolResult`]. Any other type that implements `serde::Serialize` is converted as by
/// [`Structured`]. A `Result` of those.
#[doc(inline)]
pub use rusty_claw_macros::tool;

/// Turns the methods marked with `#[tool]` into tools that share the state of their type.
/// [`McpServer::tool_set`] takes an [`Arc`](std::sync::Arc) of the value; the program can keep
/// another.
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use rusty_claw::mcp::{McpServer, ToolError, tools};
///
/// #[derive(Default)]
/// struct Notes(Mutex<Vec<String>>);
///
/// #[tools]
/// impl Notes {
///     /// Writes a note.
///     #[tool]
///     async fn write_note(&self, text: String) -> usize {
///         let mut notes = self.0.lock().unwrap_or_else(|error| error.into_inner());
///         notes.push(text);
///         notes.len()
///     }
///
///     /// Reads a note.
///     #[tool(read_only)]
///     async fn read_note(
///         &self,
///         /// The number that writing it gave.
///         number: usize,
///     ) -> Result<String, ToolError> {
///         let notes = self.0.lock().unwrap_or_else(|error| error.into_inner());
///         let note = number.checked_sub(1).and_then(|at| notes.get(at));
///         note.cloned().ok_or_else(|| ToolError::new("There is no such note."))
///     }
/// }
///
/// let notes = Arc::new(Notes::default());
/// let server = McpServer::new("notes").tool_set(Arc::clone(&notes));
/// assert_eq!(server.tools().len(), 2);
/// ```
///
/// A method takes `&self`, because calls can run concurrently; put mutable state behind a lock.
/// Everything else works as with [`macro@tool`]: a [`ToolContext`] after `&self`, parameters and
/// their attributes, options, output. The methods can still be called directly. Methods without
/// `#[tool]` are not changed. `#[tools(crate = "…")]` sets the path to this library for all of
/// them.
#[doc(inline)]
pub use rusty_claw_macros::tools;
