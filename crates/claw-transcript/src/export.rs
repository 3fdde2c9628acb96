//! Sessions in formats that people and other programs can read.
//!
//! HTML, Markdown, JSON, the raw lines of a branch, and the document's dialect with a list of what
//! it cannot represent. [Soft-deleted](SoftDeletes) messages are excluded. The CLI's files are
//! never written.

mod document;
mod folder;
mod html;
mod job;
mod json;
mod links;
mod losses;
mod markdown;
mod metadata;
mod object;
mod options;
mod outline;
mod private_file;
mod raw_lines;
mod soft_deletes;
mod terminal;
mod user_text;
mod write;

pub use folder::FolderReport;
pub use job::ExportReport;
pub use losses::Loss;
pub use options::{Branches, Export, Format, Theme};
pub use private_file::private_file;
pub use soft_deletes::SoftDeletes;
