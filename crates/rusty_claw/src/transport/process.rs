//! Starts child processes, with a mark and in their own process group.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::{Child, Command};

use super::connection::{Custody, Stop};
use super::exit::Exit;
use super::launch::Launch;
use super::mark::{Mark, NOTES_VARIABLE, VARIABLE};
use super::stderr::{Drain, LineCallback};
use super::{custody, launcher, signals};
use crate::cli::find::Program;
use crate::error::{SessionError, StartError};
use crate::future::BoxFuture;

/// How often a program that is being written is tried again, and the pause between tries.
const BUSY_TRIES: u32 = 5;
const BUSY_PAUSE: Duration = Duration::from_millis(20);

pub(crate) struct Running {
    /// `None` unless it was piped.
    pub(crate) stdin: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    pub(crate) stdout: Box<dyn AsyncRead + Send + Unpin>,
    pub(crate) custody: ChildCustody,
}

/// The program to start.
#[derive(Clone, Copy)]
pub(crate) struct What<'a> {
    pub(crate) program: &'a Program,
    /// The launcher and its arguments, if there is one.
    pub(crate) prefix: &'a [OsString],
    pub(crate) args: &'a [OsString],
}

/// Starts a program in the folder and with the environment of `launch`, with a mark and in its own
/// process group.
///
/// Dropping the future, or what it returns, leaves nothing running.
pub(crate) async fn spawn(
    what: What<'_>,
    launch: &Launch,
    stdin: fn() -> Stdio,
    on_stderr: Option<LineCallback>,
) -> Result<Running, StartError> {
    let What {
        program,
        prefix,
        args,
    } = what;
    let has_launcher = !prefix.is_empty();
    let mark = Mark::new();
    let mut tries = 0;
    let (child, sockets) = loop {
        let mut command = program.command(prefix);
        command
            .args(args)
            .stdin(stdin())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let sockets = match has_launcher {
            true => {
                launcher::connect(&mut command).map_err(|error| refused(program.path(), error))?
            }
            false => None,
        };
        prepare(&mut command, launch, &mark);
        tries += 1;
        match run(command, launch.die_with_parent).await {
            Ok(child) => break (child, sockets),
            Err(error)
                if error.kind() == io::ErrorKind::ExecutableFileBusy && tries < BUSY_TRIES =>
            {
                tokio::time::sleep(BUSY_PAUSE).await;
            }
            Err(error) => return Err(refused(program.path(), error)),
        }
    };
    // From here on, any failure ends the child.
    let mut custody = ChildCustody {
        leader: child.id(),
        child,
        mark,
        has_launcher,
        exit: None,
        stderr: None,
        dies_with_parent: launch.die_with_parent && cfg!(target_os = "linux"),
        released: false,
        cleaned: false,
    };
    let Some(stderr) = custody.child.stderr.take() else {
        return Err(without_pipes(program));
    };
    custody.stderr = Some(Drain::start(stderr, on_stderr));
    let (stdin, stdout): (Option<Box<dyn AsyncWrite + Send + Unpin>>, _) = match sockets {
        Some((stdin, stdout)) => (Some(stdin), stdout),
        None => {
            let stdin = custody.child.stdin.take();
            let stdout = custody.child.stdout.take();
            let stdout = stdout.ok_or_else(|| without_pipes(program))?;
            (
                stdin.map(|stdin| Box::new(stdin) as _),
                Box::new(stdout) as _,
            )
        }
    };
    Ok(Running {
        stdin,
        stdout,
        custody,
    })
}

pub(super) fn without_pipes(program: &Program) -> StartError {
    StartError::Spawn {
        program: program.path().to_owned(),
        source: io::Error::other("the child came without its pipes"),
    }
}

fn prepare(command: &mut Command, launch: &Launch, mark: &Mark) {
    if let Some(folder) = &launch.cwd {
        command.current_dir(folder);
    }
    if launch.env_clear {
        command.env_clear();
    }
    for (name, value) in &launch.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env(VARIABLE, mark.value());
    if let Some(notes) = custody::notes() {
        command.env(NOTES_VARIABLE, notes);
    }
    #[cfg(unix)]
    command.process_group(0);
}

async fn run(mut command: Command, die_with_parent: bool) -> io::Result<Child> {
    #[cfg(target_os = "linux")]
    if die_with_parent {
        super::process_setup::die_with_parent(&mut command);
        return super::spawner::spawn(command).await;
    }
    let _ = die_with_parent;
    command.spawn()
}

/// Explains why the system did not start a program.
fn refused(program: &Path, error: io::Error) -> StartError {
    let why = match error.kind() {
        io::ErrorKind::NotFound if program.exists() => {
            "the file exists, but what it needs to run does not: the interpreter in its first \
             line, or for a binary the system's loader (a build for glibc on a system with musl, \
             or the other way round); install that or another build"
        }
        io::ErrorKind::NotFound => "there is no such file",
        io::ErrorKind::PermissionDenied if program.is_dir() => "it is a folder, not a program",
        io::ErrorKind::PermissionDenied => {
            "permission denied: make it executable (chmod +x), and see that its file system is \
             not mounted with noexec"
        }
        io::ErrorKind::ExecutableFileBusy => {
            "it is being written right now, as by an update; try again in a moment"
        }
        io::ErrorKind::ArgumentListTooLong => {
            "the arguments and the environment are longer than the system allows; remove large \
             variables from the environment"
        }
        _ if error.raw_os_error() == Some(NOT_A_PROGRAM) => {
            "it is not a program for this system: another processor, or a script without #! in \
             its first line"
        }
        _ => {
            return StartError::Spawn {
                program: program.to_owned(),
                source: error,
            };
        }
    };
    StartError::CliUnusable {
        path: program.to_owned(),
        why: why.to_owned(),
    }
}

/// ENOEXEC, which has no name in the standard library.
const NOT_A_PROGRAM: i32 = 8;

/// The custody of one child.
#[derive(Debug)]
pub(crate) struct ChildCustody {
    child: Child,
    /// The pid of the child and id of its group. Kept after its end, for what it left behind.
    leader: Option<u32>,
    mark: Mark,
    has_launcher: bool,
    exit: Option<Exit>,
    stderr: Option<Drain>,
    dies_with_parent: bool,
    released: bool,
    /// Whether nothing is left, so that a drop need not look.
    cleaned: bool,
}

impl ChildCustody {
    fn kill_group(&mut self) {
        // Until the child is waited for, no other process or group can have its pid.
        match self.child.id() {
            Some(pid) => {
                signals::kill_group(pid);
                let _ = self.child.start_kill();
            }
            None => {
                // The pid is free again, but is not reused while its group has members. So if no
                // process has the pid, the group is the child's own.
                if let Some(leader) = self.leader
                    && !signals::exists(leader)
                    && signals::group_exists(leader)
                {
                    signals::kill_group(leader);
                }
            }
        }
    }

    /// Kills the child, its group, and everything else with its mark, except daemons.
    fn kill(&mut self) {
        let daemons = custody::daemons(&self.mark);
        self.kill_group();
        custody::kill_marked(&self.mark, &daemons);
    }
}

impl Custody for ChildCustody {
    fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    fn exited(&mut self) -> BoxFuture<'_, Exit> {
        Box::pin(async {
            let exit = match self.exit {
                Some(exit) => exit,
                None => {
                    let exit = match self.child.wait().await {
                        Ok(status) => exit_of(status),
                        Err(_) => Exit::Unknown,
                    };
                    *self.exit.insert(exit)
                }
            };
            if let Some(stderr) = &mut self.stderr {
                stderr.ended().await;
            }
            exit
        })
    }

    fn stop(&mut self, how: Stop) {
        match how {
            // Only to the CLI: it ends its own children, in its own order.
            Stop::Terminate => {
                if let Some(pid) = self.child.id()
                    && !(self.has_launcher && custody::terminate_launched(pid, &self.mark))
                {
                    signals::terminate(pid);
                }
            }
            Stop::Kill => self.kill(),
        }
    }

    fn clean_up(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // Reading the process table blocks.
            let mark = self.mark.clone();
            let daemons = tokio::task::spawn_blocking(move || custody::daemons(&mark)).await;
            self.kill_group();
            let Ok(daemons) = daemons else { return };
            let mark = self.mark.clone();
            let killing = move || custody::kill_marked(&mark, &daemons);
            let killed = tokio::task::spawn_blocking(killing).await;
            self.cleaned = killed.is_ok() && self.exit.is_some();
        })
    }

    fn stderr_tail(&self) -> String {
        self.stderr.as_ref().map(Drain::tail).unwrap_or_default()
    }

    fn release(&mut self) -> Result<(), SessionError> {
        if self.dies_with_parent {
            return Err(SessionError::NotReleased);
        }
        custody::set_free(&self.mark);
        self.released = true;
        Ok(())
    }
}

impl Drop for ChildCustody {
    fn drop(&mut self) {
        if self.released {
            // The runtime reaps a dropped child when it ends, and its standard error is read as
            // long as the runtime exists.
            return;
        }
        if !self.cleaned {
            self.kill();
        }
        if let Some(stderr) = &mut self.stderr {
            stderr.stop();
        }
    }
}

#[cfg(unix)]
fn exit_of(status: ExitStatus) -> Exit {
    use std::os::unix::process::ExitStatusExt as _;

    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Unknown,
    }
}

#[cfg(not(unix))]
fn exit_of(status: ExitStatus) -> Exit {
    status.code().map_or(Exit::Unknown, Exit::Code)
}
