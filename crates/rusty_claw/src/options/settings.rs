//! Settings, and the folders they come from.

use std::path::PathBuf;

use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::InitializeRequest;
use serde::Serialize;

use super::Options;
use super::argv::Argv;
use super::check::{bad, named_path};
use super::files::{FileCache, PrivateFiles};
use super::json_value::JsonValue;
use super::sandbox;
use crate::error::StartError;

/// Settings, and the folders they come from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    inline: Option<JsonValue>,
    file: Option<PathBuf>,
    sandbox: Option<JsonValue>,
    managed: Option<JsonValue>,
    sources: Option<Vec<SettingSource>>,
    additional_directories: Vec<PathBuf>,
    project_config_root: Option<PathBuf>,
}

/// A place from which the CLI reads settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingSource {
    /// The user's own, in the configuration folder.
    User,
    /// The project's, shared by all who work on it; its instruction files go with it.
    Project,
    /// The project's, of this machine only.
    Local,
}

impl SettingSource {
    fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

impl Options {
    /// Settings for this session, above those of the user and the project. Takes whatever
    /// serialises to an object in the form of `settings.json`.
    ///
    /// They go to the CLI in a file that only this user can read: variables and helpers in them may
    /// hold secrets, and everybody on the machine can read command lines.
    ///
    /// ```
    /// use rusty_claw::Options;
    /// use serde_json::json;
    ///
    /// let options = Options::new().settings(json!({"permissions": {"deny": ["Bash(rm *)"]}}));
    /// # let _ = options;
    /// ```
    pub fn settings(mut self, settings: impl Serialize) -> Self {
        self.settings.inline = Some(JsonValue::new(&settings));
        self
    }

    /// A file with settings for this session, above those of the user and the project. The CLI
    /// does not start when it is missing.
    pub fn settings_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.settings.file = Some(file.into());
        self
    }

    /// The sandbox in which commands run: the `sandbox` object of the settings. None unless set.
    /// Merged into [`Options::settings`]; what is said here wins, and lists of what is forbidden
    /// are joined.
    ///
    /// With `"enabled": true` the CLI refuses to start when it cannot make the sandbox, unless
    /// `failIfUnavailable` says otherwise.
    pub fn sandbox(mut self, sandbox: impl Serialize) -> Self {
        self.settings.sandbox = Some(JsonValue::new(&sandbox));
        self
    }

    /// Settings that the user cannot change, for programs that carry an organisation's policy.
    /// The CLI keeps only what forbids, and drops them where the machine's administrator has a
    /// policy of their own, unless that says otherwise. A CLI that says that it did not take them
    /// does not start.
    ///
    /// They travel in `initialize`, for which the CLI waits before it loads anything.
    pub fn managed_settings(mut self, settings: impl Serialize) -> Self {
        self.settings.managed = Some(JsonValue::new(&settings));
        self.host.expect_managed_settings();
        self
    }

    /// The places from which the CLI reads settings. All of them unless set; none with an empty
    /// list, which also leaves the project's instruction files unread.
    pub fn setting_sources(mut self, sources: impl IntoIterator<Item = SettingSource>) -> Self {
        self.settings.sources = Some(sources.into_iter().collect());
        self
    }

    /// Folders beside the working folder that the tools may touch. Adds to those given before.
    pub fn additional_directories<P: Into<PathBuf>>(
        mut self,
        folders: impl IntoIterator<Item = P>,
    ) -> Self {
        self.settings
            .additional_directories
            .extend(folders.into_iter().map(Into::into));
        self
    }

    /// The checkout that is trusted when the working folder is a worktree of it: settings, hooks,
    /// commands and MCP servers of the project come from here and not from whatever the worktree
    /// has checked out. An absolute path; the working folder unless set.
    pub fn project_config_root(mut self, folder: impl Into<PathBuf>) -> Self {
        self.settings.project_config_root = Some(folder.into());
        self
    }
}

impl Settings {
    pub(super) fn check(&self) -> Result<(), StartError> {
        if let Some(settings) = &self.inline {
            settings.object("settings")?;
            if self.file.is_some() {
                return Err(bad(
                    "settings_file",
                    "contradicts settings: the CLI takes one of the two",
                ));
            }
        }
        if let Some(sandbox) = &self.sandbox {
            sandbox.object("sandbox")?;
            if self.file.is_some() {
                return Err(bad(
                    "sandbox",
                    "cannot be merged into a settings file; write it into the file",
                ));
            }
        }
        if let Some(managed) = &self.managed {
            managed.object("managed_settings")?;
        }
        if let Some(file) = &self.file {
            named_path("settings_file", file)?;
        }
        for folder in &self.additional_directories {
            named_path("additional_directories", folder)?;
        }
        if let Some(root) = &self.project_config_root {
            named_path("project_config_root", root)?;
            if !root.is_absolute() {
                return Err(bad(
                    "project_config_root",
                    format!("{} is no absolute path", root.display()),
                ));
            }
        }
        Ok(())
    }

    pub(super) fn argv(
        &self,
        argv: &mut Argv,
        cache: &FileCache,
        files: &mut PrivateFiles,
    ) -> Result<(), StartError> {
        if let Some(sources) = &self.sources {
            let names: Vec<&str> = sources.iter().map(|source| source.as_str()).collect();
            argv.value("--setting-sources", names.join(","));
        }
        if let Some(file) = &self.file {
            argv.os_value("--settings", file);
        } else if let Some(settings) = self.merged() {
            let file = cache.hold(settings.text(), "the settings", files)?;
            argv.os_value("--settings", file);
        }
        argv.flag_if(
            "--managed-settings-in-initialize",
            self.waits_for_initialize(),
        );
        argv_folders(argv, &self.additional_directories);
        if let Some(root) = &self.project_config_root {
            argv.os_value("--project-config-root", root);
        }
        Ok(())
    }

    /// Whether the CLI must wait for `initialize` before it loads anything.
    pub(super) fn waits_for_initialize(&self) -> bool {
        self.managed_json().is_some()
    }

    pub(super) fn initialize(&self, initialize: &mut InitializeRequest) {
        initialize.managed_settings = self.managed_json().cloned();
    }

    fn managed_json(&self) -> Option<&Json> {
        self.managed.as_ref().and_then(JsonValue::json)
    }

    /// The settings with the sandbox in them.
    fn merged(&self) -> Option<Json> {
        let settings = self.inline.as_ref().and_then(JsonValue::json);
        let Some(sandbox) = self.sandbox.as_ref().and_then(JsonValue::json) else {
            return settings.cloned();
        };
        let settings = settings.map_or_else(|| serde_json::json!({}), Json::to_value);
        Some(Json::from_value(&sandbox::merge(
            settings,
            sandbox.to_value(),
        )))
    }
}

fn argv_folders(argv: &mut Argv, folders: &[PathBuf]) {
    for folder in folders {
        argv.os_value("--add-dir", folder);
    }
}
