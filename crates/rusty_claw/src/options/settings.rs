//! Settings and their sources.

use std::path::PathBuf;

use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::InitializeRequest;
use serde::Serialize;

use super::argv::Argv;
use super::check::{bad, named_path};
use super::fields::{Options, SettingSource, Settings};
use super::files::{FileCache, PrivateFiles};
use super::json_value::JsonValue;
use super::sandbox;
use crate::error::StartError;

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
    /// Settings for this session, which override those of the user and the project. Accepts
    /// anything that serialises to an object in the format of `settings.json`.
    ///
    /// They are passed to the CLI in a file that only this user can read: they may contain secrets,
    /// and every user of the machine can read command lines.
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

    /// A settings file for this session, which overrides those of the user and the project. The CLI
    /// does not start if it is missing.
    pub fn settings_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.settings.file = Some(file.into());
        self
    }

    /// The sandbox in which commands run: the `sandbox` object of the settings. None by default.
    /// Merged into [`Options::settings`]: this option wins, and lists of restrictions are joined.
    ///
    /// With `"enabled": true` the CLI refuses to start if the sandbox is unavailable, unless
    /// `failIfUnavailable` says otherwise.
    pub fn sandbox(mut self, sandbox: impl Serialize) -> Self {
        self.settings.sandbox = Some(JsonValue::new(&sandbox));
        self
    }

    /// Settings that the user cannot change, for programs that enforce an organisation's policy.
    /// The CLI applies only restrictions, and ignores them if the machine's administrator has a
    /// policy, unless that policy says otherwise. The start fails if the CLI reports that it did
    /// not apply them.
    ///
    /// They are sent in `initialize`, for which the CLI waits before it loads anything.
    pub fn managed_settings(mut self, settings: impl Serialize) -> Self {
        self.settings.managed = Some(JsonValue::new(&settings));
        self.host.expects_managed_settings = true;
        self
    }

    /// The sources of settings. All by default; none with an empty list, and then the project's
    /// instruction files are not read either.
    pub fn setting_sources(mut self, sources: impl IntoIterator<Item = SettingSource>) -> Self {
        self.settings.sources = Some(sources.into_iter().collect());
        self
    }

    /// Folders besides the working folder that the tools may access. Added to those set before.
    pub fn additional_directories<P: Into<PathBuf>>(
        mut self,
        folders: impl IntoIterator<Item = P>,
    ) -> Self {
        self.settings
            .additional_directories
            .extend(folders.into_iter().map(Into::into));
        self
    }

    /// The trusted checkout, if the working folder is a worktree of it: the project's settings,
    /// hooks, commands and MCP servers are read from here and not from the worktree. An absolute
    /// path; the working folder by default.
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

    /// The settings, with the sandbox merged in.
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
