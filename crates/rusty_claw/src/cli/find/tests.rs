//! Helpers of a test may unwrap too.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::*;

struct Machine {
    root: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
        }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn file(&self, name: &str, mode: u32) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn environment(&self) -> SearchEnvironment {
        fs::create_dir_all(self.at("deep/project")).unwrap();
        SearchEnvironment {
            named: None,
            path: env::join_paths([self.at("bin"), self.at("other")]).unwrap(),
            home: Some(self.at("home")),
            npm_prefix: Some(self.at("npm")),
            folder: None,
            system: vec![self.at("system")],
        }
    }
}

#[test]
fn each_place_is_found_and_the_earlier_one_wins() {
    let machine = Machine::new();
    let bundled = format!(
        "deep/node_modules/@anthropic-ai/claude-agent-sdk-{}/claude",
        platforms()[0]
    );
    // From the last resort to the first.
    for name in [
        bundled.as_str(),
        "deep/node_modules/.bin/claude",
        "deep/project/node_modules/.bin/claude",
        "system/claude",
        "npm/bin/claude",
        "home/.claude/local/claude",
        "home/.local/bin/claude",
        "other/claude",
        "bin/claude",
    ] {
        let path = machine.file(name, 0o755);
        let environment = SearchEnvironment {
            folder: Some(machine.at("deep/project")),
            ..machine.environment()
        };
        let found = environment.find(None).unwrap();
        assert_eq!(found, Program { path, runner: None });
    }
    let path = machine.file("somewhere/else", 0o755);
    let environment = SearchEnvironment {
        named: Some(path.clone().into()),
        ..machine.environment()
    };
    assert_eq!(environment.find(None).unwrap().path(), path);
    let path = machine.file("named", 0o755);
    assert_eq!(environment.find(Some(&path)).unwrap().path(), path);
}

#[test]
fn what_cannot_be_run_is_passed_over_in_a_search() {
    let machine = Machine::new();
    machine.file("bin/claude", 0o644);
    fs::create_dir_all(machine.at("other/claude")).unwrap();
    let path = machine.file("system/claude", 0o755);
    assert_eq!(machine.environment().find(None).unwrap().path(), path);
}

#[test]
fn an_error_names_every_place() {
    let machine = Machine::new();
    let environment = SearchEnvironment {
        folder: Some(machine.at("deep/project")),
        ..machine.environment()
    };
    let error = environment.find(None).unwrap_err().to_string();
    for name in [
        "bin/claude",
        "other/claude",
        "home/.local/bin/claude",
        "npm/bin/claude",
        "system/claude",
        "deep/project/node_modules/.bin/claude",
    ] {
        let path = machine.at(name);
        assert!(
            error.contains(path.to_str().unwrap()),
            "{name} is not in: {error}"
        );
    }
    assert!(error.contains("CLAUDE_CLI_PATH"), "{error}");
}

#[test]
fn a_named_file_that_is_missing_is_not_replaced_by_another() {
    let machine = Machine::new();
    machine.file("bin/claude", 0o755);
    let mut environment = machine.environment();
    let missing = machine.at("missing");
    let error = environment.find(Some(&missing)).unwrap_err();
    assert!(matches!(error, StartError::CliUnusable { .. }), "{error}");

    environment.named = Some(missing.into());
    let error = environment.find(None).unwrap_err().to_string();
    assert!(error.contains("CLAUDE_CLI_PATH"), "{error}");

    let error = environment.find(Some(&machine.at("bin"))).unwrap_err();
    assert!(error.to_string().contains("folder"), "{error}");
}

#[test]
fn a_bare_name_is_looked_up_in_the_path() {
    let machine = Machine::new();
    let path = machine.file("other/claude-next", 0o755);
    let found = machine.environment().find(Some(Path::new("claude-next")));
    assert_eq!(found.unwrap().path(), path);
    let error = machine.environment().find(Some(Path::new("claude-old")));
    assert!(error.unwrap_err().to_string().contains("PATH"));
}

#[test]
fn javascript_is_run_with_node() {
    let machine = Machine::new();
    let path = machine.file("cli.js", 0o644);
    let error = machine.environment().find(Some(&path)).unwrap_err();
    assert!(error.to_string().contains("`node`"), "{error}");

    let node = machine.file("other/node", 0o755);
    let found = machine.environment().find(Some(&path)).unwrap();
    assert_eq!(found.runner(), Some(node.as_path()));
    let command = found.command(&[]);
    let command = command.as_std();
    assert_eq!(command.get_program(), node);
    assert!(command.get_args().eq([path.as_os_str()]));
}

#[test]
fn a_project_cannot_supply_the_program() {
    let machine = Machine::new();
    machine.file("deep/project/node_modules/.bin/claude", 0o755);
    machine.file("deep/node_modules/.bin/claude", 0o755);
    let default = SearchEnvironment::of_this_process(Launch::default().search_node_modules);
    assert_eq!(default.folder, None);
    let error = machine.environment().find(None).unwrap_err();
    assert!(matches!(error, StartError::CliNotFound { .. }), "{error}");
    assert!(
        error.to_string().contains("Options::search_node_modules"),
        "{error}"
    );
}

#[test]
fn relative_folders_of_the_path_are_not_searched() {
    // Tests run in the folder of their crate, so this relative path names a file.
    let machine = Machine::new();
    let here = tempfile::tempdir_in(".").unwrap();
    let file = here.path().join("claude");
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let environment = SearchEnvironment {
        path: here.path().file_name().unwrap().to_owned(),
        ..machine.environment()
    };
    assert!(environment.find(None).is_err());
}
