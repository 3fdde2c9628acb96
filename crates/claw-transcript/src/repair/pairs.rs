//! Calls without results, and results without calls.
//!
//! The CLI leaves both out of what it sends, silently; the model then does not know that it ever
//! called the tool, or what came of it.

use std::collections::{HashMap, HashSet};

use crate::entry::Kind;
use crate::lines::LineEnd;

use super::item::{Edit, Item, Node, Parent, Side, Source};
use super::names::Name;
use super::step::RepairAction;
use super::work::Work;

/// After so many rounds nobody waits for a better order.
const ROUNDS: usize = 16;

impl Work {
    /// Gives each call one result and each result one call.
    pub(super) fn mend_pairs(&mut self) {
        // What answers what depends on the order in which lines are written, and that on what
        // hangs under what. It settles at once, except where damage lies upon damage.
        let mut answered = HashSet::new();
        for _ in 0..ROUNDS {
            self.settle_order();
            let before = self.relinked;
            answered = self.settle_results();
            if self.relinked == before {
                break;
            }
        }
        let live = self.live_replies();
        let open: Vec<(usize, Name)> = self
            .nodes()
            .filter(|(_, node)| !node.aborted)
            .filter(|(_, node)| {
                let reply = live.get(&node.side).copied();
                reply.is_none_or(|reply| node.reply != reply)
            })
            .flat_map(|(at, node)| node.calls.iter().map(move |call| (at, *call)))
            .filter(|(at, call)| !answered.contains(call) && self.caller(*call) == Some(*at))
            .collect();
        if open.is_empty() {
            return;
        }
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

    /// Results that nothing asked for, and second results, become text.
    fn settle_results(&mut self) -> HashSet<Name> {
        self.put_behind_calls();
        let mut answered = HashSet::new();
        let mut extra: Vec<(usize, Vec<Name>)> = Vec::new();
        for (at, node) in self.nodes() {
            let wrong = node.answers.iter().copied();
            let wrong: Vec<Name> = wrong
                .filter(|call| match self.caller(*call) {
                    // What the call hangs under cannot answer it.
                    Some(caller) if caller > at && !self.is_below(at, caller) => true,
                    Some(_) => !answered.insert(*call),
                    None => true,
                })
                .collect();
            if !wrong.is_empty() {
                extra.push((at, wrong));
            }
        }
        for (at, wrong) in extra {
            let names: Vec<String> = wrong.iter().map(|call| self.names.text(*call)).collect();
            // One of several results of a call in this line is the one that counts.
            let all = self.node(at).map(|node| node.answers.clone());
            let all = all.unwrap_or_default();
            let times = |list: &[Name], call: Name| list.iter().filter(|one| **one == call).count();
            let stays = |call: Name| times(&wrong, call) < times(&all, call);
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
            let lost = wrong.iter().any(|call| self.caller(*call).is_none());
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
            let wrong = wrong.iter().map(|call| (*call, stays(*call)));
            self.items[at].edit.to_text.extend(wrong);
            if self.node(at).is_some_and(|node| node.answers.is_empty()) {
                self.put_on_the_way(at, "pairing");
            }
        }
        answered
    }

    /// Results that stand before their call, and not under it, are hung under it.
    fn put_behind_calls(&mut self) {
        let early: Vec<(usize, usize)> = self
            .nodes()
            .filter_map(|(at, node)| {
                let mut callers = node.answers.iter().filter_map(|call| self.caller(*call));
                let caller = callers.find(|caller| *caller > at)?;
                Some((at, caller))
            })
            .collect();
        for (at, caller) in early {
            let apart = !self.is_below(at, caller) && !self.is_below(caller, at);
            let both = self.node(at).zip(self.node(caller));
            if apart && both.is_some_and(|(one, other)| one.side == other.side) {
                let why = "it stands before the call that it answers";
                self.hang(at, Some(caller), "pairing", why);
            }
        }
    }

    /// By chain: the reply at its very end. Its calls may still be running, and the CLI itself
    /// closes them when it resumes.
    fn live_replies(&self) -> HashMap<Side, Option<Name>> {
        let mut live = HashMap::new();
        let mut over = HashSet::new();
        for (_, node) in self.nodes().rev().filter(|(_, node)| node.is_said()) {
            if over.contains(&node.side) {
                continue;
            }
            let reply = match node.kind {
                Kind::Assistant => node.reply,
                _ if node.only_answers => {
                    let caller = node.answers.first().and_then(|call| self.caller(*call));
                    caller.and_then(|caller| self.node(caller)?.reply)
                }
                _ => None,
            };
            match live.get(&node.side) {
                None if reply.is_some() => {
                    live.insert(node.side, reply);
                }
                Some(known) if reply.is_some() && *known == reply => {}
                _ => {
                    over.insert(node.side);
                }
            }
        }
        live
    }

    /// Puts a result behind a call, and hangs what went on from the call under it.
    fn answer(&mut self, at: usize, call: Name, children: &HashMap<usize, Vec<usize>>) {
        let Some(caller) = self.node(at) else {
            return;
        };
        let (side, reply, parent) = (caller.side, caller.reply, caller.id);
        let (span, line) = (self.items[at].span, self.items[at].line);
        let why = format!("result of {}", self.names.text(call));
        let id = self.names.fresh(span.offset, &why);
        let mut node = Node::added(id, Parent::Id(parent), side);
        node.answers = Box::new([call]);
        node.only_answers = true;
        let new = self.add(Item {
            line,
            span,
            end: LineEnd::Lf,
            source: Source::StandIn { call },
            edit: Edit::default(),
            gone: false,
            node: Some(Box::new(node)),
        });
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
