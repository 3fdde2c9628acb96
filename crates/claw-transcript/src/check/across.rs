//! Names that a file does not explain by itself are looked for in the files around it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use super::facts::Facts;
use super::ids::{self, ByNumber};
use super::kin::{Kin, is_of_agent, project_folder};
use super::member::Member;
use super::report::{Finding, Sink};
use super::rule::{Rule, Severity};
use super::said::Said;
use super::scan::Outcome;
use super::sidecar::Sidecars;
use crate::entry::Kind;
use crate::files::SessionFile;
use crate::lines::{Lines, readable};

/// Settles what is pending in all files. A subagent's parent may be in the session that started
/// it; a request may be anywhere around.
pub(super) fn settle(files: &[SessionFile], outcomes: &mut [Outcome], sidecars: &Sidecars) {
    let mut around: BTreeMap<PathBuf, Around> = BTreeMap::new();
    for (file, outcome) in files.iter().zip(outcomes.iter()) {
        if !outcome.pending.is_empty() {
            let around = around.entry(project_folder(file)).or_default();
            around.want(file, outcome.pending.iter().map(|pending| pending.number));
        }
    }
    for (sidecars, wanted) in sidecars.by_session.values() {
        for (sidecar, wanted) in sidecars.iter().zip(wanted) {
            if !wanted.is_found() {
                let around = around.entry(project_folder(&sidecar.file)).or_default();
                around.want(&sidecar.file, [wanted.number]);
                around.calls = true;
            }
        }
    }
    for (folder, around) in &mut around {
        around.search(folder);
    }
    for (sidecars, wanted) in sidecars.by_session.values() {
        for (sidecar, wanted) in sidecars.iter().zip(wanted) {
            let around = around.get(&project_folder(&sidecar.file));
            if around.is_some_and(|around| around.found(wanted.number)) {
                wanted.seen(wanted.number);
            }
        }
    }
    for (file, outcome) in files.iter().zip(outcomes.iter_mut()) {
        let Some(around) = around.get(&project_folder(file)) else {
            continue;
        };
        let mut kin = None;
        for pending in std::mem::take(&mut outcome.pending) {
            let mut finding = pending.finding;
            let places = around.places(pending.number);
            if let Some(first) = places.first() {
                if finding.rule != Rule::ParentExists {
                    continue;
                }
                let kin = kin.get_or_insert_with(|| Kin::of(file));
                if places.iter().any(|place| kin.has(&around.files[*place])) {
                    continue;
                }
                finding.message = kin.stranger(&around.files[*first]);
            }
            outcome.sink.add(finding.rule, finding.severity, || finding);
        }
    }
}

/// Which of some parents that a file does not have are in another one, where they belong.
pub(crate) fn explained(file: &SessionFile, parents: Vec<String>) -> HashSet<String> {
    if !is_of_agent(file) {
        return HashSet::new();
    }
    let mut around = Around::default();
    let numbers = parents.iter().map(|parent| ids::number(parent));
    around.want(file, numbers);
    around.search(&project_folder(file));
    let mut kin = None;
    let mut parents: HashSet<String> = parents.into_iter().collect();
    parents.retain(|parent| {
        let places = around.places(ids::number(parent));
        let mut places = places.iter().map(|place| &around.files[*place]);
        places.any(|place| kin.get_or_insert_with(|| Kin::of(file)).has(place))
    });
    parents
}

/// What was said about sidecars whose call is nowhere.
pub(super) fn sidecar_findings(sidecars: &Sidecars, limit: usize) -> Vec<(PathBuf, Sink)> {
    let mut findings = Vec::new();
    for (sidecars, wanted) in sidecars.by_session.values() {
        for (sidecar, wanted) in sidecars.iter().zip(wanted) {
            if wanted.is_found() {
                continue;
            }
            // A session may be deleted while its subagents' files stay.
            let session = sidecar.file.session_id.as_deref().unwrap_or_default();
            let main = project_folder(&sidecar.file).join(format!("{session}.jsonl"));
            let severity = if main.exists() {
                Severity::Error
            } else {
                Severity::Note
            };
            let mut sink = Sink::new(limit);
            sink.add(Rule::SidecarCall, severity, || Finding {
                rule: Rule::SidecarCall,
                severity,
                line: 1,
                offset: sidecar.offset,
                length: sidecar.length,
                uuid: None,
                message: format!(
                    "the call {} that started this subagent is not in its session: nothing shows \
                     what it was asked for",
                    sidecar.call
                ),
            });
            findings.push((sidecar.path.clone(), sink));
        }
    }
    findings
}

/// What is looked for in one folder.
#[derive(Debug, Default)]
struct Around {
    /// In which files each number was found.
    wanted: ByNumber<Vec<usize>>,
    files: Vec<PathBuf>,
    /// Whether calls are among them, which lie deeper in the lines.
    calls: bool,
    /// Folders with the subagents of sessions.
    companions: BTreeSet<PathBuf>,
}

impl Around {
    fn want(&mut self, file: &SessionFile, numbers: impl IntoIterator<Item = u64>) {
        for number in numbers {
            self.wanted.entry(number).or_default();
        }
        if let Some(session) = &file.session_id {
            self.companions.insert(project_folder(file).join(session));
        }
        // A subagent's file that is looked at alone says its session by where it lies.
        let mut folders = file.path.ancestors();
        let subagents = folders.find(|folder| folder.ends_with("subagents"));
        let beside = subagents.and_then(Path::parent);
        self.companions.extend(beside.map(Path::to_path_buf));
    }

    fn found(&self, number: u64) -> bool {
        !self.places(number).is_empty()
    }

    fn places(&self, number: u64) -> &[usize] {
        self.wanted.get(&number).map_or(&[], Vec::as_slice)
    }

    fn search(&mut self, folder: &Path) {
        let mut lines = None;
        let mut folders: Vec<(PathBuf, u32)> = vec![(folder.to_path_buf(), 4)];
        let companions = self.companions.iter();
        folders.extend(companions.map(|folder| (folder.join("subagents"), 0)));
        while let Some((folder, depth)) = folders.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else {
                continue;
            };
            let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            paths.sort();
            for path in paths {
                if path.extension().is_some_and(|ending| ending == "jsonl") && path.is_file() {
                    self.file(&path, &mut lines);
                } else if depth < 4 && path.is_dir() {
                    folders.push((path, depth + 1));
                }
            }
        }
    }

    fn file(&mut self, path: &Path, lines: &mut Option<Lines<File>>) {
        let Ok(file) = File::open(path) else {
            return;
        };
        let lines = match lines {
            Some(lines) => {
                lines.restart(file);
                lines
            }
            None => lines.insert(Lines::new(file)),
        };
        self.files.push(path.to_path_buf());
        while let Ok(Some(line)) = lines.next_line() {
            let text = readable(line.raw);
            let Some(facts) = Facts::read(&text) else {
                continue;
            };
            for member in [Member::Uuid, Member::Id, Member::ShapeHash] {
                // A shape is found where it is written down, not where it is named.
                if member == Member::ShapeHash && facts.kind != Kind::ApiRequestShape {
                    continue;
                }
                if let Some(id) = facts.id(member) {
                    self.see(ids::number(&id));
                }
            }
            if self.calls
                && facts.kind == Kind::Assistant
                && let Some(said) = facts.get(Member::Message).and_then(Said::read)
            {
                let calls = said.blocks().iter().filter(|block| block.is_call());
                for id in calls.filter_map(|block| block.id) {
                    if let Some(id) = crate::members::string(id) {
                        self.see(ids::number(&id));
                    }
                }
            }
        }
    }

    fn see(&mut self, number: u64) {
        let here = self.files.len().saturating_sub(1);
        if let Some(found) = self.wanted.get_mut(&number)
            && found.last() != Some(&here)
        {
            found.push(here);
        }
    }
}
