//! Requests to the API and their replies.

use std::collections::{BTreeMap, HashSet};

use super::chain::{MOST_PENDING, Pending};
use super::recent::Recent;
use super::reporter::{Name, Position, Reporter};
use super::rule::{Rule, Severity};
use crate::entry::Kind;
use crate::facts::{Facts, Member};
use crate::id_hash::{self, ByHash};

/// A request without a reply or an error so far: its position and the hash of its id.
type Request = (Position, Option<u64>);

/// A reference to a request or shape that was not seen, or not recently.
#[derive(Debug, Clone, Copy)]
struct Unknown {
    position: Position,
    member: Member,
    name: Name,
}

/// The requests of one file. Only recent ones are cached after they are answered; for references to
/// older ones, the file is read again.
#[derive(Debug, Default)]
pub(super) struct Requests {
    count: u64,
    /// By sequence number.
    open: BTreeMap<u64, Request>,
    open_by_id: ByHash<u64>,
    known: Recent,
    shapes: HashSet<u64>,
    unknown: Vec<Unknown>,
    /// Requests before this number belong to earlier prompts.
    turn: u64,
    /// Whether a prompt or a reply followed the last request.
    went_on: bool,
}

impl Requests {
    pub(super) fn add(&mut self, facts: &Facts<'_>, position: Position) {
        match facts.kind {
            Kind::ApiRequestShape => self.shapes.extend(hash_of(facts, Member::ShapeHash)),
            Kind::ApiRequest => self.request(facts, position),
            Kind::Assistant => self.reply(facts, position),
            Kind::System => {
                let subtype = facts.get(Member::Subtype).unwrap_or_default();
                if subtype == "\"api_error\"" || subtype.starts_with("\"model_") {
                    self.settle_turn();
                }
            }
            _ => {}
        }
    }

    /// Starts a new turn. Open requests of earlier turns stay open.
    pub(super) fn prompt(&mut self) {
        self.turn = self.count;
        self.went_on = true;
    }

    /// Closes the requests of this turn. An error or an interruption explains the missing reply.
    pub(super) fn settle_turn(&mut self) {
        for (place, (_, number)) in self.open.split_off(&self.turn) {
            // A later request may have the same id.
            if let Some(number) = number
                && self.open_by_id.get(&number) == Some(&place)
            {
                self.open_by_id.remove(&number);
            }
        }
    }

    fn request(&mut self, facts: &Facts<'_>, position: Position) {
        let base = hash_of(facts, Member::Base);
        let base = base.filter(|number| !self.known.has(*number));
        if let Some(number) = base.filter(|number| !self.open_by_id.contains_key(number)) {
            self.miss(position, Member::Base, Name::Request(number));
        }
        let shape = hash_of(facts, Member::ShapeHash);
        if let Some(number) = shape.filter(|number| !self.shapes.contains(number)) {
            self.miss(position, Member::ShapeHash, Name::Shape(number));
        }
        // Only these have lines in the file; the CLI sends others, for example for titles.
        let source = facts.string(Member::QuerySource).unwrap_or_default();
        let leads_to_lines = source == "sdk"
            || source.starts_with("repl_main_thread")
            || source.starts_with("agent:");
        let number = hash_of(facts, Member::Id);
        if let Some(number) = number {
            self.known.see(number, 0);
        }
        if leads_to_lines {
            self.open.insert(self.count, (position, number));
            self.open_by_id
                .extend(number.map(|number| (number, self.count)));
        }
        self.count += 1;
        self.went_on = false;
    }

    fn reply(&mut self, facts: &Facts<'_>, position: Position) {
        self.went_on = true;
        if facts.is_true(Member::ApiError) {
            self.settle_turn();
        }
        let Some(number) = hash_of(facts, Member::RequestRef) else {
            return;
        };
        if let Some(place) = self.open_by_id.remove(&number) {
            self.open.remove(&place);
            self.known.see(number, 0);
            return;
        }
        // Copied lines of a fork come before its own requests, or are marked. The requests are not
        // copied.
        let is_copied = self.count == 0 || facts.get(Member::ForkedFrom).is_some();
        if !self.known.has(number) && !is_copied {
            self.miss(position, Member::RequestRef, Name::Request(number));
        }
    }

    fn miss(&mut self, position: Position, member: Member, name: Name) {
        self.unknown.push(Unknown {
            position,
            member,
            name,
        });
    }

    pub(super) fn check(&self, report: &mut Reporter<'_>) -> Vec<Pending> {
        for (place, (position, _)) in &self.open {
            let last = place + 1 == self.count && !self.went_on;
            let severity = Severity::Warning.lowered_if(last, Severity::Note);
            let how = (Rule::RequestAnswered, severity);
            report.add(*position, how, Member::Id, |_, id| {
                format!(
                    "the request {id} has no reply and no error here: it was cut off, and what it \
                     cost is in no line"
                )
            });
        }
        let names = self.unknown.iter().map(|unknown| unknown.name);
        let requests = names.filter(|name| matches!(name, Name::Request(_)));
        let old = report.defined_among(&requests.collect());
        let missing = self.unknown.iter();
        let missing = missing.filter(|unknown| !old.contains(&unknown.name));
        let pending = missing.take(MOST_PENDING).map(|unknown| {
            let how = (Rule::RequestKnown, Severity::Error);
            let finding = report.describe(unknown.position, how, unknown.member, |_, id| {
                let member = unknown.member.name();
                let what = match unknown.name {
                    Name::Shape(_) => "shape",
                    _ => "request",
                };
                format!(
                    "`{member}` names the {what} {id}, of which there is no record: what was asked \
                     cannot be shown again"
                )
            });
            let name = unknown.name;
            Pending { name, finding }
        });
        pending.collect()
    }
}

/// The hash of a member that is an id.
fn hash_of(facts: &Facts<'_>, member: Member) -> Option<u64> {
    facts.id(member).map(|id| id_hash::hash(&id))
}
