//! The settings of a session that clients choose.

use std::path::{Path, PathBuf};

use rusty_claw::Options;
use rusty_claw::permission::PermissionMode;
use serde::{Deserialize, Serialize};

use crate::caller::Scope;
use crate::error::GatewayError;
use crate::origin::Origin;

/// The most bytes of a title and of the name of a model.
const MAX_NAME: usize = 1000;
/// The most bytes that are added to the system prompt.
const MAX_PROMPT: usize = 16 * 1024;

/// How a session is created. It is stored with the session, and every start of the CLI uses it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SessionSpec {
    /// The folder in which the agent works. It must be in one of the gateway's roots.
    #[schema(value_type = String)]
    pub folder: PathBuf,
    /// A title for lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The model, or the CLI's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The permission mode, or the CLI's default. The bypass mode needs the scope
    /// [`Scope::Admin`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub permission_mode: Option<PermissionMode>,
    /// Text that is added to the system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub append_system_prompt: Option<String>,
    /// The conversation that the session continues. It is refused in requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(read_only)]
    pub origin: Option<Origin>,
}

impl SessionSpec {
    /// Creates the settings of a session in a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            title: None,
            model: None,
            permission_mode: None,
            append_system_prompt: None,
            origin: None,
        }
    }

    /// The scope that a device needs to choose these settings.
    pub(crate) fn scope(&self) -> Scope {
        self.permission_mode
            .as_ref()
            .map_or(Scope::Drive, mode_scope)
    }

    /// Checks the sizes of the settings, because lists of sessions contain them. With an empty
    /// model, every start of the CLI would fail.
    pub(crate) fn check(&self) -> Result<(), GatewayError> {
        let model = self.model.as_deref();
        if model.is_some_and(|model| model.trim().is_empty() || model.contains('\0')) {
            return Err(GatewayError::invalid(
                "the model has no name: leave it out for the default",
            ));
        }
        for (name, text, limit) in [
            ("title", self.title.as_deref(), MAX_NAME),
            ("model", model, MAX_NAME),
            (
                "append_system_prompt",
                self.append_system_prompt.as_deref(),
                MAX_PROMPT,
            ),
        ] {
            if text.is_some_and(|text| text.len() > limit) {
                let reason = format!("`{name}` has at most {limit} bytes");
                return Err(GatewayError::invalid(reason));
            }
        }
        Ok(())
    }

    /// Resolves the folder and checks that it is in one of the roots.
    pub(crate) fn confine(&mut self, roots: &[PathBuf]) -> Result<(), GatewayError> {
        let folder = self.folder.canonicalize().ok().filter(|path| path.is_dir());
        let folder = folder.filter(|folder| is_inside(folder, roots));
        // The same text for both: a client cannot find out which folders exist.
        let refused = || {
            let name = self.folder.display();
            GatewayError::invalid(format!("{name} is not a folder in a root of this gateway"))
        };
        self.folder = folder.ok_or_else(refused)?;
        Ok(())
    }

    /// Adds the settings to the options of the gateway.
    pub(crate) fn apply(&self, options: Options) -> Options {
        let mut options = options.cwd(&self.folder);
        if let Some(model) = &self.model {
            options = options.model(model.as_str());
        }
        if let Some(mode) = &self.permission_mode {
            options = options.permission_mode(mode.clone());
            if *mode == PermissionMode::BypassPermissions {
                options = options.allow_dangerously_skip_permissions(true);
            }
        }
        if let Some(text) = &self.append_system_prompt {
            options = options.append_system_prompt(text.as_str());
        }
        // After its first turn, the session continues the conversation in its own log.
        if let Some(origin) = &self.origin {
            options = options.resume(origin.cli_session_id.as_str());
            options = options.fork_session(origin.is_fork);
        }
        options
    }
}

/// The scope that a device needs to choose a mode.
pub(crate) fn mode_scope(mode: &PermissionMode) -> Scope {
    match mode {
        PermissionMode::Default
        | PermissionMode::Manual
        | PermissionMode::AcceptEdits
        | PermissionMode::Plan
        | PermissionMode::DontAsk => Scope::Drive,
        // A mode that is not known here may allow everything.
        _ => Scope::Admin,
    }
}

fn is_inside(folder: &Path, roots: &[PathBuf]) -> bool {
    let resolved = roots.iter().filter_map(|root| root.canonicalize().ok());
    resolved.into_iter().any(|root| folder.starts_with(root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_resolved_before_they_are_compared_with_the_roots() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        let outside = dir.path().join("root-2");
        std::fs::create_dir_all(root.join("project")).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::write(root.join("file"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
        let roots = [root.clone()];
        let is_allowed = |folder: PathBuf| SessionSpec::new(folder).confine(&roots).is_ok();
        assert!(is_allowed(root.join("project")));
        assert!(is_allowed(root.join("project/../project")));
        for refused in ["../root-2", "link", "file", "missing", "project/../.."] {
            assert!(!is_allowed(root.join(refused)), "{refused}");
        }
        assert!(!is_allowed(outside));
    }

    #[test]
    fn modes_that_stop_asking_need_admin() {
        let scope = |mode: &str| {
            let json = format!(r#"{{"folder":"/","permission_mode":"{mode}"}}"#);
            serde_json::from_str::<SessionSpec>(&json).unwrap().scope()
        };
        assert_eq!(scope("acceptEdits"), Scope::Drive);
        assert_eq!(scope("bypassPermissions"), Scope::Admin);
        assert_eq!(scope("auto"), Scope::Admin);
        assert_eq!(scope("new-mode"), Scope::Admin);
    }
}
