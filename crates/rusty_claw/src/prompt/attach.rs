//! Images and documents in prompts.

use std::path::Path;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::messages::{ContentBlock, Document, Source};

use super::Prompt;
use super::base64::{encode, encoded_length};
use crate::error::SessionError;

/// The API's limit for a request. The CLI scales down images that are too large for the model, but
/// it must get them first.
pub(crate) const LONGEST: usize = 32 << 20;

const IMAGE: &str = "an image";
const PDF: &str = "a PDF";

impl Prompt {
    /// Adds an image: PNG, JPEG, GIF or WebP, detected by its first bytes.
    ///
    /// # Errors
    /// [`SessionError::Unsendable`] if it has another format or is too large.
    pub fn image_bytes(self, bytes: impl AsRef<[u8]>) -> Result<Self, SessionError> {
        let bytes = bytes.as_ref();
        let block = image(bytes).map_err(|why| unsendable(IMAGE, why))?;
        Ok(self.block(block))
    }

    /// Adds an image from a file: PNG, JPEG, GIF or WebP. The file name does not matter.
    ///
    /// # Errors
    /// [`SessionError::Unsendable`] if it cannot be read, has another format or is too large.
    ///
    /// Dropping the future changes nothing.
    pub async fn image_file(self, path: impl AsRef<Path>) -> Result<Self, SessionError> {
        let block = from_file(IMAGE, path.as_ref(), image).await?;
        Ok(self.block(block))
    }

    /// Adds an image that the API fetches itself.
    #[must_use]
    pub fn image_url(self, url: impl Into<Str>) -> Self {
        self.block(ContentBlock::image_url(url))
    }

    /// Adds an image that is already base64. It is not checked: the API refuses a media type that
    /// does not match the bytes.
    #[must_use]
    pub fn image_base64(self, media_type: impl Into<Str>, data: impl Into<String>) -> Self {
        self.block(ContentBlock::image_base64(media_type, data))
    }

    /// Adds a PDF.
    ///
    /// # Errors
    /// [`SessionError::Unsendable`] if it is not a PDF or is too large.
    pub fn pdf_bytes(self, bytes: impl AsRef<[u8]>) -> Result<Self, SessionError> {
        let block = pdf(bytes.as_ref(), None).map_err(|why| unsendable(PDF, why))?;
        Ok(self.block(block))
    }

    /// Adds a PDF from a file. The file name becomes the title.
    ///
    /// # Errors
    /// [`SessionError::Unsendable`] if it cannot be read, is not a PDF or is too large.
    ///
    /// Dropping the future changes nothing.
    pub async fn pdf_file(self, path: impl AsRef<Path>) -> Result<Self, SessionError> {
        let path = path.as_ref();
        let title = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let block = from_file(PDF, path, |bytes| pdf(bytes, title)).await?;
        Ok(self.block(block))
    }

    /// Adds a PDF that the API fetches itself.
    #[must_use]
    pub fn pdf_url(self, url: impl Into<Str>) -> Self {
        self.block(ContentBlock::document(Source::url(url)))
    }

    /// Adds plain text as a document with a title, separate from the user's text.
    #[must_use]
    pub fn text_document(self, title: impl Into<String>, text: impl Into<String>) -> Self {
        self.block(document(Source::text(text), Some(title.into())))
    }
}

fn document(source: Source, title: Option<String>) -> ContentBlock {
    let mut document = Document::new();
    document.source = Some(source);
    document.title = title;
    ContentBlock::Document(Box::new(document))
}

fn image(bytes: &[u8]) -> Result<ContentBlock, String> {
    let media_type = image_type(bytes).ok_or_else(|| {
        let instead = match bytes {
            [] => "it is empty",
            _ if bytes.starts_with(b"%PDF-") => "it is a PDF; add it with Prompt::pdf_file",
            _ => "it is no PNG, JPEG, GIF or WebP; convert it to one of these",
        };
        instead.to_owned()
    })?;
    check_length(bytes, "scale it down")?;
    Ok(ContentBlock::image_base64(media_type, encode(bytes)))
}

fn pdf(bytes: &[u8], title: Option<String>) -> Result<ContentBlock, String> {
    // PDF readers allow some bytes before the header.
    let head = &bytes[..bytes.len().min(1024)];
    if !head.windows(5).any(|window| window == b"%PDF-") {
        return Err("it is no PDF; add a text with Prompt::text_document".to_owned());
    }
    check_length(bytes, "split it, or send its text")?;
    Ok(document(
        Source::base64("application/pdf", encode(bytes)),
        title,
    ))
}

/// Detects the media type by the first bytes.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some("image/gif")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}

fn check_length(bytes: &[u8], what_to_do: &str) -> Result<(), String> {
    let length = encoded_length(bytes.len());
    if length > LONGEST {
        let mb = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        return Err(format!(
            "it has {:.1} MiB, {:.1} MiB on the wire, and the API takes no more than {:.0} MiB; {what_to_do}",
            mb(bytes.len()),
            mb(length),
            mb(LONGEST),
        ));
    }
    Ok(())
}

/// Reads a file, unless it is far too large.
async fn from_file(
    what: &'static str,
    path: &Path,
    block: impl FnOnce(&[u8]) -> Result<ContentBlock, String>,
) -> Result<ContentBlock, SessionError> {
    let in_file = |why: String| unsendable(what, format!("{}: {why}", path.display()));
    let unreadable = |error: std::io::Error| in_file(format!("it cannot be read: {error}"));
    let length = tokio::fs::metadata(path).await.map_err(unreadable)?.len();
    if length > LONGEST as u64 {
        return Err(in_file(format!(
            "it has {length} bytes, and the API takes no more than {LONGEST}; send a smaller one"
        )));
    }
    let bytes = tokio::fs::read(path).await.map_err(unreadable)?;
    block(&bytes).map_err(in_file)
}

fn unsendable(what: &'static str, why: String) -> SessionError {
    SessionError::Unsendable { what, why }
}
