//! Requests to the API, and what became of them.

use std::collections::{BTreeMap, HashSet};

use super::chain::{MOST_PENDING, Pending};
use super::facts::Facts;
use super::ids::{self, ByNumber};
use super::member::Member;
use super::place::{Pointer, SecondLook};
use super::recent::Recent;
use super::report::Sink;
use super::rule::{Rule, Severity};
use crate::entry::Kind;

/// A request that has no reply yet, and no reason why none came.
#[derive(Debug, Clone, Copy)]
struct Request {
    offset: u64,
    ordinal: u64,
    /// Its number, when it has an id.
    number: Option<u64>,
}

/// A name of something that is not there, or was not seen for long.
#[derive(Debug, Clone, Copy)]
struct Unknown {
    offset: u64,
    ordinal: u64,
    member: Member,
    number: u64,
}

/// The requests of one file. Of those that are settled only the last ones are known; when an older
/// one is named, the file is read again.
#[derive(Debug, Default)]
pub(super) struct Requests {
    count: u64,
    /// By their place among all.
    open: BTreeMap<u64, Request>,
    open_by_id: ByNumber<u64>,
    known: Recent,
    shapes: HashSet<u64>,
    unknown: Vec<Unknown>,
    /// Requests before this one belong to earlier prompts.
    turn: u64,
    /// Whether anything was said since the last request.
    went_on: bool,
}

impl Requests {
    pub(super) fn clear(&mut self) {
        let Self {
            count,
            open,
            open_by_id,
            known,
            shapes,
            unknown,
            turn,
            went_on,
        } = self;
        open.clear();
        open_by_id.clear();
        open_by_id.shrink_to(1 << 12);
        if *count > 0 {
            known.clear();
        }
        shapes.clear();
        unknown.clear();
        (*count, *turn, *went_on) = (0, 0, false);
    }

    pub(super) fn add(&mut self, facts: &Facts<'_>, offset: u64, ordinal: u64) {
        match facts.kind {
            Kind::ApiRequestShape => {
                let shape = facts.id(Member::ShapeHash);
                self.shapes.extend(shape.map(|shape| ids::number(&shape)));
            }
            Kind::ApiRequest => self.request(facts, offset, ordinal),
            Kind::Assistant => self.reply(facts, offset, ordinal),
            Kind::System => {
                let subtype = facts.get(Member::Subtype).unwrap_or_default();
                if subtype == "\"api_error\"" || subtype.starts_with("\"model_") {
                    self.settle_turn();
                }
            }
            _ => {}
        }
    }

    /// A person asked for something; what was open before stays open.
    pub(super) fn prompt(&mut self) {
        self.turn = self.count;
        self.went_on = true;
    }

    /// An error, or an interruption, is why there is no reply.
    pub(super) fn settle_turn(&mut self) {
        for (place, request) in self.open.split_off(&self.turn) {
            if let Some(number) = request.number {
                self.forget(number, place);
            }
        }
    }

    /// A request is open no more. Another one may have its id by now.
    fn forget(&mut self, number: u64, place: u64) {
        if self.open_by_id.get(&number) == Some(&place) {
            self.open_by_id.remove(&number);
        }
    }

    fn request(&mut self, facts: &Facts<'_>, offset: u64, ordinal: u64) {
        if let Some(base) = facts.id(Member::Base) {
            let number = ids::number(&base);
            if !self.is_known(number) {
                self.miss(offset, ordinal, Member::Base, number);
            }
        }
        if let Some(shape) = facts.id(Member::ShapeHash) {
            let number = ids::number(&shape);
            if !self.shapes.contains(&number) {
                self.miss(offset, ordinal, Member::ShapeHash, number);
            }
        }
        // Only these lead to lines; others are the CLI's own errands, such as titles.
        let source = facts.string(Member::QuerySource).unwrap_or_default();
        let leads_to_lines = source == "sdk"
            || source.starts_with("repl_main_thread")
            || source.starts_with("agent:");
        let number = facts.id(Member::Id).map(|id| ids::number(&id));
        if let Some(number) = number {
            self.known.see(number, 0);
        }
        if leads_to_lines {
            let request = Request {
                offset,
                ordinal,
                number,
            };
            self.open.insert(self.count, request);
            if let Some(number) = number {
                self.open_by_id.insert(number, self.count);
            }
        }
        self.count += 1;
        self.went_on = false;
    }

    fn is_known(&self, number: u64) -> bool {
        self.known.has(number) || self.open_by_id.contains_key(&number)
    }

    fn reply(&mut self, facts: &Facts<'_>, offset: u64, ordinal: u64) {
        self.went_on = true;
        if facts.is_true(Member::ApiError) {
            self.settle_turn();
        }
        let Some(request) = facts.id(Member::RequestRef) else {
            return;
        };
        let number = ids::number(&request);
        if let Some(place) = self.open_by_id.remove(&number) {
            self.open.remove(&place);
            self.known.see(number, 0);
            return;
        }
        if self.known.has(number) {
            return;
        }
        // What a fork copied comes before its own requests, or says where it is from; the
        // requests are not copied.
        if self.count > 0 && facts.get(Member::ForkedFrom).is_none() {
            self.miss(offset, ordinal, Member::RequestRef, number);
        }
    }

    fn miss(&mut self, offset: u64, ordinal: u64, member: Member, number: u64) {
        self.unknown.push(Unknown {
            offset,
            ordinal,
            member,
            number,
        });
    }

    pub(super) fn check(&self, look: &mut SecondLook<'_>, sink: &mut Sink) -> Vec<Pending> {
        for (place, request) in &self.open {
            let last = place + 1 == self.count && !self.went_on;
            let severity = if last {
                Severity::Note
            } else {
                Severity::Warning
            };
            let how = (Rule::RequestAnswered, severity);
            sink.add(how.0, how.1, || {
                let pointer = Pointer::Member(Member::Id);
                let place = (request.offset, request.ordinal);
                look.describe(place, how, pointer, |_, id| {
                    format!(
                        "the request {id} has no reply and no error here: it was cut off, and \
                         what it cost is in no line"
                    )
                })
            });
        }
        let mut pending = Vec::new();
        let requests = self.unknown.iter();
        let requests = requests.filter(|unknown| unknown.member != Member::ShapeHash);
        let old = look.requests_among(requests.map(|unknown| unknown.number).collect());
        let is_old = |unknown: &&Unknown| {
            unknown.member != Member::ShapeHash && old.contains(&unknown.number)
        };
        for unknown in self.unknown.iter().filter(|unknown| !is_old(unknown)) {
            let how = (Rule::RequestKnown, Severity::Error);
            if pending.len() >= MOST_PENDING {
                break;
            }
            let place = (unknown.offset, unknown.ordinal);
            let pointer = Pointer::Member(unknown.member);
            let finding = look.describe(place, how, pointer, |_, id| {
                let name = unknown.member.name();
                let what = match unknown.member {
                    Member::ShapeHash => "shape",
                    _ => "request",
                };
                format!(
                    "`{name}` names the {what} {id}, of which there is no record: what was asked \
                     cannot be shown again"
                )
            });
            pending.push(Pending {
                number: unknown.number,
                finding,
            });
        }
        pending
    }
}
