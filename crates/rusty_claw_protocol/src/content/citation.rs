//! What a text is based on.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::text::Str;
use crate::unknown::Unknown;

/// What a part of a text is based on. Ends are exclusive, indices start at 0, pages at 1.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum Citation {
    /// Characters of a text document.
    CharLocation {
        /// The words that are cited.
        cited_text: String,
        /// Which document of the request.
        document_index: u64,
        /// The document's title.
        document_title: Option<String>,
        /// The document's file.
        file_id: Option<Str>,
        /// The first character.
        start_char_index: u64,
        /// The character after the last.
        end_char_index: u64,
        /// What no field holds.
        extra: Extra,
    },
    /// Pages of a PDF.
    PageLocation {
        /// The words that are cited.
        cited_text: String,
        /// Which document of the request.
        document_index: u64,
        /// The document's title.
        document_title: Option<String>,
        /// The document's file.
        file_id: Option<Str>,
        /// The first page.
        start_page_number: u64,
        /// The page after the last.
        end_page_number: u64,
        /// What no field holds.
        extra: Extra,
    },
    /// Blocks of a document that is made of blocks.
    ContentBlockLocation {
        /// The words that are cited.
        cited_text: String,
        /// Which document of the request.
        document_index: u64,
        /// The document's title.
        document_title: Option<String>,
        /// The document's file.
        file_id: Option<Str>,
        /// The first block.
        start_block_index: u64,
        /// The block after the last.
        end_block_index: u64,
        /// What no field holds.
        extra: Extra,
    },
    /// A page that the API's web search found.
    WebSearchResultLocation {
        /// The words that are cited.
        cited_text: String,
        /// Where in the page, readable by the API only.
        encrypted_index: String,
        /// The page's title.
        title: Option<String>,
        /// The page.
        url: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// Blocks of a search result that the host supplied.
    SearchResultLocation {
        /// The words that are cited.
        cited_text: String,
        /// Which search result of the request.
        search_result_index: u64,
        /// Where the search result came from.
        source: Str,
        /// Its title.
        title: Option<String>,
        /// The first block.
        start_block_index: u64,
        /// The block after the last.
        end_block_index: u64,
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}
