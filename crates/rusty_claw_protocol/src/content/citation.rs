//! Citations.

use rusty_claw_macros::wire_type;

use crate::text::Str;
use crate::unknown::Unknown;

/// The source of a part of a text. Ends are exclusive, indices start at 0, pages at 1.
#[wire_type(tag = "type")]
pub enum Citation {
    /// A character range of a text document.
    CharLocation {
        /// The cited text.
        cited_text: String,
        /// Index of the document in the request.
        document_index: u64,
        /// The document's title.
        document_title: Option<String>,
        /// The document's file id.
        file_id: Option<Str>,
        /// The first character.
        start_char_index: u64,
        /// The character after the last.
        end_char_index: u64,
    },
    /// A page range of a PDF.
    PageLocation {
        /// The cited text.
        cited_text: String,
        /// Index of the document in the request.
        document_index: u64,
        /// The document's title.
        document_title: Option<String>,
        /// The document's file id.
        file_id: Option<Str>,
        /// The first page.
        start_page_number: u64,
        /// The page after the last.
        end_page_number: u64,
    },
    /// A block range of a document made of blocks.
    ContentBlockLocation {
        /// The cited text.
        cited_text: String,
        /// Index of the document in the request.
        document_index: u64,
        /// The document's title.
        document_title: Option<String>,
        /// The document's file id.
        file_id: Option<Str>,
        /// The first block.
        start_block_index: u64,
        /// The block after the last.
        end_block_index: u64,
    },
    /// A result of the API's web search.
    WebSearchResultLocation {
        /// The cited text.
        cited_text: String,
        /// The position in the page, which only the API can read.
        encrypted_index: String,
        /// The page's title.
        title: Option<String>,
        /// The page's URL.
        url: Str,
    },
    /// A block range of a search result that the host supplied.
    SearchResultLocation {
        /// The cited text.
        cited_text: String,
        /// Index of the search result in the request.
        search_result_index: u64,
        /// The source of the search result.
        source: Str,
        /// Its title.
        title: Option<String>,
        /// The first block.
        start_block_index: u64,
        /// The block after the last.
        end_block_index: u64,
    },
    /// An unrecognized kind.
    Unknown(Unknown),
}
