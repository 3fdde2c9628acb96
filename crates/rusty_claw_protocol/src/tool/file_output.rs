//! Outputs of the tools that read and write files.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;
use crate::unknown::Unknown;

/// What a file held. Told apart by `type`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ReadOutput {
    /// Text.
    Text(ReadText),
    /// A picture.
    Image(Box<ReadImage>),
    /// A notebook.
    Notebook(ReadNotebook),
    /// A PDF as a whole.
    Pdf(ReadPdf),
    /// Pages of a PDF as pictures.
    Parts(Box<ReadParts>),
    /// A kind that is new to this library.
    Unknown(Unknown),
}

/// Text from a file.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ReadText {
    /// The text and where it stands.
    pub file: TextFile,
    /// The published page that it comes from.
    pub artifact_read: Option<ArtifactRead>,
    /// What no field holds.
    pub extra: Extra,
}

/// A piece of a text file.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct TextFile {
    /// The file.
    pub file_path: Str,
    /// The text.
    pub content: String,
    /// How many lines it has.
    pub num_lines: u64,
    /// Its first line, from one.
    pub start_line: u64,
    /// How many lines the file has.
    pub total_lines: u64,
    /// Whether it was cut because it would take too many tokens.
    pub truncated_by_token_cap: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// A published page that was read.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ArtifactRead {
    /// The page.
    pub slug: Str,
    /// Its version.
    pub ver: Option<Str>,
    /// Whether the model had it from the start.
    pub seeded: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// A picture from a file.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReadImage {
    /// The picture.
    pub file: ImageFile,
    /// What no field holds.
    pub extra: Extra,
}

/// A picture.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ImageFile {
    /// The bytes.
    pub base64: String,
    /// The media type.
    #[wire(name = "type")]
    pub media_type: Str,
    /// How many bytes the file has.
    pub original_size: u64,
    /// How large it is, before and after it was scaled.
    pub dimensions: Option<ImageDimensions>,
    /// What no field holds.
    pub extra: Extra,
}

/// How large a picture is.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ImageDimensions {
    /// Pixels across, in the file.
    pub original_width: Option<u64>,
    /// Pixels down, in the file.
    pub original_height: Option<u64>,
    /// Pixels across, as the model sees it.
    pub display_width: Option<u64>,
    /// Pixels down, as the model sees it.
    pub display_height: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

/// A notebook.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReadNotebook {
    /// The notebook.
    pub file: NotebookFile,
    /// What no field holds.
    pub extra: Extra,
}

/// The cells of a notebook.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct NotebookFile {
    /// The file.
    pub file_path: Str,
    /// The cells, in the shape of the notebook format.
    pub cells: Vec<Json>,
    /// What no field holds.
    pub extra: Extra,
}

/// A PDF.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReadPdf {
    /// The PDF.
    pub file: PdfFile,
    /// What no field holds.
    pub extra: Extra,
}

/// The bytes of a PDF.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct PdfFile {
    /// The file.
    pub file_path: Str,
    /// The bytes.
    pub base64: String,
    /// How many bytes the file has.
    pub original_size: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// Pages of a PDF.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ReadParts {
    /// The PDF and where its pages are.
    pub file: PartsFile,
    /// The first of the pages, from one.
    pub first_page: Option<u64>,
    /// The pages.
    pub pages: Option<Vec<PdfPage>>,
    /// What no field holds.
    pub extra: Extra,
}

/// A PDF that was taken apart.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct PartsFile {
    /// The file.
    pub file_path: Str,
    /// How many bytes the file has.
    pub original_size: u64,
    /// How many pages were taken out.
    pub count: u64,
    /// The folder that they are in.
    pub output_dir: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// One page as a picture.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct PdfPage {
    /// The bytes.
    pub base64: String,
    /// The media type.
    pub media_type: Str,
    /// Why there is no picture.
    pub error: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}
