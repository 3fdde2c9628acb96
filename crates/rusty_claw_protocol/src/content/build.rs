//! Constructors of content blocks.

use crate::content::{ContentBlock, Document, Source, ToolResultContent};
use crate::extra::Extra;
use crate::text::Str;

impl ContentBlock {
    /// Returns an image with base64 data. `media_type` is for example `image/png`.
    pub fn image_base64(media_type: impl Into<Str>, data: impl Into<String>) -> Self {
        Self::image(Source::base64(media_type, data))
    }

    /// Returns an image that the API fetches itself.
    pub fn image_url(url: impl Into<Str>) -> Self {
        Self::image(Source::url(url))
    }

    /// Returns an image with the given source.
    pub fn image(source: Source) -> Self {
        Self::Image {
            source: Some(source),
            transformations: None,
            cache_control: None,
            extra: Extra::new(),
        }
    }

    /// Returns a PDF with base64 data.
    pub fn pdf_base64(data: impl Into<String>) -> Self {
        Self::document(Source::base64("application/pdf", data))
    }

    /// Returns a document with the given source.
    pub fn document(source: Source) -> Self {
        Self::Document(Box::new(Document {
            source: Some(source),
            ..Document::default()
        }))
    }

    /// Returns the result of a tool call.
    pub fn tool_result(
        tool_use_id: impl Into<Str>,
        content: impl Into<ToolResultContent>,
        is_error: bool,
    ) -> Self {
        Self::ToolResult {
            tool_use_id: tool_use_id.into(),
            content: content.into(),
            is_error,
            toolset_name: None,
            cache_control: None,
            extra: Extra::new(),
        }
    }
}
