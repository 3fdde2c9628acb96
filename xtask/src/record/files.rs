//! The folders of a run: files created before it and session files kept after it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::neutral::Neutral;
use super::scenario::Scenario;

/// Makes the home and the project and puts the scenario's files in place.
pub(super) fn lay_out(root: &Path, scenario: &Scenario) -> Result<()> {
    let home = root.join("home/user");
    for folder in ["home/user/project", "home/user/.claude", "tmp"] {
        std::fs::create_dir_all(root.join(folder))?;
    }
    let server = home.join("mcp-server");
    if !server.exists() {
        std::os::unix::fs::symlink(std::env::current_exe()?, &server)?;
    }
    let root_text = root.to_string_lossy();
    for (path, content) in &scenario.files {
        let content = content.bytes();
        let target = root.join(path.trim_start_matches('/'));
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let content = match std::str::from_utf8(&content) {
            Ok(text) => text
                .replace("/home/user", &format!("{root_text}/home/user"))
                .into_bytes(),
            Err(_) => content,
        };
        let script = content.starts_with(b"#!");
        std::fs::write(&target, content).with_context(|| format!("cannot write {path}"))?;
        if script {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(&target, mode)?;
        }
    }
    if let Some(script) = &scenario.prepare {
        let status = Command::new("sh")
            .args(["-euc", script])
            .current_dir(&home)
            .status()?;
        ensure!(status.success(), "the preparation failed: {script}");
    }
    Ok(())
}

/// The session files under the config folder, path-neutral and with prose cut, in order.
pub(super) fn sessions(home: &Path, neutral: &Neutral) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let base = home.join(".claude/projects");
    let mut found = Vec::new();
    let mut folders = vec![base.clone()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let relative = path.strip_prefix(&base)?.to_string_lossy().into_owned();
            let name = PathBuf::from(neutral.text(&relative).as_ref());
            found.push((name, neutral_file(&path, neutral)?));
        }
    }
    found.sort();
    Ok(found)
}

fn neutral_file(path: &Path, neutral: &Neutral) -> Result<Vec<u8>> {
    Ok(neutral_lines(&std::fs::read(path)?, neutral))
}

/// The lines of a session file, each made neutral, with line ends as they were.
pub(super) fn neutral_lines(bytes: &[u8], neutral: &Neutral) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        match std::str::from_utf8(line) {
            Ok(text) => {
                out.extend_from_slice(neutral.session_line(text.trim_end_matches('\n')).as_bytes());
                if text.ends_with('\n') {
                    out.push(b'\n');
                }
            }
            Err(_) => out.extend_from_slice(&neutral.bytes(line)),
        }
    }
    out
}

/// Whether any file below a folder holds this text.
pub(super) fn any_contains(folder: &Path, text: &str) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            any_contains(&path, text)
        } else {
            std::fs::read(&path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text))
        }
    })
}
