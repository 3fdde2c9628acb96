//! Rules for lines of the document's dialect.

use super::super::rule::{Rule, Severity};
use super::Examiner;
use crate::entry::{Dialect, Kind};
use crate::facts::Member;
use crate::members::Members;

/// The operations of compaction lines.
const OPERATIONS: [&str; 4] = [
    "conversation_compacting",
    "conversation_compacted",
    "conversation_restored",
    "conversation_restoring",
];

/// The statistics of a finished compaction, and whether each is a count of messages.
const STATISTICS: [(&str, bool); 3] = [
    ("preservedMessages", true),
    ("totalMessages", true),
    ("compressionRatio", false),
];

/// Flags of lines of every type. `isSidechain` has its own rule.
const FLAGS: [Member; 4] = [
    Member::Error,
    Member::Meta,
    Member::Deleted,
    Member::Aborted,
];

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

    /// An optional member that is not null.
    fn given(&self, member: Member) -> Option<&'a str> {
        self.get(member).filter(|value| *value != "null")
    }

    /// Reports an optional member that is not a string.
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
        let known = Dialect::document_subtypes(kind);
        if !known.contains(&subtype) {
            let (kind, known) = (kind.as_str(), known.join(", "));
            let message = match &*known {
                "" => format!("lines of the type {kind} have no `subtype`"),
                known => format!("`subtype` is none of those of the type {kind}: {known}"),
            };
            self.warn(Rule::Shape, value, message);
        }
    }

    /// Flags are true or false, and those that the subtype implies are true.
    fn flags(&mut self, subtype: Option<&str>) {
        for flag in FLAGS {
            self.flag(Rule::Shape, flag);
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
                self.warn(Rule::Shape, self.facts.text, message);
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
                let (name, only) = (member.name(), only.as_str());
                let message = format!("`{name}` belongs to lines of the type {only}");
                self.warn(Rule::Shape, value, message);
            }
        }
    }

    fn text(&mut self, why: &str) -> bool {
        self.need(Rule::FieldRequired, Member::Message, b'"', why)
    }

    fn is_call(&self, subtype: Option<&str>) -> bool {
        let members = [Member::ToolName, Member::ToolArguments];
        let has_members = members.iter().any(|member| self.get(*member).is_some());
        subtype == Some("tool_use") || (subtype.is_none() && has_members)
    }

    fn document_call(&mut self) {
        let why = "a tool call names its tool";
        if self.need(Rule::CallComplete, Member::ToolName, b'"', why)
            && let Some(name @ "\"\"") = self.get(Member::ToolName)
        {
            let message = format!("`toolName` is empty: {why}");
            self.broken(Rule::CallComplete, name, message);
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
            let why = "a completed compaction lists what it kept";
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
                        "`metadata` has no `{name}`: a completed compaction lists what it kept"
                    );
                    // Incomplete statistics are less severe than missing ones.
                    let severity = Severity::Error.lowered_if(!none, Severity::Warning);
                    self.push((Rule::FieldRequired, severity), metadata, message);
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
