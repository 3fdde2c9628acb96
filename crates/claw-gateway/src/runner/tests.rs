//! Tests of what an isolated program can access. They need bubblewrap, which `.ci/run` installs.

use std::fs;
use std::process::Command;

use super::*;

/// A home folder with a configuration folder, a project, and a gateway's data.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let world = Self { folder };
        world.write("home/.claude/settings.json", "{}");
        world.write("home/.claude/hooks/check.sh", "");
        world.write("home/.claude/history.jsonl", "secret");
        world.write("home/.claude/projects/-other/a.jsonl", "secret");
        world.write("home/.claude.json", "{\"state\":1}");
        world.write("home/.ssh/id", "secret");
        world.write("home/project/src.txt", "source");
        world.write("home/project/.claude/settings.json", "{}");
        world.write("home/project/data/token", "secret");
        world.write("home/tool/bin", "tool");
        world.write("home/cache/file", "cache");
        world
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn resolved(&self, path: &str) -> PathBuf {
        self.at(path).canonicalize().unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs a shell script behind a runner, in a folder.
    fn run_in(&self, runner: &Runner, folder: &str, script: &str) -> Output {
        let mut launch = Launch::default();
        launch.program = Some("/bin/sh".into());
        launch.cwd = Some(self.at(folder));
        launch.env = vec![("HOME".into(), Some(self.at("home").into()))];
        let program = rusty_claw::cli::find(&launch).unwrap();
        let prefix = runner.prefix(&program, &launch);
        Command::new(&prefix[0])
            .args(&prefix[1..])
            .args([
                program.path().as_os_str(),
                OsStr::new("-c"),
                OsStr::new(script),
            ])
            .env_clear()
            .env("HOME", self.at("home"))
            .output()
            .expect("bubblewrap is installed")
    }

    /// Runs a script and returns the lines that it prints.
    fn lines(&self, runner: &Runner, script: &str) -> Vec<String> {
        let output = self.run_in(runner, "home/project", script);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    fn runner(&self) -> Runner {
        Runner::new(vec![self.at("home/project/data")])
    }
}

#[test]
fn only_the_project_and_its_sessions_can_be_written() {
    let world = World::new();
    let script = "for path in \
        made .claude/settings.json .claude/settings.local.json data/token \
        ~/.claude/settings.json ~/.claude/settings.local.json ~/.claude/hooks/check.sh \
        ~/.claude/plugins/new ~/.claude/.claude.json ~/.claude/projects/-other/a.jsonl \
        ~/.claude/projects/-new /etc/passwd /usr/x; do \
        (: >> $path) 2> /dev/null && echo $path; done; true";
    assert_eq!(world.lines(&world.runner(), script), ["made"]);
    assert!(world.at("home/project/made").exists());

    let key = rusty_claw::sessions::ProjectKey::of_dir(world.at("home/project"));
    let session = format!("home/.claude/projects/{key}/b.jsonl");
    let script = format!(
        "echo line > ~/{}; mv .claude .old || rm -rf .claude || echo kept",
        &session[5..]
    );
    assert_eq!(world.lines(&world.runner(), &script), ["kept"]);
    assert_eq!(fs::read_to_string(world.at(&session)).unwrap(), "line\n");
    assert!(world.at("home/project/.claude/settings.json").exists());
}

#[test]
fn only_what_the_agent_needs_can_be_read() {
    let world = World::new();
    let script = "cat src.txt ~/.claude/settings.json ~/.claude/.claude.json 2>&1; echo; \
        cat ~/.ssh/id ~/.claude/history.jsonl ~/.claude/projects/-other/a.jsonl data/token \
        ~/tool/bin ~/cache/file 2> /dev/null; ls -A /tmp data; echo $PWD";
    let work = world.at("home/project").display().to_string();
    let lines = world.lines(&world.runner(), script);
    let top = lines
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("|");
    assert!(top.starts_with("source{}{\"state\":1}|"), "{top}");
    assert!(!top.contains("secret") && !top.contains("tool|"), "{top}");
    assert!(top.ends_with(&work), "{top}");

    let mut runner = world.runner();
    runner.read_only.push(world.at("home/tool"));
    runner.writable.push(world.at("home/cache"));
    // A parent of the project does not cover it, and does not show what is hidden.
    runner.read_only.push(world.at("home"));
    let script = "cat ~/tool/bin; echo; echo new > ~/cache/file; (: > ~/tool/x) || echo denied; \
        : > made && ls -A data ~/.claude/projects | grep -c other";
    let output = world.run_in(&runner, "home/project", script);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "tool\ndenied\n0\n");
    assert_eq!(
        fs::read_to_string(world.at("home/cache/file")).unwrap(),
        "new\n"
    );
}

#[test]
fn processes_and_the_environment_of_the_gateway_are_out_of_reach() {
    let world = World::new();
    let own = std::process::id();
    let script = format!(
        "kill -0 {own} 2> /dev/null && echo killed; ls /proc | grep -c '^[0-9]'; \
         grep -l CARGO_PKG_NAME /proc/[0-9]*/environ 2> /dev/null; env | cut -d= -f1 | sort"
    );
    let lines = world.lines(&world.runner(), &script);
    let processes: u32 = lines[0].parse().unwrap();
    assert!(processes < 10, "{lines:?}");
    let names = [
        "CLAUDE_CODE_TMPDIR",
        "CLAUDE_CONFIG_DIR",
        "HOME",
        "PATH",
        "PWD",
        "TMPDIR",
    ];
    assert_eq!(lines[1..], names);
}

#[test]
fn a_session_in_the_folder_of_the_gateway_is_refused() {
    let world = World::new();
    let runner = world.runner();
    let folder = world.at("home/project/data/project");
    fs::create_dir_all(&folder).unwrap();
    let refused = runner.check_folder(&folder.canonicalize().unwrap());
    assert!(
        matches!(refused, Err(GatewayError::Invalid { .. })),
        "{refused:?}"
    );
    assert!(
        runner
            .check_folder(&world.resolved("home/project"))
            .is_err()
    );
    assert!(runner.check_folder(&world.resolved("home/tool")).is_ok());
}

#[test]
fn links_in_place_of_a_project_or_its_settings_are_refused() {
    let world = World::new();
    let link = std::os::unix::fs::symlink::<PathBuf, PathBuf>;
    link(world.at("home/.ssh"), world.at("swapped")).unwrap();
    let output = world.run_in(&world.runner(), "swapped", "cat id");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(errors.contains("chdir"), "{errors}");

    link(world.at("home/tool"), world.at("home/cache/.claude")).unwrap();
    let refused = world.runner().check_folder(&world.resolved("home/cache"));
    assert!(
        matches!(refused, Err(GatewayError::Invalid { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_hidden_folder_is_hidden_behind_a_link() {
    let world = World::new();
    std::os::unix::fs::symlink(world.at("home/project/data"), world.at("link")).unwrap();
    let runner = Runner::new(vec![world.at("link")]);
    assert_eq!(world.lines(&runner, "cat data/token; true"), [""; 0]);
    assert!(
        runner
            .check_folder(&world.resolved("home/project/data"))
            .is_err()
    );
}

#[test]
fn a_check_says_what_is_missing() {
    let mut runner = Runner::new(Vec::new());
    let checked = runner.check().unwrap();
    assert!(checked.version.starts_with("0."), "{checked:?}");
    runner.bwrap = "/nonexistent/bwrap".into();
    let error = runner.check().unwrap_err().to_string();
    assert!(error.contains("apt-get install bubblewrap"), "{error}");
    runner.bwrap = "/bin/false".into();
    let error = runner.check().unwrap_err().to_string();
    assert!(error.contains("user namespaces"), "{error}");
}
