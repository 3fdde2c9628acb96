//! Lines as the message type specification describes them.

use super::{Examiner, Rule, Severity};
use crate::check::member::Member;
use crate::entry::Kind;
use crate::members::Members;

/// The operations that a compaction can be.
const OPERATIONS: [&str; 4] = [
    "conversation_compacting",
    "conversation_compacted",
    "conversation_restored",
    "conversation_restoring",
];

/// What a compaction that is done says about itself, and whether it is a count of messages.
const STATISTICS: [(&str, bool); 3] = [
    ("preservedMessages", true),
    ("totalMessages", true),
    ("compressionRatio", false),
];

/// Flags that lines of every type may have. `isSidechain` has a rule of its own.
const FLAGS: [Member; 4] = [
    Member::Error,
    Member::Meta,
    Member::Deleted,
    Member::Aborted,
];

/// The subtypes of a type; none for types that have no subtypes.
pub(in crate::check) fn subtypes(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Assistant => &["response", "tool_use", "thinking", "command", "error"],
        Kind::System => &["tool_result", "error", "meta"],
        _ => &[],
    }
}

impl<'a> Examiner<'_, 'a> {
    pub(super) fn of_the_document(&mut self) {
        let subtype = self.facts.id(Member::Subtype);
        let subtype = subtype.as_deref();
        self.subtype(subtype);
        self.flags(subtype);
        self.fields(subtype);
        let command = subtype == Some("command") || self.get(Member::Command).is_some();
        match self.facts.kind {
            Kind::User if !command => {
                self.text("a user's message is what the user said, unless it is a command");
            }
            Kind::Assistant if self.is_call(subtype) => self.document_call(),
            Kind::Assistant if !command => {
                self.text("a reply says something, unless it calls a tool or is a command");
            }
            Kind::System => {
                let meta = subtype == Some("meta") || self.facts.is_true(Member::Meta);
                if !meta {
                    self.text("a message of the system says what happened");
                }
            }
            Kind::CompactSystem => self.compaction(),
            _ => {}
        }
    }

    /// A member that is there; null is as good as nothing where a member may be missing.
    fn given(&self, member: Member) -> Option<&'a str> {
        self.get(member).filter(|value| *value != "null")
    }

    /// A member that may be missing, but is a string if it is there.
    fn string(&mut self, member: Member) {
        if let Some(value) = self.given(member)
            && !value.starts_with('"')
        {
            let message = format!("`{}` is not a string", member.name());
            self.broken(Rule::Shape, value, message);
        }
    }

    fn subtype(&mut self, subtype: Option<&str>) {
        self.string(Member::Subtype);
        let (Some(value), Some(subtype)) = (self.get(Member::Subtype), subtype) else {
            return;
        };
        let kind = self.facts.kind;
        let known = subtypes(kind);
        if !known.contains(&subtype) {
            let message = if known.is_empty() {
                format!("lines of the type {} have no `subtype`", kind.as_str())
            } else {
                format!(
                    "`subtype` is none of those of the type {}: {}",
                    kind.as_str(),
                    known.join(", ")
                )
            };
            self.push(Rule::Shape, Severity::Warning, value, message);
        }
    }

    /// Flags are true or false, and those that a subtype stands for are true.
    fn flags(&mut self, subtype: Option<&str>) {
        for flag in FLAGS {
            if let Some(value) = self.get(flag)
                && !matches!(value, "true" | "false")
            {
                let message = format!("`{}` is neither true nor false", flag.name());
                self.broken(Rule::Shape, value, message);
            }
        }
        let (flag, what) = match (self.facts.kind, subtype) {
            (Kind::System, Some("error")) => (Member::Error, "an error"),
            (Kind::System, Some("meta")) => (Member::Meta, "metadata"),
            _ => return,
        };
        let name = flag.name();
        match self.get(flag) {
            Some(value @ "false") => {
                let message = format!("the line is {what} by its `subtype`, and not by `{name}`");
                self.broken(Rule::Shape, value, message);
            }
            None => {
                let message = format!("the line is {what}: set `{name}` to true");
                let at = self.facts.text;
                self.push(Rule::Shape, Severity::Warning, at, message);
            }
            Some(_) => {}
        }
    }

    /// Fields that only lines of one type have.
    fn fields(&mut self, subtype: Option<&str>) {
        self.string(Member::UserType);
        let kind = self.facts.kind;
        let calls = kind == Kind::Assistant && matches!(subtype, None | Some("tool_use"));
        for member in [Member::ToolName, Member::ToolArguments] {
            if let Some(value) = self.given(member).filter(|_| !calls) {
                let message = format!(
                    "`{}` belongs to replies of the subtype tool_use: take it away, or say that \
                     the line is a call",
                    member.name()
                );
                self.broken(Rule::Shape, value, message);
            }
        }
        let others = [
            (Member::UserType, Kind::User),
            (Member::Metadata, Kind::CompactSystem),
        ];
        for (member, only) in others {
            if let Some(value) = self.given(member).filter(|_| kind != only) {
                let message = format!(
                    "`{}` belongs to lines of the type {}",
                    member.name(),
                    only.as_str()
                );
                self.push(Rule::Shape, Severity::Warning, value, message);
            }
        }
    }

    fn text(&mut self, why: &str) -> bool {
        self.need(Rule::FieldRequired, Member::Message, b'"', why)
    }

    fn is_call(&self, subtype: Option<&str>) -> bool {
        subtype == Some("tool_use")
            || (subtype.is_none()
                && (self.get(Member::ToolName).is_some()
                    || self.get(Member::ToolArguments).is_some()))
    }

    fn document_call(&mut self) {
        let why = "a tool call says which tool it calls";
        if self.need(Rule::CallComplete, Member::ToolName, b'"', why)
            && let Some(name @ "\"\"") = self.get(Member::ToolName)
        {
            self.broken(
                Rule::CallComplete,
                name,
                format!("`toolName` is empty: {why}"),
            );
        }
        let why = "a tool call has arguments, {} when there are none";
        self.need(Rule::CallComplete, Member::ToolArguments, b'{', why);
    }

    fn compaction(&mut self) {
        let operation = self.facts.string(Member::Message).unwrap_or_default();
        if self.text("it says which operation it is, such as conversation_compacting")
            && let Some(said) = self.get(Member::Message)
            && !OPERATIONS.contains(&&*operation)
        {
            let known = OPERATIONS.join(", ");
            let message = format!("`message` is none of the operations there are: {known}");
            self.broken(Rule::Shape, said, message);
        }
        let done = operation == "conversation_compacted";
        if done || self.given(Member::Metadata).is_some() {
            let why = "a compaction that is done says what it kept";
            if self.need(Rule::FieldRequired, Member::Metadata, b'{', why)
                && let Some(metadata) = self.get(Member::Metadata)
            {
                self.statistics(metadata, done);
            }
        }
    }

    fn statistics(&mut self, metadata: &'a str, done: bool) {
        let members = Members::read(metadata).unwrap_or_default();
        let none = STATISTICS
            .iter()
            .all(|(name, _)| members.get(name).is_none());
        for (name, count) in STATISTICS {
            match members.get(name) {
                Some(value) if is_number(value, count) => {}
                Some(value) => {
                    let what = if count {
                        "a number of messages"
                    } else {
                        "a number"
                    };
                    let message = format!("`metadata.{name}` is not {what}");
                    self.broken(Rule::Shape, value, message);
                }
                None if done => {
                    let message = format!(
                        "`metadata` has no `{name}`: a compaction that is done says what it kept"
                    );
                    // Some of it is better than nothing of it.
                    let severity = if none {
                        Severity::Error
                    } else {
                        Severity::Warning
                    };
                    self.push(Rule::FieldRequired, severity, metadata, message);
                }
                None => {}
            }
        }
    }
}

fn is_number(value: &str, count: bool) -> bool {
    if count {
        value.parse::<u64>().is_ok()
    } else {
        value.parse::<f64>().is_ok_and(|number| number >= 0.0)
    }
}
