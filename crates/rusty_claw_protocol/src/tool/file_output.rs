//! Outputs of the tools that read and write files.

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::text::Str;
use crate::unknown::Unknown;

/// The content of a file. Tagged by `type`.
#[wire_type(tag = "type")]
pub enum ReadOutput {
    /// Text.
    Text(ReadText),
    /// An image.
    Image(Box<ReadImage>),
    /// A notebook.
    Notebook(ReadNotebook),
    /// A whole PDF.
    Pdf(ReadPdf),
    /// Pages of a PDF as images.
    Parts(Box<ReadParts>),
    /// An unrecognized kind.
    Unknown(Unknown),
}

/// Text from a file.
#[wire_type(rename_all = "camelCase")]
pub struct ReadText {
    /// The text and its position.
    pub file: TextFile,
    /// The artifact that it comes from.
    pub artifact_read: Option<ArtifactRead>,
}

/// A part of a text file.
#[wire_type(rename_all = "camelCase")]
pub struct TextFile {
    /// The file.
    pub file_path: Str,
    /// The text.
    pub content: String,
    /// Number of lines in this part.
    pub num_lines: u64,
    /// The first line of this part, from one.
    pub start_line: u64,
    /// Number of lines in the file.
    pub total_lines: u64,
    /// Whether it was truncated to limit tokens.
    pub truncated_by_token_cap: Option<bool>,
}

/// An artifact that was read.
#[wire_type]
pub struct ArtifactRead {
    /// The artifact's slug.
    pub slug: Str,
    /// Its version.
    pub ver: Option<Str>,
    /// Whether it was seeded.
    pub seeded: Option<bool>,
}

/// An image from a file.
#[wire_type]
pub struct ReadImage {
    /// The image.
    pub file: ImageFile,
}

/// An image.
#[wire_type(rename_all = "camelCase")]
pub struct ImageFile {
    /// The base64 data.
    pub base64: String,
    /// The media type.
    #[wire(name = "type")]
    pub media_type: Str,
    /// The file's size in bytes.
    pub original_size: u64,
    /// The size before and after scaling.
    pub dimensions: Option<ImageDimensions>,
}

/// The dimensions of an image.
#[wire_type(rename_all = "camelCase")]
pub struct ImageDimensions {
    /// Width in pixels, in the file.
    pub original_width: Option<u64>,
    /// Height in pixels, in the file.
    pub original_height: Option<u64>,
    /// Width in pixels, as the model sees it.
    pub display_width: Option<u64>,
    /// Height in pixels, as the model sees it.
    pub display_height: Option<u64>,
}

/// A notebook.
#[wire_type]
pub struct ReadNotebook {
    /// The notebook.
    pub file: NotebookFile,
}

/// The cells of a notebook.
#[wire_type(rename_all = "camelCase")]
pub struct NotebookFile {
    /// The file.
    pub file_path: Str,
    /// The cells, in the notebook format.
    pub cells: Vec<Json>,
}

/// A PDF.
#[wire_type]
pub struct ReadPdf {
    /// The PDF.
    pub file: PdfFile,
}

/// The content of a PDF.
#[wire_type(rename_all = "camelCase")]
pub struct PdfFile {
    /// The file.
    pub file_path: Str,
    /// The base64 data.
    pub base64: String,
    /// The file's size in bytes.
    pub original_size: u64,
}

/// Pages of a PDF.
#[wire_type(rename_all = "camelCase")]
pub struct ReadParts {
    /// The PDF and the location of its pages.
    pub file: PartsFile,
    /// The first page, from one.
    pub first_page: Option<u64>,
    /// The pages.
    pub pages: Option<Vec<PdfPage>>,
}

/// A PDF split into pages.
#[wire_type(rename_all = "camelCase")]
pub struct PartsFile {
    /// The file.
    pub file_path: Str,
    /// The file's size in bytes.
    pub original_size: u64,
    /// Number of extracted pages.
    pub count: u64,
    /// The directory of the pages.
    pub output_dir: Str,
}

/// A page as an image.
#[wire_type(rename_all = "camelCase")]
pub struct PdfPage {
    /// The base64 data.
    pub base64: String,
    /// The media type.
    pub media_type: Str,
    /// Why there is no image.
    pub error: Option<String>,
}
