//! The folders of a run: files created before it and session files kept after it.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use super::neutral::Neutral;
use super::scenario::Scenario;
use crate::repository::{files_below, write};

/// Makes the home and the project and puts the scenario's files in place.
pub(super) fn lay_out(root: &Path, scenario: &Scenario) -> Result<()> {
    let home = root.join("home/user");
    for folder in ["home/user/project", "home/user/.claude", "tmp"] {
        std::fs::create_dir_all(root.join(folder))?;
    }
    let server = home.join("mcp-server");
    if !server.exists() {
        symlink(std::env::current_exe()?, &server)?;
    }
    let new_home = home.to_string_lossy();
    for (path, content) in &scenario.files {
        let content = content.bytes();
        let content = match std::str::from_utf8(&content) {
            Ok(text) => text.replace("/home/user", &new_home).into_bytes(),
            Err(_) => content,
        };
        let target = root.join(path.trim_start_matches('/'));
        write(&target, &content)?;
        if content.starts_with(b"#!") {
            std::fs::set_permissions(&target, Permissions::from_mode(0o755))?;
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
    for path in files_below(&base) {
        let name = path.strip_prefix(&base)?.to_string_lossy();
        let lines = neutral_lines(&std::fs::read(&path)?, neutral);
        found.push((PathBuf::from(neutral.text(&name)), lines));
    }
    Ok(found)
}

/// The lines of a session file, each made neutral, with line ends as they were.
fn neutral_lines(bytes: &[u8], neutral: &Neutral) -> Vec<u8> {
    let lines = bytes.split(|byte| *byte == b'\n');
    let lines = lines.map(|line| match std::str::from_utf8(line) {
        Ok(text) => neutral.session_line(text).into_bytes(),
        Err(_) => neutral.bytes(line),
    });
    lines.collect::<Vec<_>>().join(&b'\n')
}

/// Whether any file below a folder holds this text.
pub(super) fn any_contains(folder: &Path, text: &str) -> bool {
    files_below(folder).iter().any(|path| {
        std::fs::read(path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text))
    })
}
