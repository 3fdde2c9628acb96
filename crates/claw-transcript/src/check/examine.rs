//! The rules for single lines.

pub(crate) mod disk;
mod document;

use std::collections::HashSet;

use super::common::is_in_chain;
use super::report::How;
use super::rule::{Rule, Severity};
use crate::entry::{Dialect, Kind, KindGroup};
use crate::facts::{Facts, Member, Message};
use crate::id_hash::is_uuid;
use crate::time;

/// A broken rule in a line.
#[derive(Debug)]
pub(super) struct Problem<'a> {
    pub(super) how: How,
    /// The part of the line's text that breaks it.
    pub(super) at: &'a str,
    pub(super) message: String,
}

/// Collects the problems of a line.
pub(super) struct Examiner<'f, 'a> {
    facts: &'f Facts<'a>,
    problems: Vec<Problem<'a>>,
}

/// Returns the problems of a line. `agent` is the id of the subagent if the file is of one.
///
/// Usually there are none, and nothing is allocated.
pub(super) fn examine<'a>(
    facts: &Facts<'a>,
    message: Option<&Message<'a>>,
    agent: Option<&str>,
) -> Vec<Problem<'a>> {
    let mut examiner = Examiner {
        facts,
        problems: Vec::new(),
    };
    if is_examined(facts.dialect, facts.kind) {
        examiner.line(message, agent);
    }
    examiner.problems
}

/// Returns whether the rules for single lines apply to a line, and thus repairs of its members.
pub(crate) fn is_examined(dialect: Dialect, kind: Kind) -> bool {
    dialect != Dialect::Stream && !matches!(kind.group(), KindGroup::Stream | KindGroup::Foreign)
}

impl<'a> Examiner<'_, 'a> {
    fn line(&mut self, message: Option<&Message<'a>>, agent: Option<&str>) {
        self.kind();
        self.keys();
        let is_chain = self.facts.kind.group() == KindGroup::Chain;
        // An unknown kind with a parent must have the members that all chain lines have.
        let has_parent = self.get(Member::Parent).is_some();
        if is_chain || (self.facts.kind == Kind::Unknown && has_parent) {
            self.envelope();
            if let Some(agent) = agent.filter(|_| self.facts.dialect == Dialect::Disk) {
                self.agent(agent);
            }
        }
        self.timestamp();
        match self.facts.dialect {
            Dialect::Document => self.of_the_document(),
            _ => self.of_the_disk(message),
        }
    }

    fn get(&self, member: Member) -> Option<&'a str> {
        self.facts.get(member)
    }

    /// A member, or the whole line if it is missing.
    fn get_or_line(&self, member: Member) -> &'a str {
        self.get(member).unwrap_or(self.facts.text)
    }

    fn push(&mut self, how: How, at: &'a str, message: impl Into<String>) {
        let message = message.into();
        self.problems.push(Problem { how, at, message });
    }

    /// Reports a broken rule with its default severity.
    fn broken(&mut self, rule: Rule, at: &'a str, message: impl Into<String>) {
        self.push((rule, rule.severity()), at, message);
    }

    /// Reports a broken rule as a warning.
    fn warn(&mut self, rule: Rule, at: &'a str, message: impl Into<String>) {
        self.push((rule, Severity::Warning), at, message);
    }

    /// Every line has a type.
    fn kind(&mut self) {
        match self.get(Member::Type) {
            None => {
                let message = "the line has no `type`, so no reader can interpret it: \
                               restore the member, or drop the line";
                self.broken(Rule::FieldRequired, self.facts.text, message);
            }
            Some(kind) if !kind.starts_with('"') => {
                let message = "`type` is not a string: name the kind of the line";
                self.broken(Rule::FieldRequired, kind, message);
            }
            Some(_) => {}
        }
    }

    /// Reports duplicate members. The CLI reads the last one; other readers may take the first.
    fn keys(&mut self) {
        let facts = self.facts;
        let message = facts.message.as_ref();
        let blocks = facts.blocks().iter().filter_map(|block| block.doubled);
        let mut seen = HashSet::new();
        let unknown = facts.unknown.iter();
        let unknown = unknown.filter(|(name, _)| !seen.insert(name));
        let unknown = unknown.map(|(_, value)| *value);
        let of_line = facts.doubled.or(unknown.last()).into_iter();
        let of_message = message.and_then(|message| message.doubled);
        for value in of_line.chain(of_message).chain(blocks) {
            let message = "the member of this value is a duplicate: the CLI reads this one; \
                           remove the other one";
            self.broken(Rule::KeyUnique, value, message);
        }
    }

    /// Members that every message has, in both dialects.
    fn envelope(&mut self) {
        // Old progress lines are in no chain, and the CLI does not read them.
        if self.facts.kind == Kind::Progress {
            return;
        }
        for member in [Member::Uuid, Member::Timestamp, Member::Session] {
            let name = member.name();
            match self.get(member) {
                None => {
                    let message = format!(
                        "the line has no `{name}`, which every message needs: restore it, or drop \
                         the line"
                    );
                    self.broken(Rule::FieldRequired, self.facts.text, message);
                }
                // The form of timestamps is another rule.
                Some(_) if member == Member::Timestamp => {}
                Some(value) if is_name(value) => {}
                Some(value) => {
                    let message = format!("`{name}` is not a string with something in it");
                    self.broken(Rule::FieldRequired, value, message);
                }
            }
        }
        if let Some(value) = self.get(Member::Uuid)
            && self.facts.dialect == Dialect::Disk
            && is_name(value)
            && !is_uuid(value.trim_matches('"'))
        {
            let message = "`uuid` does not have the form of a UUID, as the CLI writes it";
            self.broken(Rule::UuidForm, value, message);
        }
        if !is_in_chain(self.facts) {
            // An unknown kind without a uuid is in no chain.
            return;
        }
        if let Some(value) = self.get(Member::Parent)
            && !value.starts_with('"')
            && value != "null"
        {
            let message = "`parentUuid` is neither an id nor null: name the message before it, or \
                           write null";
            self.broken(Rule::ParentExists, value, message);
        }
        self.flag(Rule::SidechainConsistent, Member::Sidechain);
    }

    /// Reports a flag that is neither true nor false.
    fn flag(&mut self, rule: Rule, flag: Member) {
        if let Some(value) = self.get(flag)
            && !matches!(value, "true" | "false")
        {
            let message = format!("`{}` is neither true nor false", flag.name());
            self.broken(rule, value, message);
        }
    }

    /// Lines in the file of a subagent are its sidechain.
    fn agent(&mut self, agent: &str) {
        let rule = Rule::SidechainConsistent;
        if !self.facts.is_true(Member::Sidechain) {
            let message = "a line in the file of a subagent is not marked as sidechain: set \
                           `isSidechain` to true, or move the line to the session's file";
            self.broken(rule, self.get_or_line(Member::Sidechain), message);
        }
        let at = self.get_or_line(Member::Agent);
        match self.facts.id(Member::Agent) {
            Some(id) if id == agent => {}
            Some(id) => {
                let message = format!(
                    "the line is of agent {id}, but the file of agent {agent}: a chain has one \
                     agent"
                );
                self.broken(rule, at, message);
            }
            None => {
                let message = format!("the line does not say that it is of agent {agent}");
                self.warn(rule, at, message);
            }
        }
    }

    fn timestamp(&mut self) {
        let time = self.facts.string(Member::Timestamp);
        if let Some(value) = self.get(Member::Timestamp)
            && time.as_deref().and_then(time::strict_seconds).is_none()
        {
            let message = "`timestamp` is not an ISO 8601 date and time with a zone: write it like \
                           2026-01-31T12:00:00.000Z";
            self.broken(Rule::TimestampIso, value, message);
        }
    }

    /// Checks that a member exists and starts with this byte.
    fn need(&mut self, rule: Rule, member: Member, start: u8, why: &str) -> bool {
        let name = member.name();
        let what = match start {
            b'{' => "an object",
            b'[' => "a list",
            _ => "a string",
        };
        match self.get(member) {
            Some(value) if value.as_bytes().first() == Some(&start) => return true,
            Some(value) => {
                let message = format!("`{name}` is not {what}: {why}; correct it");
                self.broken(rule, value, message);
            }
            None => {
                let message =
                    format!("the line has no `{name}`: {why}; restore it, or remove the line");
                self.broken(rule, self.facts.text, message);
            }
        }
        false
    }
}

/// Returns whether a value is a string that is not empty.
fn is_name(value: &str) -> bool {
    value.starts_with('"') && value.len() > 2
}
