//! Files and folders that can make other programs run code or change their settings.
//!
//! A rule for all files of a project (`Edit(**)`, `Bash(cp:*)`) does not cover writes to them: a
//! new git hook or editor task would run code later without a prompt.

/// Names of folders; everything below one is protected too.
const FOLDERS: &[&str] = &[".claude", ".git", ".husky", ".idea", ".ssh", ".vscode"];

/// Folders below `.config`; the others are often a project's own.
const IN_CONFIG: &[&str] = &["autostart", "fish", "git", "systemd"];

/// Names of files, in any folder.
#[rustfmt::skip] // A table.
const FILES: &[&str] = &[
    ".bash_aliases", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc", ".claude.json", ".cshrc", ".envrc",
    ".gitconfig", ".gitmodules", ".inputrc", ".kshrc", ".login", ".logout", ".mcp.json", ".mkshrc", ".profile",
    ".ripgreprc", ".tcshrc", ".xinitrc", ".xprofile", ".xsessionrc", ".zlogin", ".zlogout", ".zprofile", ".zshenv",
    ".zshrc", "config.fish",
];

/// Returns whether a path is, or is below, a protected file or folder. Only the text of the path is
/// read; resolve links first if they matter.
pub(crate) fn is_protected(path: &str) -> bool {
    let names: Vec<String> = path.split(['/', '\\']).map(folded).collect();
    let is_named = |name: &String| FOLDERS.contains(&&**name) || FILES.contains(&&**name);
    let is_config = |two: &[String]| two[0] == ".config" && IN_CONFIG.contains(&&*two[1]);
    // A folder with `HEAD`, `objects` and `refs` is a repository, whose `config` names programs.
    let is_head = names.last().is_some_and(|name| name == "head");
    is_head || names.iter().any(is_named) || names.windows(2).any(is_config)
}

/// The name that a case-insensitive file system may resolve it to: Windows drops trailing dots and
/// spaces and the stream after a colon, macOS drops some invisible characters.
fn folded(name: &str) -> String {
    let name = name.split(':').next().unwrap_or(name);
    let name = name.trim_end_matches(['.', ' ']);
    let ascii = name.chars().filter(char::is_ascii);
    match &*ascii.collect::<String>().to_ascii_lowercase() {
        // Short names of Windows: `GIT~1` is `.git`.
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
        let protected = "\
            .git .git/hooks/pre-commit src/x/.git/config /srv/app/.GIT/config \
            ./.claude/settings.json .mcp.json a/.mcp.json .vscode/tasks.json .idea/workspace.xml \
            .envrc ~/.bashrc /home/me/.zshenv .config/fish/config.fish \
            .git::$INDEX_ALLOCATION/config GIT~1/config .g\u{200c}it/config ..\\.git\\config HEAD \
            vendor/x/Head /home/me/.ssh/authorized_keys .config/git/config \
            .config/fish/conf.d/x.fish";
        for path in protected.split(' ').chain([".git ./config"]) {
            assert!(is_protected(path), "{path}");
        }
        let others = "\
            src/main.rs .github/workflows/ci.yml .gitignore .gitattributes git/hooks claude .env \
            docs/.gitkeep evil.git/config .config/nextest.toml src/head/x.rs head.js";
        for path in others.split(' ').chain([""]) {
            assert!(!is_protected(path), "{path}");
        }
    }
}
