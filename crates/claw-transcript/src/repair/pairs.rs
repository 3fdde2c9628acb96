//! Calls without results, and results without calls.
//!
//! The CLI silently omits both from requests. The model then sees neither the call nor the result.

use std::collections::HashMap;

use crate::check::common::were_passed;
use crate::check::table::{Marks, NONE, Row};

use super::item::{Node, Parent, Source, ToText};
use super::step::RepairAction;
use super::work::{BEHIND, Work};
use crate::conversation::Id;

/// The maximum number of rounds.
const ROUNDS: usize = 16;

const RULE: &str = "pairing";

/// The pairs of calls and results.
#[derive(Debug, Default)]
struct Pairs {
    /// Calls without a result.
    open: Vec<(usize, Id)>,
    /// Results without an open call.
    odd: Vec<(usize, Id)>,
    /// Results before their call, with the line of the call.
    early: Vec<(usize, usize)>,
}

impl Work {
    /// Pairs each call with one result and each result with one call.
    pub(super) fn mend_pairs(&mut self) {
        // The pairs depend on the order of the lines, and the order depends on their parents. One
        // round is enough, except for multiple damage.
        let mut open = Vec::new();
        for _ in 0..ROUNDS {
            self.settle_order();
            let before = self.relinked;
            open = self.settle_results();
            if self.relinked == before {
                break;
            }
        }
        if open.is_empty() {
            return;
        }
        let open = self.without_running(open);
        let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, _) in self.nodes() {
            if let Some(parent) = self.parent_at(at) {
                children.entry(parent).or_default().push(at);
            }
        }
        for (at, call) in open {
            self.answer(at, call, &children);
        }
    }

    /// Pairs calls and results like checks: a result belongs to the last open call with its id, or
    /// else to a later one.
    fn pairs(&self) -> Pairs {
        let mut pairs = Pairs::default();
        let mut calls: HashMap<Id, (usize, bool)> = HashMap::new();
        let mut odd: Vec<(usize, Id)> = Vec::new();
        for (at, node) in self.nodes() {
            for call in node.calls() {
                // Some gateways number the calls of each reply from one. In one reply, it is the
                // same call.
                let known = calls.get(&call).and_then(|(caller, _)| self.node(*caller));
                if known.is_some_and(|known| known.reply == node.reply) {
                    continue;
                }
                if let Some((before, false)) = calls.insert(call, (at, false)) {
                    pairs.open.push((before, call));
                }
            }
            for call in &node.answers {
                match calls.get_mut(call) {
                    Some((_, answered @ false)) => *answered = true,
                    _ if self.answers_a_nameless_call(at, *call) => {}
                    _ => odd.push((at, *call)),
                }
            }
        }
        for (at, call) in odd {
            match calls.get_mut(&call) {
                Some((caller, answered @ false)) if *caller > at => {
                    if self.is_below(*caller, at) {
                        // An ancestor of the call cannot contain its result.
                        pairs.odd.push((at, call));
                    } else {
                        *answered = true;
                        pairs.early.push((at, *caller));
                    }
                }
                _ => pairs.odd.push((at, call)),
            }
        }
        let open = calls.into_iter().filter(|(_, (_, answered))| !answered);
        pairs.open.extend(open.map(|(call, (at, _))| (at, call)));
        pairs.open.sort();
        pairs
    }

    /// Some gateways omit the ids of calls.
    fn answers_a_nameless_call(&self, at: usize, call: Id) -> bool {
        let parent = self.parent_at(at).and_then(|parent| self.node(parent));
        !self.is_called(call)
            && parent.is_some_and(|parent| parent.row.marks.has(Marks::NAMELESS_CALL))
    }

    /// Leaves out interrupted calls and calls at the end of a branch, which may still run and which
    /// the CLI closes when it resumes.
    fn without_running(&self, mut open: Vec<(usize, Id)>) -> Vec<(usize, Id)> {
        let mut rows: Vec<Row> = Vec::new();
        let mut row_of: HashMap<usize, u32> = HashMap::new();
        for (at, node) in self.nodes() {
            row_of.insert(at, u32::try_from(rows.len()).unwrap_or(NONE));
            rows.push(node.row);
        }
        for (at, row) in &row_of {
            let parent = self.parent_at(*at).and_then(|parent| row_of.get(&parent));
            if let Some(row) = rows.get_mut(*row as usize) {
                row.parent = parent.copied().unwrap_or(NONE);
            }
        }
        let lines = open.iter().map(|(at, _)| row_of.get(at).copied());
        let lines: Vec<u32> = lines.map(|row| row.unwrap_or(0)).collect();
        let mut passed = were_passed(&rows, &lines).into_iter();
        open.retain(|_| passed.next().unwrap_or(false));
        open
    }

    /// Turns results without a call and second results into text. Returns the calls without a
    /// result.
    fn settle_results(&mut self) -> Vec<(usize, Id)> {
        let mut pairs = self.pairs();
        for (at, caller) in std::mem::take(&mut pairs.early) {
            if self.is_below(at, caller) {
                // It will be written after the call.
                continue;
            }
            let both = self.node(at).zip(self.node(caller));
            if both.is_some_and(|(one, other)| one.side == other.side) {
                let why = "it is before the call that it answers";
                self.relink(at, Some(caller), RULE, why);
            } else {
                let answers = both.map(|(one, other)| {
                    let is_of_it = |call: &&Id| other.calls().any(|own| own == **call);
                    one.answers.iter().filter(is_of_it).copied().collect()
                });
                let answers: Vec<Id> = answers.unwrap_or_default();
                pairs.odd.extend(answers.into_iter().map(|call| (at, call)));
            }
        }
        pairs.odd.sort();
        for of_line in pairs.odd.chunk_by(|(one, _), (other, _)| one == other) {
            let wrong: Vec<Id> = of_line.iter().map(|(_, call)| *call).collect();
            self.results_to_text(of_line[0].0, &wrong);
        }
        pairs.open
    }

    fn results_to_text(&mut self, at: usize, wrong: &[Id]) {
        let names: Vec<String> = wrong.iter().map(|call| self.names.text(*call)).collect();
        // If a line has several results of a call, one of them is kept.
        let all = self.node(at).map(|node| node.answers.clone());
        let all = all.unwrap_or_default();
        let times = |list: &[Id], call: Id| list.iter().filter(|one| **one == call).count();
        let stays = |call: Id| times(wrong, call) < times(&all, call);
        let mut rest: Vec<Id> = Vec::new();
        for call in all.iter().filter(|call| stays(**call)) {
            if !rest.contains(call) {
                rest.push(*call);
            }
        }
        let lost = wrong.iter().any(|call| !self.is_called(*call));
        if !lost && self.drop_second(at, &names) {
            return;
        }
        let why = if lost {
            "the call that it answers is lost; the CLI would not send it"
        } else {
            "the call has a result already; the CLI would not send this one"
        };
        let what = (RULE, RepairAction::ResultToText);
        self.step(at, what, why).before = Some(names.join(", "));
        if let Some(node) = self.node_mut(at) {
            node.only_answers = false;
            node.answers = rest.into();
        }
        self.relinked += 1;
        let wrong = wrong.iter().map(|call| ToText {
            call: *call,
            first_stays: stays(*call),
            lost: !self.is_called(*call),
        });
        let wrong: Vec<ToText> = wrong.collect();
        self.items[at].edit.to_text.extend(wrong);
        if lost && self.node(at).is_some_and(|node| node.answers.is_empty()) {
            self.put_on_the_way(at, RULE);
        }
    }

    /// Removes a line that is a copy of an earlier line with results, but for the uuid, if no line
    /// names it as its parent.
    fn drop_second(&mut self, at: usize, names: &[String]) -> bool {
        let Some(node) = self.node(at).filter(|node| node.only_answers) else {
            return false;
        };
        let is_same = |other: &Node| other.answers == node.answers && other.result == node.result;
        let first = self.nodes().find(|(_, other)| is_same(other));
        let first = first.filter(|(first, _)| *first != at);
        let Some(line) = first.map(|(first, _)| self.items[first].line) else {
            return false;
        };
        if self
            .nodes()
            .any(|(child, _)| self.parent_at(child) == Some(at))
        {
            return false;
        }
        self.remove(at);
        let why = format!("line {line} has the same result of the call");
        let what = (RULE, RepairAction::DropCopy);
        self.step(at, what, why).before = Some(names.join(", "));
        self.relinked += 1;
        true
    }

    /// Gives calls the id that their result names, if they have no id or share one with another
    /// call of the reply.
    pub(super) fn name_calls(&mut self) {
        // As in checks, a call is open until its result is read.
        let mut open: HashMap<Id, (Option<Id>, u64)> = HashMap::new();
        let mut nameless: Vec<(usize, usize, bool)> = Vec::new();
        let mut results: HashMap<usize, Vec<Id>> = HashMap::new();
        for (at, node) in self.nodes() {
            for (block, id, hash) in &node.call_blocks {
                let before = id.and_then(|id| open.insert(id, (node.reply, *hash)));
                let doubled = before.is_some_and(|(reply, other)| {
                    reply.is_some() && reply == node.reply && other != *hash
                });
                if id.is_none() || doubled {
                    nameless.push((at, *block, doubled));
                }
            }
            for call in &node.answers {
                open.remove(call);
                if let Some(parent) = self.parent_at(at).filter(|_| !self.is_called(*call)) {
                    results.entry(parent).or_default().push(*call);
                }
            }
        }
        for (at, block, had_id) in nameless {
            let mut named = results.get(&at).into_iter().flatten().copied();
            let free = named.find(|call| !self.is_called(*call));
            // Gateways to other models omit ids; the API does not.
            let of_the_api = self.node(at).and_then(|node| node.reply);
            let of_the_api =
                of_the_api.is_some_and(|reply| self.names.text(reply).starts_with("msg_"));
            let id = match free {
                Some(id) => id,
                None if had_id || of_the_api => {
                    let offset = self.items[at].span.offset + block as u64;
                    let uuid = self.names.fresh_uuid(offset, "call");
                    let id = format!("toolu_{}", self.names.text(uuid).replace('-', ""));
                    self.names.of(&id)
                }
                None => continue,
            };
            self.items[at].edit.calls.push((block, id));
            let blocks = self.node_mut(at).map(|node| &mut node.call_blocks);
            for (_, own, _) in blocks
                .into_iter()
                .flatten()
                .filter(|(index, ..)| *index == block)
            {
                *own = Some(id);
            }
            self.callers.entry(id).or_default().push(at);
            let (rule, why) = match had_id {
                true => ("call-unique", "another call of the reply has this id"),
                false => {
                    let why = "the call has no id, so no result can refer to it";
                    ("call-complete", why)
                }
            };
            let id = self.names.text(id);
            self.step(at, (rule, RepairAction::Field), why).after = Some(id);
        }
    }

    /// Adds a result after a call, and makes it the parent of the lines that continue from the
    /// call.
    fn answer(&mut self, at: usize, call: Id, children: &HashMap<usize, Vec<usize>>) {
        let Some(caller) = self.node(at) else {
            return;
        };
        let (side, reply, parent) = (caller.side, caller.reply, caller.id);
        let caller_seconds = caller.row.seconds;
        let why = format!("result of {}", self.names.text(call));
        let id = self.names.fresh_uuid(self.items[at].span.offset, &why);
        let row = Row::added(Marks::USER, caller_seconds);
        let mut node = Node::added(id, Parent::Id(parent), side, row);
        node.answers = Box::new([call]);
        node.only_answers = true;
        let item = self.items[at].added(Source::StandIn { call }, node);
        let new = self.add(item, at, BEHIND);
        let name = self.names.text(call);
        let why = "this call has no result; the CLI would not send the call";
        let step = self.step(at, (RULE, RepairAction::Answer), why);
        step.after = Some(format!("a result that says that the one of {name} is lost"));
        for child in children.get(&at).into_iter().flatten() {
            let goes_on = self.node(*child).is_some_and(|child| {
                let same_reply = child.reply.is_some() && child.reply == reply;
                !same_reply && child.answers.is_empty()
            });
            if goes_on {
                let why = "so that the branch includes the result";
                self.relink(*child, Some(new), RULE, why);
            }
        }
    }

    /// Fills empty messages, which the API rejects.
    pub(super) fn fill_empty(&mut self) {
        for at in self.nodes_where(|_, node| node.empty) {
            self.items[at].edit.fill = true;
            let why = "the API refuses a conversation with an empty message in it";
            self.step(at, ("shape", RepairAction::Fill), why);
        }
    }
}
