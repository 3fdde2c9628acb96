//! Files and folders that make other programs run code or change their settings.
//!
//! A rule for all files of a project (`Edit(**)`, `Bash(cp:*)`) does not cover them: writing a
//! hook of git or a task of an editor runs code later, without a question.

/// Names of folders; everything below one is protected, too.
const FOLDERS: &[&str] = &[".claude", ".git", ".husky", ".idea", ".vscode"];

/// Names of files, in whatever folder they are.
#[rustfmt::skip] // A table.
const FILES: &[&str] = &[
    ".bash_aliases", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc", ".claude.json", ".cshrc", ".envrc",
    ".gitconfig", ".gitmodules", ".inputrc", ".kshrc", ".login", ".logout", ".mcp.json", ".mkshrc", ".profile",
    ".ripgreprc", ".tcshrc", ".zlogin", ".zlogout", ".zprofile", ".zshenv", ".zshrc", "config.fish",
];

/// Returns whether a path names a protected file or folder, or something below one. The path is
/// only read as text: resolve links before, where that matters.
pub(crate) fn is_protected(path: &str) -> bool {
    path.split(['/', '\\']).any(|name| {
        let name = folded(name);
        FOLDERS.contains(&&*name) || FILES.contains(&&*name)
    })
}

/// The name that a file system without regard to case may take it for: Windows drops dots and
/// blanks at the end and streams behind a colon, macOS drops some invisible characters.
fn folded(name: &str) -> String {
    let name = name.split(':').next().unwrap_or(name);
    let name = name.trim_end_matches(['.', ' ']);
    let ascii = name.chars().filter(char::is_ascii);
    match &*ascii.collect::<String>().to_ascii_lowercase() {
        // The short names of Windows: `GIT~1` is `.git`.
        "git~1" => ".git".to_owned(),
        "claude~1" => ".claude".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_run_code_later_are_protected() {
        for path in [
            ".git",
            ".git/hooks/pre-commit",
            "src/x/.git/config",
            "/srv/app/.GIT/config",
            "./.claude/settings.json",
            ".mcp.json",
            "a/.mcp.json",
            ".vscode/tasks.json",
            ".idea/workspace.xml",
            ".envrc",
            "~/.bashrc",
            "/home/me/.zshenv",
            ".config/fish/config.fish",
            ".git ./config",
            ".git::$INDEX_ALLOCATION/config",
            "GIT~1/config",
            ".g\u{200c}it/config",
            "..\\.git\\config",
        ] {
            assert!(is_protected(path), "{path}");
        }
        for path in [
            "",
            "src/main.rs",
            ".github/workflows/ci.yml",
            ".gitignore",
            ".gitattributes",
            "git/hooks",
            "claude",
            ".env",
            "docs/.gitkeep",
            "evil.git/config",
        ] {
            assert!(!is_protected(path), "{path}");
        }
    }
}
