//! Hosts that are killed: this test program runs itself as one.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rusty_claw::transport::{ChildProcess, Launch, Transport, custody};

use crate::transport_child::{Script, gone, number_in, runs};

const SCRIPT: &str = "RUSTY_CLAW_TEST_HOST_SCRIPT";
const DIES_WITH_PARENT: &str = "RUSTY_CLAW_TEST_HOST_DIES";

/// By itself a small test. With a script it is the host that other tests start and kill.
#[tokio::test]
async fn a_host_starts_a_child() {
    let (program, as_host) = match std::env::var_os(SCRIPT) {
        Some(program) => (program, true),
        None => ("/bin/true".into(), false),
    };
    let mut launch = Launch::default();
    launch.program = Some(program.into());
    launch.die_with_parent = std::env::var_os(DIES_WITH_PARENT).is_some();
    let transport = Box::new(ChildProcess::new().unchecked());
    let mut connection = transport.open(launch).await.unwrap();
    if as_host {
        // Leaks the input, so that only a signal ends the child.
        std::mem::forget(connection.writer);
        tokio::time::sleep(Duration::from_secs(120)).await;
        panic!("nobody killed this host");
    }
    assert!(connection.custody.exited().await.is_success());
}

/// Kills the host when a test fails before it does.
struct Host(Child);

impl Host {
    fn start(script: &Path, dies_with_parent: bool) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "transport_host::a_host_starts_a_child"])
            .env(SCRIPT, script)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if dies_with_parent {
            command.env(DIES_WITH_PARENT, "1");
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
    let mut killed_host = Host::start(&left.path(), false);
    let mut other_killed_host = Host::start(&stubborn.path(), false);
    let mut living_host = Host::start(&living.path(), false);
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
fn a_child_that_is_to_die_with_its_parent_does() {
    let script = family("kill -9 $(cat grandchild); exit 0");
    let mut host = Host::start(&script.path(), true);
    let child = number_in(&script.at("child"));
    let grandchild = number_in(&script.at("grandchild"));
    assert!(runs(child));
    host.kill();
    // It cleans up behind itself, as the CLI does.
    gone(child);
    gone(grandchild);
}

/// The wish to die with the parent is bound to a thread, and a runtime's threads end early.
#[cfg(target_os = "linux")]
#[test]
fn the_end_of_a_thread_is_not_the_end_of_the_parent() {
    let script = Script::new("echo $$ > \"$(dirname \"$0\")/child\"; cat >/dev/null");
    let mut launch = script.launch();
    launch.die_with_parent = true;
    let connection = std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime
            .block_on(Box::new(ChildProcess::new().unchecked()).open(launch))
            .unwrap()
    })
    .join()
    .unwrap();
    let child = number_in(&script.at("child"));
    std::thread::sleep(Duration::from_millis(300));
    assert!(runs(child));
    drop(connection);
    gone(child);
}
