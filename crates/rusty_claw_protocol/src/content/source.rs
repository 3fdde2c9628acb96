//! Images, documents and search results, and their sources.

use rusty_claw_macros::wire_type;

use crate::content::{CacheControl, ContentBlock};
use crate::extra::Extra;
use crate::message::Content;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;

/// The source of an image or a document.
#[wire_type(tag = "type")]
pub enum Source {
    /// Inline base64 data.
    Base64 {
        /// For example `image/png` or `application/pdf`.
        media_type: Str,
        /// The base64 data.
        data: String,
    },
    /// A URL that the API fetches.
    Url {
        /// The URL.
        url: Str,
    },
    /// A file that was uploaded to the API.
    File {
        /// The file's id.
        file_id: Str,
    },
    /// Inline plain text.
    Text {
        /// `text/plain`.
        media_type: Str,
        /// The text.
        data: String,
    },
    /// Inline blocks.
    Content {
        /// The blocks.
        content: Content,
    },
    /// An unrecognized kind.
    Unknown(Unknown),
}

impl Source {
    /// Returns base64 data.
    pub fn base64(media_type: impl Into<Str>, data: impl Into<String>) -> Self {
        Self::Base64 {
            media_type: media_type.into(),
            data: data.into(),
            extra: Extra::new(),
        }
    }

    /// Returns a URL that the API fetches.
    pub fn url(url: impl Into<Str>) -> Self {
        Self::Url {
            url: url.into(),
            extra: Extra::new(),
        }
    }

    /// Returns plain text.
    pub fn text(data: impl Into<String>) -> Self {
        Self::Text {
            media_type: Str::from_static("text/plain"),
            data: data.into(),
            extra: Extra::new(),
        }
    }
}

/// A PDF or text document for the model.
#[wire_type]
pub struct Document {
    /// Its content.
    pub source: Option<Source>,
    /// Its title.
    pub title: Option<String>,
    /// Context about the document, which is not cited.
    pub context: Option<String>,
    /// Whether the model may cite it.
    pub citations: Option<CitationsConfig>,
    /// A cache breakpoint at this block.
    pub cache_control: Option<Box<CacheControl>>,
}

/// A result of a search that the host ran.
#[wire_type]
pub struct SearchResult {
    /// Where it was found.
    pub source: Str,
    /// Its title.
    pub title: String,
    /// Its content, as text blocks.
    pub content: Vec<ContentBlock>,
    /// Whether the model may cite it.
    pub citations: Option<CitationsConfig>,
    /// A cache breakpoint at this block.
    pub cache_control: Option<Box<CacheControl>>,
}

/// Whether the model may cite a document.
#[wire_type]
pub struct CitationsConfig {
    /// Whether it may.
    pub enabled: Option<bool>,
}

/// Changes that the API may make to an image.
#[wire_type]
pub struct ImageTransformations {
    /// How to treat an image that is too large.
    pub oversized_image: Option<OversizedImage>,
}

open_enum! {
    /// How to treat an image that is too large.
    pub enum OversizedImage {
        /// Downsize it.
        Downsize = "downsize",
        /// Fail the request.
        Error = "error",
    }
}
