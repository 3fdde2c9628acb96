//! Searches names that a file does not resolve in the files around it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::parent_files::{ParentFiles, companions, is_of_agent, project_folder};
use super::report::Sink;
use super::reporter::{Name, facts_of, names_defined};
use super::rule::Rule;
use super::scan::Outcome;
use super::sidecar::Sidecar;
use crate::files::SessionFile;
use crate::id_hash;

/// Resolves the pending names of all files, and the calls of sidecars. A subagent's parent may be in
/// the session that started it; a request may be in any file of the project folder. Returns the
/// findings about sidecars.
pub(super) fn settle(
    files: &[SessionFile],
    outcomes: &mut [Outcome],
    mut sidecars: Vec<Sidecar>,
    limit: usize,
) -> Vec<(PathBuf, Sink)> {
    let mut called: HashSet<(&Option<String>, u64)> = HashSet::new();
    let mut neighbours: BTreeMap<PathBuf, Neighbours> = BTreeMap::new();
    for (file, outcome) in files.iter().zip(outcomes.iter()) {
        called.extend(outcome.called.iter().map(|call| (&file.session_id, *call)));
        if !outcome.pending.is_empty() {
            let neighbours = neighbours.entry(project_folder(file)).or_default();
            neighbours.want(file, outcome.pending.iter().map(|pending| pending.name));
        }
    }
    sidecars.retain(|sidecar| !called.contains(&(&sidecar.file.session_id, sidecar.number)));
    for sidecar in &sidecars {
        let neighbours = neighbours.entry(project_folder(&sidecar.file)).or_default();
        neighbours.want(&sidecar.file, [Name::Call(sidecar.number)]);
    }
    for (folder, neighbours) in &mut neighbours {
        neighbours.search(folder);
    }
    for (file, outcome) in files.iter().zip(outcomes) {
        let Some(neighbours) = neighbours.get(&project_folder(file)) else {
            continue;
        };
        let mut own = None;
        for pending in std::mem::take(&mut outcome.pending) {
            let mut finding = pending.finding;
            let mut places = neighbours.places(pending.name).peekable();
            if let Some(first) = places.peek().copied() {
                if finding.rule != Rule::ParentExists {
                    continue;
                }
                let own = own.get_or_insert_with(|| ParentFiles::of(file));
                if places.any(|place| own.may_hold(place)) {
                    continue;
                }
                finding.message = own.foreign_message(first);
            }
            outcome
                .sink
                .add((finding.rule, finding.severity), || finding);
        }
    }
    let sidecars = sidecars.into_iter().filter_map(|sidecar| {
        let project = project_folder(&sidecar.file);
        let mut places = neighbours[&project].places(Name::Call(sidecar.number));
        places
            .next()
            .is_none()
            .then(|| sidecar.report(&project, limit))
    });
    sidecars.collect()
}

/// Returns those missing parents of a file that are in another file that may hold them.
pub(crate) fn explained(file: &SessionFile, parents: Vec<String>) -> HashSet<String> {
    if !is_of_agent(file) {
        return HashSet::new();
    }
    let mut neighbours = Neighbours::default();
    let name = |parent: &String| Name::Uuid(id_hash::hash(parent));
    neighbours.want(file, parents.iter().map(name));
    neighbours.search(&project_folder(file));
    let mut own = ParentFiles::of(file);
    let mut parents: HashSet<String> = parents.into_iter().collect();
    parents.retain(|parent| {
        let mut places = neighbours.places(name(parent));
        places.any(|place| own.may_hold(place))
    });
    parents
}

/// A search for names in one project folder.
#[derive(Debug, Default)]
struct Neighbours {
    /// The files that have each name.
    wanted: HashMap<Name, Vec<usize>>,
    files: Vec<PathBuf>,
    /// Folders with the subagents of sessions.
    companions: BTreeSet<PathBuf>,
}

impl Neighbours {
    fn want(&mut self, file: &SessionFile, names: impl IntoIterator<Item = Name>) {
        for name in names {
            self.wanted.entry(name).or_default();
        }
        let session = file.session_id.as_ref();
        let by_name = session.map(|session| project_folder(file).join(session));
        // The path of a subagent's file names its session, even if no other file is checked.
        let by_path = companions(&file.path).map(Path::to_path_buf);
        self.companions.extend(by_name.into_iter().chain(by_path));
    }

    fn places(&self, name: Name) -> impl Iterator<Item = &Path> {
        let places = self.wanted.get(&name).into_iter().flatten();
        places.map(|place| self.files[*place].as_path())
    }

    fn search(&mut self, folder: &Path) {
        let mut folders: Vec<(PathBuf, u32)> = vec![(folder.to_path_buf(), 4)];
        let companions = self.companions.iter();
        folders.extend(companions.map(|folder| (folder.join("subagents"), 0)));
        while let Some((folder, depth)) = folders.pop() {
            let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
            let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            paths.sort();
            for path in paths {
                if path.extension().is_some_and(|ending| ending == "jsonl") && path.is_file() {
                    self.file(path);
                } else if depth < 4 && path.is_dir() {
                    folders.push((path, depth + 1));
                }
            }
        }
    }

    fn file(&mut self, path: PathBuf) {
        let here = self.files.len();
        facts_of(&path, |facts| {
            names_defined(facts, |name| {
                if let Some(found) = self.wanted.get_mut(&name)
                    && found.last() != Some(&here)
                {
                    found.push(here);
                }
            });
            true
        });
        self.files.push(path);
    }
}
