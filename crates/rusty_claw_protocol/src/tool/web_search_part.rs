//! The parts of a web search result, which are objects or plain text.

use serde::{Serialize, Serializer};

use crate::json::Json;
use crate::tool::WebSearchHits;
use crate::wire::{Found, Malformed, Reader, Shape, Wire};

/// A part of a web search result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum WebSearchPart {
    /// Pages.
    Hits(WebSearchHits),
    /// The model's summary of the pages.
    Text(String),
    /// A part of an unrecognized shape.
    Other(Json),
}

impl Wire for WebSearchPart {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        if let Some(text) = reader.string()? {
            return Ok(Found::Exact(Self::Text(text.into_owned())));
        }
        if reader.is_object()? {
            return Ok(WebSearchHits::read(reader)?.map(Self::Hits));
        }
        Ok(Json::read(reader)?.map(Self::Other))
    }

    fn shape() -> Option<&'static Shape> {
        WebSearchHits::shape()
    }
}

impl Serialize for WebSearchPart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Hits(hits) => hits.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Other(json) => json.serialize(serializer),
        }
    }
}

impl<'de> serde::Deserialize<'de> for WebSearchPart {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::deserialize(deserializer)
    }
}
