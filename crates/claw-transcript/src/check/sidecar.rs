//! The calls that sidecars of subagents name.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::ids;
use crate::files::SessionFile;
use crate::members::Members;

/// A call that must be somewhere in a session.
#[derive(Debug)]
pub(super) struct WantedCall {
    pub(super) number: u64,
    found: AtomicBool,
}

impl WantedCall {
    /// Takes note of a call that was seen.
    pub(super) fn seen(&self, number: u64) {
        if self.number == number {
            self.found.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn is_found(&self) -> bool {
        self.found.load(Ordering::Relaxed)
    }
}

/// A sidecar that names the call which started its subagent.
#[derive(Debug)]
pub(super) struct Sidecar {
    pub(super) path: PathBuf,
    /// The subagent's own file.
    pub(super) file: SessionFile,
    pub(super) call: String,
    /// Where in the sidecar the call is named.
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// The sidecars of files, and the calls they name by session, in the same order.
#[derive(Debug, Default)]
pub(super) struct Sidecars {
    pub(super) by_session: BTreeMap<String, (Vec<Sidecar>, Vec<WantedCall>)>,
}

impl Sidecars {
    /// Reads the sidecars of all subagents among the files. They are small.
    pub(super) fn of(files: &[SessionFile]) -> Self {
        let mut all = Self::default();
        for file in files {
            let (Some(path), Some(session)) = (file.sidecar(), &file.session_id) else {
                continue;
            };
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            let Some(members) = Members::read(&text) else {
                continue;
            };
            let (Some(value), Some(call)) = (
                members.get("toolUseId"),
                members.string("toolUseId").filter(|call| !call.is_empty()),
            ) else {
                continue;
            };
            let (sidecars, wanted) = all.by_session.entry(session.clone()).or_default();
            wanted.push(WantedCall {
                number: ids::number(&call),
                found: AtomicBool::new(false),
            });
            sidecars.push(Sidecar {
                path,
                file: file.clone(),
                call: call.into_owned(),
                offset: (value.as_ptr() as usize - text.as_ptr() as usize) as u64,
                length: value.len() as u64,
            });
        }
        all
    }

    /// The calls that the files of a session may hold.
    pub(super) fn wanted(&self, file: &SessionFile) -> &[WantedCall] {
        let session = file.session_id.as_ref();
        let found = session.and_then(|session| self.by_session.get(session));
        found.map_or(&[], |(_, wanted)| wanted)
    }
}
