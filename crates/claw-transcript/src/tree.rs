//! Sessions as trees of messages.
//!
//! Lines of a session file refer to their parent by `parentUuid`, but that is a tree of lines: a
//! reply has one line per block, parallel calls fork it, attachments are in between, compactions
//! cut it, and subagents have their own files. This module builds a tree of messages, the same for
//! the dialects of the disk and the document. It keeps the positions of lines, never their text.
//!
//! [`build`] reads files and makes a [`SessionTree`] of them in passes, one file each: `line` reads
//! one line, `parts` resolves parents, `node_builder` joins lines into messages, `parallel_calls`
//! puts results in order, `join` finds the callers of subagents, `live_leaf` the live branch.
//! Drawing is separate, in `crate::draw`.

mod branch;
mod build;
mod groups;
mod join;
mod key;
mod line;
mod live_leaf;
#[cfg(feature = "usage")]
mod liveness;
mod node;
mod node_builder;
mod parallel_calls;
mod parts;
mod reader;
mod session_tree;
mod sidechain;

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use crate::error::TranscriptError;
use crate::files::{FileRole, SessionFile};
use crate::library::SessionLibrary;

pub use branch::{Branch, BranchCause};
#[cfg(feature = "usage")]
pub(crate) use build::Builder as FileTree;
#[cfg(feature = "usage")]
pub(crate) use liveness::Liveness;
pub use node::{FoldedLine, LineSpan, Node, NodeId, NodeKind, Phase};
pub use reader::TreeReader;
pub use session_tree::SessionTree;
pub use sidechain::Sidechain;

use build::Builder;
use session_tree::TreeFile;

impl SessionTree {
    /// Reads a session: its main file first, then those of its subagents, which are joined to the
    /// calls that started them.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(files: &[SessionFile]) -> Result<Self, TranscriptError> {
        let mut builder = Builder::default();
        for file in files {
            let reader = File::open(&file.path).map_err(TranscriptError::io("open", &file.path))?;
            let agent = match &file.role {
                FileRole::Agent { agent_id } => Some(agent_id.clone()),
                _ => None,
            };
            let path = Some(file.path.clone());
            builder
                .add(TreeFile { path, agent }, reader)
                .map_err(TranscriptError::io("read", &file.path))?;
        }
        Ok(builder.finish())
    }

    /// Reads a session by the path of its main file, with its subagents.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, TranscriptError> {
        Self::read(&SessionFile::at(path)?.with_agents()?)
    }

    /// Reads a session from a reader.
    ///
    /// # Errors
    /// The reader failed.
    pub fn of_reader(reader: impl Read) -> io::Result<Self> {
        let mut builder = Builder::default();
        builder.add(TreeFile::default(), reader)?;
        Ok(builder.finish())
    }
}

impl SessionLibrary {
    /// Reads the tree of a session with its subagents.
    ///
    /// # Errors
    /// There is no such session, or one of its files cannot be read.
    pub fn tree(&self, session_id: &str) -> Result<SessionTree, TranscriptError> {
        SessionTree::read(&self.session_files(session_id)?)
    }
}
