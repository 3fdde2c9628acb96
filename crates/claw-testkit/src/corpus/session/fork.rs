//! Sessions that start with copies of the lines of another, in the three ways there are.

use std::collections::HashMap;

use super::super::line::Line;
use super::super::price::{MODELS, Tokens};
use super::super::shapes::Shapes;
use super::{Session, Style};
use crate::calendar;
use crate::dice::{Dice, uuid_text};

/// Who forked, which decides what copies look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum ForkKind {
    /// `--fork-session`: the same ids, no origin; the spend is carried over.
    Option,
    /// `/branch`: the same ids, and each line names its origin.
    Command,
    /// `forkSession` of the SDK: new ids, each line names its origin, and the last one has
    /// the time of the fork.
    Sdk,
}

impl ForkKind {
    pub(in super::super) const ALL: [Self; 3] = [Self::Option, Self::Command, Self::Sdk];
}

/// What is kept of a session to fork it later.
#[derive(Debug)]
pub(in super::super) struct Source {
    id: String,
    project: String,
    version: &'static str,
    modern: bool,
    lines: Vec<Line>,
    now_ms: i64,
    context: u64,
    model: usize,
    turn: usize,
    spent: [Tokens; MODELS.len()],
    carried_price: u64,
}

impl<'a> Session<'a> {
    /// Turns the session into a source for forks.
    pub(in super::super) fn into_source(self) -> Source {
        Source {
            id: self.id,
            project: self.project,
            version: self.version,
            modern: self.style.modern,
            // Requests, totals and lines outside the chain are not copied.
            lines: self
                .lines
                .into_iter()
                .filter(|line| line.uuid != 0)
                .collect(),
            now_ms: self.now_ms,
            context: self.context,
            model: self.model,
            turn: self.turn,
            spent: self.spent,
            carried_price: self.carried_price + self.hidden_price,
        }
    }

    /// A fork of a session.
    pub(in super::super) fn fork(
        source: &Source,
        kind: ForkKind,
        mut dice: Dice,
        shapes: &'a Shapes,
        style: Style,
    ) -> Self {
        let pause = dice.between(60_000, 100_000_000) as i64;
        let style = Style {
            modern: source.modern,
            ..style
        };
        let start_ms = source.now_ms + pause;
        let mut fork = Self::new(dice, shapes, &source.project, start_ms, style);
        fork.version = source.version;
        fork.model = source.model;
        fork.turn = source.turn;
        fork.context = source.context;
        if kind == ForkKind::Option {
            fork.spent = source.spent;
            fork.carried_price = source.carried_price;
        }
        let mut new_ids = HashMap::new();
        if kind == ForkKind::Sdk {
            for line in &source.lines {
                new_ids.insert(line.uuid, fork.dice.uuid());
            }
        }
        let count = source.lines.len();
        for (at, line) in source.lines.iter().enumerate() {
            let mut copy = line.clone();
            copy.text = copy.text.replace(&source.id, &fork.id);
            if kind != ForkKind::Option {
                let from = format!(
                    r#","forkedFrom":{{"sessionId":"{}","messageUuid":"{}"}}}}"#,
                    source.id,
                    uuid_text(line.uuid)
                );
                copy.text.pop();
                copy.text.push_str(&from);
            }
            if kind == ForkKind::Sdk {
                copy.text = with_new_ids(&copy.text, &new_ids);
                copy.uuid = new_ids.get(&line.uuid).copied().unwrap_or(line.uuid);
                if at + 1 == count {
                    set_time(&mut copy, start_ms);
                }
            }
            fork.leaf = Some(copy.uuid);
            fork.lines.push(copy);
        }
        fork
    }
}

/// The text with other ids in the members that name lines.
fn with_new_ids(text: &str, new_ids: &HashMap<u128, u128>) -> String {
    let mut text = text.to_owned();
    for member in [
        "\"parentUuid\":\"",
        "\"logicalParentUuid\":\"",
        "\"uuid\":\"",
        "\"sourceToolAssistantUUID\":\"",
    ] {
        // Quotes inside of strings are escaped, so this is no text but a member.
        let Some(from) = text.find(member).map(|at| at + member.len()) else {
            continue;
        };
        let Some(old) = text.get(from..from + 36) else {
            continue;
        };
        let number = u128::from_str_radix(&old.replace('-', ""), 16).ok();
        if let Some(new) = number.and_then(|number| new_ids.get(&number)) {
            text.replace_range(from..from + 36, &uuid_text(*new));
        }
    }
    text
}

fn set_time(line: &mut Line, now_ms: i64) {
    const MEMBER: &str = "\"timestamp\":\"";
    let Some(from) = line.text.rfind(MEMBER).map(|at| at + MEMBER.len()) else {
        return;
    };
    let time = calendar::timestamp(now_ms);
    line.text.replace_range(from..from + time.len(), &time);
    line.at_ms = now_ms;
}
