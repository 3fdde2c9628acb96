//! What the CLI may do without asking, and who answers.

use rusty_claw_protocol::Str;
use rusty_claw_protocol::permission::PermissionMode;

use super::argv::Argv;
use super::check::{bad, named};
use super::fields::{Options, Permission, PermissionPrompts};
use crate::error::StartError;

impl Options {
    /// How the CLI decides about tool calls that no rule matches. By default the mode of the
    /// settings, or else the CLI's own choice, which may be [`PermissionMode::Auto`]: set
    /// [`PermissionMode::Default`] if the program is to be asked.
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.permission.mode = Some(mode);
        self
    }

    /// Whether [`PermissionMode::BypassPermissions`] may be used, now or later in the session. Off
    /// by default. Only for machines where nothing can be lost; the CLI does not start with it as
    /// root.
    pub fn allow_dangerously_skip_permissions(mut self, allow: bool) -> Self {
        self.permission.allow_bypass = allow;
        self
    }

    /// The MCP tool that answers permission requests, `mcp__server__tool`, in place of a handler in
    /// the program. None by default.
    pub fn permission_prompt_tool_name(mut self, tool: impl Into<Str>) -> Self {
        self.permission.prompt_tool = Some(tool.into());
        self
    }

    /// Who answers permission requests. The program by default.
    pub fn permission_prompts(mut self, prompts: PermissionPrompts) -> Self {
        self.permission.prompts = Some(prompts);
        self
    }
}

impl Permission {
    pub(super) fn check(&self, host_is_asked: bool) -> Result<(), StartError> {
        if self.mode == Some(PermissionMode::BypassPermissions) && !self.allow_bypass {
            return Err(bad(
                "permission_mode",
                "bypassPermissions lets every tool run unasked; if that is meant, add \
                 allow_dangerously_skip_permissions(true)",
            ));
        }
        if let Some(mode) = &self.mode {
            named("permission_mode", mode.as_str())?;
        }
        if let Some(tool) = &self.prompt_tool {
            named("permission_prompt_tool_name", tool)?;
            if host_is_asked {
                return Err(bad(
                    "permission_prompt_tool_name",
                    "contradicts the permission handler: one question has one answer; leave one \
                     of the two out",
                ));
            }
            if tool == "stdio" {
                return Err(bad(
                    "permission_prompt_tool_name",
                    "stdio means this program; set a permission handler instead",
                ));
            }
        }
        if self.prompts == Some(PermissionPrompts::None)
            && (host_is_asked || self.prompt_tool.is_some())
        {
            return Err(bad(
                "permission_prompts",
                "turns prompts off, so the permission handler or tool would never be \
                 called; leave one of the two out",
            ));
        }
        Ok(())
    }

    pub(super) fn argv(&self, argv: &mut Argv, host_is_asked: bool) {
        if host_is_asked {
            argv.value("--permission-prompt-tool", "stdio");
        } else {
            argv.value_if("--permission-prompt-tool", self.prompt_tool.as_ref());
        }
        match self.prompts {
            Some(PermissionPrompts::Host) => argv.value("--permission-prompts", "host"),
            Some(PermissionPrompts::None) => argv.value("--permission-prompts", "none"),
            None => {}
        }
        argv.value_if("--permission-mode", self.mode.as_ref());
        argv.flag_if("--allow-dangerously-skip-permissions", self.allow_bypass);
    }
}
