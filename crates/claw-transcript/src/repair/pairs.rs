//! Calls without results, and results without calls.
//!
//! The CLI leaves both out of what it sends, silently; the model then does not know that it ever
//! called the tool, or what came of it.

use std::collections::HashMap;

use crate::check::alike::were_passed;
use crate::check::table::{Marks, NONE, Row};
use crate::lines::LineEnd;

use super::item::{Edit, Item, Node, Parent, Source, ToText};
use super::names::Name;
use super::step::RepairAction;
use super::work::{BEHIND, Work};

/// After so many rounds nobody waits for a better order.
const ROUNDS: usize = 16;

/// Which results belong to which calls.
#[derive(Debug, Default)]
struct Pairs {
    /// Calls without a result.
    open: Vec<(usize, Name)>,
    /// Results without a call that waits for one.
    odd: Vec<(usize, Name)>,
    /// Results that stand before their call, with the line of that.
    early: Vec<(usize, usize)>,
}

impl Work {
    /// Gives each call one result and each result one call.
    pub(super) fn mend_pairs(&mut self) {
        // What answers what depends on the order in which lines are written, and that on what
        // hangs under what. It settles at once, except where damage lies upon damage.
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

    /// Pairs calls and results as checks do: a result belongs to the last call of its name that
    /// has none, or else to one that comes later.
    fn pairs(&self) -> Pairs {
        let mut pairs = Pairs::default();
        let mut calls: HashMap<Name, (usize, bool)> = HashMap::new();
        let mut odd: Vec<(usize, Name)> = Vec::new();
        for (at, node) in self.nodes() {
            for call in &node.calls {
                // Some gateways count calls anew in each reply; in one reply it is the same call.
                let known = calls.get(call).and_then(|(caller, _)| self.node(*caller));
                if known.is_some_and(|known| known.reply == node.reply) {
                    continue;
                }
                if let Some((before, false)) = calls.insert(*call, (at, false)) {
                    pairs.open.push((before, *call));
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
                        // What the call hangs under cannot answer it.
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

    /// Some gateways leave out the ids of calls.
    fn answers_a_nameless_call(&self, at: usize, call: Name) -> bool {
        let parent = self.parent_at(at).and_then(|parent| self.node(parent));
        !self.is_called(call)
            && parent.is_some_and(|parent| parent.row.marks.has(Marks::NAMELESS_CALL))
    }

    /// Leaves out calls at the end of a branch, which may still run and which the CLI itself
    /// closes when it resumes, and those that somebody stopped.
    fn without_running(&self, mut open: Vec<(usize, Name)>) -> Vec<(usize, Name)> {
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

    /// Results that nothing asked for, and second results, become text. Gives the calls that
    /// have none.
    fn settle_results(&mut self) -> Vec<(usize, Name)> {
        let mut pairs = self.pairs();
        for (at, caller) in std::mem::take(&mut pairs.early) {
            if self.is_below(at, caller) {
                // It will be written behind it.
                continue;
            }
            let both = self.node(at).zip(self.node(caller));
            if both.is_some_and(|(one, other)| one.side == other.side) {
                let why = "it stands before the call that it answers";
                self.hang(at, Some(caller), "pairing", why);
            } else {
                let answers = self.node(at).map(|node| &node.answers[..]);
                let answers = answers.unwrap_or_default().to_vec();
                let of_it = answers.into_iter().filter(|call| {
                    let calls = self.node(caller).map(|node| &node.calls[..]);
                    calls.is_some_and(|calls| calls.contains(call))
                });
                pairs.odd.extend(of_it.map(|call| (at, call)));
            }
        }
        pairs.odd.sort();
        let mut extra: Vec<(usize, Vec<Name>)> = Vec::new();
        for (at, call) in pairs.odd {
            match extra.last_mut() {
                Some((last, calls)) if *last == at => calls.push(call),
                _ => extra.push((at, vec![call])),
            }
        }
        for (at, wrong) in extra {
            self.results_to_text(at, &wrong);
        }
        pairs.open
    }

    fn results_to_text(&mut self, at: usize, wrong: &[Name]) {
        let names: Vec<String> = wrong.iter().map(|call| self.names.text(*call)).collect();
        // One of several results of a call in this line is the one that counts.
        let all = self.node(at).map(|node| node.answers.clone());
        let all = all.unwrap_or_default();
        let times = |list: &[Name], call: Name| list.iter().filter(|one| **one == call).count();
        let stays = |call: Name| times(wrong, call) < times(&all, call);
        let mut rest: Vec<Name> = Vec::new();
        for call in all
            .iter()
            .copied()
            .filter(|call| stays(*call) || !wrong.contains(call))
        {
            if !rest.contains(&call) {
                rest.push(call);
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
        self.step(at, "pairing", RepairAction::ResultToText, why)
            .before = Some(names.join(", "));
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
            self.put_on_the_way(at, "pairing");
        }
    }

    /// Removes a line that repeats the results of an earlier line exactly, if no line names it as
    /// its parent.
    fn drop_second(&mut self, at: usize, names: &[String]) -> bool {
        let Some(node) = self.node(at).filter(|node| node.only_answers) else {
            return false;
        };
        let is_same = |other: &Node| other.answers == node.answers && other.content == node.content;
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
        self.items[at].gone = true;
        self.removed.push(self.items[at].span);
        let why = format!("line {line} has the same result of the call");
        self.step(at, "pairing", RepairAction::DropCopy, why).before = Some(names.join(", "));
        self.relinked += 1;
        true
    }

    /// Gives calls the id that their result names, if they have no id or share one with another
    /// call of the reply.
    pub(super) fn name_calls(&mut self) {
        // As in checks, a call is open until its result is read.
        let mut open: HashMap<Name, (Option<Name>, u64)> = HashMap::new();
        let mut nameless: Vec<(usize, usize, bool)> = Vec::new();
        let mut results: HashMap<usize, Vec<Name>> = HashMap::new();
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
                    let uuid = self.names.fresh(offset, "call");
                    let id = format!("toolu_{}", self.names.text(uuid).replace('-', ""));
                    self.names.of(&id)
                }
                None => continue,
            };
            self.items[at].edit.calls.push((block, id));
            if let Some(node) = self.node_mut(at) {
                node.calls = node.calls.iter().copied().chain([id]).collect();
            }
            self.note_caller(id, at);
            let (rule, why) = if had_id {
                ("call-unique", "another call of the reply has this id")
            } else {
                (
                    "call-complete",
                    "the call has no id, so no result can refer to it",
                )
            };
            let id = self.names.text(id);
            self.step(at, rule, RepairAction::Field, why).after = Some(id);
        }
    }

    /// Puts a result behind a call, and hangs what went on from the call under it.
    fn answer(&mut self, at: usize, call: Name, children: &HashMap<usize, Vec<usize>>) {
        let Some(caller) = self.node(at) else {
            return;
        };
        let (side, reply, parent) = (caller.side, caller.reply, caller.id);
        let caller_seconds = caller.row.seconds;
        let (span, line) = (self.items[at].span, self.items[at].line);
        let why = format!("result of {}", self.names.text(call));
        let id = self.names.fresh(span.offset, &why);
        let row = Row::added(Marks::USER, caller_seconds);
        let mut node = Node::added(id, Parent::Id(parent), side, row);
        node.answers = Box::new([call]);
        node.only_answers = true;
        let item = Item {
            rank: 0,
            told: None,
            line,
            span,
            end: LineEnd::Lf,
            source: Source::StandIn { call },
            edit: Edit::default(),
            gone: false,
            node: Some(Box::new(node)),
        };
        let new = self.add(item, at, BEHIND);
        let name = self.names.text(call);
        self.step(
            at,
            "pairing",
            RepairAction::Answer,
            "no result is there for this call; the CLI would not send the call",
        )
        .after = Some(format!("a result that says that the one of {name} is lost"));
        for child in children.get(&at).into_iter().flatten() {
            let goes_on = self.node(*child).is_some_and(|child| {
                let same_reply = child.reply.is_some() && child.reply == reply;
                !same_reply && child.answers.is_empty()
            });
            if goes_on {
                let why = "so that the way goes over the result";
                self.hang(*child, Some(new), "pairing", why);
            }
        }
    }

    /// Empty prompts, which the API refuses.
    pub(super) fn fill_empty(&mut self) {
        let empty: Vec<usize> = self
            .nodes()
            .filter(|(_, node)| node.empty)
            .map(|(at, _)| at)
            .collect();
        for at in empty {
            self.items[at].edit.fill = true;
            self.step(
                at,
                "shape",
                RepairAction::Fill,
                "the API refuses a conversation with an empty message in it",
            );
        }
    }
}
