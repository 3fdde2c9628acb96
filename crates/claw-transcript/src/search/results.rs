//! Searches results that were too long for a line, which the CLI stores in files beside a session.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::{memchr_iter, memrchr};

use super::role::SearchRole;
use super::scan::{GoOn, Question, SearchHit};
use super::snippet::Snippet;
use super::visible::{Whose, texts};
use crate::files::{FileRole, SessionFile};
use crate::time::to_ms;

/// The maximum length of a text. A longer file is searched in parts, so that memory stays bounded.
const LONGEST: usize = 8 * 1024 * 1024;

/// The files of results beside some sessions, without duplicates. Other files among them, such as
/// pictures, contain no text.
pub(super) fn beside(files: &[SessionFile]) -> Vec<SessionFile> {
    // All files of a session have the same folder. The main file describes it best.
    let (main, other): (Vec<_>, Vec<_>) = files.iter().partition(|f| f.role == FileRole::Main);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for file in main.into_iter().chain(other) {
        if let Some(folder) = folder_of(file)
            && !seen.contains(&folder)
        {
            found.extend(results_in(&folder, file));
            seen.insert(folder);
        }
    }
    found
}

/// The folder of the results of the session that a file belongs to.
fn folder_of(file: &SessionFile) -> Option<PathBuf> {
    let session = match file.companions() {
        Some(companions) => companions,
        None => {
            let mut above = file.path.ancestors();
            above.find(|folder| folder.ends_with("subagents"))?;
            above.next()?.to_owned()
        }
    };
    Some(session.join("tool-results"))
}

fn results_in(folder: &Path, of: &SessionFile) -> Vec<SessionFile> {
    // Most sessions have none. Unreadable files are left out, as among sessions.
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        matches!(ending, Some("txt" | "json" | "md" | "csv" | "html" | "xml"))
    });
    paths.sort();
    let file = |path: PathBuf| {
        let meta = std::fs::metadata(&path)
            .ok()
            .filter(|meta| meta.is_file())?;
        Some(SessionFile {
            path,
            project: of.project.clone(),
            session_id: of.session_id.clone(),
            role: FileRole::ToolResult,
            len: meta.len(),
            modified: meta.modified().unwrap_or(of.modified),
        })
    };
    paths.into_iter().filter_map(file).collect()
}

/// Searches the file of a result.
pub(super) fn scan(
    opened: &mut File,
    file: &Arc<SessionFile>,
    question: &Question,
    mut each: impl FnMut(SearchHit) -> GoOn,
) -> io::Result<()> {
    if !question.includes(to_ms(file.modified)) {
        return Ok(());
    }
    let mut part = Part::default();
    while !question.is_stopped() && part.read(opened)? {
        if let Some(hit) = part.search(file, question)
            && !each(hit)
        {
            return Ok(());
        }
        part.pass();
    }
    Ok(())
}

/// A part of a file that is searched as one text: usually the whole file.
#[derive(Default)]
struct Part {
    bytes: Vec<u8>,
    /// The number of bytes to search now; the rest belongs to the next part.
    length: usize,
    offset: u64,
    lines: u64,
}

impl Part {
    /// Reads the next part. Returns `false` if there is none.
    fn read(&mut self, from: &mut File) -> io::Result<bool> {
        let room = LONGEST.saturating_sub(self.bytes.len()) as u64;
        from.take(room).read_to_end(&mut self.bytes)?;
        self.length = match memrchr(b'\n', &self.bytes) {
            Some(at) if self.bytes.len() >= LONGEST => at + 1,
            _ => self.bytes.len(),
        };
        Ok(self.length > 0)
    }

    fn pass(&mut self) {
        let passed = self.bytes.drain(..self.length);
        self.lines += memchr_iter(b'\n', passed.as_slice()).count() as u64;
        self.offset += passed.as_slice().len() as u64;
    }

    fn search(&self, file: &Arc<SessionFile>, question: &Question) -> Option<SearchHit> {
        let is_json = file.path.extension().is_some_and(|ending| ending == "json");
        let bytes = &self.bytes[..self.length];
        let text = String::from_utf8_lossy(bytes);
        let pieces = if is_json {
            texts(&text, Whose::Result)
        } else {
            vec![text.clone()]
        };
        if !question.pattern.matches(&pieces) {
            return None;
        }
        let mut line = 0;
        if !is_json {
            question.pattern.find(&text, |first| {
                line = memchr_iter(b'\n', &text.as_bytes()[..first.start]).count();
                false
            });
        }
        let start = line
            .checked_sub(1)
            .and_then(|newline| memchr_iter(b'\n', bytes).nth(newline));
        let (snippet, count) = Snippet::of(&pieces, &question.pattern, question.context);
        Some(SearchHit {
            file: Arc::clone(file),
            session_id: file.session_id.clone(),
            line: self.lines + line as u64,
            offset: self.offset + start.map_or(0, |newline| newline as u64 + 1),
            uuid: None,
            time_ms: None,
            role: SearchRole::ToolResult,
            snippet,
            count,
        })
    }
}
