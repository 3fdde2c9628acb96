//! Finds earlier repairs.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::plan::{FilePlan, RepairPlan};
use super::write::{PLAN, kept_in};

/// Earlier repairs, for runs over many sessions: each folder is read once.
///
/// ```no_run
/// use claw_transcript::{EarlierRepairs, RepairPlan};
///
/// let mut earlier = EarlierRepairs::default();
/// for path in ["a.jsonl", "b.jsonl"] {
///     let plan = RepairPlan::of_file(path)?;
///     if let Some(repaired) = earlier.of(&plan) {
///         println!("{path} was repaired before: {}", repaired.display());
///     }
/// }
/// # Ok::<(), claw_transcript::TranscriptError>(())
/// ```
#[derive(Debug, Default)]
pub struct EarlierRepairs {
    /// The folders beside repaired sessions, by folder and by the name of the original main file.
    folders: HashMap<PathBuf, HashMap<String, Vec<PathBuf>>>,
}

impl EarlierRepairs {
    /// The main file of an earlier repair of the session in its current state, in the same folder.
    /// Another repair would only repeat the conversation. `None` if there is nothing to repair, if
    /// a file is new or has another length, or if the earlier plan lacks a step of this one.
    pub fn of(&mut self, plan: &RepairPlan) -> Option<PathBuf> {
        let main = plan.main_file().filter(|_| !plan.is_empty())?;
        let folder = main.path.parent()?;
        if !self.folders.contains_key(folder) {
            self.folders.insert(folder.to_owned(), repairs_in(folder));
        }
        let name = main.path.file_name()?.to_string_lossy();
        let repairs = self.folders.get(folder)?.get(&*name)?;
        repairs.iter().find_map(|companions| {
            let repaired = companions.with_extension("jsonl");
            let is_same = covers(&read_plan(companions)?, plan, folder);
            (is_same && repaired.is_file()).then_some(repaired)
        })
    }
}

impl RepairPlan {
    /// The main file of an earlier repair of the session in its current state. [`EarlierRepairs`]
    /// is faster for many sessions.
    pub fn repaired_before(&self) -> Option<PathBuf> {
        EarlierRepairs::default().of(self)
    }
}

/// Finds the repaired sessions in a folder.
fn repairs_in(folder: &Path) -> HashMap<String, Vec<PathBuf>> {
    let mut repairs: HashMap<String, Vec<PathBuf>> = HashMap::new();
    let beside = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = beside.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    for companions in folders.map(|entry| entry.path()) {
        let plan = read_plan(&companions);
        let first = plan
            .as_ref()
            .and_then(|plan| plan["files"][0]["path"].as_str());
        if let Some(name) = first.and_then(|path| Path::new(path).file_name()) {
            let name = name.to_string_lossy().into_owned();
            repairs.entry(name).or_default().push(companions);
        }
    }
    repairs
}

fn read_plan(companions: &Path) -> Option<Value> {
    let plan = std::fs::read(kept_in(companions).join(PLAN)).ok()?;
    serde_json::from_slice(&plan).ok()
}

/// Returns whether a stored plan contains all that there is to do now.
fn covers(kept: &Value, plan: &RepairPlan, folder: &Path) -> bool {
    let kept = kept["files"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    // The folder may have been moved since, so compare relative paths.
    let before = kept.first().and_then(|main| main["path"].as_str());
    let before = before.and_then(|main| Path::new(main).parent());
    let relative = |file: &Value| {
        let path = Path::new(file["path"].as_str()?).strip_prefix(before?);
        Some(path.ok()?.to_path_buf())
    };
    let kept_files: HashMap<_, _> = kept.iter().map(|file| (relative(file), file)).collect();
    let is_known = |file: &FilePlan| {
        let place = file.path.strip_prefix(folder).ok().map(Path::to_path_buf);
        let kept = place.and_then(|place| kept_files.get(&Some(place)));
        kept.is_some_and(|kept| kept["length"] == file.length && has_steps(kept, file))
    };
    plan.files.len() == kept.len() && plan.files.iter().all(is_known)
}

/// Returns whether a stored plan of a file has each step of this one.
fn has_steps(kept: &Value, file: &FilePlan) -> bool {
    let steps = kept["steps"].as_array().into_iter().flatten();
    let known: HashSet<_> = steps
        .map(|step| (step["offset"].as_u64(), step["action"].as_str()))
        .collect();
    let mut now = file.steps.iter();
    now.all(|step| known.contains(&(Some(step.offset), Some(step.action.as_str()))))
}
