//! Hosts that are killed: this test program runs itself as one.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rusty_claw::transport::{ChildProcess, Launch, Transport, custody};
use rusty_claw::{Options, Session};
use tokio::runtime::Handle;

use crate::transport_child::{Killed, Script, eventually, gone, number_in, runs};

const SCRIPT: &str = "RUSTY_CLAW_TEST_HOST_SCRIPT";
const MODE: &str = "RUSTY_CLAW_TEST_HOST_MODE";
/// The CLI is started with default options.
const DEFAULTS: &str = "defaults";
/// The CLI is started with `die_with_parent(false)`.
const OUTLIVED: &str = "outlived";
/// The same, and the host releases the CLI and ends.
const RELEASES: &str = "releases";
/// The same, with the cache folder of the program that sweeps.
const RELEASES_HERE: &str = "releases here";

/// By itself a small test. With a script it is the host that other tests start and kill.
#[tokio::test]
async fn a_host_starts_a_child() {
    let mut launch = Launch::default();
    let transport = ChildProcess::new().unchecked();
    let Some(program) = std::env::var_os(SCRIPT) else {
        launch.program = Some("/bin/true".into());
        let mut connection = Box::new(transport).open(launch).await.unwrap();
        assert!(connection.custody.exited().await.is_success());
        return;
    };
    if std::env::var(MODE).unwrap().starts_with(RELEASES) {
        let child = Path::new(&program).with_file_name("child");
        launch.program = Some(program.into());
        let mut connection = Box::new(transport).open(launch).await.unwrap();
        number_in(&child);
        connection.custody.release().unwrap();
        return;
    }
    let mut options = Options::new().cli_path(program);
    if std::env::var(MODE).unwrap() == OUTLIVED {
        options = options.die_with_parent(false);
    }
    // The script prints nothing, so this waits until the host is killed.
    let started = Session::start_on(transport, options).await;
    panic!("the host was not killed: {:?}", started.err());
}

/// Kills the host when a test fails before it does.
struct Host(Child);

impl Host {
    fn start(script: &Path, mode: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "transport_host::a_host_starts_a_child"])
            .env(SCRIPT, script)
            .env(MODE, mode)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if mode != RELEASES_HERE {
            command.env("XDG_CACHE_HOME", script.with_file_name("cache"));
        }
        Self(command.spawn().unwrap())
    }

    fn kill(&mut self) {
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Writes its own number and that of a grandchild in a session of its own. Neither reads its
/// input, so that the host's death alone ends nothing.
fn family(on_terminate: &str) -> Script {
    Script::new(&format!(
        "trap '{on_terminate}' TERM\n\
         cd \"$(dirname \"$0\")\"\n\
         setsid sh -c 'echo $$ > grandchild; while :; do sleep 0.1; done' </dev/null >/dev/null 2>&1 &\n\
         echo $$ > child; while :; do sleep 0.1; done"
    ))
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_sweep_ends_what_a_killed_host_left_and_nothing_of_a_living_one() {
    let (left, living) = (family("exit 0"), family("exit 0"));
    let stubborn = family("");
    let mut killed_host = Host::start(&left.path(), OUTLIVED);
    let mut other_killed_host = Host::start(&stubborn.path(), OUTLIVED);
    let mut living_host = Host::start(&living.path(), OUTLIVED);
    let numbers = |script: &Script| ["child", "grandchild"].map(|it| number_in(&script.at(it)));
    let orphans = [numbers(&left), numbers(&stubborn)].concat();
    let others = numbers(&living);
    killed_host.kill();
    other_killed_host.kill();
    assert!(orphans.iter().all(|&pid| runs(pid)));

    let ended = custody::sweep().await;
    for &pid in &orphans {
        gone(pid);
    }
    for orphan in &ended {
        assert!(!others.contains(&orphan.pid), "{ended:?}");
    }
    assert!(others.iter().all(|&pid| runs(pid)));

    living_host.kill();
    custody::sweep().await;
    for pid in others {
        gone(pid);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn by_default_a_child_dies_with_its_host() {
    let script = family("kill -9 $(cat grandchild); exit 0");
    let mut host = Host::start(&script.path(), DEFAULTS);
    let child = number_in(&script.at("child"));
    let grandchild = number_in(&script.at("grandchild"));
    assert!(runs(child));
    host.kill();
    // It cleans up behind itself, as the CLI does.
    gone(child);
    gone(grandchild);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_released_child_survives_a_sweep_with_another_cache_folder() {
    let script = family("exit 0");
    let mut host = Host::start(&script.path(), RELEASES);
    let child = Killed(number_in(&script.at("child")));
    let grandchild = Killed(number_in(&script.at("grandchild")));
    assert!(host.0.wait().unwrap().success());
    let ended = custody::sweep().await;
    assert!(runs(child.0) && runs(grandchild.0), "{ended:?}");
}

/// Children of hosts of an earlier version have no variable with the folder of the notes.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_released_child_that_does_not_name_the_notes_survives_a_sweep() {
    let script = family("exit 0");
    script.file(
        "without_notes",
        "exec env -u RUSTY_CLAW_RELEASED \"$(dirname \"$0\")/claude\"",
    );
    let mut host = Host::start(&script.at("without_notes"), RELEASES_HERE);
    let child = Killed(number_in(&script.at("child")));
    let grandchild = Killed(number_in(&script.at("grandchild")));
    assert!(host.0.wait().unwrap().success());
    let ended = custody::sweep().await;
    assert!(runs(child.0) && runs(grandchild.0), "{ended:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_sweep_leaves_daemons_alone() {
    let script = Script::with_daemon("while :; do sleep 0.1; done");
    let mut host = Host::start(&script.path(), OUTLIVED);
    let [daemon, worker, tool] = script.daemon_worker_and_tool();
    host.kill();
    let ended = custody::sweep().await;
    gone(tool.0);
    assert!(runs(daemon.0) && runs(worker.0), "{ended:?}");
}

/// The kernel ties the death signal to the thread that started the child, and threads of a runtime
/// end before the process does.
#[cfg(target_os = "linux")]
#[test]
fn the_end_of_a_thread_is_not_the_end_of_the_parent() {
    let script = Script::new("echo $$ > \"$(dirname \"$0\")/child\"; cat >/dev/null");
    let mut launch = script.launch();
    launch.die_with_parent = true;
    let open = move |runtime: &Handle| {
        let transport = Box::new(ChildProcess::new().unchecked());
        let connection = runtime.block_on(transport.open(launch.clone())).unwrap();
        (connection, std::fs::read_link("/proc/thread-self").unwrap())
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .thread_keep_alive(Duration::from_millis(1))
        .enable_all()
        .build()
        .unwrap();
    let handle = runtime.handle().clone();
    let in_pool = {
        let open = open.clone();
        let task = handle.spawn_blocking(move || open(&Handle::current()));
        handle.block_on(task).unwrap()
    };
    for (number, started) in [(number_in(&script.at("child")), in_pool), {
        std::fs::remove_file(script.at("child")).unwrap();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            open(runtime.handle())
        });
        let started = thread.join().unwrap();
        (number_in(&script.at("child")), started)
    }] {
        let (connection, thread) = started;
        let thread = Path::new("/proc").join(thread);
        eventually("the end of a thread", || (!thread.exists()).then_some(()));
        std::thread::sleep(Duration::from_millis(200));
        assert!(runs(number));
        drop(connection);
        gone(number);
    }
}
