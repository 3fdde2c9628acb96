//! The browser that the model controls.

use rusty_claw_macros::wire_type;

use crate::content::CacheControl;
use crate::text::Str;
use crate::unknown::Unknown;

/// The state of the browser that the model controls.
#[wire_type]
pub struct BrowserState {
    /// Its tabs.
    pub tabs: Vec<BrowserTab>,
    /// Changes since the previous state.
    pub state_changes: Option<Vec<BrowserChange>>,
    /// A cache breakpoint at this block.
    pub cache_control: Option<Box<CacheControl>>,
}

/// A browser tab.
#[wire_type]
pub struct BrowserTab {
    /// The id that the model refers to.
    pub tab_id: Str,
    /// The page's title.
    pub title: String,
    /// The page's URL.
    pub url: Str,
    /// Whether it is the active tab.
    pub active: Option<bool>,
}

/// A change in the browser.
#[wire_type(tag = "type")]
pub enum BrowserChange {
    /// A tab was opened.
    TabOpened {
        /// The tab's id.
        tab_id: Str,
    },
    /// A download started.
    DownloadStarted {
        /// The download's id.
        download_id: Str,
        /// Its URL.
        url: Str,
    },
    /// A download completed.
    DownloadCompleted {
        /// The download's id.
        download_id: Str,
        /// Its URL.
        url: Str,
        /// Where it was stored.
        path: Option<Str>,
        /// Its size.
        size_bytes: Option<u64>,
    },
    /// A download failed.
    DownloadFailed {
        /// The download's id.
        download_id: Str,
        /// Its URL.
        url: Str,
        /// The error.
        error: Option<String>,
    },
    /// An unrecognized kind.
    Unknown(Unknown),
}
