//! Permission requests.

use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::CanUseTool;
use rusty_claw_protocol::tool::ToolView;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::event::{Interaction, InteractionKind};
use crate::open_enum::open_enum;

/// A permission that a tool needs, for a person or a policy to decide.
///
/// ```
/// use claw_server::{PermissionLevel, PermissionRequest, TargetType};
///
/// let request = PermissionRequest {
///     target_type: TargetType::Path,
///     target: "/srv/notes.md".to_string(),
///     level: PermissionLevel::Write,
///     description: "Edit notes.md".to_string(),
///     reason: None,
///     recursive: false,
/// };
/// assert_eq!(
///     serde_json::to_string(&request)?,
///     r#"{"target_type":"Path","target":"/srv/notes.md","level":"Write","description":"Edit notes.md","reason":null,"recursive":false}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PermissionRequest {
    /// The kind of the target.
    pub target_type: TargetType,
    /// The specific resource: a path, a host, a command line, a tool's name.
    pub target: String,
    /// The level of access.
    pub level: PermissionLevel,
    /// What is allowed by it, for display.
    pub description: String,
    /// The CLI's reason, if it has one.
    pub reason: Option<String>,
    /// Whether it also covers everything below a path.
    pub recursive: bool,
}

open_enum! {
    /// The kind of a permission's target.
    pub enum TargetType {
        /// A file or a folder.
        Path,
        /// A host on the network.
        Domain,
        /// A shell command.
        Command,
        /// Any other tool, by its name.
        Tool,
    }
}

open_enum! {
    /// The level of access of a permission.
    pub enum PermissionLevel {
        /// Read the target.
        Read,
        /// Change the target.
        Write,
        /// Run the target.
        Execute,
        /// Do anything with the target, such as running a command without the sandbox.
        Admin,
    }
}

impl PermissionRequest {
    /// Creates the request for an interaction.
    ///
    /// An unrecognized tool is requested by its name, with the level `Execute`, so that it does not
    /// look harmless.
    ///
    /// ```
    /// use claw_server::event::{Interaction, InteractionId, InteractionKind};
    /// use claw_server::{Json, PermissionLevel, PermissionRequest, TargetType};
    ///
    /// let request = Json::from_text(r#"{"tool_name":"Bash","input":{"command":"ls -l"},"tool_use_id":"toolu_1"}"#)?;
    /// let interaction = Interaction::new(InteractionId::new("toolu_1"), InteractionKind::Permission, request);
    /// let request = PermissionRequest::of_interaction(&interaction);
    /// assert_eq!(request.target_type, TargetType::Command);
    /// assert_eq!(request.target, "ls -l");
    /// assert_eq!(request.level, PermissionLevel::Execute);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_interaction(interaction: &Interaction) -> Self {
        let asked: CanUseTool = interaction.request.view().unwrap_or_default();
        let name = match (asked.tool_name.as_str(), &interaction.tool_name) {
            ("", Some(name)) => name.clone(),
            ("", None) => "unknown".to_owned(),
            (name, _) => name.to_owned(),
        };
        let access = ToolAccess::of(&name, asked.input.json());
        let target = access.target;
        let words = asked.title.or(asked.description);
        let plain = || match interaction.kind {
            InteractionKind::Plan => "Carry out the plan".to_owned(),
            _ => format!("{} {target}", access.verb),
        };
        Self {
            description: words.unwrap_or_else(plain),
            target_type: access.target_type,
            level: access.level,
            recursive: access.recursive,
            reason: asked.decision_reason,
            target,
        }
    }
}

struct ToolAccess {
    target_type: TargetType,
    target: String,
    level: PermissionLevel,
    verb: &'static str,
    recursive: bool,
}

impl ToolAccess {
    fn new(
        target_type: TargetType,
        target: &str,
        level: PermissionLevel,
        verb: &'static str,
    ) -> Self {
        Self {
            target_type,
            target: target.to_owned(),
            level,
            verb,
            recursive: false,
        }
    }

    fn below(mut self) -> Self {
        self.recursive = true;
        self
    }

    fn of(name: &str, input: &Json) -> Self {
        use PermissionLevel::{Admin, Execute, Read, Write};
        use TargetType::{Command, Domain, Path, Tool};
        match ToolView::of(name, input) {
            // A grant to run a command does not cover running it without the sandbox.
            ToolView::Bash(bash) if bash.dangerously_disable_sandbox == Some(true) => {
                Self::new(Command, &bash.command, Admin, "Run without the sandbox")
            }
            ToolView::Bash(bash) => Self::new(Command, &bash.command, Execute, "Run"),
            ToolView::Monitor(monitor) => match &monitor.command {
                Some(command) => Self::new(Command, command, Execute, "Run"),
                None => Self::new(Tool, name, Execute, "Use"),
            },
            ToolView::Read(read) => Self::new(Path, &read.file_path, Read, "Read"),
            ToolView::NotebookRead(read) => Self::new(Path, &read.notebook_path, Read, "Read"),
            ToolView::Ls(list) => Self::new(Path, &list.path, Read, "List"),
            // Such a pattern escapes its folder, so an answer covers this exact pattern only.
            ToolView::Glob(glob) if escapes_dir(&glob.pattern) => {
                let path = glob.path.as_deref().unwrap_or(".");
                let call = format!("{name}({} in {path})", glob.pattern);
                Self::new(Tool, &call, Read, "Look for files by")
            }
            ToolView::Glob(glob) => {
                let path = glob.path.as_deref().unwrap_or(".");
                Self::new(Path, path, Read, "Look for files in").below()
            }
            ToolView::Grep(grep) => {
                let path = grep.path.as_deref().unwrap_or(".");
                Self::new(Path, path, Read, "Search in").below()
            }
            ToolView::Write(write) => Self::new(Path, &write.file_path, Write, "Write"),
            ToolView::Edit(edit) => Self::new(Path, &edit.file_path, Write, "Edit"),
            ToolView::MultiEdit(edit) => Self::new(Path, &edit.file_path, Write, "Edit"),
            ToolView::NotebookEdit(edit) => Self::new(Path, &edit.notebook_path, Write, "Edit"),
            ToolView::WebFetch(fetch) => match host(&fetch.url) {
                Some(host) => Self::new(Domain, &host, Read, "Fetch from"),
                None => Self::new(Tool, name, Execute, "Use"),
            },
            ToolView::WebSearch(_) => Self::new(Tool, name, Read, "Use"),
            _ => Self::new(Tool, name, Execute, "Use"),
        }
    }
}

/// Whether a pattern may match files outside of its folder.
fn escapes_dir(pattern: &str) -> bool {
    pattern.contains("..") || pattern.contains('\\') || pattern.starts_with(['/', '~', '{'])
}

/// The host of an http or https URL, parsed by the WHATWG standard as the CLI does: the host of
/// `http:a/://b/` is `a`. Returns `None` for any other text.
fn host(address: &str) -> Option<String> {
    let address = Url::parse(address).ok()?;
    let is_web = matches!(address.scheme(), "http" | "https");
    address.host_str().filter(|_| is_web).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::InteractionId;

    fn asked(json: &str) -> String {
        let (id, kind) = (InteractionId::new("p"), InteractionKind::Permission);
        let interaction = Interaction::new(id, kind, Json::from_text(json).unwrap());
        let request = PermissionRequest::of_interaction(&interaction);
        let PermissionRequest {
            target_type,
            target,
            level,
            description,
            ..
        } = &request;
        let below = if request.recursive {
            " (and below)"
        } else {
            ""
        };
        format!("{level} {target_type} {target} | {description}{below}")
    }

    /// The tool, its input, and the permission that it needs. An input that is not understood must
    /// not look harmless.
    const TOOLS: &str = r#"
Bash | {"command":"make","dangerouslyDisableSandbox":true} | Admin Command make | Run without the sandbox make
Bash | {"command":"rm -r x"} | Execute Command rm -r x | Run rm -r x
Read | {"file_path":"/etc/hosts"} | Read Path /etc/hosts | Read /etc/hosts
Grep | {"pattern":"x"} | Read Path . | Search in . (and below)
Glob | {"pattern":"**/*.rs"} | Read Path . | Look for files in . (and below)
Glob | {"pattern":"/home/user/.ssh/**"} | Read Tool Glob(/home/user/.ssh/** in .) | Look for files by Glob(/home/user/.ssh/** in .)
Glob | {"pattern":"a/../../**","path":"src"} | Read Tool Glob(a/../../** in src) | Look for files by Glob(a/../../** in src)
Edit | {"file_path":"a","old_string":"x","new_string":"y"} | Write Path a | Edit a
WebFetch | {"url":"https://good.example@evil.example:8/x","prompt":"p"} | Read Domain evil.example | Fetch from evil.example
WebFetch | {"url":"nonsense","prompt":"p"} | Execute Tool WebFetch | Use WebFetch
mcp__calc__add | {"a":1} | Execute Tool mcp__calc__add | Use mcp__calc__add
Read | [] | Execute Tool Read | Use Read
"#;

    #[test]
    fn each_tool_is_asked_for_by_what_it_touches() {
        for row in TOOLS.trim().lines() {
            let mut cells = row.splitn(3, " | ");
            let mut next = || cells.next().unwrap();
            let (tool, input, wanted) = (next(), next(), next());
            let request = format!(r#"{{"tool_name":"{tool}","input":{input}}}"#);
            assert_eq!(asked(&request), wanted, "{row}");
        }
        let described =
            r#"{"tool_name":"Bash","input":{"command":"rm -r x"},"description":"Remove x"}"#;
        assert_eq!(asked(described), "Execute Command rm -r x | Remove x");
        for unread in ["{}", "[]"] {
            assert_eq!(asked(unread), "Execute Tool unknown | Use unknown");
        }
    }

    #[test]
    fn web_address_is_read_as_the_cli_reads_it() {
        let evil = "Read Domain evil.example | Fetch from evil.example";
        let good = "Read Domain good.example | Fetch from good.example";
        let unread = "Execute Tool WebFetch | Use WebFetch";
        for (address, wanted) in [
            ("http:evil.example/://good.example/", evil),
            ("http:/evil.example/://good.example/", evil),
            (r"https:\\evil.example/://good.example/", evil),
            ("https:///evil.example/://good.example/", evil),
            ("ht\ntps://evil\t.example/://good.example/", evil),
            ("https://good.example:8@evil.example", evil),
            (r"https://evil.example\@good.example/", evil),
            ("https://evil.example#@good.example/", evil),
            ("HTTPS://GOOD.example:443/x", good),
            ("https://good%2Eexample/", good),
            ("https://ｇｏｏｄ.example/", good),
            ("ftp://good.example/", unread),
            ("file://good.example/etc/passwd", unread),
            ("javascript://good.example/", unread),
            ("view-source:https://good.example/", unread),
            ("//good.example/", unread),
            ("good.example", unread),
            ("https://", unread),
            ("https://good .example/", unread),
        ] {
            let url = serde_json::Value::from(address);
            let json =
                format!(r#"{{"tool_name":"WebFetch","input":{{"url":{url},"prompt":"p"}}}}"#);
            assert_eq!(asked(&json), wanted, "{address}");
        }
    }
}
