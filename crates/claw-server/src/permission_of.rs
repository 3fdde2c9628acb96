//! What the CLI asks leave for, in the words of a [`PermissionRequest`].

use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::CanUseTool;
use rusty_claw_protocol::tool::ToolView;
use url::Url;

use crate::event::{AskedPrompt, PromptKind};
use crate::permission::{PermissionLevel, PermissionRequest, TargetType};

impl PermissionRequest {
    /// What a prompt of the CLI asks leave for.
    ///
    /// A tool of which nothing more is known is asked for by its name, to be run: what is not
    /// understood must not look harmless.
    ///
    /// ```
    /// use claw_server::event::{AskedPrompt, PromptId, PromptKind};
    /// use claw_server::{Json, PermissionLevel, PermissionRequest, TargetType};
    ///
    /// let request = Json::from_text(r#"{"tool_name":"Bash","input":{"command":"ls -l"},"tool_use_id":"toolu_1"}"#)?;
    /// let prompt = AskedPrompt::new(PromptId::new("toolu_1"), PromptKind::Permission, request);
    /// let request = PermissionRequest::of_prompt(&prompt);
    /// assert_eq!(request.target_type, TargetType::Command);
    /// assert_eq!(request.target, "ls -l");
    /// assert_eq!(request.level, PermissionLevel::Execute);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_prompt(prompt: &AskedPrompt) -> Self {
        let asked: CanUseTool = prompt.request.view().unwrap_or_default();
        let name = match (asked.tool_name.as_str(), &prompt.tool_name) {
            ("", Some(name)) => name.clone(),
            ("", None) => "unknown".to_owned(),
            (name, _) => name.to_owned(),
        };
        let wish = Wish::of(&name, asked.input.json());
        let target = wish.target;
        let words = asked.title.or(asked.description);
        let plain = || match prompt.kind {
            PromptKind::Plan => "Carry out the plan".to_owned(),
            _ => format!("{} {target}", wish.verb),
        };
        Self {
            description: words.unwrap_or_else(plain),
            target_type: wish.target_type,
            level: wish.level,
            recursive: wish.recursive,
            reason: asked.decision_reason,
            target,
        }
    }
}

/// What a call wants.
struct Wish {
    target_type: TargetType,
    target: String,
    level: PermissionLevel,
    verb: &'static str,
    recursive: bool,
}

impl Wish {
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
            // Leave to run a command is none to run it outside of the sandbox.
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
            // Such a pattern leads out of its folder: a yes to it is one to this pattern only.
            ToolView::Glob(glob) if leads_out(&glob.pattern) => {
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

/// Whether a pattern may find files outside of the folder that it is for.
fn leads_out(pattern: &str) -> bool {
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
    use crate::event::PromptId;

    fn asked(json: &str) -> String {
        let request = Json::from_text(json).unwrap();
        let prompt = AskedPrompt::new(PromptId::new("p"), PromptKind::Permission, request);
        let request = PermissionRequest::of_prompt(&prompt);
        format!(
            "{} {} {} | {}{}",
            request.level,
            request.target_type,
            request.target,
            request.description,
            if request.recursive {
                " (and below)"
            } else {
                ""
            }
        )
    }

    #[test]
    fn each_tool_is_asked_for_by_what_it_touches() {
        for (json, wanted) in [
            (
                r#"{"tool_name":"Bash","input":{"command":"rm -r x"},"description":"Remove x"}"#,
                "Execute Command rm -r x | Remove x",
            ),
            (
                r#"{"tool_name":"Bash","input":{"command":"make","dangerouslyDisableSandbox":true}}"#,
                "Admin Command make | Run without the sandbox make",
            ),
            (
                r#"{"tool_name":"Read","input":{"file_path":"/etc/hosts"}}"#,
                "Read Path /etc/hosts | Read /etc/hosts",
            ),
            (
                r#"{"tool_name":"Grep","input":{"pattern":"x"}}"#,
                "Read Path . | Search in . (and below)",
            ),
            (
                r#"{"tool_name":"Glob","input":{"pattern":"**/*.rs"}}"#,
                "Read Path . | Look for files in . (and below)",
            ),
            (
                r#"{"tool_name":"Glob","input":{"pattern":"/home/user/.ssh/**"}}"#,
                "Read Tool Glob(/home/user/.ssh/** in .) | Look for files by Glob(/home/user/.ssh/** in .)",
            ),
            (
                r#"{"tool_name":"Glob","input":{"pattern":"a/../../**","path":"src"}}"#,
                "Read Tool Glob(a/../../** in src) | Look for files by Glob(a/../../** in src)",
            ),
            (
                r#"{"tool_name":"Edit","input":{"file_path":"a","old_string":"x","new_string":"y"}}"#,
                "Write Path a | Edit a",
            ),
            (
                r#"{"tool_name":"WebFetch","input":{"url":"https://good.example@evil.example:8/x","prompt":"p"}}"#,
                "Read Domain evil.example | Fetch from evil.example",
            ),
            (
                r#"{"tool_name":"WebFetch","input":{"url":"nonsense","prompt":"p"}}"#,
                "Execute Tool WebFetch | Use WebFetch",
            ),
            (
                r#"{"tool_name":"mcp__calc__add","input":{"a":1}}"#,
                "Execute Tool mcp__calc__add | Use mcp__calc__add",
            ),
            // An input that is not understood must not look harmless.
            (
                r#"{"tool_name":"Read","input":[]}"#,
                "Execute Tool Read | Use Read",
            ),
            (r#"{}"#, "Execute Tool unknown | Use unknown"),
            (r#"[]"#, "Execute Tool unknown | Use unknown"),
        ] {
            assert_eq!(asked(json), wanted, "{json}");
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
