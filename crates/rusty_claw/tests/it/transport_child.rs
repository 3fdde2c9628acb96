//! The CLI as a child process, with small shell scripts in its place.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusty_claw::transport::{ChildProcess, Connection, Exit, Launch, Stop, Transport};
use rusty_claw::{SessionError, StartError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Long enough for a busy machine; nothing that works takes so long.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

/// A folder with a script in place of the CLI.
pub(crate) struct Script {
    pub(crate) folder: tempfile::TempDir,
}

impl Script {
    pub(crate) fn new(body: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = Self { folder };
        script.file("claude", body);
        script
    }

    /// Starts two session leaders whose parent is gone: a daemon with a child, and a process that
    /// writes to a file like a tool of the CLI. Then runs `body`.
    pub(crate) fn with_daemon(body: &str) -> Self {
        let script = Self::new(&format!(
            "cd \"$(dirname \"$0\")\"\n\
             setsid -f ./daemon.sh </dev/null >/dev/null 2>daemon.log\n\
             setsid -f sh -c 'echo $$ > tool; while :; do sleep 0.1; done' </dev/null >tool.log 2>&1\n\
             {body}"
        ));
        script.file(
            "daemon.sh",
            "sh -c 'echo $$ > worker; while :; do sleep 0.1; done' &\n\
             echo $$ > daemon; wait",
        );
        script
    }

    pub(crate) fn daemon_worker_and_tool(&self) -> [Killed; 3] {
        ["daemon", "worker", "tool"].map(|name| Killed(number_in(&self.at(name))))
    }

    pub(crate) fn file(&self, name: &str, body: &str) {
        let path = self.at(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("claude")
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn launch(&self) -> Launch {
        let mut launch = Launch::default();
        launch.program = Some(self.path());
        launch
    }

    async fn open(&self) -> Connection {
        open(self.launch()).await.unwrap()
    }
}

/// Kills a process that survives the session when the test ends.
pub(crate) struct Killed(pub(crate) u32);

impl Drop for Killed {
    fn drop(&mut self) {
        let pid = self.0.to_string();
        let _ = std::process::Command::new("kill")
            .args(["-KILL", &pid])
            .stderr(std::process::Stdio::null())
            .status();
    }
}

async fn open(launch: Launch) -> Result<Connection, StartError> {
    Box::new(ChildProcess::new().unchecked()).open(launch).await
}

/// What the child printed until its end.
async fn output(connection: &mut Connection) -> String {
    let mut text = String::new();
    let reading = connection.reader.read_to_string(&mut text);
    tokio::time::timeout(TIMEOUT, reading)
        .await
        .expect("the output ends")
        .unwrap();
    text
}

async fn exit(connection: &mut Connection) -> Exit {
    tokio::time::timeout(TIMEOUT, connection.custody.exited())
        .await
        .expect("the child ends")
}

/// Reads a number that a script writes into a file.
pub(crate) fn number_in(path: &Path) -> u32 {
    eventually("a number in a file", || {
        fs::read_to_string(path)
            .ok()
            .filter(|text| text.ends_with('\n'))
            .and_then(|text| text.trim().parse().ok())
    })
}

/// Waits until something is so.
pub(crate) fn eventually<T>(what: &str, mut so: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(value) = so() {
            return value;
        }
        assert!(begin.elapsed() < TIMEOUT, "{what} did not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process runs. A zombie does not.
pub(crate) fn runs(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        let state = stat.rsplit(')').next().unwrap_or_default();
        !state.trim_start().starts_with(['Z', 'X'])
    })
}

pub(crate) fn gone(pid: u32) {
    eventually("the end of a process", || (!runs(pid)).then_some(()));
}

#[tokio::test]
async fn lines_go_in_and_come_out() {
    let script = Script::new("read line; echo \"got $line\"; cat");
    let mut connection = script.open().await;
    connection.writer.write_all(b"one\ntwo\n").await.unwrap();
    connection.writer.flush().await.unwrap();
    connection.writer = Box::new(tokio::io::sink());
    assert_eq!(output(&mut connection).await, "got one\ntwo\n");
    assert_eq!(exit(&mut connection).await, Exit::Code(0));
}

#[tokio::test]
async fn the_exit_can_be_asked_again_and_a_dropped_question_loses_nothing() {
    let script = Script::new("read line; exit 7");
    let mut connection = script.open().await;
    for _ in 0..3 {
        let soon = tokio::time::timeout(Duration::from_millis(5), connection.custody.exited());
        assert!(soon.await.is_err());
    }
    assert!(connection.custody.pid().is_some());
    connection.writer = Box::new(tokio::io::sink());
    assert_eq!(exit(&mut connection).await, Exit::Code(7));
    assert_eq!(exit(&mut connection).await, Exit::Code(7));
    assert_eq!(connection.custody.pid(), None);
}

#[tokio::test]
async fn terminate_reaches_the_child_alone() {
    let script = Script::new(
        "trap 'kill -9 $child; exit 3' TERM\n\
         sh -c 'trap \"echo reached >&2\" TERM; while :; do sleep 0.05; done' & child=$!\n\
         echo ready; while :; do wait; done",
    );
    let mut connection = script.open().await;
    let mut ready = [0; 6];
    connection.reader.read_exact(&mut ready).await.unwrap();
    connection.custody.stop(Stop::Terminate);
    assert_eq!(exit(&mut connection).await, Exit::Code(3));
    assert_eq!(connection.custody.stderr_tail(), "");
    // After the end there is nothing to stop, and no other process may receive the signal.
    connection.custody.stop(Stop::Terminate);
    connection.custody.stop(Stop::Kill);
}

#[tokio::test]
async fn kill_ends_a_child_that_does_not_listen() {
    let script = Script::new("trap '' TERM; echo ready; while :; do sleep 0.05; done");
    let mut connection = script.open().await;
    let mut ready = [0; 6];
    connection.reader.read_exact(&mut ready).await.unwrap();
    connection.custody.stop(Stop::Terminate);
    let soon = tokio::time::timeout(Duration::from_millis(200), connection.custody.exited());
    assert!(soon.await.is_err());
    connection.custody.stop(Stop::Kill);
    assert_eq!(exit(&mut connection).await, Exit::Signal(9));
}

#[tokio::test]
async fn a_megabyte_on_standard_error_blocks_nothing_and_its_end_is_kept() {
    let script = Script::new(
        "i=0; while [ $i -lt 1024 ]; do printf '%01023d\\n' $i >&2; i=$((i+1)); done\n\
         printf 'last words' >&2; echo done",
    );
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&lines);
    let transport = ChildProcess::new().unchecked().stderr(move |line| {
        sink.lock().unwrap().push(line.to_owned());
    });
    let mut connection = Box::new(transport).open(script.launch()).await.unwrap();
    assert_eq!(output(&mut connection).await, "done\n");
    assert_eq!(exit(&mut connection).await, Exit::Code(0));
    let tail = connection.custody.stderr_tail();
    assert!(tail.ends_with("1023\nlast words"), "{tail}");
    assert!(
        (60 << 10..=64 << 10).contains(&tail.len()),
        "{}",
        tail.len()
    );
    let lines = lines.lock().unwrap();
    assert_eq!(lines.len(), 1025);
    assert!(lines.iter().take(1024).all(|line| line.len() == 1023));
}

#[tokio::test]
async fn a_grandchild_that_holds_standard_error_does_not_hold_up_the_news() {
    let script = Script::new("(sleep 60) >/dev/null & echo bye >&2; exit 4");
    let mut connection = script.open().await;
    let begin = Instant::now();
    assert_eq!(exit(&mut connection).await, Exit::Code(4));
    assert!(begin.elapsed() < Duration::from_secs(10));
    assert_eq!(connection.custody.stderr_tail(), "bye\n");
}

#[tokio::test]
async fn the_environment_and_the_folder_are_as_asked() {
    let script = Script::new("pwd -P; echo $A-$B-$HOME-${RUSTY_CLAW_CUSTODY:+marked}");
    let folder = tempfile::tempdir().unwrap();
    let mut launch = script.launch();
    launch.cwd = Some(folder.path().to_owned());
    launch.env_clear = true;
    launch.env = vec![
        ("A".into(), Some("1".into())),
        ("B".into(), Some("2".into())),
        ("B".into(), None),
    ];
    let mut connection = open(launch).await.unwrap();
    let here = folder.path().canonicalize().unwrap();
    assert_eq!(
        output(&mut connection).await,
        format!("{}\n1---marked\n", here.display())
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_kill_reaches_grandchildren_in_sessions_of_their_own() {
    // The CLI's own shells look like this: no input, and a file for their output.
    let script = Script::new(
        "setsid sh -c 'echo $$ > \"$0\"; while :; do sleep 0.05; done' \"$1\" </dev/null >\"$1.out\" 2>&1 &\n\
         cat",
    );
    let mut launch = script.launch();
    launch.args = vec![script.at("pid").into()];
    let mut connection = open(launch.clone()).await.unwrap();
    let grandchild = number_in(&script.at("pid"));
    assert!(runs(grandchild));
    connection.custody.stop(Stop::Kill);
    assert_eq!(exit(&mut connection).await, Exit::Signal(9));
    gone(grandchild);

    // The same when the child ended by itself before, and when nothing but a drop happens.
    fs::remove_file(script.at("pid")).unwrap();
    let mut connection = open(launch).await.unwrap();
    let grandchild = number_in(&script.at("pid"));
    connection.writer = Box::new(tokio::io::sink());
    assert_eq!(exit(&mut connection).await, Exit::Code(0));
    assert!(runs(grandchild));
    drop(connection);
    gone(grandchild);
}

/// A process without input and output is not a daemon while its parent belongs to the session.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_kill_reaches_children_without_input_and_output() {
    let script = Script::new(
        "setsid sh -c 'echo $$ > \"$0\"; while :; do sleep 0.05; done' \"$1\" </dev/null >/dev/null 2>&1 &\n\
         cat",
    );
    let mut launch = script.launch();
    launch.args = vec![script.at("pid").into()];
    let mut connection = open(launch).await.unwrap();
    let grandchild = number_in(&script.at("pid"));
    connection.custody.stop(Stop::Kill);
    gone(grandchild);
}

/// The same when the CLI has ended by itself and the parent is killed with its group.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_clean_up_reaches_grandchildren_without_input_and_output() {
    let script = Script::new(
        "cd \"$(dirname \"$0\")\"\n\
         sh -c 'setsid ./tool.sh & wait' </dev/null >/dev/null 2>&1 &\n\
         cat",
    );
    script.file("tool.sh", "echo $$ > pid; while :; do sleep 0.05; done");
    let mut connection = script.open().await;
    let grandchild = Killed(number_in(&script.at("pid")));
    connection.writer = Box::new(tokio::io::sink());
    assert_eq!(exit(&mut connection).await, Exit::Code(0));
    assert!(runs(grandchild.0));
    connection.custody.clean_up().await;
    gone(grandchild.0);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn daemons_survive_a_kill_a_close_and_a_drop() {
    let script = Script::with_daemon("cat");
    let mut connection = script.open().await;
    let [daemon, worker, tool] = script.daemon_worker_and_tool();
    connection.custody.stop(Stop::Kill);
    assert_eq!(exit(&mut connection).await, Exit::Signal(9));
    gone(tool.0);
    connection.custody.clean_up().await;
    drop(connection);
    assert!(runs(daemon.0) && runs(worker.0));
}

/// The session in the tmux server may be the user's.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_tmux_server_that_a_session_started_survives_it() {
    let tmux = std::process::Command::new("tmux").arg("-V").output();
    assert!(tmux.is_ok(), "there is no tmux: install it");
    let script = Script::new(
        "cd \"$(dirname \"$0\")\"\n\
         tmux -S socket -f /dev/null new -d 'echo $$ > pane; exec sleep 600'\n\
         tmux -S socket display -p '#{pid}' > server; cat",
    );
    let mut connection = script.open().await;
    let server = Killed(number_in(&script.at("server")));
    let pane = Killed(number_in(&script.at("pane")));
    connection.writer = Box::new(tokio::io::sink());
    assert_eq!(exit(&mut connection).await, Exit::Code(0));
    connection.custody.clean_up().await;
    drop(connection);
    assert!(runs(server.0) && runs(pane.0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_drop_kills_also_without_a_runtime() {
    let script = Script::new("trap '' TERM; while :; do sleep 0.05; done");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let connection = runtime.block_on(script.open());
    let pid = connection.custody.pid().unwrap();
    drop(runtime);
    assert!(runs(pid));
    drop(connection);
    gone(pid);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_is_released_lives_on() {
    let script = Script::new("echo $$ > \"$1\"; cat >/dev/null; sleep 0.3; echo end > \"$2\"");
    let mut launch = script.launch();
    launch.args = vec![script.at("pid").into(), script.at("end").into()];
    let mut connection = open(launch).await.unwrap();
    number_in(&script.at("pid"));
    connection.custody.release().unwrap();
    drop(connection);
    eventually("the last deed of the child", || {
        fs::read_to_string(script.at("end")).ok()
    });
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_child_that_dies_with_its_parent_is_not_released() {
    let script = Script::new("echo $$ > \"$1\"; while :; do sleep 0.05; done");
    let mut launch = script.launch();
    launch.args = vec![script.at("pid").into()];
    launch.die_with_parent = true;
    let mut connection = open(launch).await.unwrap();
    let pid = number_in(&script.at("pid"));
    let error = connection.custody.release().unwrap_err();
    assert!(matches!(error, SessionError::NotReleased), "{error}");
    let text = error.to_string();
    assert!(text.contains("Options::die_with_parent(false)"), "{text}");
    assert!(runs(pid));
    drop(connection);
    gone(pid);
}

#[tokio::test]
async fn a_folder_that_is_gone_is_named_before_anything_starts() {
    let script = Script::new("echo started > started");
    let folder = tempfile::tempdir().unwrap();
    let mut launch = script.launch();
    launch.cwd = Some(folder.path().join("gone"));
    let error = open(launch).await.unwrap_err();
    assert!(
        matches!(&error, StartError::FolderMissing { path } if path.ends_with("gone")),
        "{error}"
    );
}

#[tokio::test]
async fn why_a_file_cannot_be_run_is_told_in_words() {
    let script = Script::new("");
    let cases: [(&str, u32, &str); 3] = [
        ("#!/there/is/no/such/interpreter\n", 0o755, "interpreter"),
        ("#!/bin/sh\n", 0o644, "chmod +x"),
        ("\u{1}\u{2}\u{3}\n", 0o755, "not a program for this system"),
    ];
    for (content, mode, word) in cases {
        fs::remove_file(script.path()).unwrap();
        fs::write(script.path(), content).unwrap();
        fs::set_permissions(script.path(), fs::Permissions::from_mode(mode)).unwrap();
        let error = open(script.launch()).await.unwrap_err();
        assert!(
            matches!(error, StartError::CliUnusable { .. }),
            "{content:?}: {error}"
        );
        assert!(error.to_string().contains(word), "{content:?}: {error}");
    }
}
