//! Tool results.

use std::fmt;

use rusty_claw_protocol::{Json, Str};
use serde::Serialize;
use serde_json::{Map, Value};

/// The result of a tool: pieces of content in order, and whether it failed.
///
/// Functions that return only text need none of this: see [`IntoToolResult`](super::IntoToolResult).
///
/// ```
/// use rusty_claw::mcp::ToolResult;
///
/// let result = ToolResult::text("The chart:")
///     .with_image("iVBORw0KGgo=", "image/png")
///     .with_text("It grows.");
/// assert_eq!(
///     serde_json::to_string(&result)?,
///     concat!(
///         r#"{"content":[{"type":"text","text":"The chart:"},"#,
///         r#"{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},"#,
///         r#"{"type":"text","text":"It grows."}]}"#,
///     ),
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    content: Vec<ToolContent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Value>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
    #[serde(rename = "_meta", skip_serializing_if = "Map::is_empty")]
    meta: Map<String, Value>,
}

impl ToolResult {
    /// An empty result. The CLI informs the model that the tool returned no output.
    pub fn empty() -> Self {
        Self::default()
    }

    /// A text result.
    pub fn text(text: impl Into<String>) -> Self {
        Self::empty().with_text(text)
    }

    /// A failure, with a text for the model.
    ///
    /// ```
    /// use rusty_claw::mcp::ToolResult;
    ///
    /// let result = ToolResult::error("No such city; ask the user which one is meant.");
    /// assert!(result.is_error());
    /// ```
    pub fn error(text: impl Into<String>) -> Self {
        Self::text(text).failed()
    }

    /// An image, base64-encoded, with its media type: `image/png`, `image/jpeg`, `image/gif`,
    /// `image/webp`.
    pub fn image(base64: impl Into<String>, mime_type: impl Into<Str>) -> Self {
        Self::empty().with_image(base64, mime_type)
    }

    /// A value as structured content, and as JSON text for clients that support only text.
    ///
    /// MCP requires an object; any other value is wrapped as `{"result": value}`.
    ///
    /// # Errors
    /// The value cannot be serialized as JSON, for example because of a map key that is not a
    /// string.
    pub fn structured(value: &impl Serialize) -> serde_json::Result<Self> {
        let value = match serde_json::to_value(value)? {
            object @ Value::Object(_) => object,
            other => Value::Object(Map::from_iter([("result".to_owned(), other)])),
        };
        let mut result = Self::text(value.to_string());
        result.structured_content = Some(value);
        Ok(result)
    }

    /// Adds text.
    pub fn with_text(self, text: impl Into<String>) -> Self {
        self.with(ToolContent::Text { text: text.into() })
    }

    /// Adds an image, base64-encoded, with its media type.
    pub fn with_image(self, base64: impl Into<String>, mime_type: impl Into<Str>) -> Self {
        self.with(ToolContent::Image {
            data: base64.into(),
            mime_type: mime_type.into(),
        })
    }

    /// Adds a link to a resource that the model may fetch or pass on.
    ///
    /// ```
    /// use rusty_claw::mcp::ToolResult;
    ///
    /// let result = ToolResult::empty().with_link("file:///report.pdf", "The report");
    /// assert_eq!(
    ///     serde_json::to_string(&result)?,
    ///     r#"{"content":[{"type":"resource_link","uri":"file:///report.pdf","name":"The report"}]}"#,
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn with_link(self, uri: impl Into<String>, name: impl Into<String>) -> Self {
        self.with(ToolContent::ResourceLink {
            uri: uri.into(),
            name: name.into(),
            description: None,
            mime_type: None,
        })
    }

    /// Adds a piece of content of any kind.
    pub fn with(mut self, content: ToolContent) -> Self {
        self.content.push(content);
        self
    }

    /// Adds a member to MCP's `_meta`, which is for programs and not for the model.
    pub fn with_meta(mut self, name: impl Into<String>, value: &Json) -> Self {
        self.meta.insert(name.into(), value.to_value());
        self
    }

    /// Marks the result as a failure.
    pub fn failed(mut self) -> Self {
        self.is_error = true;
        self
    }

    /// Returns whether the result is a failure.
    pub fn is_error(&self) -> bool {
        self.is_error
    }

    /// The pieces of content.
    pub fn content(&self) -> &[ToolContent] {
        &self.content
    }

    /// The structured content, if there is any; always an object.
    pub fn structured_content(&self) -> Option<&Value> {
        self.structured_content.as_ref()
    }
}

/// A piece of content of a result.
#[derive(Clone, PartialEq, Serialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum ToolContent {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// The bytes, base64-encoded.
        data: String,
        /// The media type, such as `image/png`.
        mime_type: Str,
    },
    /// Audio. The CLI saves it as a file and gives the model the path.
    Audio {
        /// The bytes, base64-encoded.
        data: String,
        /// The media type, such as `audio/wav`.
        mime_type: Str,
    },
    /// A link to a resource that the model may fetch or pass on.
    ResourceLink {
        /// The address.
        uri: String,
        /// The name.
        name: String,
        /// A description.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// The media type.
        #[serde(skip_serializing_if = "Option::is_none")]
        mime_type: Option<Str>,
    },
    /// An embedded text resource.
    Resource {
        /// The resource.
        resource: TextResource,
    },
}

/// A text resource.
#[derive(Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextResource {
    /// The address.
    pub uri: String,
    /// The media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<Str>,
    /// The text.
    pub text: String,
}

// Results contain user data, so only the kind and the size are printed.
debug_fields!(ToolResult, |result|
    content: result.content,
    structured: result.structured_content.is_some(),
    is_error: result.is_error
);

impl fmt::Debug for ToolContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, bytes) = match self {
            Self::Text { text } => ("Text", text.len()),
            Self::Image { data, .. } => ("Image", data.len()),
            Self::Audio { data, .. } => ("Audio", data.len()),
            Self::ResourceLink { uri, .. } => ("ResourceLink", uri.len()),
            Self::Resource { resource } => ("Resource", resource.text.len()),
        };
        f.debug_struct(kind)
            .field("bytes", &bytes)
            .finish_non_exhaustive()
    }
}

debug_fields!(TextResource, |resource| bytes: resource.text.len());
