//! The rules that one line can break by itself.

mod disk;
mod document;

use super::alike::is_in_chain;
use super::facts::Facts;
use super::ids::is_uuid;
use super::iso;
use super::member::Member;
use super::rule::{Rule, Severity};
use super::said::Said;
use crate::entry::{Dialect, Kind, KindGroup};

pub(super) use disk::attachment_type;
pub(crate) use disk::{is_count, is_count_name};
pub(super) use document::subtypes;

/// What is wrong with a line.
#[derive(Debug)]
pub(super) struct Problem<'a> {
    pub(super) rule: Rule,
    pub(super) severity: Severity,
    /// The part of the line's text that is wrong.
    pub(super) at: &'a str,
    pub(super) message: String,
}

/// The file that a line is in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting<'s> {
    /// For the file of a subagent: its id.
    pub(super) agent: Option<&'s str>,
}

/// Collects what is wrong with a line.
pub(super) struct Examiner<'f, 'a> {
    facts: &'f Facts<'a>,
    problems: Vec<Problem<'a>>,
}

/// Says what is wrong with a line by itself. Nothing is, as a rule, and then nothing is allocated.
pub(super) fn examine<'a>(
    facts: &Facts<'a>,
    said: Option<&Said<'a>>,
    setting: Setting<'_>,
) -> Vec<Problem<'a>> {
    let mut examiner = Examiner {
        facts,
        problems: Vec::new(),
    };
    examiner.line(said, setting);
    examiner.problems
}

impl<'a> Examiner<'_, 'a> {
    fn line(&mut self, said: Option<&Said<'a>>, setting: Setting<'_>) {
        if facts_are_of_the_stream(self.facts) {
            return;
        }
        self.kind();
        self.keys();
        let chain = matches!(self.facts.kind.group(), KindGroup::Chain);
        // An unknown kind that hangs in the chain is held to what all of the chain have.
        let in_chain =
            chain || (self.facts.kind == Kind::Unknown && self.get(Member::Parent).is_some());
        if in_chain {
            self.envelope();
            if self.facts.dialect == Dialect::Disk {
                self.agent(setting);
            }
        }
        self.timestamp();
        match self.facts.dialect {
            Dialect::Document => self.of_the_document(),
            _ => self.of_the_disk(said),
        }
    }

    fn get(&self, member: Member) -> Option<&'a str> {
        self.facts.get(member)
    }

    fn push(&mut self, rule: Rule, severity: Severity, at: &'a str, message: String) {
        self.problems.push(Problem {
            rule,
            severity,
            at,
            message,
        });
    }

    /// A rule is broken as badly as it can be.
    fn broken(&mut self, rule: Rule, at: &'a str, message: impl Into<String>) {
        self.push(rule, rule.severity(), at, message.into());
    }

    /// Every line says of which type it is.
    fn kind(&mut self) {
        match self.get(Member::Type) {
            None => {
                let message = "the line has no `type`, so that no reader knows what it is: \
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
        let said = self.facts.said.as_ref();
        let blocks = said.map(Said::blocks).unwrap_or_default();
        let blocks = blocks.iter().filter_map(|block| block.doubled);
        let doubled = self.facts.doubled.into_iter();
        let doubled = doubled
            .chain(said.and_then(|said| said.doubled))
            .chain(blocks);
        for value in doubled.collect::<Vec<_>>() {
            let message = "the member of this value is a duplicate: the CLI reads this one; \
                           remove the other one";
            self.broken(Rule::KeyUnique, value, message);
        }
    }

    /// What every message has, in both dialects.
    fn envelope(&mut self) {
        // Old progress lines are in no chain, and nothing reads them.
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
                // What a timestamp is, is a rule of its own.
                Some(_) if member == Member::Timestamp => {}
                Some(value) if value.starts_with('"') && value.len() > 2 => {}
                Some(value) => {
                    let message = format!("`{name}` is not a string with something in it");
                    self.broken(Rule::FieldRequired, value, message);
                }
            }
        }
        if let Some(value) = self.get(Member::Uuid)
            && self.facts.dialect == Dialect::Disk
            && value.len() > 2
            && value.starts_with('"')
            && !is_uuid(value.trim_matches('"'))
        {
            let message = "`uuid` does not have the form of a UUID, as the CLI writes it";
            self.broken(Rule::UuidForm, value, message);
        }
        if !is_in_chain(self.facts) {
            // It has no uuid and no kind that is known: nothing says that it hangs anywhere.
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
        if let Some(value) = self.get(Member::Sidechain)
            && !matches!(value, "true" | "false")
        {
            let message = "`isSidechain` is neither true nor false";
            self.broken(Rule::SidechainConsistent, value, message);
        }
    }

    /// What lines in the file of a subagent have in common.
    fn agent(&mut self, setting: Setting<'_>) {
        let Some(agent) = setting.agent else {
            return;
        };
        match self.get(Member::Sidechain) {
            Some("true") => {}
            other => {
                let at = other.unwrap_or(self.facts.text);
                let message = "a line in the file of a subagent is not marked as sidechain: set \
                               `isSidechain` to true, or move the line to the session's file";
                self.broken(Rule::SidechainConsistent, at, message);
            }
        }
        match self.facts.id(Member::Agent) {
            Some(id) if id == agent => {}
            Some(id) => {
                let at = self.get(Member::Agent).unwrap_or(self.facts.text);
                let message = format!(
                    "the line is of agent {id}, but the file of agent {agent}: a chain has one \
                     agent"
                );
                self.broken(Rule::SidechainConsistent, at, message);
            }
            None => {
                let at = self.get(Member::Agent).unwrap_or(self.facts.text);
                let message = format!("the line does not say that it is of agent {agent}");
                self.push(Rule::SidechainConsistent, Severity::Warning, at, message);
            }
        }
    }

    fn timestamp(&mut self) {
        // Other programs' lines may mean anything by it.
        let ours = !matches!(
            self.facts.kind.group(),
            KindGroup::Foreign | KindGroup::Stream
        );
        let Some(value) = self.get(Member::Timestamp).filter(|_| ours) else {
            return;
        };
        let time = self.facts.string(Member::Timestamp);
        if time.as_deref().and_then(iso::seconds).is_none() {
            let message = "`timestamp` is not an ISO 8601 date and time with a zone: write it like \
                           2026-01-31T12:00:00.000Z";
            self.broken(Rule::TimestampIso, value, message);
        }
    }

    /// A member that must be there and begin as values of its type do.
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

fn facts_are_of_the_stream(facts: &Facts<'_>) -> bool {
    facts.dialect == Dialect::Stream
        || matches!(facts.kind.group(), KindGroup::Stream | KindGroup::Foreign)
}
