//! Path rules, each checked by [`AllowRules`] and by a policy with the same rule.

use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::CanUseTool;

use super::super::{PermissionAsk, Policy, Rule, Verdict};
use super::*;

/// Whether `tool(pattern)` covers a path in `/w`, with `/h` for `~`.
fn covers(tool: &str, pattern: &str, path: &str) -> bool {
    covers_in("/w", tool, pattern, path)
}

fn covers_in(folder: &str, tool: &str, pattern: &str, path: &str) -> bool {
    // In the text of a rule, two slashes are the root.
    let written = match pattern.starts_with('/') {
        true => format!("{tool}(/{pattern})"),
        false => format!("{tool}({pattern})"),
    };
    let path_context = PathContext::new(folder).home("/h");
    let rules = AllowRules::read([written]);
    let by_rules = rules.path(tool, path, &path_context).is_covered();
    let input = serde_json::json!({
        "file_path": path, "notebook_path": path, "new_source": "",
        "content": "", "old_string": "a", "new_string": "b",
    });
    let ask = PermissionAsk::new(CanUseTool::new(tool, Json::from_value(&input), ""));
    let policy = Policy::new().working_in(folder).home("/h");
    let policy = policy.allow(Rule::tool(tool).at(pattern));
    let by_policy = policy.verdict(&ask) == Verdict::Allow;
    assert_eq!(by_rules, by_policy, "{tool}({pattern}) for {path}");
    by_rules
}

#[test]
fn stars_do_not_cover_writing_to_protected_places() {
    #[rustfmt::skip] // A table.
    let protected = [
        ".git", ".git/config", ".git/hooks/pre-commit", "sub/.git", "a/b/.git/config", ".GIT/config", ".claude/settings.json",
        "a/.Claude/x", ".mcp.json", "a/.MCP.json", ".vscode/tasks.json", ".idea/x.xml", ".envrc", "a/.envrc", ".bashrc",
        ".zshenv", ".profile", "/w/.git/config", "src/../.git/config",
    ];
    for path in protected {
        for tool in ["Edit", "Write", "NotebookEdit"] {
            for pattern in ["**", "/w/**", "*", "*/*", ".git*/**", ".*/*", "**/config"] {
                assert!(!covers(tool, pattern, path), "{tool}({pattern}) for {path}");
            }
        }
        assert!(covers("Read", "/w/**", path), "Read of {path}");
    }
    for path in [
        ".gitignore",
        ".github/workflows/ci.yml",
        ".env",
        "src/git/x",
    ] {
        assert!(covers("Edit", "/w/**", path), "{path}");
    }
}

#[test]
fn a_protected_place_is_covered_where_a_rule_names_it() {
    for (pattern, path, expected) in [
        (".claude/**", ".claude/settings.json", true),
        (".claude/*.json", ".claude/settings.json", true),
        (".git/config", ".git/config", true),
        ("/w/**/.envrc", "a/b/.envrc", true),
        ("~/.bashrc", "/h/.bashrc", true),
        // The named path is covered, but no other protected path below it.
        (".claude/**", ".claude/x/.git/config", false),
        (".claude/**", ".git/config", false),
        ("a/**", "a/.claude/settings.json", false),
    ] {
        assert_eq!(covers("Edit", pattern, path), expected, "{pattern} {path}");
    }
    // The session's folder is not matched by wildcards.
    let worktree = "/w/.claude/worktrees/x";
    assert!(covers_in(worktree, "Edit", "./**", "src/a.rs"));
    assert!(!covers_in(worktree, "Edit", "./**", ".git"));
}

#[cfg(unix)]
#[test]
fn a_link_to_a_protected_place_is_not_covered() {
    let folder = tempfile::tempdir().expect("a folder");
    let top = folder.path().canonicalize().expect("a path");
    std::fs::create_dir_all(top.join(".git/hooks")).expect("a folder");
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, top.join(name)).expect("a link");
    };
    link(".git", "notes");
    link(".git/config", "notes.txt");
    link("..", ".git/out");
    std::fs::write(top.join("a.txt"), "").expect("a file");
    let top = top.to_str().expect("text");
    for path in ["notes/hooks/pre-commit", "notes.txt", ".git/out/a.txt"] {
        assert!(!covers_in(top, "Edit", "**", path), "{path}");
    }
    assert!(covers_in(top, "Edit", "**", "a.txt"));
}

#[test]
fn a_leading_slash_means_what_it_means_to_the_cli() {
    let path_context = PathContext::new("/w").home("/h");
    for (rule, path, expected) in [
        ("Read(/src/**)", "/w/src/a", true),
        ("Read(/src/**)", "/src/a", false),
        ("Read(/**)", "/w/a", true),
        ("Read(/**)", "/etc/passwd", false),
        ("Read(/w/**)", "/w/a", false),
        ("Read(//w/**)", "/w/a", true),
        ("Read(///w/**)", "/w/a", true),
        ("Read(//**)", "/etc/passwd", true),
        ("Read(~/a)", "/h/a", true),
        ("Read(/~/a)", "/h/a", false),
        ("Read(/~/a)", "/w/~/a", true),
        ("Read(src/**)", "/w/src/a", true),
        ("Read(./src/**)", "/w/src/a", true),
        ("Read(/)", "/w", false),
        ("Read(//)", "/", false),
    ] {
        let rules = AllowRules::read([rule]);
        let covered = rules.path("Read", path, &path_context).is_covered();
        assert_eq!(covered, expected, "{rule} for {path}");
    }
}

#[test]
fn long_commands_and_paths_are_not_read() {
    let rules = AllowRules::read(["Bash(echo:*)", "Read(**)"]);
    let words = |count: usize| format!("echo {}", "x ".repeat(count));
    assert!(rules.command(&words(1_000)).is_covered());
    let Coverage::Ask { why } = rules.command(&words(40_000)) else {
        panic!("a command of 80 KB is covered");
    };
    assert_eq!(why, "the line has more than 64 KiB");
    assert!(rules.command(&"echo x;".repeat(100)).is_covered());
    assert!(!rules.command(&"echo x;".repeat(101)).is_covered());
    let path_context = PathContext::new("/w");
    let deep = "a/".repeat(5_000);
    assert!(!rules.path("Read", &deep, &path_context).is_covered());
}
