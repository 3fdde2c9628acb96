//! Everything put together.

use std::ffi::OsString;

use rusty_claw_protocol::control::InitializeRequest;

use super::argv::Argv;
use super::check::bad;
use super::files::PrivateFiles;
use super::{Options, process};
use crate::error::StartError;
use crate::transport::{ChildProcess, Launch};

/// What Linux takes for one argument, its end included. Other systems take less for all.
pub(super) const ARGUMENT_MAX: usize = 128 << 10;

impl Options {
    /// What the CLI is started with, and the files that must stay as long as it runs.
    ///
    /// # Errors
    /// The options contradict each other or hold something that cannot be sent, or a file could
    /// not be written.
    pub(crate) fn launch(&self) -> Result<(Launch, PrivateFiles), StartError> {
        self.launch_where(&|name| std::env::var_os(name).is_some())
    }

    /// The same, with another answer to whether a variable would be inherited.
    pub(super) fn launch_where(
        &self,
        inherited: &dyn Fn(&str) -> bool,
    ) -> Result<(Launch, PrivateFiles), StartError> {
        self.check()?;
        let mut files = PrivateFiles::default();
        let args = self.args(&mut files)?;
        let process::Process {
            cli_path,
            cwd,
            search_node_modules,
            die_with_parent,
            ..
        } = &self.process;
        let mut launch = Launch::default();
        launch.program.clone_from(cli_path);
        launch.args = args;
        launch.cwd.clone_from(cwd);
        launch.env_clear = self.environment.clear();
        launch.env = self
            .environment
            .variables(self.conversation.file_checkpointing(), inherited);
        launch.search_node_modules = *search_node_modules;
        launch.die_with_parent = *die_with_parent;
        Ok((launch, files))
    }

    fn args(&self, files: &mut PrivateFiles) -> Result<Vec<OsString>, StartError> {
        let mut argv = Argv::of_a_session();
        self.model.argv(&mut argv);
        self.prompt.argv(&mut argv);
        self.conversation.argv(&mut argv);
        self.permission
            .argv(&mut argv, self.host.asks_permissions());
        self.tools.argv(&mut argv, &self.files, files)?;
        self.settings.argv(&mut argv, &self.files, files)?;
        self.output.argv(&mut argv);
        self.process.argv(&mut argv);
        if self.tools.waits_for_initialize() || self.settings.waits_for_initialize() {
            argv.flag("--await-initialize");
        }
        self.process.extra_argv(&mut argv)?;
        for argument in argv.args() {
            carriable(argument)?;
        }
        Ok(argv.into_args())
    }

    /// Whether the conversation began earlier.
    pub(crate) fn resumes(&self) -> bool {
        self.conversation.resumes()
    }

    /// The transport of a session that names none.
    pub(crate) fn child_process(&self) -> ChildProcess {
        match &self.process.stderr {
            Some(heard) => {
                let heard = heard.clone();
                ChildProcess::new().stderr(move |line| heard.call(line))
            }
            None => ChildProcess::new(),
        }
    }

    /// What is said first.
    pub(crate) fn initialize(&self) -> InitializeRequest {
        let mut initialize = InitializeRequest::default();
        self.conversation.initialize(&mut initialize);
        self.model.initialize(&mut initialize);
        self.prompt.initialize(&mut initialize);
        self.tools.initialize(&mut initialize);
        self.settings.initialize(&mut initialize);
        self.output.initialize(&mut initialize);
        self.host.declare(&mut initialize);
        initialize
    }
}

/// Whether the system can hand an argument to a process.
fn carriable(argument: &OsString) -> Result<(), StartError> {
    let bytes = argument.as_encoded_bytes();
    let shown = || {
        let flag = bytes.split(|byte| *byte == b'=').next().unwrap_or(bytes);
        String::from_utf8_lossy(flag).into_owned()
    };
    if bytes.contains(&0) {
        return Err(bad(
            "options",
            format!("the value of {} holds a NUL byte", shown()),
        ));
    }
    if bytes.len() >= ARGUMENT_MAX {
        return Err(bad(
            "options",
            format!(
                "the value of {} has {} bytes, more than a command line can carry; long lists of \
                 rules belong into settings",
                shown(),
                bytes.len()
            ),
        ));
    }
    Ok(())
}
