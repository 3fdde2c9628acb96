//! The session's file, written and found as the CLI does.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::flags::{Flags, VERSION};
use super::ids::{self, Ids};
use crate::fake_claude::script::FakeScript;
use crate::lenient_json;

/// The file of the session that this process continues or begins.
#[derive(Debug, Default)]
pub(super) struct SessionFile {
    pub(super) session_id: String,
    /// Its path; `None` if nothing is kept.
    path: Option<PathBuf>,
    folder: PathBuf,
    /// A fork's source, copied with the first prompt.
    copy_from: Option<(PathBuf, String)>,
    /// The call that another program has parked, without a result.
    pub(super) parked: Option<ParkedCall>,
    /// The last entry of the chain.
    parent: Option<String>,
    /// Prompts in the file.
    pub(super) turns: u64,
    /// The cost so far in dollars; a resumed session continues from it.
    pub(super) cost: f64,
    cwd: String,
}

/// A call that a resumed process asks for again.
#[derive(Debug)]
pub(super) struct ParkedCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Value,
}

/// A start that the CLI refuses.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) text: String,
    /// The unknown session, for the error result.
    pub(super) unknown_session: Option<String>,
}

impl SessionFile {
    pub(super) fn open(flags: &Flags, script: &FakeScript) -> Result<Self, Refused> {
        let refused = |text: String| Refused {
            text,
            unknown_session: None,
        };
        let cwd = env::current_dir()
            .and_then(fs::canonicalize)
            .unwrap_or_default();
        let config = config_folder();
        let has_home = config.is_some();
        let projects = config.unwrap_or_default().join("projects");
        let key = env::var("CLAUDE_CODE_PROJECT_DIR_NAME")
            .unwrap_or_else(|_| project_key(&cwd.to_string_lossy()));
        let folder = projects.join(key);
        let chosen = flags.value("--session-id");
        if chosen.is_some_and(|id| !ids::is_uuid(id)) {
            let text = "Error: Invalid session ID. Must be a valid UUID.";
            return Err(refused(text.to_owned()));
        }
        let new_id = || chosen.map_or_else(|| Ids::new().uuid(), str::to_owned);
        let kept = has_home && !script.no_session_file && !flags.has("--no-session-persistence");
        let earlier = if let Some(name) = flags.value("--resume") {
            let found = find(&projects, name);
            Some(found.ok_or_else(|| Refused {
                text: format!("No conversation found with session ID: {name}"),
                unknown_session: Some(name.to_owned()),
            })?)
        } else if flags.has("--continue") {
            newest(&folder)
        } else {
            None
        };
        let mut file = Self {
            folder: folder.clone(),
            cwd: cwd.to_string_lossy().into_owned(),
            ..Self::default()
        };
        match earlier {
            None => {
                file.session_id = new_id();
                if chosen.is_some() && find(&projects, &file.session_id).is_some() {
                    let id = &file.session_id;
                    return Err(refused(format!(
                        "Error: Session ID {id} is already in use."
                    )));
                }
                file.path = Some(folder.join(format!("{}.jsonl", file.session_id)));
            }
            Some(path) => {
                let id = path.file_stem().unwrap_or_default().to_string_lossy();
                file.learn(&path);
                if flags.has("--fork-session") {
                    file.session_id = new_id();
                    file.path = Some(folder.join(format!("{}.jsonl", file.session_id)));
                    file.copy_from = Some((path.clone(), id.into_owned()));
                } else {
                    file.session_id = id.into_owned();
                    file.path = Some(path.clone());
                }
            }
        }
        if !kept {
            file.path = None;
        }
        Ok(file)
    }

    /// Reads what a resumed session needs. Lines that are no entries are skipped.
    fn learn(&mut self, path: &Path) {
        let Ok(file) = File::open(path) else {
            return;
        };
        let mut reader = BufReader::new(file);
        let mut line = Vec::new();
        while reader
            .read_until(b'\n', &mut line)
            .is_ok_and(|read| read > 0)
        {
            if let Some(entry) = lenient_json::parse(line.trim_ascii()) {
                if is_prompt(&entry) {
                    self.turns += 1;
                }
                if let Some(uuid) = entry["uuid"].as_str() {
                    self.parent = Some(uuid.to_owned());
                }
                let attachment = &entry["attachment"];
                if attachment["type"] == "hook_deferred_tool" {
                    let text = |name: &str| attachment[name].as_str().map(str::to_owned);
                    self.parked = text("toolUseID").map(|id| ParkedCall {
                        id,
                        name: text("toolName").unwrap_or_default(),
                        input: attachment["toolInput"].clone(),
                    });
                }
                let has_result = |parked: &mut ParkedCall| is_result_of(&entry, &parked.id);
                drop(self.parked.take_if(has_result));
                if entry["type"] == "cost-state" {
                    self.cost = entry["totalCostUSD"].as_f64().unwrap_or(self.cost);
                }
            }
            line.clear();
        }
    }

    /// An entry of the chain: a `user` or `assistant` line.
    pub(super) fn chain_entry(&mut self, kind: &str, uuid: &str, message: Value) -> Value {
        let entry = json!({
            "parentUuid": self.parent, "isSidechain": false, "type": kind, "message": message,
            "uuid": uuid, "timestamp": ids::timestamp(), "userType": "external",
            "entrypoint": env::var("CLAUDE_CODE_ENTRYPOINT").unwrap_or_else(|_| "sdk-cli".into()),
            "cwd": self.cwd, "sessionId": self.session_id, "version": VERSION,
            "gitBranch": "HEAD",
        });
        self.parent = Some(uuid.to_owned());
        entry
    }

    /// An entry beside the chain.
    pub(super) fn side_entry(&self, kind: &str, mut members: Value) -> Value {
        members["type"] = json!(kind);
        members["sessionId"] = json!(self.session_id);
        if kind == "last-prompt" {
            members["leafUuid"] = json!(self.parent);
        }
        members
    }

    /// The entry that the CLI writes at exit; none when the file was never begun.
    pub(super) fn cost_state(&self) -> Option<Value> {
        let begun = self.path.as_ref().is_some_and(|path| path.is_file());
        (begun && self.turns > 0).then(|| {
            let members = json!({"totalCostUSD": self.cost, "modelUsage": {}});
            self.side_entry("cost-state", members)
        })
    }

    /// Appends entries and returns the file, or `None` if nothing is kept.
    pub(super) fn append(&mut self, entries: &[Value]) -> io::Result<Option<PathBuf>> {
        let Some(path) = self.path.clone() else {
            return Ok(None);
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(&path)?;
        if let Some((source, old_id)) = self.copy_from.take() {
            let text = fs::read_to_string(source)?;
            file.write_all(text.replace(&old_id, &self.session_id).as_bytes())?;
        }
        let mut text = String::new();
        for entry in entries {
            text.push_str(&entry.to_string());
            text.push('\n');
        }
        file.write_all(text.as_bytes())?;
        Ok(Some(path))
    }

    /// The path that hooks receive.
    pub(super) fn transcript_path(&self) -> PathBuf {
        let name = format!("{}.jsonl", self.session_id);
        self.path.clone().unwrap_or_else(|| self.folder.join(name))
    }

    pub(super) fn memory_folder(&self) -> String {
        format!("{}/", self.folder.join("memory").display())
    }
}

fn is_prompt(entry: &Value) -> bool {
    let content = &entry["message"]["content"];
    let is_result = content
        .as_array()
        .is_some_and(|blocks| blocks.iter().any(|block| block["type"] == "tool_result"));
    entry["type"] == "user" && !is_result && entry["isMeta"] != true
}

fn is_result_of(entry: &Value, call: &str) -> bool {
    let blocks = entry["message"]["content"].as_array().into_iter().flatten();
    let mut results = blocks.filter(|block| block["type"] == "tool_result");
    results.any(|block| block["tool_use_id"] == call)
}

/// `None` if there is no home.
fn config_folder() -> Option<PathBuf> {
    match env::var_os("CLAUDE_CONFIG_DIR") {
        Some(folder) => Some(folder.into()),
        None => Some(PathBuf::from(env::var_os("HOME")?).join(".claude")),
    }
}

/// A session by its id in any project, or by its path. An empty file is no session.
fn find(projects: &Path, name: &str) -> Option<PathBuf> {
    let is_session = |path: &PathBuf| path.metadata().is_ok_and(|meta| meta.len() > 0);
    if name.ends_with(".jsonl") {
        return Some(PathBuf::from(name)).filter(is_session);
    }
    let file_name = format!("{name}.jsonl");
    fs::read_dir(projects)
        .ok()?
        .filter_map(Result::ok)
        .map(|project| project.path().join(&file_name))
        .find(is_session)
}

/// The session of a project that was written last.
fn newest(folder: &Path) -> Option<PathBuf> {
    fs::read_dir(folder)
        .ok()?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "jsonl")
        })
        .max_by_key(|path| path.metadata().and_then(|meta| meta.modified()).ok())
}

/// The folder of a working directory: every UTF-16 unit that is no letter or digit
/// of ASCII becomes a dash; a long one is cut and gets a hash.
fn project_key(path: &str) -> String {
    let key: String = path
        .encode_utf16()
        .map(|unit| {
            u8::try_from(unit)
                .ok()
                .filter(u8::is_ascii_alphanumeric)
                .map_or('-', char::from)
        })
        .collect();
    if key.len() <= 200 {
        return key;
    }
    let hash = path.encode_utf16().fold(0_i32, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(i32::from(unit))
    });
    format!("{}-{}", &key[..200], base_36(hash.unsigned_abs()))
}

fn base_36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{base_36, project_key};

    #[test]
    fn keys_follow_the_working_directory() {
        assert_eq!(project_key("/home/user/project"), "-home-user-project");
        assert_eq!(project_key("/a_b/ü/\u{1f600}"), "-a-b-----");
        let (one, two) = ("/x".repeat(150), "/x".repeat(151));
        let (one, two) = (project_key(&one), project_key(&two));
        assert_eq!(one[..201], format!("{}-", "-x".repeat(100)));
        assert_eq!(one[..201], two[..201]);
        assert_ne!(one, two);
        assert_eq!(base_36(35), "z");
        assert_eq!(base_36(36), "10");
    }
}
