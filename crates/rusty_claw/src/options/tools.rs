//! What the model can use: tools, skills, plugins, MCP servers.

use std::path::PathBuf;

use rusty_claw_protocol::control::{InitializeRequest, McpServerConfig, SdkPluginConfig};
use rusty_claw_protocol::{Map, Str};
use serde_json::json;

use super::Options;
use super::argv::Argv;
use super::check::{bad, named, named_path, rule_in_list, tool_in_list};
use super::files::{FileCache, PrivateFiles};
use crate::error::StartError;
use crate::mcp::McpServer;

/// What the model can use: tools, skills, plugins, MCP servers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tools {
    built_in: Option<BuiltIn>,
    allowed: Vec<Str>,
    disallowed: Vec<Str>,
    aliases: Map<Str>,
    skills: Option<Skills>,
    plugins: Vec<Plugin>,
    plugin_delivery: PluginDelivery,
    servers: Map<McpServerConfig>,
    server_files: Vec<PathBuf>,
    strict_mcp_config: bool,
}

#[derive(Debug, Clone)]
enum BuiltIn {
    Default,
    Only(Vec<Str>),
}

#[derive(Debug, Clone)]
enum Skills {
    All,
    Only(Vec<Str>),
}

#[derive(Debug, Clone)]
struct Plugin {
    path: PathBuf,
    skip_mcp_discovery: bool,
}

/// How plugins reach the CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum PluginDelivery {
    /// One flag for each, which every CLI understands.
    #[default]
    Argv,
    /// In `initialize`, so that the command line does not grow with them. The CLI waits for it
    /// before it loads anything. Needs Claude Code 2.1.261.
    Initialize,
}

impl Options {
    /// The built-in tools that there are, and no others. The CLI's own choice unless set. MCP
    /// tools are not touched.
    ///
    /// What is here need not be allowed; see [`Options::allowed_tools`].
    pub fn tools<N: Into<Str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.tools.built_in = Some(BuiltIn::Only(names.into_iter().map(Into::into).collect()));
        self
    }

    /// No built-in tools at all.
    pub fn no_tools(mut self) -> Self {
        self.tools.built_in = Some(BuiltIn::Only(Vec::new()));
        self
    }

    /// All built-in tools that the CLI has by default, also where settings say otherwise.
    pub fn default_tools(mut self) -> Self {
        self.tools.built_in = Some(BuiltIn::Default);
        self
    }

    /// Rules for calls that run without a question: `Read`, `Bash(git *)`, `mcp__server__tool`.
    /// Adds to those given before. The permission handler is not asked about them.
    pub fn allowed_tools<N: Into<Str>>(mut self, rules: impl IntoIterator<Item = N>) -> Self {
        self.tools.allowed.extend(rules.into_iter().map(Into::into));
        self
    }

    /// Rules for calls that never run. Adds to those given before. A tool that is named whole is
    /// not shown to the model either.
    pub fn disallowed_tools<N: Into<Str>>(mut self, rules: impl IntoIterator<Item = N>) -> Self {
        self.tools
            .disallowed
            .extend(rules.into_iter().map(Into::into));
        self
    }

    /// Lets one tool take the place of another: when the model calls `name`, `instead` runs. One
    /// hop only. The model still sees both; forbid the first with [`Options::disallowed_tools`]
    /// where it must not be seen.
    pub fn tool_alias(mut self, name: impl Into<Str>, instead: impl Into<Str>) -> Self {
        self.tools.aliases.insert(name, instead.into());
        self
    }

    /// The skills that the model is told of, and may use without a question; all others are
    /// hidden. As the CLI has it unless set.
    pub fn skills<N: Into<Str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.tools.skills = Some(Skills::Only(names.into_iter().map(Into::into).collect()));
        self
    }

    /// Lets the model use every skill that the CLI finds without a question.
    pub fn all_skills(mut self) -> Self {
        self.tools.skills = Some(Skills::All);
        self
    }

    /// A plugin to load, by its folder. Call it again for more. A folder that is missing does not
    /// fail the start; the session's first message tells of it.
    pub fn plugin(mut self, folder: impl Into<PathBuf>) -> Self {
        self.host.expect_plugins();
        self.tools.plugins.push(Plugin {
            path: folder.into(),
            skip_mcp_discovery: false,
        });
        self
    }

    /// A plugin to load without its MCP servers.
    pub fn plugin_without_mcp(mut self, folder: impl Into<PathBuf>) -> Self {
        self.host.expect_plugins();
        self.tools.plugins.push(Plugin {
            path: folder.into(),
            skip_mcp_discovery: true,
        });
        self
    }

    /// How plugins reach the CLI. [`PluginDelivery::Argv`] unless set.
    pub fn plugin_delivery(mut self, delivery: PluginDelivery) -> Self {
        self.tools.plugin_delivery = delivery;
        self
    }

    /// An MCP server that is not part of this program: a child process of the CLI or something
    /// behind a URL. Call it again for more; the same name again replaces.
    ///
    /// The configuration goes to the CLI in a file that only this user can read, deleted after the
    /// last session that needs it: arguments, variables, headers and addresses may hold secrets,
    /// and everybody on the machine can read command lines.
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

    /// An MCP server that is part of this program: its tools are functions here. Call it again
    /// for more; the same name again replaces.
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
        self.host.add_mcp_server(server);
        self
    }

    /// A file that names MCP servers, in the form of `.mcp.json`. Call it again for more.
    pub fn mcp_config(mut self, file: impl Into<PathBuf>) -> Self {
        self.tools.server_files.push(file.into());
        self
    }

    /// Whether the CLI uses no MCP servers but those given here. Off unless set: it also uses
    /// those of the user, the project and plugins.
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
                return Err(bad("tool_alias", format!("{name} stands for itself")));
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

    /// The CLI asks about skills like about tools, so skills that are wanted are allowed too.
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
