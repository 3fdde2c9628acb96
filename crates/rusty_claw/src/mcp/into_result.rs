//! Return values of a tool's function.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use super::ToolResult;
use crate::causes::chain;

/// A value that a tool's function may return.
///
/// - Text (`String`, `&'static str`), numbers and `bool` are the text the model reads;
/// - `()` is an empty result;
/// - [`Structured`] is a value of your own as JSON. A function with [`macro@super::tool`] returns
///   any `serde::Serialize` type without it; [`serde_json::Value`] and [`Json`](crate::Json) never
///   need it;
/// - [`ToolResult`] is everything else: images, several pieces, `_meta`;
/// - a `Result` of those: an error is returned to the model as a failed call, with its text, so
///   write it for the model: what went wrong and what to try instead. Any type that implements
///   `Display` works as the error; `?` converts every [`std::error::Error`] to [`ToolError`].
///   `anyhow::Error` and `Box<dyn Error>` do not implement that trait: return them as they are, or
///   use [`ToolError::from_display`].
///
/// ```
/// use rusty_claw::mcp::{IntoToolResult, ToolResult};
///
/// let good: Result<&str, std::fmt::Error> = Ok("21 °C");
/// assert_eq!(good.into_tool_result(), ToolResult::text("21 °C"));
///
/// let bad: Result<&str, String> = Err("No such city.".to_owned());
/// assert_eq!(bad.into_tool_result(), ToolResult::error("No such city."));
/// ```
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not something a tool returns",
    note = "return text, a number, a `ToolResult`, a type that implements `serde::Serialize` \
            (as `Structured(value)` where there is no `#[tool]`), or a `Result` of those"
)]
pub trait IntoToolResult {
    /// Converts to the result that the model reads.
    fn into_tool_result(self) -> ToolResult;
}

impl IntoToolResult for ToolResult {
    fn into_tool_result(self) -> ToolResult {
        self
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> ToolResult {
        ToolResult::empty()
    }
}

impl<T: IntoToolResult, E: fmt::Display> IntoToolResult for Result<T, E> {
    fn into_tool_result(self) -> ToolResult {
        match self {
            Ok(value) => value.into_tool_result(),
            // The alternate form prints the whole chain of errors that have one.
            Err(error) => ToolResult::error(format!("{error:#}")),
        }
    }
}

macro_rules! as_text {
    ($($kind:ty),* $(,)?) => {$(
        impl IntoToolResult for $kind {
            fn into_tool_result(self) -> ToolResult {
                ToolResult::text(self.to_string())
            }
        }
    )*};
}

as_text!(
    bool, char, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize
);

macro_rules! is_text {
    ($($kind:ty),* $(,)?) => {$(
        impl IntoToolResult for $kind {
            fn into_tool_result(self) -> ToolResult {
                ToolResult::text(self)
            }
        }
    )*};
}

is_text!(String, &'static str, Cow<'static, str>);

impl IntoToolResult for serde_json::Value {
    fn into_tool_result(self) -> ToolResult {
        Structured(self).into_tool_result()
    }
}

impl IntoToolResult for crate::Json {
    fn into_tool_result(self) -> ToolResult {
        Structured(self).into_tool_result()
    }
}

/// A value of your own, returned as JSON: as structured content and as text.
///
/// MCP requires an object; any other value is wrapped as `{"result": value}`.
///
/// Closures need it. The output of a function with [`macro@super::tool`] is wrapped by the
/// attribute:
///
/// ```
/// use rusty_claw::mcp::{NoArguments, Structured, Tool, tool};
/// use rusty_claw::serde;
///
/// #[derive(serde::Serialize)]
/// #[serde(crate = "rusty_claw::serde")]
/// struct Weather {
///     celsius: f64,
/// }
///
/// /// Tells the weather.
/// #[tool]
/// async fn weather(city: String) -> Weather {
///     Weather { celsius: 21.0 }
/// }
///
/// let here = Tool::new("here", "Returns the weather here.", |_: NoArguments| async {
///     Structured(Weather { celsius: 21.0 })
/// });
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Structured<T>(
    /// The value.
    pub T,
);

impl<T: Serialize> IntoToolResult for Structured<T> {
    fn into_tool_result(self) -> ToolResult {
        ToolResult::structured(&self.0).unwrap_or_else(|error| {
            ToolResult::error(format!(
                "The tool's result could not be written as JSON: {error}"
            ))
        })
    }
}

/// The error of a tool, with a text for the model.
///
/// `?` converts every type that implements [`std::error::Error`], including the texts of its
/// sources. Boxed errors and `anyhow::Error` do not implement it: see [`ToolError::from_display`].
///
/// ```
/// use rusty_claw::mcp::{ToolError, tool};
///
/// /// Reads a number from a file.
/// #[tool]
/// async fn read_number(path: String) -> Result<i64, ToolError> {
///     let text = std::fs::read_to_string(&path)?;
///     if text.is_empty() {
///         return Err(ToolError::new("The file is empty; choose another."));
///     }
///     Ok(text.trim().parse()?)
/// }
/// ```
// Not `std::error::Error` itself: `From` for every error would then overlap with `From` for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError(String);

impl ToolError {
    /// Creates an error with a text: what went wrong, and what the model may try instead.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Creates an error from a value that does not implement [`std::error::Error`], such as
    /// `anyhow::Error` or a boxed error; with its causes, if its alternate form prints them.
    ///
    /// ```
    /// use rusty_claw::mcp::ToolError;
    ///
    /// type Boxed = Box<dyn std::error::Error + Send + Sync>;
    ///
    /// fn look_up(city: &str) -> Result<i64, Boxed> {
    ///     Err(format!("There is no city {city}").into())
    /// }
    ///
    /// fn celsius(city: &str) -> Result<i64, ToolError> {
    ///     Ok(look_up(city).map_err(ToolError::from_display)? - 273)
    /// }
    /// assert_eq!(celsius("Atlantis"), Err(ToolError::new("There is no city Atlantis")));
    /// ```
    // By value, so that it can be passed to `map_err`.
    #[allow(clippy::needless_pass_by_value)]
    pub fn from_display(error: impl fmt::Display) -> Self {
        Self(format!("{error:#}"))
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self(chain(&error))
    }
}
