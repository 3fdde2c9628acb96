//! The calls named in sidecars of subagents.

use std::path::{Path, PathBuf};

use super::report::{Finding, Sink};
use super::rule::{Rule, Severity};
use crate::files::SessionFile;
use crate::id_hash;
use crate::members::{Members, range_in};

/// A sidecar that names the call that started its subagent.
#[derive(Debug)]
pub(super) struct Sidecar {
    path: PathBuf,
    /// The subagent's own file.
    pub(super) file: SessionFile,
    call: String,
    /// The hash of the call's id.
    pub(super) number: u64,
    /// The position of the call's id in the sidecar.
    offset: usize,
    length: usize,
}

impl Sidecar {
    /// Reads the sidecar of a file, which is small; `None` if there is none, or if it names no call.
    pub(super) fn of(file: &SessionFile) -> Option<Self> {
        let path = file.sidecar().filter(|_| file.session_id.is_some())?;
        let text = std::fs::read_to_string(&path).ok()?;
        let value = Members::read(&text)?.get("toolUseId")?;
        let call = crate::members::string(value).filter(|call| !call.is_empty())?;
        Some(Self {
            path,
            file: file.clone(),
            number: id_hash::hash(&call),
            call: call.into_owned(),
            offset: range_in(&text, value).start,
            length: value.len(),
        })
    }

    /// The finding that the call is in no file.
    pub(super) fn report(self, project: &Path, limit: usize) -> (PathBuf, Sink) {
        // A session may be deleted without its subagents' files.
        let session = self.file.session_id.unwrap_or_default();
        let has_main = project.join(format!("{session}.jsonl")).exists();
        let severity = Severity::Error.lowered_if(!has_main, Severity::Note);
        let mut sink = Sink::new(limit);
        sink.add((Rule::SidecarCall, severity), || Finding {
            rule: Rule::SidecarCall,
            severity,
            line: 1,
            offset: self.offset as u64,
            length: self.length as u64,
            uuid: None,
            message: format!(
                "the call {} that started this subagent is not in its session: nothing shows what \
                 it was asked for",
                self.call
            ),
        });
        (self.path, sink)
    }
}
