//! Lines as the message type specification describes them.

use super::{Examiner, Rule};
use crate::check::member::Member;
use crate::entry::Kind;

impl Examiner<'_, '_> {
    pub(super) fn of_the_document(&mut self) {
        let subtype = self.facts.id(Member::Subtype);
        let subtype = subtype.as_deref();
        if let Some(value) = self.get(Member::Subtype)
            && !value.starts_with('"')
            && value != "null"
        {
            self.broken(Rule::Shape, value, "`subtype` is not a string");
        }
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

    fn text(&mut self, why: &str) {
        self.need(Rule::FieldRequired, Member::Message, b'"', why);
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
        self.text("it says which operation it is, such as conversation_compacting");
        let done = self.get(Member::Message) == Some("\"conversation_compacted\"");
        if done || self.get(Member::Metadata).is_some() {
            let why = "a compaction that is done says what it kept";
            self.need(Rule::FieldRequired, Member::Metadata, b'{', why);
        }
    }
}
