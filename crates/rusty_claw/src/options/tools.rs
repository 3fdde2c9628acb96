//! What the model can use: tools, skills, plugins, MCP servers.

use std::path::PathBuf;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{InitializeRequest, McpServerConfig, SdkPluginConfig};
use serde_json::json;

use super::argv::Argv;
use super::check::{bad, named, named_path, rule_in_list, tool_in_list};
use super::fields::{BuiltIn, Options, Plugin, PluginDelivery, Skills, Tools};
use super::files::{FileCache, PrivateFiles};
use crate::error::StartError;
use crate::mcp::McpServer;

impl Options {
    /// The available built-in tools; all others are disabled. The CLI's own choice by default. MCP
    /// tools are not affected.
    ///
    /// Available tools are not necessarily allowed; see [`Options::allowed_tools`].
    pub fn tools<N: Into<Str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.tools.built_in = Some(BuiltIn::Only(names.into_iter().map(Into::into).collect()));
        self
    }

    /// Disables all built-in tools.
    pub fn no_tools(mut self) -> Self {
        self.tools.built_in = Some(BuiltIn::Only(Vec::new()));
        self
    }

    /// Enables the CLI's default built-in tools, even if settings say otherwise.
    pub fn default_tools(mut self) -> Self {
        self.tools.built_in = Some(BuiltIn::Default);
        self
    }

    /// Rules for calls that run without asking: `Read`, `Bash(git *)`, `mcp__server__tool`. Added
    /// to those set before. The permission handler is not called for them.
    pub fn allowed_tools<N: Into<Str>>(mut self, rules: impl IntoIterator<Item = N>) -> Self {
        self.tools.allowed.extend(rules.into_iter().map(Into::into));
        self
    }

    /// Rules for calls that never run. Added to those set before. A tool that is forbidden as a
    /// whole is also hidden from the model.
    pub fn disallowed_tools<N: Into<Str>>(mut self, rules: impl IntoIterator<Item = N>) -> Self {
        self.tools
            .disallowed
            .extend(rules.into_iter().map(Into::into));
        self
    }

    /// Replaces one tool with another: when the model calls `name`, `instead` runs. Aliases are not
    /// chained. The model still sees both; hide the first with [`Options::disallowed_tools`] if
    /// necessary.
    pub fn tool_alias(mut self, name: impl Into<Str>, instead: impl Into<Str>) -> Self {
        self.tools.aliases.insert(name, instead.into());
        self
    }

    /// The skills that the model sees, and may use without asking; all others are hidden. The CLI's
    /// own choice by default.
    pub fn skills<N: Into<Str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.tools.skills = Some(Skills::Only(names.into_iter().map(Into::into).collect()));
        self
    }

    /// Lets the model use every skill that the CLI finds, without asking.
    pub fn all_skills(mut self) -> Self {
        self.tools.skills = Some(Skills::All);
        self
    }

    /// Loads a plugin from its folder. Call it again for more. A missing folder does not fail the
    /// start; the session's first message reports it.
    pub fn plugin(self, folder: impl Into<PathBuf>) -> Self {
        self.add_plugin(folder.into(), false)
    }

    /// Loads a plugin without its MCP servers.
    pub fn plugin_without_mcp(self, folder: impl Into<PathBuf>) -> Self {
        self.add_plugin(folder.into(), true)
    }

    fn add_plugin(mut self, path: PathBuf, skip_mcp_discovery: bool) -> Self {
        self.host.expects_plugins = true;
        self.tools.plugins.push(Plugin {
            path,
            skip_mcp_discovery,
        });
        self
    }

    /// How plugins are passed to the CLI. [`PluginDelivery::Argv`] by default.
    pub fn plugin_delivery(mut self, delivery: PluginDelivery) -> Self {
        self.tools.plugin_delivery = delivery;
        self
    }

    /// Adds an MCP server outside this program: a child process of the CLI, or a URL. Call it again
    /// for more; an existing name is replaced.
    ///
    /// The configuration is passed to the CLI in a file that only this user can read, deleted after
    /// the last session that needs it: it may contain secrets, and every user of the machine can
    /// read command lines.
    ///
    /// ```
    /// use rusty_claw::Options;
    /// use rusty_claw::control::messages::McpServerConfig;
    ///
    /// let options = Options::new()
    ///     .external_mcp_server("docs", McpServerConfig::http("https://mcp.example.com"));
    /// # let _ = options;
    /// ```
    pub fn external_mcp_server(mut self, name: impl Into<Str>, server: McpServerConfig) -> Self {
        self.tools.servers.insert(name, server);
        self
    }

    /// Adds an in-process MCP server, whose tools are functions of this program. Call it again for
    /// more; an existing name is replaced.
    ///
    /// ```
    /// use rusty_claw::mcp::{McpServer, Tool};
    /// use rusty_claw::{Json, Options};
    ///
    /// let time = Tool::with_schema(
    ///     "now",
    ///     "The time of day",
    ///     serde_json::json!({"type": "object"}),
    ///     |_arguments: Json| async { "Half past three" },
    /// );
    /// let options = Options::new()
    ///     .mcp_server(McpServer::new("clock").tool(time))
    ///     .allowed_tools(["mcp__clock__now"]);
    /// # let _ = options;
    /// ```
    pub fn mcp_server(mut self, server: McpServer) -> Self {
        self.host.mcp_servers.add(server);
        self
    }

    /// Adds a file with MCP servers, in the format of `.mcp.json`. Call it again for more.
    pub fn mcp_config(mut self, file: impl Into<PathBuf>) -> Self {
        self.tools.server_files.push(file.into());
        self
    }

    /// Whether the CLI uses only the MCP servers given here. Off by default: it also uses those of
    /// the user, the project and plugins.
    pub fn strict_mcp_config(mut self, strict: bool) -> Self {
        self.tools.strict_mcp_config = strict;
        self
    }
}

impl Tools {
    pub(super) fn check(&self) -> Result<(), StartError> {
        if let Some(BuiltIn::Only(names)) = &self.built_in {
            for name in names {
                tool_in_list("tools", name)?;
            }
        }
        for rule in &self.allowed {
            rule_in_list("allowed_tools", rule)?;
        }
        for rule in &self.disallowed {
            rule_in_list("disallowed_tools", rule)?;
        }
        for (name, instead) in self.aliases.iter() {
            named("tool_alias", name)?;
            named("tool_alias", instead)?;
            if name == instead.as_str() {
                return Err(bad("tool_alias", format!("{name} is an alias of itself")));
            }
        }
        if let Some(Skills::Only(names)) = &self.skills {
            for name in names {
                named("skills", name)?;
                // The name becomes a rule, `Skill(name)`.
                if name.trim() != name.as_str()
                    || name.contains(|c: char| "(),".contains(c) || c.is_control())
                {
                    return Err(bad("skills", format!("{name:?} cannot be a skill's name")));
                }
            }
        }
        for plugin in &self.plugins {
            named_path("plugin", &plugin.path)?;
            if self.plugin_delivery == PluginDelivery::Initialize && plugin.path.to_str().is_none()
            {
                return Err(bad(
                    "plugin",
                    format!(
                        "{} is no UTF-8 and cannot travel in initialize; use PluginDelivery::Argv",
                        plugin.path.display()
                    ),
                ));
            }
        }
        for file in &self.server_files {
            named_path("mcp_config", file)?;
        }
        for (name, server) in self.servers.iter() {
            named("external_mcp_server", name)?;
            check_server(name, server)?;
        }
        Ok(())
    }

    pub(super) fn argv(
        &self,
        argv: &mut Argv,
        cache: &FileCache,
        files: &mut PrivateFiles,
    ) -> Result<(), StartError> {
        match &self.built_in {
            Some(BuiltIn::Default) => argv.value("--tools", "default"),
            Some(BuiltIn::Only(names)) => argv.list("--tools", names),
            None => {}
        }
        argv.list_if("--allowedTools", &self.allowed_with_skills());
        argv.list_if("--disallowedTools", &self.disallowed);
        if self.plugin_delivery == PluginDelivery::Argv {
            for plugin in &self.plugins {
                let flag = if plugin.skip_mcp_discovery {
                    "--plugin-dir-no-mcp"
                } else {
                    "--plugin-dir"
                };
                argv.os_value(flag, &plugin.path);
            }
        }
        if !self.servers.is_empty() {
            let config = json!({ "mcpServers": self.servers }).to_string();
            let path = cache.hold(&config, "the configuration of MCP servers", files)?;
            argv.os_value("--mcp-config", path);
        }
        for file in &self.server_files {
            argv.os_value("--mcp-config", file);
        }
        argv.flag_if("--strict-mcp-config", self.strict_mcp_config);
        Ok(())
    }

    /// Whether the CLI must wait for `initialize` before it loads anything.
    pub(super) fn waits_for_initialize(&self) -> bool {
        self.plugin_delivery == PluginDelivery::Initialize && !self.plugins.is_empty()
    }

    pub(super) fn initialize(&self, initialize: &mut InitializeRequest) {
        if !self.aliases.is_empty() {
            initialize.tool_aliases = Some(self.aliases.clone());
        }
        if let Some(Skills::Only(names)) = &self.skills {
            initialize.skills = Some(names.clone());
        }
        if self.waits_for_initialize() {
            let plugins = self.plugins.iter().map(|plugin| {
                let mut config = SdkPluginConfig::local(plugin.path.to_string_lossy());
                config.skip_mcp_discovery = plugin.skip_mcp_discovery.then_some(true);
                config
            });
            initialize.plugins = Some(plugins.collect());
        }
    }

    /// The allow rules, with those for enabled skills: the CLI asks about skills as about tools.
    fn allowed_with_skills(&self) -> Vec<Str> {
        let skills = match &self.skills {
            None => Vec::new(),
            Some(Skills::All) => vec![Str::from_static("Skill")],
            Some(Skills::Only(names)) => names
                .iter()
                .map(|name| Str::from(format!("Skill({name})")))
                .collect(),
        };
        let mut rules = self.allowed.clone();
        for skill in skills {
            if !rules.contains(&skill) {
                rules.push(skill);
            }
        }
        rules
    }
}

fn check_server(name: &str, server: &McpServerConfig) -> Result<(), StartError> {
    let missing = |what| {
        Err(bad(
            "external_mcp_server",
            format!("{name} has no {what}, so it cannot be reached"),
        ))
    };
    match server {
        McpServerConfig::Stdio(server) if server.command.trim().is_empty() => missing("command"),
        McpServerConfig::Http(server) | McpServerConfig::Sse(server)
            if server.url.trim().is_empty() =>
        {
            missing("url")
        }
        McpServerConfig::Sdk(_) => Err(bad(
            "external_mcp_server",
            format!("{name} is a server of this program; add it with mcp_server"),
        )),
        _ => Ok(()),
    }
}
