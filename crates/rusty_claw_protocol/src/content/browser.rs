//! The browser that the model drives.

use rusty_claw_macros::Wire;

use crate::content::CacheControl;
use crate::extra::Extra;
use crate::text::Str;
use crate::unknown::Unknown;

/// What the browser that the model drives shows.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct BrowserState {
    /// Its tabs.
    pub tabs: Vec<BrowserTab>,
    /// What happened since the last time.
    pub state_changes: Option<Vec<BrowserChange>>,
    /// Asks the API to cache the prompt up to here.
    pub cache_control: Option<Box<CacheControl>>,
    /// What no field holds.
    pub extra: Extra,
}

/// One tab.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct BrowserTab {
    /// By which the model names it.
    pub tab_id: Str,
    /// The page's title.
    pub title: String,
    /// The page.
    pub url: Str,
    /// Whether it is the one in front.
    pub active: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// Something that happened in the browser.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum BrowserChange {
    /// A tab was opened.
    TabOpened {
        /// The tab.
        tab_id: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// A download began.
    DownloadStarted {
        /// The download.
        download_id: Str,
        /// Where it comes from.
        url: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// A download is done.
    DownloadCompleted {
        /// The download.
        download_id: Str,
        /// Where it came from.
        url: Str,
        /// Where it was stored.
        path: Option<Str>,
        /// How large it is.
        size_bytes: Option<u64>,
        /// What no field holds.
        extra: Extra,
    },
    /// A download broke off.
    DownloadFailed {
        /// The download.
        download_id: Str,
        /// Where it would have come from.
        url: Str,
        /// What went wrong.
        error: Option<String>,
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}
