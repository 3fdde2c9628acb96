//! Pictures, documents and search results, and where their content is.

use rusty_claw_macros::Wire;

use crate::content::{CacheControl, ContentBlock};
use crate::extra::Extra;
use crate::message::Content;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;

/// Where the content of a picture or of a document is.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum Source {
    /// Here, in base64.
    Base64 {
        /// Such as `image/png` or `application/pdf`.
        media_type: Str,
        /// The bytes.
        data: String,
        /// What no field holds.
        extra: Extra,
    },
    /// On the web; the API fetches it.
    Url {
        /// The address.
        url: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// In a file that was uploaded to the API.
    File {
        /// The file.
        file_id: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// Here, as plain text.
    Text {
        /// `text/plain`.
        media_type: Str,
        /// The text.
        data: String,
        /// What no field holds.
        extra: Extra,
    },
    /// Here, as blocks.
    Content {
        /// The blocks.
        content: Content,
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}

impl Source {
    /// Bytes in base64.
    pub fn base64(media_type: impl Into<Str>, data: impl Into<String>) -> Self {
        Self::Base64 {
            media_type: media_type.into(),
            data: data.into(),
            extra: Extra::new(),
        }
    }

    /// An address that the API fetches.
    pub fn url(url: impl Into<Str>) -> Self {
        Self::Url {
            url: url.into(),
            extra: Extra::new(),
        }
    }

    /// Plain text.
    pub fn text(data: impl Into<String>) -> Self {
        Self::Text {
            media_type: Str::from_static("text/plain"),
            data: data.into(),
            extra: Extra::new(),
        }
    }
}

/// A PDF or a text for the model to read.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct Document {
    /// Where its content is.
    pub source: Option<Source>,
    /// Its title.
    pub title: Option<String>,
    /// What the model should know about it, not to be cited.
    pub context: Option<String>,
    /// Whether the model may cite it.
    pub citations: Option<CitationsConfig>,
    /// Asks the API to cache the prompt up to here.
    pub cache_control: Option<Box<CacheControl>>,
    /// What no field holds.
    pub extra: Extra,
}

/// Something a search of the host's own found.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SearchResult {
    /// Where it was found.
    pub source: Str,
    /// Its title.
    pub title: String,
    /// What it says, as text blocks.
    pub content: Vec<ContentBlock>,
    /// Whether the model may cite it.
    pub citations: Option<CitationsConfig>,
    /// Asks the API to cache the prompt up to here.
    pub cache_control: Option<Box<CacheControl>>,
    /// What no field holds.
    pub extra: Extra,
}

/// Whether the model may cite a document.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CitationsConfig {
    /// It may.
    pub enabled: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// What the API may do to a picture.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ImageTransformations {
    /// What happens to a picture that is too large.
    pub oversized_image: Option<OversizedImage>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What happens to a picture that is too large.
    pub enum OversizedImage {
        /// It is made smaller.
        Downsize = "downsize",
        /// The request fails.
        Error = "error",
    }
}
