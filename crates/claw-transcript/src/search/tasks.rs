//! What is to be searched, in which order and in which pieces.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

use super::index::Stamp;
use super::scan::Region;
use crate::files::{FileRole, SessionFile};

/// What one thread searches at a time.
#[derive(Debug)]
pub(super) struct Task {
    /// Which of the files.
    pub(super) file: usize,
    pub(super) regions: Vec<Region>,
    /// The file as an index knows it: then the regions are all that is to be searched of it, and
    /// the number of the first line of each is known. Of any other file nothing is known.
    pub(super) known: Option<Stamp>,
}

/// Large files are searched by several threads at once, in pieces of this size.
const SEGMENT: u64 = 16 * 1024 * 1024;

/// Sessions that were written to last come first; of each the main file, then its subagents.
pub(super) fn in_order(files: Vec<SessionFile>) -> Vec<Arc<SessionFile>> {
    let mut newest: HashMap<(String, String), SystemTime> = HashMap::new();
    let key = |file: &SessionFile| {
        // Old files of subagents do not say which session they belong to.
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

/// Everything in all files.
pub(super) fn whole(files: &[Arc<SessionFile>]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for (at, file) in files.iter().enumerate() {
        whole_file(at, file, &mut tasks);
    }
    tasks
}

/// Everything in a file.
pub(super) fn whole_file(at: usize, file: &SessionFile, tasks: &mut Vec<Task>) {
    let segments = match file.role {
        // It is one text, whose parts are not told apart by lines.
        FileRole::ToolResult => 1,
        _ => (file.len / SEGMENT).max(1),
    };
    for segment in 0..segments {
        let start = segment * SEGMENT;
        // The last goes on to whatever the end is when it gets there.
        let end = if segment + 1 == segments {
            u64::MAX
        } else {
            start + SEGMENT
        };
        tasks.push(Task {
            file: at,
            regions: vec![Region {
                bytes: start..end,
                first_line: (start == 0).then_some(0),
            }],
            known: None,
        });
    }
}
