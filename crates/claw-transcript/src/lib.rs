//! Reads and edits the session files of Claude Code.
//!
//! The CLI stores every conversation as a file of JSON lines in its config folder. This crate lists
//! those files, reads conversations, and edits sessions like the official TypeScript SDK: rename,
//! tag, archive, fork, delete. It starts no processes.
//!
//! Three rules apply everywhere. Reading never fails because of a file's content: lines that are
//! broken, torn or of an unknown kind are skipped. Lines that the CLI wrote are never rewritten;
//! changes are appended. Memory does not grow with the size of the files: a list reads both ends of
//! each file, and a conversation keeps a few facts of each line and the text of the requested
//! messages.
//!
//! ```no_run
//! use claw_transcript::{MessageFilter, SessionFilter, SessionLibrary};
//!
//! let library = SessionLibrary::from_env()?.in_dir("/home/me/project");
//! if let Some(newest) = library.list(&SessionFilter::new().limit(1))?.first() {
//!     for message in library.messages(&newest.session_id, &MessageFilter::new())? {
//!         println!("{:?}: {:?}", message.role, message.message);
//!     }
//!     library.rename(&newest.session_id, "The one about session files")?;
//! }
//! # Ok::<(), claw_transcript::TranscriptError>(())
//! ```

// All features share the line readers. Without some features, parts of them are unused.
#![cfg_attr(
    not(all(feature = "check", feature = "tree", feature = "usage")),
    allow(dead_code, unused_imports)
)]

#[cfg(feature = "check")]
mod check;
mod conversation;
#[cfg(feature = "tree")]
mod draw;
mod edit;
mod entry;
mod error;
#[cfg(feature = "export")]
mod export;
mod facts;
mod files;
mod follow;
mod fork;
mod id_hash;
mod json;
mod library;
mod lines;
mod listing;
mod members;
mod messages;
mod not_a_session;
mod parallel;
mod park;
mod project_key;
mod real_place;
#[cfg(feature = "redact")]
mod redact;
#[cfg(feature = "repair")]
mod repair;
#[cfg(feature = "tree")]
mod requests;
mod script_text;
#[cfg(feature = "search")]
mod search;
mod session_id;
mod time;
#[cfg(feature = "tree")]
mod tree;
#[cfg(feature = "usage")]
mod usage;
mod writers;

#[cfg(feature = "check")]
pub use check::{
    Check, CheckReport, Counts, DriftItem, DriftOf, FileFindings, Finding, Rule, Severity,
};
#[cfg(feature = "tree")]
pub use draw::{DrawOptions, DrawnRow, draw, draw_rows};
pub use entry::{Body, Damage, Dialect, Entry, Flags, Kind, KindGroup, ParentRef, Part, salvage};
pub use error::TranscriptError;
#[cfg(feature = "export")]
pub use export::{
    Branches, Export, ExportReport, FolderReport, Format, Loss, SoftDeletes, Theme, private_file,
};
pub use files::{FileRole, SessionFile, Survey, Unreadable};
pub use follow::{Change, Cursor, Followed, Follower, SessionCursor, SessionFollower};
pub use fork::ForkOptions;
pub use library::{Project, SessionLibrary};
pub use lines::{Line, LineEnd, Lines, last_lines};
pub use listing::{SessionFilter, SessionInfo, SessionSummary};
pub use messages::{MessageFilter, Role, SessionMessage};
pub use park::{Parked, SessionCall, SessionCalls};
pub use project_key::ProjectKey;
pub use real_place::real_place;
#[cfg(feature = "redact")]
pub use redact::{
    Detector, OwnRules, Pseudonyms, Redact, RedactError, RedactReport, RedactedFile, RedactedPlace,
};
#[cfg(feature = "repair")]
pub use repair::{
    EarlierRepairs, FilePlan, RepairAction, RepairError, RepairPlan, RepairStep, RepairTarget,
    Repaired, repair_bytes,
};
pub use script_text::is_unseen;
#[cfg(feature = "search")]
pub use search::{Hits, SearchHit, SearchQuery, SearchRole, Snippet};
#[cfg(feature = "tree")]
pub use tree::{
    Branch, BranchCause, FoldedLine, LineSpan, Node, NodeId, NodeKind, Phase, SessionTree,
    Sidechain, TreeReader,
};
#[cfg(feature = "usage")]
pub use usage::{
    Bill, CountedAs, Day, ExplainedLine, ExplainedMessage, Explanation, GroupBy, HiddenSpend,
    PriceTable, Progress, ReadSummary, Selection, Sums, Term, Tier, Tokens, UnpricedModel,
    UsageQuery, UsageReport, UsageRow, Usd, Zone,
};
pub use writers::find_writer;
