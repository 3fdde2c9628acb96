//! Requests to the API, and what became of them.

use std::collections::HashSet;

use super::chain::{MOST_PENDING, Pending};
use super::facts::Facts;
use super::ids::{self, ByNumber};
use super::member::Member;
use super::place::{Pointer, SecondLook};
use super::report::Sink;
use super::rule::{Rule, Severity};
use crate::entry::Kind;

/// One request.
#[derive(Debug, Clone, Copy)]
struct Request {
    offset: u64,
    ordinal: u64,
    /// A reply came, or a reason why none did.
    settled: bool,
}

/// A name of something that is not there.
#[derive(Debug, Clone, Copy)]
struct Unknown {
    offset: u64,
    ordinal: u64,
    member: Member,
    number: u64,
}

/// The requests of one file.
#[derive(Debug, Default)]
pub(super) struct Requests {
    all: Vec<Request>,
    by_id: ByNumber<u32>,
    shapes: HashSet<u64>,
    unknown: Vec<Unknown>,
    /// Requests before this one belong to earlier prompts.
    turn: usize,
    /// Whether anything was said since the last request.
    went_on: bool,
}

impl Requests {
    pub(super) fn clear(&mut self) {
        let Self {
            all,
            by_id,
            shapes,
            unknown,
            turn,
            went_on,
        } = self;
        all.clear();
        by_id.clear();
        by_id.shrink_to(1 << 12);
        shapes.clear();
        unknown.clear();
        (*turn, *went_on) = (0, false);
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
        self.turn = self.all.len();
        self.went_on = true;
    }

    /// An error, or an interruption, is why there is no reply.
    pub(super) fn settle_turn(&mut self) {
        for request in &mut self.all[self.turn..] {
            request.settled = true;
        }
    }

    fn request(&mut self, facts: &Facts<'_>, offset: u64, ordinal: u64) {
        if let Some(base) = facts.id(Member::Base) {
            let number = ids::number(&base);
            if !self.by_id.contains_key(&number) {
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
        let index = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        if let Some(id) = facts.id(Member::Id) {
            self.by_id.insert(ids::number(&id), index);
        }
        self.all.push(Request {
            offset,
            ordinal,
            settled: !leads_to_lines,
        });
        self.went_on = false;
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
        if let Some(index) = self.by_id.get(&number) {
            if let Some(request) = self.all.get_mut(*index as usize) {
                request.settled = true;
            }
            return;
        }
        // What a fork copied comes before its own requests, or says where it is from; the
        // requests are not copied.
        if !self.all.is_empty() && facts.get(Member::ForkedFrom).is_none() {
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
        for (index, request) in self.all.iter().enumerate() {
            if request.settled {
                continue;
            }
            let last = index + 1 == self.all.len() && !self.went_on;
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
        for unknown in &self.unknown {
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
