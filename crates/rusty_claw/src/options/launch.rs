//! Assembles the command line, the environment and `initialize`.

use std::ffi::OsString;

use rusty_claw_protocol::control::InitializeRequest;

use super::argv::Argv;
use super::check::bad;
use super::fields::{Options, Process};
use super::files::PrivateFiles;
use super::served::check_dialogs;
use crate::cli::length::check_arguments;
use crate::error::StartError;
use crate::transport::ChildProcess;
use crate::transport::launch::Launch;

impl Options {
    /// What the CLI is started with, and the files that it needs while it runs.
    ///
    /// # Errors
    /// The options contradict each other or hold something that cannot be sent, or a file could
    /// not be written.
    pub(crate) fn launch(&self) -> Result<(Launch, PrivateFiles), StartError> {
        self.launch_where(&|name| std::env::var_os(name).is_some())
    }

    /// Like [`Options::launch`], with another source for inherited variables.
    pub(super) fn launch_where(
        &self,
        inherited: &dyn Fn(&str) -> bool,
    ) -> Result<(Launch, PrivateFiles), StartError> {
        self.check()?;
        let mut files = PrivateFiles::default();
        let args = self.args(&mut files)?;
        let Process {
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
        launch.env_clear = self.environment.clear;
        launch.env = self
            .environment
            .variables(self.conversation.file_checkpointing, inherited);
        launch.search_node_modules = *search_node_modules;
        launch.die_with_parent = *die_with_parent;
        launch.files = files.paths();
        Ok((launch, files))
    }

    /// Runs all checks that are possible before the start.
    fn check(&self) -> Result<(), StartError> {
        self.limits.check()?;
        self.process.check()?;
        self.environment.check()?;
        self.conversation.check()?;
        self.model.check()?;
        self.prompt.check()?;
        self.tools.check()?;
        self.host
            .mcp_servers
            .check()
            .map_err(|error| bad("mcp_server", error.to_string()))?;
        self.permission.check(self.host.asks_permissions())?;
        check_dialogs(&self.host)?;
        self.settings.check()
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
        let args = argv.into_args();
        check_arguments(&args)?;
        Ok(args)
    }

    /// Whether an earlier conversation is continued.
    pub(crate) fn resumes(&self) -> bool {
        self.conversation.resumes()
    }

    /// The default transport.
    pub(crate) fn child_process(&self) -> ChildProcess {
        let mut transport = ChildProcess::new();
        if let Some(on_line) = self.process.stderr.clone() {
            transport = transport.stderr(move |line| on_line(line));
        }
        if let Some(prefix) = self.process.launcher.clone() {
            transport = transport.launcher(move |program, launch| prefix(program, launch));
        }
        transport
    }

    /// The first request of a session.
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
