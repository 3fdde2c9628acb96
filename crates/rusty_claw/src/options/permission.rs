//! What the CLI may do without a question, and who is asked.

use rusty_claw_protocol::Str;
use rusty_claw_protocol::permission::PermissionMode;

use super::Options;
use super::argv::Argv;
use super::check::{bad, named};
use crate::error::StartError;

/// What the CLI may do without a question, and who is asked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Permission {
    mode: Option<PermissionMode>,
    allow_bypass: bool,
    prompt_tool: Option<Str>,
    prompts: Option<PermissionPrompts>,
}

/// Who answers permission questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PermissionPrompts {
    /// The program, through its permission handler or the tool it named.
    Host,
    /// Nobody: the mode, rules and hooks decide, and what they leave open is denied at once. The
    /// model is told that there is nobody to ask.
    None,
}

impl Options {
    /// How the CLI decides about tool calls that no rule decides. Unless set, the mode of the
    /// settings, and without one the CLI's own choice, which may be [`PermissionMode::Auto`]: set
    /// [`PermissionMode::Default`] when the program is to be asked.
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.permission.mode = Some(mode);
        self
    }

    /// Whether [`PermissionMode::BypassPermissions`] may be used, now or later in the session.
    /// Off unless set. Only for machines where nothing can be lost; the CLI does not start with
    /// it for root.
    pub fn allow_dangerously_skip_permissions(mut self, allow: bool) -> Self {
        self.permission.allow_bypass = allow;
        self
    }

    /// The tool of an MCP server that answers permission questions, `mcp__server__tool`, in place
    /// of a handler in the program. None unless set.
    pub fn permission_prompt_tool_name(mut self, tool: impl Into<Str>) -> Self {
        self.permission.prompt_tool = Some(tool.into());
        self
    }

    /// Who answers permission questions. The program unless set.
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
                    "stdio stands for this program; set a permission handler instead",
                ));
            }
        }
        if self.prompts == Some(PermissionPrompts::None)
            && (host_is_asked || self.prompt_tool.is_some())
        {
            return Err(bad(
                "permission_prompts",
                "says that nobody is asked, so the permission handler or tool would never be \
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
