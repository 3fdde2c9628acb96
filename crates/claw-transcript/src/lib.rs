//! The session files of Claude Code: find them, read them, change them.
//!
//! The CLI keeps every conversation as a file of JSON lines under its config folder. This crate
//! lists those files, reads the conversation out of one, and does what the official TypeScript SDK
//! can do with them: rename, tag, archive, fork, delete. It starts no process and needs none.
//!
//! Three rules hold everywhere. Reading never fails because of what is in a file: a line that is
//! broken, torn or of a new kind is read over. Lines that the CLI wrote are never written again;
//! changes are appended, as the CLI appends its own. And memory does not grow with the size of the
//! files: a list reads both ends of each, and a conversation keeps a few facts of each line and
//! the text of those asked for.
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

mod check;
mod conversation;
mod edit;
mod entry;
mod error;
#[cfg(feature = "export")]
mod export;
mod files;
mod follow;
mod fork;
mod library;
mod lines;
mod listing;
mod members;
mod messages;
mod not_a_session;
mod project_key;
mod real_place;
#[cfg(feature = "redact")]
mod redact;
mod repair;
mod requests;
mod script_text;
#[cfg(feature = "search")]
mod search;
mod time;
mod tree;
#[cfg(feature = "usage")]
mod usage;

pub use check::{
    Check, CheckReport, Counts, DriftItem, DriftOf, FileFindings, Finding, Rule, Severity,
};
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
pub use project_key::ProjectKey;
pub use real_place::real_place;
#[cfg(feature = "redact")]
pub use redact::{
    Detector, OwnRules, Pseudonyms, Redact, RedactError, RedactReport, RedactedFile, RedactedPlace,
};
pub use repair::{
    EarlierRepairs, FilePlan, RepairAction, RepairError, RepairPlan, RepairStep, RepairTarget,
    Repaired, repair_bytes,
};
pub use script_text::is_unseen;
#[cfg(feature = "search")]
pub use search::{Hits, IndexUpdate, SearchHit, SearchIndex, SearchQuery, SearchRole, Snippet};
pub use tree::{
    Branch, BranchCause, BranchPath, DrawOptions, DrawnRow, Family, FamilyMember, FoldedLine,
    ForkKind, LineSpan, Node, NodeId, NodeKind, Phase, Segment, SessionTree, Sidechain, TreeReader,
    Turn, TurnOutcome, draw, draw_rows, families,
};
#[cfg(feature = "usage")]
pub use usage::{
    Bill, Day, ExplainedLine, ExplainedMessage, Explanation, GroupBy, HiddenSpend, PriceTable,
    Progress, ReadSummary, Selection, Sums, Term, Tier, Tokens, UnpricedModel, UsageQuery,
    UsageReport, UsageRow, Usd, Verdict, Zone,
};
