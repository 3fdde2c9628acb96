//! Splits the files of a search into tasks.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use crate::files::{FileRole, SessionFile};

/// The work of one thread: a file, or a part of it.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) file: Arc<SessionFile>,
    /// Lines that start in this range.
    pub(super) bytes: Range<u64>,
}

/// Several threads search a large file in segments of this size.
const SEGMENT: u64 = 16 * 1024 * 1024;

/// Sorts files: the session that was modified last comes first, its main file before subagents.
pub(super) fn in_order(files: Vec<SessionFile>) -> Vec<Arc<SessionFile>> {
    let mut newest: HashMap<(String, String), SystemTime> = HashMap::new();
    let key = |file: &SessionFile| {
        // Old files of subagents do not name their session.
        let session = match &file.session_id {
            Some(session) => session.clone(),
            None => file.path.to_string_lossy().into_owned(),
        };
        (file.project.as_str().to_owned(), session)
    };
    for file in &files {
        let time = newest.entry(key(file)).or_insert(file.modified);
        *time = file.modified.max(*time);
    }
    let mut files: Vec<_> = files
        .into_iter()
        .map(|file| {
            let key = key(&file);
            let main = file.role == FileRole::Main;
            ((Reverse(newest[&key]), key, !main), Arc::new(file))
        })
        .collect();
    files.sort_by(|(a, a_file), (b, b_file)| a.cmp(b).then_with(|| a_file.path.cmp(&b_file.path)));
    files.into_iter().map(|(_, file)| file).collect()
}

/// The tasks of some files, in order.
pub(super) fn of(files: &[Arc<SessionFile>]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for file in files {
        let segments = match file.role {
            // A result is one text, which is not split at lines.
            FileRole::ToolResult => 1,
            _ => (file.len / SEGMENT).max(1),
        };
        tasks.extend((0..segments).map(|segment| {
            let start = segment * SEGMENT;
            // The file may have grown: the last segment has no end.
            let is_last = segment + 1 == segments;
            Task {
                file: Arc::clone(file),
                bytes: start..if is_last { u64::MAX } else { start + SEGMENT },
            }
        }));
    }
    tasks
}
